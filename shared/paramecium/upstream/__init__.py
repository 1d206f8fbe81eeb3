"""Ways to a model: each adapter turns one request into one stream of events."""
