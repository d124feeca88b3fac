"""Base text, dictionary, tokenizer and token stream."""
