"""`boresight doctor`: does this machine compute what it should."""

from __future__ import annotations

from typing import Annotated

import typer

from boresight.cli.app import app, print_json
from boresight.cli.options import (
    Device,
    Dtype,
    Json,
    Threads,
)


@app.command()
def doctor(
    generator: Annotated[
        str | None,
        typer.Option("--generator", "-g", help="Check this model too, against stored numbers if known."),
    ] = None,
    device: Device = "cpu",
    dtype: Dtype = "fp32",
    threads: Threads = None,
    json: Json = False,
) -> None:
    r"""Check that this machine, and a model, compute what they should.

    \b
    Example:
      boresight doctor -g pypi:smollm2-135m-instruct
    """
    from boresight.models.doctor import machine_check, model_check
    from boresight.models.registry import load_generator

    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    checks = machine_check(device)
    if generator is not None:
        checks += model_check(load_generator(generator, device=device, dtype=dtype, threads=threads))
    healthy = all(check.ok for check in checks)
    if json:
        found = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]
        print_json({"ok": healthy, "checks": found})
    else:
        for check in checks:
            typer.echo(f"{'ok  ' if check.ok else 'BAD '} {check.name}: {check.detail}")
    if not healthy:
        raise typer.Exit(1)
