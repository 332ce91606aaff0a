"""What must survive: processes that are killed while they work, and a machine that is cut off from every network."""
