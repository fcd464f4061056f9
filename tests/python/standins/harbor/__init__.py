"""A stand-in for Harbor: environments by import path, an oracle, a verifier, and single-step
trials."""
