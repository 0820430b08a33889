"""Closed loops: another program sets powers and reads temperatures while a stack is stepped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _program
from .stack import StackLike, Work


class RequestError(_program.Error):
    """A request was refused or failed. code is that of docs/guides/serve.md."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code


class Session(_program.Server):
    """A stack that is stepped in a separate process ('thermsim serve').

    >>> with Session("stack.toml", dt="1 ms") as session:
    ...     kelvin = session.step([8, 5, 5, 2, 3])  # W in the order of session.inputs

    inputs, blocks, layers and probes are names; time is in s and steps counts steps. options are the flags of
    'thermsim serve', such as dt, initial and device.
    """

    def __init__(self, stack: StackLike, *, set: Mapping[str, Any] | None = None, **options: Any) -> None:
        self._work = Work()
        self.time, self.steps, self.power = 0.0, 0, 0.0
        flags = _program.flags(options, set)
        super().__init__(["serve", self._work.stack(stack), "--quiet", *flags])
        self.about: dict[str, Any] = self.ask("describe")["stack"]
        self.inputs = [i["name"] for i in self.about["inputs"]]
        self.layers = [layer["name"] for layer in self.about["layers"]]
        self.blocks: list[str] = self.about["blocks"]
        self.probes: list[str] = self.about["probes"]

    def ask(self, op: str, **keys: Any) -> dict[str, Any]:
        """Sends a request of docs/guides/serve.md, and returns the reply: ask("save", name="a"), ask("reset").

        An error in the reply is raised.
        """
        reply = self.request({"op": op, **keys})
        self.time, self.steps = reply["time_s"], reply["steps"]
        if not reply["ok"]:
            raise RequestError(**reply["error"])
        self.power = reply.get("power_W", self.power)
        return reply

    def step(self, watts: Any = None, n: int = 1, *, quantity: str = "max", **keys: Any) -> NDArray[numpy.float64]:
        """Sets powers, takes n steps, and returns the temperatures of all blocks in K, in the order of blocks.

        watts are a dict of W by input, or an array in the order of inputs; None leaves them unchanged. quantity is
        max, mean or min. keys are further keys of the request, such as dt_s.
        """
        if watts is not None:
            keys["watts"] = self._named(watts)
        reply = self.ask("step", n=n, read={"blocks": True}, **keys)
        column = quantity + "_K"
        return numpy.array([reply["blocks"][name][column] for name in self.blocks], dtype=float)

    def _named(self, watts: Any) -> dict[str, Any]:
        if isinstance(watts, Mapping):
            return {name: _program.plain(value) for name, value in watts.items()}
        values = numpy.asarray(watts, dtype=float).tolist()
        if len(values) != len(self.inputs):
            raise ValueError(f"got {len(values)} powers; expected {len(self.inputs)}, in the order of inputs")
        return dict(zip(self.inputs, values))

    def read(self, **what: Any) -> dict[str, Any]:
        """Reads the state: max=True, blocks=["core0"], probes=True, powers=True, energy=True."""
        return self.ask("read", read=what)

    def map(self, layer: str, **keys: Any) -> NDArray[numpy.float64]:
        """The map [y, x] of a layer in K: the maximum over its planes. keys are plane and reduce."""
        return numpy.array(self.read(map={"layer": layer, **keys})["map"]["K"], dtype=float)
