"""The probes, one module per lesson."""
