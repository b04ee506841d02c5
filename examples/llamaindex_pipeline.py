"""A LlamaIndex pipeline on local models, captured in three lines and audited."""

from llama_index.core import llms, query_engine, retrievers, schema
from transformers import pipeline

import boresight as bs
from boresight.models import carriers, encoder
from boresight.trace.capture.llama_index import LlamaIndexCapture

TEXTS = {"a": "The ferry sails at noon.", "b": "The lighthouse was lit in 1904.", "c": "Its keeper sang."}
llm = pipeline("text-generation", str(carriers.ensure("smollm2-135m-instruct")), max_new_tokens=24)


class Retriever(retrievers.BaseRetriever):
    def _retrieve(self, query):
        scores = encoder.load_encoder("pypi:all-minilm-l6-v2").score(query.query_str, TEXTS)
        nodes = [schema.TextNode(id_=name, text=TEXTS[name]) for name in sorted(TEXTS, key=scores.get)]
        return [schema.NodeWithScore(node=node, score=scores[node.id_]) for node in reversed(nodes)]


class Model(llms.MockLLM):
    def complete(self, prompt, **_):
        said = llm([{"role": "user", "content": prompt}])[0]["generated_text"][-1]["content"]
        return llms.CompletionResponse(text=said)


LlamaIndexCapture("llama-index-traces.jsonl").attach()
query_engine.RetrieverQueryEngine.from_args(Retriever(), llm=Model()).query("When was the lighthouse lit?")
bs.audit("llama-index-traces.jsonl", generator="pypi:smollm2-135m-instruct", out="llama-index-run").show()
