"""The command line. Exit codes: 0 done, 1 gate failed, 2 bad usage or input, 3 done but some traces failed.

A command is one file in this package: a function under `@app.command()` that calls a room below and prints.
To add one, write the file and import it here; the order of the imports is the order in `boresight --help`.
"""

from boresight.cli.app import app, keep_lines, main

# isort: off
from boresight.cli import audit
from boresight.cli import plan
from boresight.cli import report
from boresight.cli import convert
from boresight.cli import index
from boresight.cli import retrieve
from boresight.cli import ask
from boresight.cli import compare
from boresight.cli import gate
from boresight.cli import risk
from boresight.cli import funnel
from boresight.cli import citations
from boresight.cli import perturb
from boresight.cli import measures
from boresight.cli import doctor
from boresight.cli import models
# isort: on

keep_lines(app)

__all__ = ["app", "main"]
