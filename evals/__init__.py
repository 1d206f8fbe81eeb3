"""What the project is measured with: one benchmark a file, each running the product's own code."""
