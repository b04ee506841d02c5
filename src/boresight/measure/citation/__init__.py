"""Citations of an answer: read from its text, and tested by taking the cited passage away."""

from boresight.measure.citation.causal import CitedClaim, claims_under_removal
from boresight.measure.citation.claims import Claim, claims_of
from boresight.measure.citation.parse import Marker, markers_in

__all__ = ["CitedClaim", "Claim", "Marker", "claims_of", "claims_under_removal", "markers_in"]
