"""Derivatives of temperatures, and differentiable functions for optimizers, JAX and PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _program
from .stack import StackLike, Work


def derivatives(stack: StackLike, set: Mapping[str, Any] | None, of: str | None, wrt: Sequence[str] | None,
                options: Mapping[str, Any]) -> tuple[float, dict[str, dict[str, Any]]]:
    """Returns the temperature of 'thermsim sensitivity' in K, and the rows of the parameters wrt, or of all by name.

    wrt are keys of the stack file, or names such as "k of die".
    """
    with Work() as work:
        flags = _program.flags({"of": of, **options, "out": work.folder / "out"}, set)
        flags += [f"--key={key}" for key in wrt or () if " of " not in key]
        found = _program.run_json(["sensitivity", work.stack(stack), *flags])
    rows = {row["name"] if row["kind"] == "key" else f"{row['kind']} of {row['name']}": row for row in found["of"]}
    if unknown := [key for key in wrt or () if key not in rows]:
        raise KeyError(f"{unknown[0]} is not a parameter; expected one of {', '.join(rows)}")
    return float(found["objective_K"]), rows if wrt is None else {key: rows[key] for key in wrt}


class Objective:
    """A temperature of the steady state as a differentiable function of values of the stack file.

    objective(x) returns the temperature in K and its gradient, in the form that scipy.optimize.minimize(jac=True)
    expects. jax() and torch() return functions of these libraries that can be differentiated. wrt are the keys that
    x sets, in the units that they have in the stack file; of is that of Result.gradient, options are those of 'thermsim
    sensitivity'.
    """

    def __init__(self, stack: StackLike, wrt: Sequence[str], *, of: str | None = None,
                 set: Mapping[str, Any] | None = None, **options: Any) -> None:
        self.stack, self.wrt, self.of, self.set, self.options = stack, list(wrt), of, dict(set or {}), options
        self._units: list[str] = []

    def start(self) -> NDArray[numpy.float64]:
        """The values in the stack file."""
        _, rows = derivatives(self.stack, self.set, self.of, self.wrt, self.options)
        self._units = [" " + row["unit"] for row in rows.values()]
        return numpy.array([row["value"] for row in rows.values()], dtype=float)

    def __call__(self, x: Any) -> tuple[float, NDArray[numpy.float64]]:
        values = numpy.asarray(x, dtype=float)
        if values.shape != (len(self.wrt),):
            raise ValueError(f"x has the shape {values.shape}; expected {len(self.wrt)} values")
        if not self._units:
            self.start()
        texts = (f"{value!r}{unit}".strip() for value, unit in zip(values.tolist(), self._units))
        set = {**self.set, **dict(zip(self.wrt, texts))}
        kelvin, rows = derivatives(self.stack, set, self.of, self.wrt, self.options)
        return kelvin, numpy.array([row["K_per_unit"] for row in rows.values()])

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
