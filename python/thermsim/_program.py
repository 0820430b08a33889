"""Starts the thermsim program and turns its exit statuses and messages into exceptions."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

Self = TypeVar("Self")
PROBLEM = re.compile(r"^(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<text>.*)$")


@dataclass(frozen=True)
class Problem:
    """A message of the program, with its location in an input file and the line there (source) where it has one."""

    text: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    source: str = ""


class Error(Exception):
    """The program failed.

    status is its exit status (docs/reference/exit-status.md) and problems are its messages. file, line and column
    locate the first of them in an input file; they are None without a location. result is None or what was written.
    """

    result: Any = None

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status
        self.problems = [_problem(line) for line in text.splitlines()]
        first = next((p for p in self.problems if p.file), Problem(text))
        self.file, self.line, self.column = first.file, first.line, first.column


class InputError(Error):
    """The stack, a value or an option is invalid (exit status 2)."""


class NotConvergedError(Error):
    """The solver did not converge (exit status 3). result is the best field, if one was written."""


class DeviceError(Error):
    """The device failed, or memory is insufficient (exit status 4)."""


class RunawayError(Error):
    """Thermal runaway: the stack has no stable state (exit status 6). result is the last one, if it was written."""


_CLASSES: dict[int, type[Error]] = {2: InputError, 3: NotConvergedError, 4: DeviceError, 6: RunawayError}


def error(status: int, text: str) -> Error:
    """Returns the exception for an exit status and the text on standard error."""
    return _CLASSES.get(status, Error)(text.strip() or f"thermsim ended with status {status}", status)


def _problem(line: str) -> Problem:
    match = PROBLEM.match(line)
    if not match:
        return Problem(line)
    column, source = match["column"], ""
    with contextlib.suppress(OSError, UnicodeError, IndexError):
        source = Path(match["file"]).read_text(encoding="utf-8").splitlines()[int(match["line"]) - 1]
    return Problem(match["text"], match["file"], int(match["line"]), int(column) if column else None, source)


@lru_cache
def program() -> str:
    """Returns the path of the program: the one installed with this package, or else the one on PATH."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files("thermsim") or ():
            if file.name in ("thermsim", "thermsim.exe") and os.access(file.locate(), os.X_OK):
                return str(Path(file.locate()).resolve())
    found = shutil.which("thermsim")
    if not found:
        raise Error("thermsim is not installed: install its wheel, or put the program on PATH")
    return found


def plain(value: Any) -> Any:
    """Returns numbers and arrays of NumPy as those of Python, and other values unchanged."""
    return value.tolist() if hasattr(value, "tolist") else value


def value_text(value: Any) -> str:
    """Returns a value as TOML."""
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, Path)):
        return json.dumps(str(value), ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key_text(k)} = {value_text(v)}" for k, v in value.items()) + " }"
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(value_text, value)) + "]"
    raise TypeError(f"a stack file cannot contain {type(value).__name__} {value!r}")


def key_text(key: str) -> str:
    """Returns a key as TOML, in quotes if it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def flags(options: Mapping[str, Any], set: Mapping[str, Any] | None = None) -> list[str]:
    """Returns the flags for keyword arguments: max_iter=5 is --max-iter=5. None and False omit a flag."""
    words = []
    for key, value in (set or {}).items():
        text = "" if value is None else value if isinstance(value, str) else value_text(value)
        words.append(f"--set={key}={text}")
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            many = isinstance(value, Iterable) and not isinstance(value, (str, Path))
            words.append(f"{flag}={','.join(map(str, value)) if many else value}")
    return words


def run(command: Sequence[str | Path], complete: Iterable[int] = (0,)) -> str:
    """Runs a command and returns what it printed. An exit status that is not in complete raises an Error."""
    done = subprocess.run([program(), *map(str, command)], capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in complete:
        raise error(done.returncode, done.stderr)
    return done.stdout


def run_json(command: Sequence[str | Path]) -> Any:
    """Runs a command with --json and returns what it prints."""
    return json.loads(run([*command, "--json", "--quiet"]))


class Server:
    """A running command that answers lines of JSON. It ends with its with statement, or by close()."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self._messages = tempfile.TemporaryFile("w+", encoding="utf-8")
        self._asked, self._ended = 0, None  # type: int, Error | None
        # An interrupt of the interpreter (Ctrl-C) does not reach the program, which ends with its standard input.
        apart = {"creationflags": 0x200} if sys.platform == "win32" else {"start_new_session": True}
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            [program(), *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._messages,
            **apart)  # type: ignore[call-overload]

    def request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Sends a request and returns its answer. If the program has ended, its error is raised."""
        if self._ended:
            raise self._ended
        self._asked += 1
        line = json.dumps({"id": self._asked, **request}, allow_nan=False, separators=(",", ":"))
        to, answers = self._process.stdin, self._process.stdout
        assert to and answers
        with contextlib.suppress(OSError):  # the program has closed its input
            to.write(line.encode() + b"\n")
            to.flush()
        while text := answers.readline():
            answer: dict[str, Any] = json.loads(text)
            if answer.get("id", self._asked) == self._asked:  # not that of an interrupted request
                return answer
        self.close()
        raise self._ended or error(1, "the program has ended")

    def close(self) -> None:
        """Ends the program."""
        if self._ended:
            return
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                stream and stream.close()
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:  # in a long request
            self._process.terminate()
            status = self._process.wait()
        self._messages.seek(0)
        self._ended = error(status, self._messages.read() or "the program has ended")
        self._messages.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
