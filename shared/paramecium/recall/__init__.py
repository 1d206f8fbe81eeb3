"""Finding what was said, and giving it back word for word."""
