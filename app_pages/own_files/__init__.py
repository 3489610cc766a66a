"""The page of a learner's own traces, snapshots and reports: taken in, read, and learnt from."""
