"""How the target and draft of packages/demo-model were made: corpus, chats, training, export, evaluation."""
