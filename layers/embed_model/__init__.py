"""Makes the folder with the embedding model out of what manifests name."""
