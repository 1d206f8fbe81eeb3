"""Work between the turns, one file a job; each run goes on where the last one ended."""
