"""What is never trained on: prompts, words and documents, chosen by hash so that every step agrees without a list."""

import hashlib


def hash_mod(text, modulus):
    """Remainder of the first 32 bits of the MD5 of a text."""
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:4], "little") % modulus


def is_heldout_prompt(user):
    """One prompt in 16; `user` is the task itself, before any context is put around it."""
    return hash_mod(user, 16) == 0


def is_heldout_word(word):
    """One word of the dictionary in 20."""
    return hash_mod("w:" + word, 20) == 0


def is_heldout_document(key):
    """One document in 50; `key` is its source and path."""
    return hash_mod("d:" + key, 50) == 0
