"""Thermal simulation of 3D ICs. docs/guides/python.md is the guide.

>>> import thermsim
>>> run = thermsim.steady("stack.toml", set={"boundary.top.h": 5000})
>>> run.peak.max_K, run.blocks, run.field("die")
"""

from ._program import DeviceError, Error, InputError, NotConvergedError, Problem, RunawayError, program
from .gradient import Objective
from .result import Peak, Result, steady, transient
from .session import RequestError, Session
from .stack import Stack, Table
from .studies import ReducedModel, Resistances, Runs, check, reduce, rth, solve, sweep

__all__ = [
    "DeviceError", "Error", "InputError", "NotConvergedError", "Objective", "Peak", "Problem", "ReducedModel",
    "RequestError", "Resistances", "Result", "RunawayError", "Runs", "Session", "Stack", "Table", "check", "program",
    "reduce", "rth", "solve", "steady", "sweep", "transient",
]
