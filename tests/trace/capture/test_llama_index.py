"""Against the real llama-index-core."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from boresight.trace import read_objects, read_traces
from boresight.trace.readers.llama_index import trace_of

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("default")]

TEXTS = {"a": "Anna lit the lamp.", "b": "Bo slept.", "c": "Rain fell."}


@pytest.fixture
def li(monkeypatch):
    """The parts of the library that the tests use."""
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core.llms import CompletionResponse, LLMMetadata, MockLLM
    from llama_index.core.llms.callbacks import llm_completion_callback
    from llama_index.core.postprocessor import LongContextReorder, SimilarityPostprocessor
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    class Found(BaseRetriever):
        def _retrieve(self, query_bundle):
            return [
                NodeWithScore(node=TextNode(id_=key, text=text, metadata={"n": key}), score=1 - rank / 4)
                for rank, (key, text) in enumerate(TEXTS.items())
            ]

    class Model(MockLLM):
        @llm_completion_callback()
        def complete(self, prompt, formatted=False, **kwargs):
            return CompletionResponse(text="Anna.")

    class Silent(MockLLM):
        """A model of one's own that reports no call."""

        def complete(self, prompt, formatted=False, **kwargs):
            return CompletionResponse(text="Anna.")

    def engine(*postprocessors, model=Model):
        return RetrieverQueryEngine.from_args(Found(), llm=model(), node_postprocessors=list(postprocessors))

    return SimpleNamespace(engine=engine, Found=Found, Model=Model, Silent=Silent, LLMMetadata=LLMMetadata,
                           Similarity=SimilarityPostprocessor, Reorder=LongContextReorder)  # fmt: skip


@pytest.fixture
def handler(li, tmp_path):
    from boresight.trace.capture.llama_index import LlamaIndexCapture

    handler = LlamaIndexCapture(tmp_path / "traces.jsonl").attach()
    yield handler
    handler.detach()


def captured(handler):
    assert handler.file.problems == []
    return read_traces(handler.file.path).traces


@pytest.mark.parametrize("model", ["Model", "Silent"])
def test_a_query_engine_gives_its_stages_scores_context_and_answer(li, handler, model):
    li.engine(li.Similarity(similarity_cutoff=0.6), li.Reorder(), model=getattr(li, model)).query(
        "Who lit it?"
    )
    (trace,) = captured(handler)
    assert (trace.query, trace.answer) == ("Who lit it?", "Anna.")
    assert [(stage.name.split(".")[0], stage.kind, len(stage.ranking)) for stage in trace.stages] == [
        ("Found", "retrieve", 3),
        ("SimilarityPostprocessor", "filter", 2),
        ("LongContextReorder", "pack", 2),
    ]
    assert [place.score for place in trace.stages[0].ranking] == [1.0, 0.75, 0.5]
    assert trace.context == tuple(place.id for place in trace.stages[-1].ranking)
    assert trace.last_ranking().name.startswith("SimilarityPostprocessor")
    assert trace.passages[0].metadata == {"n": "a"}
    assert "not_recorded" not in trace.meta


def test_a_retriever_alone_is_a_trace_without_answer(li, handler):
    li.Found().retrieve("Who?")
    (trace,) = captured(handler)
    assert (trace.query, trace.context, trace.answer) == ("Who?", ("a", "b", "c"), None)
    assert trace.meta["not_recorded"] == ("context", "answer")


def test_nothing_is_written_after_detaching_and_for_calls_without_passages(li, handler):
    li.Model().complete("Hi")
    handler.detach()
    li.engine().query("Who?")
    assert not handler.file.path.exists()


def test_each_turn_of_a_chat_is_a_trace_with_its_history(li, handler):
    from llama_index.core.chat_engine import ContextChatEngine
    from llama_index.core.memory import ChatMemoryBuffer  # the default one opens a database

    memory = ChatMemoryBuffer.from_defaults(llm=li.Model())
    chat = ContextChatEngine.from_defaults(retriever=li.Found(), llm=li.Model(), memory=memory)
    chat.chat("Who lit it?")
    chat.chat("And who slept?")
    first, second = captured(handler)
    assert (first.query, first.answer, first.history) == ("Who lit it?", "Anna.", ())
    assert second.query == "And who slept?"
    assert [turn.content for turn in second.history] == ["Who lit it?", "Anna."]


def test_a_response_and_its_question_are_a_trace(li):
    (trace,) = read_objects([trace_of(li.engine().query("Who?"), "Who?")])
    assert (trace.answer, trace.context) == ("Anna.", ("a", "b", "c"))
