"""Language models as rerankers, read from their log-probabilities and never from what they write.

A file a method. All ask through the generator seam, so any generator that scores given text will do, chat
templates are followed, and control tokens in a passage stay plain text.
"""
