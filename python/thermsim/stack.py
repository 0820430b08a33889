"""Builds stack files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._program import key_text, value_text


class Table:
    """A table of a stack file: keys and values, and arrays of tables such as the blocks of a layer.

    Values are quantities ("300 um"), numbers in SI units, lists, dicts and NumPy arrays, for example of a power map.
    docs/reference/stack-format.md lists the keys.
    """

    def __init__(self, **keys: Any) -> None:
        self.keys = keys
        self.tables: dict[str, list[Table]] = {}

    def add(self, kind: str, **keys: Any) -> Table:
        """Adds a table to the array named kind, and returns it."""
        table = Table(**keys)
        self.tables.setdefault(kind, []).append(table)
        return table

    def block(self, name: str, **keys: Any) -> Table:
        """Adds a block: x, y, width, height and power."""
        return self.add("block", name=name, **keys)

    def region(self, name: str, **keys: Any) -> Table:
        """Adds a region of another material: x, y, width, height and material."""
        return self.add("region", name=name, **keys)

    def __str__(self) -> str:
        return "\n".join(self._lines("")) + "\n"

    def save(self, path: str | Path) -> Path:
        """Writes the file, and returns its path."""
        path = Path(path)
        path.write_text(str(self), encoding="utf-8")
        return path

    def _lines(self, path: str) -> Iterator[str]:
        for key, value in self.keys.items():
            yield f"{key_text(key)} = {value_text(value)}"
        for kind, tables in self.tables.items():
            for table in tables:
                yield f"\n[[{path}{key_text(kind)}]]"
                yield from table._lines(f"{path}{key_text(kind)}.")


class Stack(Table):
    """A stack, built from its bottom layer to the top. str() is the stack file, and save() writes it.

    >>> stack = Stack(size=["10 mm", "10 mm"], grid={"nx": 64, "ny": 64}, boundary={"top": {"h": 6000}})
    >>> die = stack.layer("die", material="silicon", thickness="300 um", cells=2)
    >>> core = die.block("core", x="1 mm", y="1 mm", width="3 mm", height="3 mm", power="8 W")
    """

    def __init__(self, **keys: Any) -> None:
        super().__init__(schema=1, **keys)

    def layer(self, name: str, **keys: Any) -> Table:
        """Adds a layer on top of the others: material, thickness, cells and power."""
        return self.add("layer", name=name, **keys)

    def probe(self, name: str, **keys: Any) -> Table:
        """Adds a probe: x, y, and layer or z."""
        return self.add("probe", name=name, **keys)


StackLike = str | Path | Stack  # the path of a stack file, or a stack that was built here


class Work:
    """A temporary folder, which is removed at the latest with the object."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="thermsim-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def __enter__(self) -> Work:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def stack(self, stack: StackLike) -> Path:
        """Returns the path of a stack. One that was built here is saved first."""
        if not isinstance(stack, Stack):
            return Path(stack)
        stack.keys.setdefault("title", "stack")  # pictures would show the path
        return stack.save(self.folder / "stack.toml")
