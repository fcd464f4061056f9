"""A stand-in for Harbor: environments by import path, an oracle, a verifier, and trials of one step."""
