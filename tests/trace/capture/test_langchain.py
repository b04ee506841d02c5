"""Against the real langchain-core."""

from __future__ import annotations

import pytest

from boresight.trace import passage_id, read_objects, read_traces

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("default")]

TEXTS = ["Anna lit the lamp.", "Bo slept.", "Rain fell."]


@pytest.fixture
def lc():
    """The parts of the library that the tests use."""
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from types import SimpleNamespace

    from langchain_core.documents import Document
    from langchain_core.language_models import FakeListChatModel, FakeListLLM
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough

    class Found(BaseRetriever):
        texts: list[str] = TEXTS
        inner: tuple[BaseRetriever, ...] = ()

        def _get_relevant_documents(self, query, *, run_manager):
            for one in self.inner:
                one.invoke(query, {"callbacks": run_manager.get_child()})
            return [Document(page_content=text, metadata={"n": text[0]}) for text in self.texts]

    def chain(model):
        pages = Found() | RunnableLambda(
            lambda documents: "\n".join(one.page_content for one in documents[:2])
        )
        prompt = ChatPromptTemplate.from_messages(
            [("system", "Use: {context}"), ("human", "Hi"), ("ai", "Hello"), ("human", "{question}")]
        )
        return {"context": pages, "question": RunnablePassthrough()} | prompt | model

    return SimpleNamespace(
        Document=Document, Found=Found, chain=chain,
        models={"chat": FakeListChatModel(responses=["Anna."]), "text": FakeListLLM(responses=["Anna."]),
                "function": RunnableLambda(lambda _: "Anna.")},
    )  # fmt: skip


@pytest.fixture
def handler(lc, tmp_path):
    from boresight.trace.capture.langchain import LangChainCapture

    return LangChainCapture(tmp_path / "traces.jsonl")


def captured(handler):
    assert handler.file.problems == []
    return read_traces(handler.file.path).traces


@pytest.mark.parametrize("model", ["chat", "text", "function"])
def test_three_lines_give_the_trace_of_a_chain(lc, handler, model):
    lc.chain(lc.models[model]).invoke("Who lit it?", {"callbacks": [handler]})
    (trace,) = captured(handler)
    assert (trace.query, trace.answer) == ("Who lit it?", "Anna.")
    assert [(stage.name, stage.kind, len(stage.ranking)) for stage in trace.stages] == [
        ("Found", "retrieve", 3)
    ]
    assert trace.context == tuple(passage_id(None, text) for text in TEXTS[:2])
    assert trace.passages[0].metadata == {"n": "A"}
    assert trace.meta["not_recorded"] == ("passage ids", "scores")


def test_earlier_messages_of_a_chat_model_are_history(lc, handler):
    lc.chain(lc.models["chat"]).invoke("Who lit it?", {"callbacks": [handler]})
    (trace,) = captured(handler)
    assert [(turn.role, turn.content) for turn in trace.history] == [("user", "Hi"), ("assistant", "Hello")]


def test_a_streamed_answer_is_whole(lc, handler):
    assert "".join(
        chunk.content for chunk in lc.chain(lc.models["chat"]).stream("Who?", {"callbacks": [handler]})
    )
    assert captured(handler)[0].answer == "Anna."


def test_inner_retrievers_are_stages_of_their_own(lc, handler):
    outer = lc.Found(texts=TEXTS[1:], inner=(lc.Found(texts=TEXTS, name="inner"),))
    outer.invoke("Who?", {"callbacks": [handler]})
    (trace,) = captured(handler)
    assert [(stage.name, stage.kind, len(stage.ranking)) for stage in trace.stages] == [
        ("inner", "retrieve", 3),
        ("Found", "filter", 2),
    ]


def test_runs_without_passages_and_faulty_ones_leave_no_trace(lc, handler):
    lc.models["text"].invoke("Hi", {"callbacks": [handler]})
    assert not handler.file.path.exists()


def test_many_questions_at_once(lc, handler):
    lc.chain(lc.models["function"]).batch(["Who?"] * 12, {"callbacks": [handler]})
    assert len({trace.id for trace in captured(handler)}) == 12


def test_the_result_of_a_chain_is_a_trace_by_itself(lc):
    result = {
        "input": "Who?",
        "context": [lc.Document(id="d", page_content="Anna lit it.")],
        "answer": "Anna.",
    }
    (trace,) = read_objects([result])
    assert (trace.query, trace.answer, trace.context) == ("Who?", "Anna.", ("d",))
