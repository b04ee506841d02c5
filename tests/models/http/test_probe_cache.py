"""A probe is made once a day for each endpoint, and holds no key."""

import pytest

from boresight.models.http.probe import Probe
from boresight.models.http.probe_cache import LIFETIME, cached_probe, probe_file
from boresight.models.http.spec import parse_endpoint

SPEC = parse_endpoint("openai:http://h#m")
FOUND = Probe("ids", chat=True, prompt_source="echo", top=5, notes=("a", "b"), calls=3)


@pytest.fixture
def make():
    made = []

    def probe():
        made.append(1)
        return FOUND

    probe.made = made
    return probe


def test_a_second_command_reads_what_the_first_found(tmp_path, make):
    assert cached_probe(SPEC, make, tmp_path) == cached_probe(SPEC, make, tmp_path) == FOUND
    assert len(make.made) == 1


def test_after_a_day_it_is_made_again(tmp_path, make):
    cached_probe(SPEC, make, tmp_path, now=lambda: 0.0)
    cached_probe(SPEC, make, tmp_path, now=lambda: LIFETIME + 1)
    assert len(make.made) == 2


@pytest.mark.parametrize("other", ["openai:http://g#m", "openai:http://h#n", "openai:http://h#m?tokenizer=x"])
def test_another_address_model_or_tokenizer_has_a_probe_of_its_own(tmp_path, other):
    assert probe_file(SPEC, tmp_path) != probe_file(parse_endpoint(other), tmp_path)


@pytest.mark.parametrize("text", ["", "[]", '{"made": 1}', '{"made": 9e9, "probe": {"x": 1, "notes": []}}'])
def test_a_damaged_file_is_made_again(tmp_path, make, text):
    probe_file(SPEC, tmp_path).write_text(text)
    assert cached_probe(SPEC, make, tmp_path) == FOUND


def test_the_file_is_the_users_alone(tmp_path, make):
    cached_probe(SPEC, make, tmp_path)
    assert probe_file(SPEC, tmp_path).stat().st_mode & 0o077 == 0
