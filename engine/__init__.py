"""Everything that is neither page nor lab: study, measure, claims, interview, store."""
