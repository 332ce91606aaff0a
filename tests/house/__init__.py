"""The rules of the house as tests. There is no list of exceptions: what breaks a rule is changed, or the rule is."""
