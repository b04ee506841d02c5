"""`python -m boresight.cli`."""

from boresight.cli.app import main

main()
