"""Paramecium: every word of a life's talk kept as a plain file, found again word for word."""
