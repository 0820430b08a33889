"""Reads tables: as pandas frames where pandas is installed, otherwise with NumPy and the standard library."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy


class Rows(list[dict[str, Any]]):
    """A table without pandas: a list of rows by number, and an array of a column by name."""

    def __getitem__(self, key: Any) -> Any:
        return numpy.array([row[key] for row in self]) if isinstance(key, str) else super().__getitem__(key)


def frame(rows: Sequence[dict[str, Any]]) -> Any:
    """Returns rows as a pandas frame, or as Rows. A location becomes several columns."""
    flat = Rows(map(_flat, rows))
    try:
        import pandas
    except ImportError:
        return flat
    return pandas.DataFrame(flat)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Replaces the location max_at by max_x_m, max_block and so on, as in CSV files."""
    flat = {key: value for key, value in row.items() if not isinstance(value, dict)}
    for key, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{key.removesuffix('_at')}_{name}": of for name, of in value.items()}
    return flat


def read(path: Path) -> Any:
    """Reads a CSV file: a pandas frame, or Rows with numbers as float, and None for empty cells."""
    try:
        import pandas
    except ImportError:
        with open(path, newline="", encoding="utf-8") as file:
            return Rows({key: _value(text) for key, text in row.items()} for row in csv.DictReader(file))
    return pandas.read_csv(path)


def _value(text: str | None) -> float | str | None:
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return text
