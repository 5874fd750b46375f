"""The shipped demo, drawn from the values in ``datasets/demo``: all people, firms and numbers are invented."""
