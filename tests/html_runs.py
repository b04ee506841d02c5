"""Runs to make reports of: written by the pipeline itself, on generators whose numbers are written down."""

import json
import shutil
from itertools import combinations

import numpy as np

from boresight.run.audit import make_job, run_job

WORDS = [
    "the",
    "of",
    "castle",
    "river",
    "bread",
    "copper",
    "lantern",
    "harbour",
    "and",
    "stone",
    "winter",
    "bridge",
    "quiet",
    "orchard",
]


def words(count, rng):
    """So many plain words."""
    return " ".join(rng.choice(WORDS, count))


def random_table(names, tokens, rng, answer):
    """A table with a value for every set of the passages: each adds its own bit to each token."""
    gains = rng.gamma(0.3, 0.5, (len(names), tokens)) * rng.choice([1, 1, 1, -1], (len(names), 1))
    base = -rng.gamma(2.0, 0.6, tokens) - np.abs(gains).sum(axis=0)
    rows = {}
    for size in range(len(names) + 1):
        for chosen in combinations(range(len(names)), size):
            row = base + gains[list(chosen)].sum(axis=0) + rng.normal(0, 0.01, tokens)
            rows[",".join(sorted(names[place] for place in chosen))] = np.minimum(row, 0).round(4).tolist()
    return {"answer": answer, "closed_book": base.round(4).tolist(), "values": rows}


def trace_of(key, texts, **fields):
    """A trace whose passages ``p0, p1, ...`` hold the texts, scored downwards."""
    passages = [{"id": f"p{place}", "text": one, "score": 9.0 - place} for place, one in enumerate(texts)]
    return {"id": key, "query": "What stands by the harbour?", "passages": passages, **fields}


def big_run(folder, traces=100, passages=5, tokens=64, passage_words=120):
    """As many traces as a report must hold, with passages and answers of a usual length."""
    rng = np.random.default_rng(7)
    lines = [
        trace_of(f"t{n}", [words(passage_words, rng) for _ in range(passages)], answer=words(tokens, rng))
        for n in range(traces)
    ]
    names = [f"p{place}" for place in range(passages)]
    tables = {line["id"]: random_table(names, tokens, rng, line["answer"]) for line in lines}
    return audit(folder, lines, tables)


def empty_run(folder):
    """A run that was killed before its first trace was written: settings and nothing else."""
    run = small_run(folder)
    for path in run.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "run.json":
            path.unlink()
    return run


class Additive(dict):
    """Values of any set of passages without writing all of them down: each passage adds its own number."""

    def __init__(self, gains, base):
        super().__init__()
        self._gains, self._base = gains, base

    def __contains__(self, key):
        return True

    def __getitem__(self, key):
        return (self._base + sum(self._gains[name] for name in key.split(",") if name)).tolist()


def sampled_run(folder, passages=64, tokens=12):
    """One trace of so many passages that only a sample of their sets is scored."""
    from boresight.models.fake import FakeGenerator

    rng = np.random.default_rng(11)
    names = [f"p{place}" for place in range(passages)]
    gains = {name: rng.gamma(0.2, 0.02, tokens) for name in names}
    base = np.full(tokens, -9.0)
    answer = words(tokens, rng)
    table = {"answer": answer, "closed_book": base.tolist(), "values": Additive(gains, base)}
    line = trace_of("t", [words(8, rng) for _ in names], answer=answer)
    job = make_job([line], generator=FakeGenerator({"*": table}))
    job.generator._tables["*"]["values"] = table["values"]
    run_job(job, folder / "run")
    return folder / "run"


