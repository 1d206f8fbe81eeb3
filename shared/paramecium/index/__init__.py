"""Everything derived from the archive that makes words findable again; one command rebuilds it."""
