"""The index: passages, vectors, words and full text over the archive; derived, rebuilt by one command."""
