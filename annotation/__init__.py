"""Turn leaves that wait for a person into labelling tasks, and finished tasks into decisions."""
