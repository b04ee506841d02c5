"""Stems and parts of speech, and what is said where they are not installed."""

import sys
from types import SimpleNamespace

import pytest

from boresight.errors import SpecError
from boresight.explain.saliency.language import english, english_stemmer, spacy_tagger

TEXT = "The river's flood"


class Pipeline:
    """As much of spaCy as the tagger asks for: tokens with a place and a part of speech."""

    def __init__(self):
        self.meta = {"lang": "en", "name": "toy", "version": "1.0"}
        self.tagged = True

    def __call__(self, text):
        tags = ((0, "DET"), (4, "NOUN"), (9, "PART"), (12, ""))
        tokens = [SimpleNamespace(idx=place, pos_=tag) for place, tag in tags]
        return Document(tokens, tagged=self.tagged)


class Document(list):
    def __init__(self, tokens, *, tagged):
        super().__init__(tokens)
        self.tagged = tagged

    def has_annotation(self, name):
        return self.tagged and name == "POS"


@pytest.fixture
def spacy(monkeypatch):
    """A stand-in for spaCy with the pipelines that a test puts into it."""
    installed = {}

    def load(name, exclude):
        if name not in installed:
            raise OSError("E050")
        return installed[name]

    module = SimpleNamespace(load=load, util=SimpleNamespace(get_installed_models=lambda: list(installed)))
    monkeypatch.setitem(sys.modules, "spacy", module)
    return installed


def test_without_the_libraries_each_tool_has_its_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    found = english()
    assert (found.stemmer, found.tagger) == (None, None)
    assert found.no_stemmer == (
        "this needs snowballstemmer, which is not installed: pip install 'boresight[nlp]'"
    )
    assert found.no_tagger.endswith("[nlp]' && python -m spacy download en_core_web_sm")


def test_a_word_takes_the_part_of_speech_of_the_token_that_it_begins_in(spacy):
    spacy["de_toy"] = Pipeline()
    tagger = spacy_tagger()
    assert tagger.name == "en_toy 1.0"
    assert tagger.labels(TEXT, [0, 4, 10, 12]) == ["DET", "NOUN", "PART", "X"]


def test_the_english_pipeline_comes_before_others(spacy):
    spacy |= {"de_toy": None, "en_core_web_sm": Pipeline()}
    assert spacy_tagger().pipeline is spacy["en_core_web_sm"]


def test_a_pipeline_that_is_absent_or_gives_no_parts_of_speech_is_refused(spacy):
    with pytest.raises(SpecError, match="none of its pipelines"):
        spacy_tagger()
    with pytest.raises(SpecError, match="xx cannot be loaded"):
        spacy_tagger("xx")
    spacy["toy"] = Pipeline()
    spacy["toy"].tagged = False
    with pytest.raises(SpecError, match="toy gives no parts of speech"):
        spacy_tagger()


def test_the_stemmer_of_snowball():
    pytest.importorskip("snowballstemmer", reason="the extra nlp is not installed")
    found = english_stemmer()
    assert found.name.startswith("snowballstemmer ")
    assert [found.stem(word) for word in ("flooding", "floods", "generously")] == [
        "flood",
        "flood",
        "generous",
    ]


@pytest.mark.frameworks
def test_a_pipeline_of_the_installed_spacy(tmp_path):
    spacy = pytest.importorskip("spacy", reason="the extra nlp is not installed")
    made = spacy.blank("en")
    rules = made.add_pipe("attribute_ruler")
    rules.add([[{"LOWER": {"IN": ["river", "flood"]}}]], {"POS": "NOUN"})
    rules.add([[{"LOWER": "the"}]], {"POS": "DET"})
    made.to_disk(tmp_path / "toy")
    tagger = spacy_tagger(str(tmp_path / "toy"))
    assert tagger.labels(TEXT, [0, 4, 10, 12]) == ["DET", "NOUN", "X", "NOUN"]
    empty = spacy.blank("en")
    empty.to_disk(tmp_path / "empty")
    with pytest.raises(SpecError, match="gives no parts of speech"):
        spacy_tagger(str(tmp_path / "empty"))
