"""Plain words for measures of faithfulness and retrieval, which an audit takes when they are named."""

from __future__ import annotations

_OTHER = {
    "leave_one_out": "leaving each passage out",
    "alone": "giving each passage alone",
    "banzhaf": "Banzhaf values",
}

FAITHFULNESS: dict[str, tuple[str, str]] = {
    "naopc_deletion": (
        "Faithfulness, removal",
        "How fast the answer falls as passages go, top first: 1 when no order is faster; higher is better.",
    ),
    "naopc_insertion": (
        "Faithfulness, insertion",
        "How fast the answer rises as passages come, top first, on the same scale; higher is better.",
    ),
    "aopc_deletion": (
        "Fall under removal",
        "Mean nats that the answer loses as passages go, top first; higher is better, beside chance.",
    ),
    "aopc_insertion": (
        "Rise under insertion",
        "Mean nats that the answer gains as passages come, top first; higher is better, beside chance.",
    ),
    "aipc": (
        "AIPC",
        "Area between removing the least and the most important first; higher is better, 0 is random.",
    ),
    "comprehensiveness": (
        "Comprehensiveness",
        "Nats that the answer loses without the top half of the passages or less; higher is better.",
    ),
    "sufficiency": (
        "Sufficiency",
        "Nats that the answer loses with these top passages alone; lower is better.",
    ),
    "top_drop": ("Top-k drop", "Nats that the answer loses without its top passages; higher is better."),
    "linear_datamodelling_score": (
        "Linear score",
        "Do sums of attributions order the values of all sets of passages? Higher is better; twins lower it.",
    ),
    **{
        f"agreement_{name}": (
            f"Agreement with {words}",
            f"Rank correlation with {words}: 1 alike, 0 unrelated. Neither direction is good in itself.",
        )
        for name, words in _OTHER.items()
    },
    **{
        f"same_top_{name}": (
            f"Same top passage as {words}",
            "Whether both name the same passage first. Neither direction is good in itself.",
        )
        for name, words in _OTHER.items()
    },
}

RETRIEVAL: dict[str, tuple[str, str]] = {
    "ndcg": ("nDCG", "How high the retriever ranks what labels call relevant, by grade; higher is better."),
    "map": ("MAP", "Mean precision at each relevant passage of the ranking; higher is better."),
    "mrr": ("MRR", "One over the rank of the first relevant passage; higher is better."),
    "recall": ("Recall", "Share of the relevant passages at the top of the ranking; higher is better."),
    "label_holes": (
        "Label holes",
        "Passages that the answer rests on and no label calls relevant; lower is better.",
    ),
    "share_outside_labels": (
        "Share outside the labels",
        "Share of the answer that rests on passages no label calls relevant; lower is better.",
    ),
}

SETTINGS_ON_DEMAND = {
    "top_drop": "the top {at} passages.",
    "ndcg": "the first {at} passages count.",
    "recall": "the first {at} passages count.",
}
