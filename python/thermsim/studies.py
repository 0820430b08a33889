"""Studies of a stack, and linear systems."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from . import _program, tables
from .stack import StackLike, Table, Work


def check(stack: StackLike, *, set: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """Checks a stack without solving, and returns the report of 'thermsim check --json': grid, powers, warnings."""
    with Work() as work:
        flags = _program.flags({**options, "formats": "none", "out": work.folder / "out"}, set)
        report: dict[str, Any] = _program.run_json(["check", work.stack(stack), *flags])
    return report


def sweep(stack: StackLike, vary: Mapping[str, Sequence[Any]], *, method: str = "grid",
          outputs: Sequence[str] | None = None, set: Mapping[str, Any] | None = None, out: str | Path | None = None,
          **options: Any) -> Any:
    """Solves a stack for several values of its keys, and returns the table of the runs.

    vary has the values by key: {"boundary.top.h": [2000, 5000], "layer.tim.thickness": ["40 um", "80 um"]}. method is
    "grid" for all combinations, or "list" for the first values, then the second, and so on. outputs are the columns
    of temperatures, options the flags of 'thermsim sweep'. A run that failed has another status than done.
    """
    with Work() as work:
        file = _sweep_file(work, stack, outputs, method=method)
        for key, values in vary.items():
            file.add("vary", key=key, values=list(values))
        folder = Path(out) if out is not None else work.folder / "out"
        flags = [*_program.flags(options, set), f"--out={folder}", "--quiet"]
        _program.run(["sweep", file.save(work.folder / "sweep.toml"), *flags], complete=(0, 3))
        return tables.read(folder / "sweep.csv")


def _sweep_file(work: Work, stack: StackLike, outputs: Sequence[str] | None, **keys: Any) -> Table:
    """Begins a sweep file."""
    return Table(stack=work.stack(stack).absolute(), **keys, **({"outputs": outputs} if outputs else {}))


class Runs(_program.Server):
    """Runs of a stack whose values depend on earlier results, in one process, for optimizers.

    >>> with Runs("stack.toml", outputs=["die/core0"]) as runs:
    ...     print(runs({"boundary.top.h": 5000})["max_K"])

    The answer has status ("done"), max_K, power_W, margin_K and outputs.
    """

    def __init__(self, stack: StackLike, *, outputs: Sequence[str] | None = None,
                 set: Mapping[str, Any] | None = None, **options: Any) -> None:
        self._work = Work()
        path = _sweep_file(self._work, stack, outputs).save(self._work.folder / "sweep.toml")
        super().__init__(["sweep", path, "--lines", "--quiet", *_program.flags(options, set)])

    def __call__(self, set: Mapping[str, Any]) -> dict[str, Any]:
        """Solves for values by key."""
        return self.request({"set": {key: _program.plain(value) for key, value in set.items()}})


class Resistances(NamedTuple):
    """Thermal resistances: matrix[o, i] is the rise of output o in K for each W in input i."""

    matrix: NDArray[numpy.float64]
    inputs: list[str]
    outputs: list[str]


def rth(stack: StackLike, *, set: Mapping[str, Any] | None = None, **options: Any) -> Resistances:
    """Computes the thermal resistances between all powers, blocks and probes."""
    with Work() as work:
        flags = _program.flags({"no_page": True, **options, "out": work.folder / "out"}, set)
        found = _program.run_json(["rth", work.stack(stack), *flags])
    return Resistances(numpy.array(found["K_per_W"]), [i["name"] for i in found["inputs"]],
                       [o["name"] for o in found["outputs"]])


class ReducedModel:
    """A reduced model, with the names of its inputs and outputs and its state.

    model is model.json (docs/guides/reduced-models.md): tau_s dz/dt = -z + B P, T = rest_K + L z.
    """

    def __init__(self, path: str | Path) -> None:
        self.model: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
        self.inputs = [i["name"] for i in self.model["inputs"]]
        self.outputs = [o["name"] for o in self.model["outputs"]]
        self.tau, self.b = numpy.array(self.model["tau_s"]), numpy.array(self.model["B_K_per_W"])
        self.l, self.rest = numpy.array(self.model["L"]), numpy.array([o["rest_K"] for o in self.model["outputs"]])
        self.z = numpy.array(self.model["start_K"])

    def step(self, dt: float, watts: Any) -> NDArray[numpy.float64]:
        """Steps by dt in s with constant powers in the order of inputs, and returns the temperatures of outputs."""
        decay = numpy.exp(-dt / self.tau)
        self.z = decay * self.z + (1 - decay) * (self.b @ numpy.asarray(watts, dtype=float))
        return numpy.asarray(self.rest + self.l @ self.z)


def reduce(stack: StackLike, *, set: Mapping[str, Any] | None = None, out: str | Path | None = None,
           **options: Any) -> ReducedModel:
    """Makes a reduced model of a stack. Its files go to the folder out, if one is given."""
    with Work() as work:
        folder = Path(out) if out is not None else work.folder / "out"
        _program.run(["reduce", work.stack(stack), *_program.flags(options, set), f"--out={folder}", "--quiet"])
        return ReducedModel(folder / "model.json")


def solve(a: Any, b: Any, **options: Any) -> NDArray[numpy.float64]:
    """Solves A x = b for a sparse matrix of SciPy. b has the shape (n,), or (n, m) for m right-hand sides.

    options are the flags of 'thermsim solve': rtol=1e-10, precond="cmg". NotConvergedError is raised where the
    tolerance is not reached; its result is the best x, if there is one.
    """
    with Work() as work:
        files, folder = (work.folder / "A.mtx", work.folder / "b.npy"), work.folder / "out"
        entries = a.tocoo()
        with open(files[0], "w", encoding="ascii") as file:  # scipy.io.mmwrite is slower
            file.write(f"%%MatrixMarket matrix coordinate real general\n{a.shape[0]} {a.shape[1]} {entries.nnz}\n")
            columns = (entries.row + 1).tolist(), (entries.col + 1).tolist(), entries.data.tolist()
            file.writelines(f"{i} {j} {value!r}\n" for i, j, value in zip(*columns))
        numpy.save(files[1], numpy.asarray(b, dtype=float))
        try:
            _program.run(["solve", *files, *_program.flags(options), f"--out={folder}", "--quiet"])
        except _program.NotConvergedError as error:
            if (folder / "x.npy").exists():
                error.result = numpy.load(folder / "x.npy")
            raise
        return numpy.asarray(numpy.load(folder / "x.npy"))
