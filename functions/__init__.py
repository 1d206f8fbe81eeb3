"""The doors: each translates between the outside and the house, and decides nothing."""
