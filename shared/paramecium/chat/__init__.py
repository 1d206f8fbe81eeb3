"""A turn of talk: the person's words stored, the model asked, its answer stored."""
