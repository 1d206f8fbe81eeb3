"""How fast it is and what it takes: milliseconds, rates and megabytes, one subject a file, each row with its bar."""
