"""Audits traces through an endpoint; a test starts it as a process and kills it.

Arguments: endpoint, traces, run directory, folder of probes.
"""

import sys
from pathlib import Path

from boresight.api import audit
from boresight.models.http.generator import EndpointGenerator
from boresight.models.http.limits import Limits

endpoint, traces, out, probes = sys.argv[1:]
limits = Limits(timeout=0.3, backoff=0.001, longest_pause=0.01, attempts=12, concurrency=4)
generator = EndpointGenerator.open(endpoint, limits=limits, probes=Path(probes))
audit(traces, generator=generator, out=out, placebo=1, closed_book_answers=False)
generator.close()
