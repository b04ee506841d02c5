"""The built wheel, in an empty environment, runs the README's Python examples."""

import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def environment(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "dist", root)
    run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv/bin/python"
    (wheel,) = (folder / "dist").glob("*.whl")
    run(python, "-m", "pip", "install", "--quiet", "-r", root / "requirements-dev.txt")
    run(python, "-m", "pip", "install", "--quiet", wheel)
    return folder


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def examples(root):
    return re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)


def test_the_readme_has_examples(root):
    assert len(examples(root)) == 2


@pytest.mark.parametrize("number", [0, 1])
def test_an_example_of_the_readme_runs(environment, root, number):
    (environment / f"example{number}.py").write_text(examples(root)[number])
    out = run(environment / "venv/bin/python", f"example{number}.py", cwd=environment)
    assert ("Warsaw" in out or "attribution" in out) if number == 0 else out.strip() == "[0.5 0.5 0. ]"


def test_the_wheel_holds_its_data(environment):
    """The report's page, the patterns of hostile text and the doctor's stored numbers are files."""
    run(environment / "venv/bin/boresight", "report", "runs/curie", cwd=environment)
    assert (environment / "runs/curie/report.html").stat().st_size > 50_000
    run(environment / "venv/bin/boresight", "doctor", cwd=environment)


def test_the_command_runs_and_the_marker_for_types_is_in(environment):
    assert "boresight 0.1.0" in run(environment / "venv/bin/boresight", "--version")
    script = (
        "import boresight, pathlib; print((pathlib.Path(boresight.__file__).parent / 'py.typed').exists())"
    )
    assert run(environment / "venv/bin/python", "-c", script).strip() == "True"
