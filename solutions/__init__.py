"""The reference: a small Transformer in PyTorch, one module per lesson."""
