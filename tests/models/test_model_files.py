from types import SimpleNamespace

import pytest
from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, RepositoryNotFoundError

from boresight.errors import ModelError
from boresight.models import model_files
from boresight.models.model_files import json_reader


def hub_raises(monkeypatch, error, cached=None):
    def download(*_, **__):
        raise error

    monkeypatch.setattr(model_files, "hf_hub_download", download)
    monkeypatch.setattr(model_files, "try_to_load_from_cache", lambda *_, **__: cached)


def test_a_folder_gives_its_files_and_none_for_the_others(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "config.json").write_text('{"a": 1}')
    read = json_reader(str(tmp_path))
    assert read("sub/config.json") == {"a": 1}
    assert read("config.json") is None


def test_a_file_that_the_hub_does_not_have_is_none(monkeypatch):
    hub_raises(monkeypatch, EntryNotFoundError("404"))
    assert json_reader("org/name")("modules.json") is None


def test_an_unreachable_hub_is_no_missing_file(monkeypatch):
    hub_raises(monkeypatch, LocalEntryNotFoundError("offline"))
    with pytest.raises(ModelError, match="hf:org/name is not in the local hub cache and the hub cannot be"):
        json_reader("org/name")("modules.json")


def test_offline_a_file_once_known_to_be_missing_stays_missing(monkeypatch):
    hub_raises(monkeypatch, LocalEntryNotFoundError("offline"), cached=object())
    assert json_reader("org/name")("modules.json") is None


def test_an_unknown_or_private_model_is_said(monkeypatch):
    response = SimpleNamespace(headers={}, request=None)
    hub_raises(monkeypatch, RepositoryNotFoundError("404", response=response))
    with pytest.raises(ModelError, match=r"The hub shows no model org/name; .*`hf auth login`"):
        json_reader("org/name")("modules.json")
