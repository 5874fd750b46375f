"""Wire the steps to disk, network and people: the Prefect flows and the command line."""
