"""For scripts that kill themselves with signal 9 at a given disk event; a test starts them as processes."""

import os
import signal
from pathlib import Path


class DiskEvents:
    """Counts the events at which a kill hurts, and kills at one of them.

    Before and after each flush and rename are events; a script may add its own with ``tick`` and ``watched``.
    """

    def __init__(self, fatal):
        """``fatal`` is the number of the event that kills; -1 never does."""
        self.fatal, self.count = fatal, 0
        os.fsync = self.watched(os.fsync)
        Path.replace = self.watched(Path.replace)

    def tick(self):
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def watched(self, call):
        def wrapper(*arguments, **options):
            self.tick()
            result = call(*arguments, **options)
            self.tick()
            return result

        return wrapper
