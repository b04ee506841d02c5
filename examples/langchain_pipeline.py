"""A LangChain pipeline on local models, captured in three lines and audited."""

from langchain_core.documents import Document
from langchain_core.prompts import PromptTemplate
from langchain_core.retrievers import BaseRetriever
from transformers import pipeline

import boresight as bs
from boresight.models.carriers import ensure
from boresight.models.encoder import load_encoder
from boresight.trace.capture.langchain import LangChainCapture

TEXTS = ["The ferry to Gull Rock sails at noon.", "The lighthouse was lit in 1904.", "Its keeper grew leeks."]
encoder = load_encoder("pypi:all-minilm-l6-v2")
llm = pipeline("text-generation", str(ensure("smollm2-135m-instruct")), max_new_tokens=24)


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        scores = encoder.score(query, {text: text for text in TEXTS})
        best = sorted(TEXTS, key=scores.get, reverse=True)
        return [Document(text, metadata={"relevance_score": scores[text]}) for text in best]


prompt = PromptTemplate.from_template("{passages}\n\nAnswer in one sentence: {question}")
chain = {"passages": Retriever(), "question": lambda question: question} | prompt
chain |= lambda filled: llm([{"role": "user", "content": filled.text}])[0]["generated_text"][-1]["content"]
chain.invoke("When was the lighthouse lit?", {"callbacks": [LangChainCapture("langchain-traces.jsonl")]})
bs.audit("langchain-traces.jsonl", generator="pypi:smollm2-135m-instruct", out="langchain-run").show()
