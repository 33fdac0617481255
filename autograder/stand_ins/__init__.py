"""The parts of every lesson built on torch.nn: what later lessons use when the learner has none of their own."""
