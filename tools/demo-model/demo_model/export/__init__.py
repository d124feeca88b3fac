"""Export of checkpoints: Hugging Face folders and GGUF files."""
