"""What the report says of each way of computing attributions."""

from __future__ import annotations

Words = dict[str, str]


def _sampled(label: str, source: str, text: str, kind: str = "approximate") -> Words:
    cost = "a fixed budget of prompts, 8 a passage by default"
    return {"label": label, "source": source, "kind": kind, "cost": cost, "text": text}


METHODS: dict[str, Words] = {
    "exact": {
        "label": "exact Shapley values",
        "source": "Shapley 1953",
        "kind": "causal",
        "cost": "2^n prompts a trace; no sampling error",
        "text": "Every subset of the passages was really put in the prompt and the answer scored again.",
    },
    "kriging": _sampled(
        "sampled Shapley values",
        "Covert and Lee 2021 for the pairs; the package documents the prediction",
        "A sample of the subsets was scored, in complementary pairs, and the others are predicted from it; "
        "the interval says what that leaves open.",
    ),
    "leverage": _sampled(
        "sampled Shapley values, leverage scores",
        "Musco and Witter 2025",
        "A sample of the subsets was scored, and a weighted regression made Shapley values of it.",
    ),
    "permutation": _sampled(
        "sampled Shapley values, antithetic permutations",
        "Castro et al. 2009; Mitchell et al. 2022",
        "Passages entered the prompt in random orders and their reverses; the interval says what that leaves "
        "open.",
    ),
    "kernel": _sampled(
        "sampled Shapley values, KernelSHAP",
        "Lundberg and Lee 2017",
        "A sample of the subsets was scored, and a weighted regression made Shapley values of it; it has no "
        "interval that holds.",
    ),
    "mcshap": _sampled(
        "sampled Shapley values, as in RAG-E",
        "RAG-E",
        "Random subsets stand for the passages before each one; no interval.",
    ),
    "pmcshap": _sampled(
        "sampled Shapley values, as in RAG-E, in parts",
        "RAG-E",
        "A part of a pool of random subsets stands for the passages before each one; no interval.",
    ),
    "loo": _sampled(
        "leave-one-out, which is no Shapley value",
        "",
        "What the answer loses without each passage.",
        "causal",
    ),
    "banzhaf": _sampled(
        "sampled Banzhaf values, which are no Shapley values",
        "Banzhaf 1965; Wang and Jia 2023",
        "What a passage adds to a random set of the others, on average.",
    ),
    "lime": _sampled(
        "a linear surrogate, which gives no Shapley values",
        "Ribeiro et al. 2016",
        "Weights of a linear model fitted to a sample of the subsets; no interval.",
    ),
    "contextcite": _sampled(
        "a sparse linear surrogate, which gives no Shapley values",
        "Cohen-Wang et al. 2024",
        "Weights of a sparse linear model of each token's log-odds, summed over tokens: log-odds, not nats; "
        "no interval, and no findings.",
    ),
    "none": {
        "label": "no attribution",
        "source": "",
        "kind": "",
        "cost": "the rows asked for alone",
        "text": "No chosen measure needed attributions, or there was nothing to attribute.",
    },
}
