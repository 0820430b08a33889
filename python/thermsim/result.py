"""Runs of a stack, and their results."""

from __future__ import annotations

import base64
import html
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from . import _program, tables
from .gradient import derivatives
from .stack import StackLike, Work

KELVIN = 273.15


class Peak(NamedTuple):
    """The hottest cell of a run: temperature, location in m, and in transients the time."""

    max_K: float
    x_m: float
    y_m: float
    z_m: float
    layer: str
    block: str
    time_s: float | None


def steady(stack: StackLike, *, set: Mapping[str, Any] | None = None, out: str | Path | None = None,
           **options: Any) -> Result:
    """Solves for the steady state.

    set overrides values of the stack file, as in {"boundary.top.h": 5000}. options are the flags of 'thermsim steady':
    grid="128x128", tmax="85 degC", device="gpu". Files go to the folder out; without it, they are temporary, and
    report.html and pictures are omitted.
    """
    return _solve("steady", stack, set, out, {"save": "last", **options})


def transient(stack: StackLike, *, set: Mapping[str, Any] | None = None, out: str | Path | None = None,
              **options: Any) -> Result:
    """Solves for temperatures over time: dt="1 ms", steps=100, initial="steady". The rest is as for steady."""
    return _solve("transient", stack, set, out, options)


def _solve(command: str, stack: StackLike, set: Mapping[str, Any] | None, out: str | Path | None,
           options: Mapping[str, Any]) -> Result:
    work = Work()
    if out is None:
        options = {"no_page": True, "formats": "none", **options}
    folder = Path(out) if out is not None else work.folder / "out"
    path = work.stack(stack)
    before = _changed(folder)
    try:
        _program.run([command, path, *_program.flags(options, set), f"--out={folder}", "--quiet"],
                     complete=(0, 5))  # 5: a limit is exceeded
    except (_program.NotConvergedError, _program.RunawayError) as error:
        if _changed(folder) != before:
            error.result = Result(folder, work)
        raise
    solver = {name: options[name] for name in ("grid", "precond", "device") if name in options}
    return Result(folder, work, (path, set, solver))


def _changed(folder: Path) -> int:
    summary = folder / "summary.json"
    return summary.stat().st_mtime_ns if summary.exists() else 0


