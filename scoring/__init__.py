"""Compare a prediction with the ground truth: pair the records, judge the values, check the evidence."""
