"""Encoders small enough to work out by hand, written as model folders.

A transformer of no layers gives each token its own embedding, wherever it stands. Embeddings of two ones and
two minus ones pass the layer normalisation unchanged, so that every vector below is exact:

    [CLS] = (-1, 1, 1, -1)   red = (1, 1, -1, -1)   green = (-1, -1, 1, 1)
    [SEP] = (1, -1, -1, 1)   blue = (1, -1, 1, -1)  small = (-1, 1, -1, 1)

red and green are opposite, blue and small too; all else that differs is orthogonal or opposite.
"""

import json

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertModel,
    PreTrainedTokenizerFast,
)

CONTROL = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
WORDS = ("red", "green", "blue", "small", ".", "query", "passage", ":")
VECTORS = {
    "[CLS]": (-1, 1, 1, -1),
    "[SEP]": (1, -1, -1, 1),
    "red": (1, 1, -1, -1),
    "green": (-1, -1, 1, 1),
    "blue": (1, -1, 1, -1),
    "small": (-1, 1, -1, 1),
}
POOLINGS = {
    "cls_token": lambda h: h[0],
    "mean_tokens": lambda h: h.mean(axis=0),
    "max_tokens": lambda h: h.max(axis=0),
    "lasttoken": lambda h: h[-1],
}


def vectors(*tokens):
    """Token vectors by hand, shape (tokens, 4)."""
    return np.array([VECTORS[token] for token in tokens], dtype=np.float64)


def tokenizer(*, padding_side="right", extra=(), lower=False):
    """Words between [CLS] and [SEP]."""
    known = {word: place for place, word in enumerate((*CONTROL, *WORDS))}
    engine = Tokenizer(models.WordLevel(known, "[UNK]"))
    engine.pre_tokenizer = pre_tokenizers.Whitespace()
    if lower:
        engine.normalizer = normalizers.Lowercase()
    ends = [("[CLS]", known["[CLS]"]), ("[SEP]", known["[SEP]"])]
    engine.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    named = {f"{name[1:-1].lower()}_token": name for name in CONTROL}
    made = PreTrainedTokenizerFast(
        tokenizer_object=engine, padding_side=padding_side, model_max_length=64, **named
    )
    made.add_tokens(list(extra))
    return made


def config(size, *, layers=0, width=4, **more):
    return BertConfig(
        vocab_size=size,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=64,
        layer_norm_eps=1e-12,
        initializer_range=0.4,
        pad_token_id=0,
        **more,
    )


def by_hand(model, vocabulary):
    """Write the embeddings of this page into a model without layers."""
    with torch.no_grad():
        inner = getattr(model, "bert", model).embeddings
        inner.position_embeddings.weight.zero_()
        inner.token_type_embeddings.weight.zero_()
        for word, row in VECTORS.items():
            inner.word_embeddings.weight[vocabulary[word]] = torch.tensor(row, dtype=torch.float32)
    return model


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def dense_folder(
    folder, pooling="mean_tokens", *, padding_side="right", normalize=False, length=None, **settings
):
    """A bi-encoder in the layout of sentence-transformers."""
    words = tokenizer(padding_side=padding_side)
    by_hand(BertModel(config(len(words))), words.get_vocab()).save_pretrained(folder)
    words.save_pretrained(folder)
    kinds = ["Transformer", "Pooling", *(["Normalize"] if normalize else [])]
    put(
        folder / "modules.json",
        [
            {
                "idx": place,
                "name": str(place),
                "path": f"{place}_{kind}" if place else "",
                "type": f"sentence_transformers.models.{kind}",
            }
            for place, kind in enumerate(kinds)
        ],
    )
    flags = {f"pooling_mode_{name}": name == pooling for name in POOLINGS}
    put(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 4, **flags})
    put(folder / "sentence_bert_config.json", {"max_seq_length": length})
    put(folder / "config_sentence_transformers.json", settings)
    return folder


def sparse_folder(folder, expansion=None, **pooling):
    """A masked language model whose logit is the product of embeddings, plus a bias for one word.

    A token gives its own word the logit 4, its opposite -4, orthogonal words 0.
    """
    words = tokenizer()
    known = words.get_vocab()
    torch.manual_seed(0)
    model = by_hand(BertForMaskedLM(config(len(words), hidden_act="linear")), known)
    with torch.no_grad():
        head = model.cls.predictions
        head.transform.dense.weight.copy_(torch.eye(4))
        head.transform.dense.bias.zero_()
        for name, place in known.items():
            if name not in VECTORS:
                model.bert.embeddings.word_embeddings.weight[place] = 0.0
        head.bias.zero_()
        if expansion:
            head.bias[known[expansion]] = 1.0
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    if pooling:
        kinds = [("", "MLMTransformer"), ("1_SpladePooling", "SpladePooling")]
        entries = [{"idx": i, "name": str(i), "path": p, "type": f"st.{k}"} for i, (p, k) in enumerate(kinds)]
        put(folder / "modules.json", entries)
        put(folder / "1_SpladePooling" / "config.json", pooling)
    return folder


def late_folder(folder, **settings):
    """A random two-layer encoder with a projection, in the layout of PyLate."""
    words = tokenizer(extra=("[Q] ", "[D] "))
    torch.manual_seed(1)
    BertModel(config(len(words), layers=2, width=8)).save_pretrained(folder)
    words.save_pretrained(folder)
    kinds = [
        ("", "sentence_transformers.models.Transformer"),
        ("1_Dense", "pylate.models.Dense.Dense"),
    ]
    put(
        folder / "modules.json",
        [{"idx": i, "name": str(i), "path": path, "type": kind} for i, (path, kind) in enumerate(kinds)],
    )
    put(folder / "sentence_bert_config.json", {"max_seq_length": 11, "do_lower_case": False})
    put(
        folder / "1_Dense" / "config.json",
        {
            "in_features": 8,
            "out_features": 6,
            "bias": False,
            "activation_function": "torch.nn.modules.linear.Identity",
        },
    )
    save_file({"linear.weight": torch.randn(6, 8)}, folder / "1_Dense" / "model.safetensors")
    late = {
        "model_type": "ColBERT",
        "query_prefix": "[Q] ",
        "document_prefix": "[D] ",
        "query_length": 12,
        "document_length": 12,
        "do_query_expansion": True,
        "attend_to_expansion_tokens": False,
        "skiplist_words": ["."],
        "similarity_fn_name": "MaxSim",
        "prompts": {},
    }
    put(folder / "config_sentence_transformers.json", {**late, **settings})
    return folder


def cross_folder(folder, labels=1):
    """A random two-layer cross-encoder."""
    words = tokenizer()
    torch.manual_seed(2)
    made = BertForSequenceClassification(config(len(words), layers=2, width=8, num_labels=labels))
    made.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
