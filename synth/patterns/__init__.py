"""The patterns, one file each; a file that is there is known by its name."""
