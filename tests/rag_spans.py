"""One small run of a RAG pipeline, in each of the shapes that exporters give spans."""

QUESTION = "Who lit the lamp?"
PROMPT = "Use this:\nAnna lit the\n lamp.\n\nBo slept.\n\nWho lit the lamp?"
DOCUMENTS = [("d1", "Bo slept.", 0.9), ("d2", "Anna lit the lamp.", 0.8), ("d3", "Rain fell.", 0.7)]


def flat(prefix="retrieval.documents"):
    found = {}
    for index, (name, text, score) in enumerate(DOCUMENTS):
        at = f"{prefix}.{index}.document"
        found |= {
            f"{at}.id": name,
            f"{at}.content": text,
            f"{at}.score": score,
            f"{at}.metadata": '{"page": 3}',
        }
    return found


def span(kind, attributes, span_id, parent="", trace="t1", *, start=0):
    return {
        "name": kind.lower(),
        "context": {"trace_id": trace, "span_id": span_id},
        "parent_id": parent,
        "start_time": f"2025-01-01T00:00:0{start}Z",
        "attributes": {"openinference.span.kind": kind, **attributes},
    }


def pipeline(trace="t1", question=QUESTION):
    """Root, retriever and model, in the order in which exporters write them: inner ones first."""
    return [
        span("RETRIEVER", {"input.value": question, **flat()}, "b", "a", trace, start=1),
        span(
            "LLM",
            {
                "llm.input_messages.0.message.role": "system",
                "llm.input_messages.0.message.content": "Be brief.",
                "llm.input_messages.1.message.role": "user",
                "llm.input_messages.1.message.content": "Hello.",
                "llm.input_messages.2.message.role": "assistant",
                "llm.input_messages.2.message.content": "Hi!",
                "llm.input_messages.3.message.role": "user",
                "llm.input_messages.3.message.content": PROMPT,
                "llm.output_messages.0.message.content": "Anna.",
            },
            "c",
            "a",
            trace,
            start=2,
        ),
        span("CHAIN", {"input.value": question, "output.value": "Anna."}, "a", "", trace),
    ]


def otlp(spans):
    """The same spans as an OTLP JSON envelope."""

    def value(item):
        if isinstance(item, float):
            return {"doubleValue": item}
        return {"intValue": str(item)} if isinstance(item, int) else {"stringValue": item}

    return {
        "resourceSpans": [
            {
                "scopeSpans": [
                    {
                        "spans": [
                            {
                                "name": one["name"],
                                "traceId": one["context"]["trace_id"],
                                "spanId": one["context"]["span_id"],
                                "parentSpanId": one["parent_id"],
                                "startTimeUnixNano": str(10**18 + int(one["start_time"][-2])),
                                "attributes": [
                                    {"key": key, "value": value(item)}
                                    for key, item in one["attributes"].items()
                                ],
                            }
                            for one in spans
                        ]
                    }
                ]
            }
        ]
    }
