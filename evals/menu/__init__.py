"""The menu measured on a life that is lived again, and on planted cases."""
