"""Indexes a collection and kills itself with signal 9 at the given disk event; a test starts it as a process.

Events are counted where a kill hurts: before and after each flush, rename and commit. Arguments: the
collection, the index, event number (-1 never kills). Prints the number of events.
"""

import sys
from pathlib import Path

from boresight.pipeline import build, dense
from boresight.pipeline.index import IndexSettings
from boresight.pipeline.passages import PassageStore
from boresight.pipeline.splitter import Splitter
from killing import DiskEvents
from pipeline_toys import ToyEncoder

events = DiskEvents(int(sys.argv[3]))
PassageStore.commit = events.watched(PassageStore.commit)
PassageStore.add = events.watched(PassageStore.add)
build.COMMIT_EVERY = 2
dense.SAVE_EVERY = 3

settings = IndexSettings(Splitter(60, 10), encoder="toy")
build.build_index(Path(sys.argv[1]), Path(sys.argv[2]), settings, encoder=ToyEncoder())
print(events.count)
