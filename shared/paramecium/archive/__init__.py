"""The archive: what was said, once and for ever; gets a store that can only append."""
