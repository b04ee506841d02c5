"""Score games of a tiny model with a large vocabulary, and print what memory that took.

    python memory_of_the_tree.py PASSAGES TRACES BATCHES

Prints the growth of the peak over the memory before scoring, and the growth from the 20th to the last trace,
both in MiB.
"""

import resource
import sys
from pathlib import Path

import torch

from boresight.game.batches import as_batch, grouped
from boresight.game.coalitions import all_coalitions, members
from boresight.models.seam import Request, Segment, Target
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import tiny_model, toy_tokenizer

VOCABULARY = 49_152
PAGE = resource.getpagesize() / 2**20


def ids(start, size):
    return tuple((start + 7 * place) % VOCABULARY for place in range(size))


def requests_of(trace, passages, passage_tokens, answer_tokens):
    blocks = [
        Segment(f"p{place}", ids(trace + 100 * place, passage_tokens), f"p{place}")
        for place in range(passages)
    ]
    frame = Segment("header", ids(trace, 20)), Segment("tail", ids(3, 30))
    target = Target("answer", "recorded", "", ids(trace + 1, answer_tokens), ())
    return [
        Request("t", "passages", (frame[0], *(blocks[i] for i in members(name)), frame[1]), (target,))
        for name in all_coalitions(passages)
    ]


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def main():
    passages, traces, batches = map(int, sys.argv[1:])
    torch.set_num_threads(1)
    model = tiny_model("llama", vocabulary=VOCABULARY, window=4096)
    generator = TransformersGenerator(model, toy_tokenizer("bytes"), name="toy")
    able = generator.capabilities()
    before, early = resident(), 0.0
    for trace in range(traces):
        requests = requests_of(trace, passages, 100, 200 if traces == 1 else 20)
        for group in grouped(requests, able)[-batches:]:
            generator.score(as_batch([requests[index] for index in group], able))
        early = resident() if trace == min(19, traces - 1) else early
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{peak - before:.0f} {resident() - early:.0f}")


main()
