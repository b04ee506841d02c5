"""Runs an audit and kills itself with signal 9 at the given disk event; a test starts it as a process.

Events are counted where a kill hurts: before and after each flush, before and after each rename, and in the
middle of a write. Arguments: traces, table, run directory, event number (-1 never kills). Prints the number
of events.
"""

import sys
from pathlib import Path

from boresight.api import audit
from boresight.models.fake import FakeGenerator
from killing import DiskEvents

events = DiskEvents(int(sys.argv[4]))
plain_write = Path.write_bytes


def half_write(self, data):
    plain_write(self, data[: len(data) // 2])
    events.tick()
    return plain_write(self, data)


Path.write_bytes = half_write

audit(sys.argv[1], generator=FakeGenerator.from_file(sys.argv[2]), out=sys.argv[3])
print(events.count)
