"""Derivatives of temperatures, and differentiable functions for optimizers, JAX and PyTorch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _program
from .stack import StackLike, Work


def derivatives(stack: StackLike, set: Mapping[str, Any] | None, of: str | None, norm: float,
                options: Mapping[str, Any]) -> dict[str, Any]:
    """Runs 'thermsim sensitivity' and returns its JSON."""
    with Work() as work:
        flags = _program.flags({**options, "of": of, "norm": norm, "out": work.folder / "out"}, set)
        found: dict[str, Any] = _program.run_json(["sensitivity", work.stack(stack), *flags])
    return found


def select(found: Mapping[str, Any], wrt: Sequence[str] | None, field: str = "K_per_unit") -> dict[str, float]:
    """Returns the derivatives, or another field, of the parameters wrt; of all by their names without wrt."""
    rows = {f"{row['kind']} of {row['name']}": row for row in found["of"]}
    chosen = {key: rows.get(key) or rows.get(parameter(key)) for key in (rows if wrt is None else wrt)}
    for key, row in chosen.items():
        if row is None:
            raise KeyError(f"{key} is not a parameter; expected the key of one of {', '.join(rows)}")
    return {key: float(row[field]) for key, row in chosen.items() if row}


def parameter(key: str) -> str:
    """Returns the name in sensitivity.csv for a key of the stack file.

    "layer.die.block.core0.power" is "power of die/core0", and "boundary.top.h" is "h of top".
    """
    *path, kind = [a or b for a, b in re.findall(r'"([^"]*)"|([^."]+)', key)]
    if kind == "uniform":  # power without a block has its name, or this one
        path, kind = path + [kind] * (path[-1] == "power"), "power"
    names = [word for word in path if word not in ("layer", "power", "block", "boundary")]
    return f"{'temperature' if kind == 'ambient' else kind} of {'/'.join(names)}"


class Objective:
    """A temperature of the steady state as a differentiable function of values of the stack file.

    objective(x) returns the temperature in K and its gradient, in the form that scipy.optimize.minimize(jac=True)
    expects. jax() and torch() return functions of these libraries that can be differentiated. wrt are the keys that
    x sets, in SI units; of and norm are those of Result.gradient, options those of 'thermsim sensitivity'.
    """

    def __init__(self, stack: StackLike, wrt: Sequence[str], *, of: str | None = None, norm: float = 20,
                 set: Mapping[str, Any] | None = None, **options: Any) -> None:
        self.stack, self.wrt, self.of, self.norm = stack, list(wrt), of, norm
        self.set, self.options = dict(set or {}), options

    def start(self) -> NDArray[numpy.float64]:
        """The values in the stack file."""
        found = derivatives(self.stack, self.set, self.of, self.norm, self.options)
        return numpy.array(list(select(found, self.wrt, "value").values()))

    def __call__(self, x: Any) -> tuple[float, NDArray[numpy.float64]]:
        values = numpy.asarray(x, dtype=float)
        if values.shape != (len(self.wrt),):
            raise ValueError(f"x has the shape {values.shape}; expected {len(self.wrt)} values")
        set = {**self.set, **dict(zip(self.wrt, values.tolist()))}
        found = derivatives(self.stack, set, self.of, self.norm, self.options)
        return float(found["objective_K"]), numpy.array(list(select(found, self.wrt).values()))

    def jax(self) -> Callable[[Any], Any]:
        """The temperature as a function of JAX, with reverse-mode derivatives. It works under jit."""
        import jax

        def both(x: Any) -> Any:
            def on_host(x: Any) -> Any:
                kelvin, slope = self(x)
                return numpy.asarray(kelvin, x.dtype), slope.astype(x.dtype)

            shapes = jax.ShapeDtypeStruct((), x.dtype), jax.ShapeDtypeStruct(x.shape, x.dtype)
            return jax.pure_callback(on_host, shapes, x)

        @jax.custom_vjp  # type: ignore[misc]
        def temperature(x: Any) -> Any:
            return both(x)[0]

        temperature.defvjp(both, lambda slope, change: (change * slope,))
        return temperature  # type: ignore[no-any-return]

    def torch(self) -> Callable[[Any], Any]:
        """The temperature as a function of PyTorch, with reverse-mode derivatives."""
        import torch

        class Temperature(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *args: Any, **_: Any) -> Any:
                x, = args
                kelvin, slope = self(x.detach().cpu().numpy())
                ctx.slope = x.new_tensor(slope)
                return x.new_tensor(kelvin)

            @staticmethod
            def backward(ctx: Any, *grad_outputs: Any) -> Any:
                return grad_outputs[0] * ctx.slope

        return Temperature.apply  # type: ignore[no-any-return]
