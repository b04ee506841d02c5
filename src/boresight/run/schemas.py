"""Columns of the derived tables; a column that nothing has filled yet holds nulls."""

from __future__ import annotations

import pyarrow as pa

_TEXT, _INT, _FLOAT, _FLAG = pa.string(), pa.int32(), pa.float64(), pa.bool_()

PASSAGES = pa.schema(
    [
        ("trace", _TEXT),
        ("passage", _TEXT),
        ("target", _TEXT),
        ("method", _TEXT),
        ("rank", _INT),
        ("retriever_score", _FLOAT),
        ("position", _INT),
        ("attribution", _FLOAT),
        ("low", _FLOAT),
        ("high", _FLOAT),
        ("share", _FLOAT),
        ("leave_one_out", _FLOAT),
        ("gain", _FLOAT),
        ("harm", _FLOAT),
        ("above_numeric", _FLAG),
        ("above_placebo", _FLAG),
        ("cited", _FLAG),
        ("citation_causal", _FLOAT),
        ("relevant", _FLAG),
    ]
)

TOKENS = pa.schema(
    [
        ("trace", _TEXT),
        ("passage", _TEXT),
        ("target", _TEXT),
        ("method", _TEXT),
        ("token", _INT),
        ("text", _TEXT),
        ("start", _INT),
        ("end", _INT),
        ("attribution", _FLOAT),
        ("low", _FLOAT),
        ("high", _FLOAT),
    ]
)

PAIRS = pa.schema(
    [
        ("trace", _TEXT),
        ("a", _TEXT),
        ("b", _TEXT),
        ("target", _TEXT),
        ("interaction", _FLOAT),
        ("low", _FLOAT),
        ("high", _FLOAT),
    ]
)

SALIENCY = pa.schema(
    [
        ("trace", _TEXT),
        ("passage", _TEXT),
        ("target", _TEXT),
        ("stage", _TEXT),
        ("method", _TEXT),
        ("side", _TEXT),
        ("token", _INT),
        ("text", _TEXT),
        ("start", _INT),
        ("end", _INT),
        ("value", _FLOAT),
        ("low", _FLOAT),
        ("high", _FLOAT),
        ("above_numeric", _FLAG),
    ]
)

MEASURES = pa.schema(
    [
        ("trace", _TEXT),
        ("measure", _TEXT),
        ("target", _TEXT),
        ("value", _FLOAT),
        ("low", _FLOAT),
        ("high", _FLOAT),
        ("state", _TEXT),
        ("reason", _TEXT),
        ("chance", _FLOAT),
        ("minimum", _FLOAT),
    ]
)

PASSAGE_ROWS = pa.schema(
    [
        ("trace", _TEXT),
        ("passage", _TEXT),
        ("measure", _TEXT),
        ("target", _TEXT),
        ("value", _FLOAT),
        ("low", _FLOAT),
        ("high", _FLOAT),
        ("state", _TEXT),
        ("reason", _TEXT),
    ]
)

FUNNEL = pa.schema(
    [
        ("trace", _TEXT),
        ("passage", _TEXT),
        ("good_by", _TEXT),
        ("grade", _FLOAT),
        ("stage", _TEXT),
        ("stage_kind", _TEXT),
        ("lost_kind", _TEXT),
        ("inferred", _FLAG),
        ("detail", _TEXT),
        ("rank_low", _INT),
        ("rank_high", _INT),
        ("margin", _FLOAT),
        ("cut", _INT),
        ("reached", _TEXT),
        ("in_context", _FLAG),
        ("position", _INT),
        ("attribution", _FLOAT),
        ("above_floor", _FLAG),
        ("cited", _FLAG),
        ("answer_right", _FLAG),
    ]
)

FUNNEL_STEPS = pa.schema(
    [
        ("trace", _TEXT),
        ("passage", _TEXT),
        ("step", _INT),
        ("stage", _TEXT),
        ("stage_kind", _TEXT),
        ("rank_low", _INT),
        ("rank_high", _INT),
        ("score", _FLOAT),
        ("margin", _FLOAT),
        ("ranked", _INT),
        ("cut", _INT),
        ("survived", _FLAG),
        ("tied_at_cut", _FLAG),
        ("lost_kind", _TEXT),
    ]
)

STAGES = pa.schema(
    [
        ("trace", _TEXT),
        ("step", _INT),
        ("stage", _TEXT),
        ("stage_kind", _TEXT),
        ("measure", _TEXT),
        ("value", _FLOAT),
        ("state", _TEXT),
        ("reason", _TEXT),
        ("chance", _FLOAT),
        ("minimum", _FLOAT),
    ]
)

QUERY_ALIGNMENT = pa.schema(
    [
        ("trace", _TEXT),
        ("stage", _TEXT),
        ("measure", _TEXT),
        ("value", _FLOAT),
        ("state", _TEXT),
        ("reason", _TEXT),
        ("chance", _FLOAT),
        ("minimum", _FLOAT),
    ]
)
