"""Generators behind an OpenAI-compatible HTTP API: ``openai:URL#model``.

What an endpoint can say about a given text differs, so a probe of a few calls finds out (``probe.py``) and
one of three kinds of value follows (``kinds.py``): log-probabilities of the prompt's own tokens,
log-probabilities of generated tokens with bounds outside the top-k, or answers generated anew and compared
with the target. Needs the extra ``http`` (``pip install "boresight[http]"``).
"""
