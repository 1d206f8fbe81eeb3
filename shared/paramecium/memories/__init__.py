"""Memories: notes that each stand on a quote, the ledger of what became of them, and what is written by hand."""
