"""Synthetic chats, made by programs only: no text of any other model."""