def audit(folder, lines, tables, **settings):
    """Run the pipeline on a fake generator; gives the run directory."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "table.json"
    table.write_text(json.dumps(tables), encoding="utf-8")
    job = make_job(lines, generator=f"fake:{table}", settings=settings)
    run_job(job, folder / "run")
    return folder / "run"


def hostile_run(folder, root):
    """Nasty but valid traces on a tiny random model with real control tokens."""
    from boresight.testing.toy_models import tiny_model, toy_tokenizer

    tokenizer = toy_tokenizer(window=16_384)
    tiny_model("llama", vocabulary=len(tokenizer), window=16_384).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    job = make_job(
        root / "tests/data/hostile.jsonl",
        generator=str(folder / "model"),
        settings={"max_new_tokens": 4, "threads": 1, "spans": ("key", "</script>")},
    )
    run_job(job, folder / "run", by=["meta.topic"])
    return folder / "run"


def small_run(folder, *, names=("a", "b", "c"), answer="in Rome today", **settings):
    """Two traces whose values are written down; ``a`` helps, ``b`` harms, and a third trace fails."""
    rng = np.random.default_rng(3)
    lines = [
        {
            "id": key,
            "query": f"Question of {key}?",
            "passages": [
                {"id": name, "text": f"Text of {name}.", "title": f"Title {name}", "score": 3.0 - rank}
                for rank, name in enumerate(names)
            ],
            "answer": answer,
            "meta": {"topic": topic},
        }
        for key, topic in (("first", "history"), ("second", "cooking"))
    ]  # fmt: skip
    tables = {line["id"]: random_table(list(names), 3, rng, answer) for line in lines}
    return audit(folder, lines, tables, **settings)


def single_run(folder):
    """One trace of one passage: everything that compares passages is undefined."""
    return small_run(folder, names=("a",))


def long_run(folder):
    """A passage of 10,000 characters and an answer of 2,000 tokens."""
    rng = np.random.default_rng(5)
    answer = words(2000, rng)
    texts = [words(1900, rng)[:10_000], words(20, rng)]
    table = random_table(["p0", "p1"], 2000, rng, answer)
    return audit(folder, [trace_of("long", texts, answer=answer)], {"long": table})


def funnel_run(folder):
    """Every kind of loss in a funnel of six stages, on answers whose values are written down."""
    from boresight.testing.funnels import funnel_cases
    from boresight.trace import trace_to_dict

    rng = np.random.default_rng(2)
    lines = [trace_to_dict(case.trace) | {"answer": "It was Zanzibar"} for case in funnel_cases(1)]
    tables = {line["id"]: random_table(line["context"], 3, rng, line["answer"]) for line in lines}
    return audit(folder, lines, tables)


def undefined_run(folder):
    """Traces without passages: only closed book was scored, and every measure is undefined."""
    table = {"*": {"answer": "in Rome", "closed_book": [-1.0, -2.0], "values": {"": [-1.0, -2.0]}}}
    return audit(folder, [trace_of(key, [], answer="in Rome") for key in ("u", "v")], table)


def many_colours_run(folder):
    """Eight passages, each the sole source of one token, so that every colour is shown at its strongest."""
    names = [f"p{place}" for place in range(8)]
    answer = " ".join(WORDS[: len(names)])
    rows = {}
    for size in range(len(names) + 1):
        for chosen in combinations(names, size):
            rows[",".join(chosen)] = [-1.0 if name in chosen else -4.0 for name in names]
    table = {"answer": answer, "closed_book": [-4.0] * len(names), "values": rows}
    return audit(folder, [trace_of("colours", names, answer=answer)], {"*": table})


def retriever_run(folder):
    """One trace whose retriever, BM25, is explained; one word stands outside the 16 bits of most letters."""
    from boresight.models.fake import FakeGenerator
    from boresight.models.rankers.bm25 import Bm25Ranker
    from helpers import additive_table

    texts = {
        "a": "\U0001f3f0 copper lantern, copper",
        "b": "the quiet harbour",
        "c": "bread <b>and</b> winter",
    }
    passages = [
        {"id": key, "title": key.upper(), "text": text, "score": 3.0 - place}
        for place, (key, text) in enumerate(texts.items())
    ]
    line = {"id": "t", "query": "copper harbour?", "passages": passages, "answer": "in Rome"}
    job = make_job(
        [line],
        generator=FakeGenerator({"*": additive_table(dict(zip(texts, (1.0, -0.5, 0.25), strict=True)))}),
        retriever=Bm25Ranker.fit(texts),
        settings={"explain": ("retriever",)},
    )
    run_job(job, folder / "run")
    return folder / "run"


def looks_run(folder):
    """Two traces with both sides explained: the words of the question are players, the retriever is BM25."""
    from boresight.models.rankers.bm25 import Bm25Ranker
    from boresight.testing.toy_models import tiny_model, toy_tokenizer

    tokenizer = toy_tokenizer()
    tiny_model("llama", vocabulary=len(tokenizer)).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    texts = [
        "the copper lantern of the harbour, old and heavy",
        "flooding rivers and one quiet harbour",
        "bread <b>and</b> winter",
    ]
    questions = {"t": "where is the copper harbour?", "u": "which river floods?", "none": ""}
    lines = [trace_of(key, texts, answer="in Rome") | {"query": query} for key, query in questions.items()]
    job = make_job(
        lines,
        generator=str(folder / "model"),
        retriever=Bm25Ranker.fit(
            {**{f"p{n}": text for n, text in enumerate(texts)}, "q": "stone", "r": "sea"}
        ),
        settings={"explain": ("retriever",), "players": ("query",), "threads": 1},
    )
    run_job(job, folder / "run")
    return folder / "run"
