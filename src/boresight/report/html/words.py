"""Plain words for what the page shows; the exact definitions stand in the catalogue of measures."""

from __future__ import annotations

from typing import Any

from boresight.errors import SpecError
from boresight.measure.registry import catalogue, parse
from boresight.report.html.words_on_demand import FAITHFULNESS, RETRIEVAL, SETTINGS_ON_DEMAND

_RESTS_LOW = "The answer rests most on a passage that the retriever ranked low."

LABELS: dict[str, tuple[str, str]] = {
    "warg": (
        "WARG, log scale",
        "1 when the passages the answer rests on also score highest, -1 when lowest; higher is better.",
    ),
    "warg_prob": (
        "WARG, probability scale",
        "The same, with attributions measured in probability; higher is better.",
    ),
    "warg_rbo": (
        "Ranking disagreement (RBO)",
        "Smallest when retriever and generator rank the passages alike; lower is better.",
    ),
    "warg_rbo_norm": (
        "Ranking disagreement, normalised",
        "0 when retriever and generator rank the passages alike, largest when opposite; lower is better.",
    ),
    "wasted_retrieval": (
        "Wasted retrieval",
        "The retriever's first passage is far down the generator's ranking; lower is better.",
    ),
    "noise_distraction": (
        "Noise distraction",
        f"{_RESTS_LOW} Lower is better.",
    ),
    "wasted_share": (
        "Wasted share",
        "Share of the retriever's first t that are not the generator's first t; lower is better.",
    ),
    "noise_share": (
        "Noise share",
        "Share of the retriever's last n - t among the generator's first n - t; lower is better.",
    ),
    "top1_agreement": (
        "Top-1 agreement",
        "Retriever and generator put the same passage first; higher is better. Ties count in parts.",
    ),
    "spearman": (
        "Spearman, ranks",
        "Agreement of the two rankings: 1 alike, 0 unrelated, -1 reversed; higher is better.",
    ),
    "pearson": (
        "Pearson, scores",
        "Linear agreement of retrieval scores and attributions, -1 to 1; higher is better.",
    ),
    "kendall": (
        "Kendall tau-b, ranks",
        "Agreement of the two rankings, counted in pairs, -1 to 1; higher is better.",
    ),
    "effective_passages": (
        "Effective passages",
        "How many passages carry the answer; 1 when a single one does. Neither direction is good in itself.",
    ),
    "context_gain": (
        "Gain over closed book",
        "Nats that the passages add over a plain question; higher is better, below 0 they hurt.",
    ),
    "context_effect": (
        "Gain over an empty context",
        "The same, against the same prompt without passages; higher is better.",
    ),
    "below_numeric_floor": (
        "Passages below the numeric floor",
        "Passages whose effect is not distinguishable from rounding; lower is better.",
    ),
    "good_retrieved": ("Good passages retrieved", "Share of the good passages that a retriever kept."),
    "good_in_context": (
        "Good passages in the context",
        "Share of the good passages that reached the prompt.",
    ),
    "good_used": (
        "Good passages used",
        "Share of the good passages of the context whose attribution is beyond the floor; higher is better.",
    ),
    "good_cited": ("Good passages cited", "Share of the good passages of the context that the answer cites."),
    "total_harm": ("Total harm", "Nats that passages took away from the answer; lower is better, 0 is best."),
    **FAITHFULNESS,
    **RETRIEVAL,
}

_DEEPER = "each rank counts {at} times as much as the one before."
_FAR = "behind rank {at}, counted from 0."

SETTINGS = {
    "warg": "a passage counts when it holds more than {at} times an even share.",
    "warg_prob": "a passage counts when it holds more than {at} times an even share.",
    "warg_rbo": _DEEPER,
    "warg_rbo_norm": _DEEPER,
    "wasted_retrieval": _FAR,
    "noise_distraction": _FAR,
    "wasted_share": "t = {at}.",
    "noise_share": "t = {at}.",
    **SETTINGS_ON_DEMAND,
}

