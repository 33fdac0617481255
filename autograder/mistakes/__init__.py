"""The wrong implementations, one module per lesson. Trusted side only."""
