"""Files of other programs, one format a file, read into conversations of ours."""
