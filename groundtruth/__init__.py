"""The shared model: paths, boxes, schemas, values, ballots, evidence and documents.

It imports no other package of the project, and reads or writes files only in `store` and `pages`.
"""
