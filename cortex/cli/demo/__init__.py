"""`cortex demo`: start the platform, load the demo company, ask its questions as different people."""
