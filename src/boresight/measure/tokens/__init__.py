"""Token by token: do the passages help the answer, or stand in its way?

``labels.py`` says it of one token by Tok-RAG's criterion, ``families.py`` of a trace; ``claim.py`` tests over
many traces whether the criterion knows more than plain certainty does.
"""

from boresight.measure.tokens.claim import Claim, claim_of
from boresight.measure.tokens.families import token_families
from boresight.measure.tokens.labels import Label, labels

__all__ = ["Claim", "Label", "claim_of", "labels", "token_families"]
