"""Align the rows of several ballots, tally each leaf, propose a value and order the review queue."""