EVIDENCE = {
    "grand": "value with all passages",
    "both": "value of both alone",
    "alone": "value alone",
    "context_gain": "gain over closed book",
    "closed_book": "value of closed book",
    "gain_if_removed": "gain if it is removed",
    "signs": "kinds of hostile text found",
    "attribution": "attribution",
    "retriever_rank": "retriever rank (from 0)",
    "interaction": "interaction",
    "floor": "floor",
    "margin": "margin within which an answer is kept",
    "from_memory": "share of answers from memory",
    "label": "grade of its label",
    "chance": "chance",
    "traces": "traces",
}

HEADLINE = (
    "warg@1.5", "spearman", "kendall", "pearson", "top1_agreement", "warg_rbo_norm@0.9", "wasted_retrieval@2",
    "noise_distraction@2", "wasted_share@1", "noise_share@1", "context_gain", "context_effect",
    "effective_passages", "total_harm", "below_numeric_floor",
)  # fmt: skip

FINDINGS: dict[str, tuple[str, str]] = {
    "wasted_retrieval": ("Wasted retrieval", "Other passages count more than the retriever's first."),
    "noise_distraction": ("Noise distraction", _RESTS_LOW),
    "harmful_passage": ("Harmful passage", "A passage makes the answer less likely."),
    "from_memory": ("From memory", "The model says the same without any passage."),
    "twins": ("Twins", "Two passages hold the same evidence; either alone is enough."),
    "need_each_other": ("Need each other", "Two passages help only together."),
    "order_sensitive": ("Order-sensitive", "The same passages in another order change the answer."),
    "claim_from_uncited": (
        "Claim from an uncited passage", "A sentence cites one passage and rests on another.",
    ),
    "label_hole": ("Label hole", "The answer rests on a passage that no label calls relevant."),
    "hostile_passage": ("Hostile passage", "A passage holds control tokens or instructions."),
    "against_the_retriever": ("Against the retriever", "The generator uses what the retriever ranks low."),
    "with_the_retriever": ("With the retriever", "The generator uses what the retriever ranks high."),
    "context_hurts": ("The context hurts", "The passages make the answers less likely."),
    "context_helps": ("The context helps", "The passages make the answers more likely."),
}  # fmt: skip

REMEDIES = {
    "drop_passage": "drop the passage",
    "rerank": "rerank",
    "deduplicate": "deduplicate",
    "keep_together": "keep the passages together",
    "abstain_or_cite": "abstain, or make the model cite",
    "sanitise": "sanitise the passage",
    "none": "",
}


def measure_words(name: str) -> dict[str, Any]:
    """Label, explanation and definition of a measure; an unknown one is shown under its own name."""
    try:
        declared = parse(name).describe()
    except SpecError:
        return {
            "name": name,
            "label": name,
            "help": "",
            "headline": False,
            "unit": "index",
            "range": [None, None],
        }
    label = LABELS.get(declared["family"], (declared["family"], ""))[0]
    kept = ("family", "formula", "unit", "range", "needs", "source", "parameter", "value")
    return {
        "name": name,
        "label": label,
        "help": _explained(declared["family"], declared["value"]),
        "headline": name in HEADLINE,
        **{key: declared[key] for key in kept},
    }


def _explained(family: str, parameter: float | None) -> str:
    """What a measure says, which direction is good, and what the number behind its @ does."""
    explained = LABELS.get(family, (family, ""))[1]
    if parameter is None or family not in SETTINGS:
        return explained
    return f"{explained} @{parameter:g}: {SETTINGS[family].format(at=f'{parameter:g}')}"


def passage_measure_words() -> list[dict[str, Any]]:
    """The definitions of the columns of a passage."""
    kept = ("name", "formula", "unit", "source")
    return [{key: one[key] for key in kept} for one in catalogue() if one["scope"] == "passage"]