class Result:
    """The results of a run, given its folder.

    summary is summary.json (docs/reference/summary.md). All numbers are in SI units, temperatures in K.
    """

    def __init__(self, folder: str | Path, work: Work | None = None,
                 stack: tuple[Path, Mapping[str, Any] | None, dict[str, Any]] | None = None) -> None:
        self.folder = Path(folder)
        self.summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
        self._work, self._stack = work, stack  # temporary files, which end with the result, and what was solved
        self._headers: dict[int | None, Path] = {}

    @property
    def peak(self) -> Peak:
        """The hottest cell, in a transient over all steps."""
        peak = self.summary.get("peak") or {}
        at = peak.get("at") or self.summary["temperature"]["max_at"]
        hottest = peak.get("max_K", self.summary["temperature"]["max_K"])
        return Peak(hottest, at["x_m"], at["y_m"], at["z_m"], at["layer"], at["block"], peak.get("time_s"))

    @property
    def ok(self) -> bool:
        """Whether all limits are kept."""
        return all(limit["ok"] for limit in self.summary["limits"])

    @property
    def blocks(self) -> Any:
        """Blocks and their temperatures: a pandas frame, or without pandas a list of dicts with columns by name."""
        return tables.frame(self.summary["blocks"])

    @property
    def layers(self) -> Any:
        """Layers and their temperatures, bottom to top."""
        return tables.frame(self.summary["layers"])

    @property
    def probes(self) -> Any:
        """Temperatures of probes."""
        return tables.frame(self.summary["probes"])

    @property
    def limits(self) -> Any:
        """Limits and their margins, the smallest margin first."""
        return tables.frame(self.summary["limits"])

    @property
    def trace(self) -> Any:
        """The temperatures of a transient over time."""
        return tables.read(self.folder / "trace.csv")

    def field(self, layer: str | None = None, step: int | None = None) -> NDArray[numpy.float64]:
        """Temperatures [z, y, x] of a layer or of all, mapped from a file: only the parts that are used are read.

        step is that of a transient, by default the last.
        """
        header = self.header(step)
        shape = tuple(header["shape"])
        field = numpy.memmap(header["path"], dtype=header["dtype"], mode="r", shape=shape)
        if layer is None:
            return field
        planes = numpy.flatnonzero(numpy.array(header["layer"]) == header["layers"].index(layer))
        return field[planes[0]:planes[-1] + 1]

    def map(self, layer: str | None = None, step: int | None = None) -> NDArray[numpy.float64]:
        """The map [y, x] of a layer, by default the hottest: the maximum over its planes."""
        planes = self.field(self.peak.layer if layer is None else layer, step)
        return numpy.asarray(planes.max(axis=0))

    def header(self, step: int | None = None) -> dict[str, Any]:
        """Coordinates of the cells (x_m, x_faces_m and so on), layers, and the path of the field."""
        if step not in self._headers:
            name = "field*.json" if step is None else f"field_step{step:06d}.json"
            found = sorted(self.folder.glob(name))
            self._headers[step] = found[-1] if found else self._rendered(
                name, files="raw", file_steps=step, formats="none")
        path = self._headers[step]
        header: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        header["path"] = path.with_name(header["file"])
        return header

    def _rendered(self, pattern: str, **options: Any) -> Path:
        """Makes a file from the saved run, in a temporary folder."""
        self._work = self._work or Work()
        into = Path(tempfile.mkdtemp(dir=self._work.folder))
        flags = _program.flags({"no_page": True, "out": into, **options})
        _program.run(["render", self.folder, *flags, "--quiet"])
        return sorted(into.glob(pattern))[-1]

    def png(self, layer: str | None = None) -> bytes:
        """The picture of a layer's map, by default of the hottest layer."""
        name = self.peak.layer if layer is None else layer
        file = f"map_{re.sub('[^A-Za-z0-9._-]', '_', name)}.png"
        path = self.folder / file
        if not path.exists():
            path = self._rendered(file, maps=name, formats="png")
        return path.read_bytes()

    def gradient(self, of: str | None = None, wrt: Sequence[str] | None = None, **options: Any) -> dict[str, float]:
        """Derivatives of a temperature with respect to values of the stack, by one adjoint solve.

        of is an output of docs/guides/sensitivity.md, such as a block, whose mean counts, or max. None is the p-norm
        over the rises of all blocks, which is close to the maximum. wrt are keys as in set
        ("layer.die.block.core0.power") or names as in sensitivity.csv ("k of die"); the default is all of the latter.
        Results are in K per unit of the stack file, as in K/um for "50 um", or of sensitivity.csv. options are those
        of 'thermsim sensitivity', such as norm.
        """
        if self._stack is None or self.summary["command"] != "steady":
            raise ValueError("gradients are those of a steady run that was started in this interpreter")
        stack, set, solver = self._stack
        _, rows = derivatives(stack, set, of, wrt, {**solver, **options})
        return {name: row["K_per_unit"] for name, row in rows.items()}

    def _repr_html_(self) -> str:
        peak = self.peak
        where = ", ".join(html.escape(name) for name in (peak.layer, peak.block) if name)
        time = "" if peak.time_s is None else f" at {peak.time_s:g} s"
        text = f"<b>{html.escape(self.summary['title'])}</b>: {peak.max_K - KELVIN:.2f} °C in {where}{time}"
        for limit in self.summary["limits"][:1]:
            text += f"; smallest margin to a limit: {limit['margin_K']:.2f} K"
        image = base64.b64encode(self.png()).decode()
        return f'<p>{text}</p><img alt="{where}" style="max-width:36em" src="data:image/png;base64,{image}">'

    def __repr__(self) -> str:
        peak = self.peak
        return f"<thermsim.Result {self.summary['command']}: {peak.max_K:.2f} K in {peak.layer} {peak.block}>".rstrip()
