"""Objects under keys: create-only, compare-and-swap, list; in memory, in a folder, in a bucket."""
