"""Audits traces through an endpoint; a test starts it as a process and kills it.

Arguments: endpoint, traces, run directory, folder of probes, file that gets one byte a call.
"""

import sys
from pathlib import Path

from boresight.api import audit
from boresight.models.http.generator import EndpointGenerator
from boresight.models.http.limits import Limits

endpoint, traces, out, probes, ledger = sys.argv[1:]
limits = Limits(timeout=0.3, backoff=0.001, longest_pause=0.01, attempts=12, concurrency=4)
with Path(ledger).open("ab", buffering=0) as book:
    generator = EndpointGenerator.open(endpoint, limits=limits, probes=Path(probes))
    generator.meter.on_call = lambda: book.write(b".")
    audit(traces, generator=generator, out=out, placebo=1, closed_book_answers=False)
    generator.close()
