"""Training of target and draft together."""
