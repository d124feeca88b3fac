"""Held-out prompts and the figures of the model card."""
