"""One record of each format that keeps a whole trace in a JSON object, or a span of one."""

from rag_spans import pipeline

DOCUMENT = {"page_content": "a", "metadata": {}, "type": "Document"}
RUN = {"id": "r", "run_type": "retriever", "inputs": {"query": "?"}, "outputs": {"documents": [DOCUMENT]}}
RECORDS = {
    "boresight": {"query": "?", "passages": [{"text": "a"}], "contexts": ["b"], "docs": []},
    "ragas": {"user_input": "?", "retrieved_contexts": ["a"]},
    "ragchecker": {"query_id": "1", "query": "?", "retrieved_context": [{"doc_id": "1", "text": "a"}]},
    "open-rag-eval": {"query_id": "1", "query": "?", "passage": "a", "generated_answer": ""},
    "alce": {"question": "?", "docs": [{"title": "t", "text": "a"}]},
    "openinference": pipeline()[0],
    "trulens": {
        "record_attributes": {
            "ai.observability.span_type": "retrieval",
            "ai.observability.retrieval.retrieved_contexts": ["a"],
        }
    },
    "langchain": {"input": "?", "context": [DOCUMENT], "answer": "a"},
    "langsmith": RUN,
    "llama-index": {"query": "?", "response": "a", "source_nodes": [{"node": {"text": "a"}, "score": 1.0}]},
}
