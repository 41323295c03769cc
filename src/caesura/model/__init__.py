"""What is compared and what comes out: small, frozen, without I/O."""
