"""Runs an audit and kills itself with signal 9 at the given disk event; a test starts it as a process.

Events are counted where a kill hurts: before and after each flush, and before and after each rename.
Arguments: traces, table, run directory, event number (-1 never kills). Prints the number of events.
"""

import os
import signal
import sys
from pathlib import Path

from boresight.api import audit
from boresight.models.fake import FakeGenerator

events = 0
fatal = int(sys.argv[4])


def tick():
    global events  # noqa: PLW0603 - one counter for all patched calls
    if events == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
    events += 1


def watched(call):
    def wrapper(*arguments, **options):
        tick()
        result = call(*arguments, **options)
        tick()
        return result

    return wrapper


plain_write = Path.write_bytes


def half_write(self, data):
    plain_write(self, data[: len(data) // 2])
    tick()
    return plain_write(self, data)


os.fsync = watched(os.fsync)
Path.replace = watched(Path.replace)
Path.write_bytes = half_write

audit(sys.argv[1], generator=FakeGenerator.from_file(sys.argv[2]), out=sys.argv[3])
print(events)
