"""Generators, encoders and prompts; executes what the game lays out."""
