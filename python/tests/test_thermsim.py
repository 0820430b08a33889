"""Tests of the package against formulas, finite differences, and other commands of the program."""

from __future__ import annotations

import importlib.util
import json
import signal
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy
from numpy.testing import assert_allclose

import thermsim

EXAMPLE = Path(__file__).parents[2] / "examples" / "quickstart" / "stack.toml"
AREA, POWER, H, K, THICKNESS, C, AMBIENT = 1e-4, 20.0, 5000.0, 100.0, 1e-3, 2e6, 300.0


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def slab(cells: int = 4) -> thermsim.Stack:
    """A slab that is heated from below and cooled from above."""
    stack = thermsim.Stack(size=["10 mm", "10 mm"], ambient=AMBIENT, grid={"nx": 2, "ny": 3}, tmax="350 K",
                           materials={"slab": {"k": K, "c": C}}, boundary={"top": {"h": H}}, title='a "slab"')
    die = stack.layer("die", material="slab", thickness=THICKNESS, cells=cells, power_at="bottom")
    die.block("core", x=0, y=0, width="10 mm", height="10 mm", power=POWER)
    return stack


def dies() -> thermsim.Stack:
    """Two blocks on a die under a lid."""
    stack = thermsim.Stack(size=["10 mm", "8 mm"], ambient="25 degC", grid={"nx": 20, "ny": 16},
                           boundary={"top": {"h": H}})
    die = stack.layer("die", material="silicon_85c", thickness="300 um", power_at="bottom")
    die.block("a", x="1 mm", y="1 mm", width="3 mm", height="3 mm", power="6 W")
    die.block("b", x="6 mm", y="3 mm", width="2 mm", height="4 mm", power="3 W")
    stack.layer("tim", material="tim_grease", thickness="50 um")
    stack.layer("lid", material="copper", thickness="1 mm")
    stack.probe("corner", x=0, y=0, layer="lid")
    return stack


POWERS = ["layer.die.block.a.power", "layer.die.block.b.power"]


def heated(run: thermsim.Result) -> list[float]:
    """The means over the cells that the blocks heat, in the lowest plane of the die."""
    plane = run.field("die")[0]
    return [float(plane[2:8, 2:8].mean()), float(plane[6:14, 12:16].mean())]


class Stacks(unittest.TestCase):
    @unittest.skipUnless(has("tomllib"), "needs Python 3.11")
    def test_builder_writes_the_example(self) -> None:
        import tomllib

        stack = thermsim.Stack(title="quickstart: a quad-core die under a copper lid", ambient="25 degC",
                               size=["10 mm", "10 mm"], grid={"nx": numpy.int64(64), "ny": 64},
                               boundary={"top": {"h": "6000 W/(m^2 K)"}})
        die = stack.layer("die", material="silicon_85c", thickness="300 um", cells=2, power_at="bottom")
        for name, x, y, power in (("core0", 1, 5.5, 8), ("core1", 6, 5.5, 5), ("core2", 1, 1, 5), ("core3", 6, 1, 2)):
            die.block(name, x=f"{x} mm", y=f"{y} mm", width="3 mm", height="3.5 mm", power=f"{power} W")
        die.block("cache", x="4 mm", y="1 mm", width="2 mm", height="8 mm", power="3 W")
        stack.layer("tim", material="tim_grease", thickness="50 um")
        stack.layer("lid", material="copper", thickness="1 mm", cells=2)
        stack.probe("lid_centre", x="5 mm", y="5 mm", layer="lid")
        self.assertEqual(tomllib.loads(str(stack)), tomllib.loads(EXAMPLE.read_text()))
        odd = {"a b": [True, numpy.array([[1.5, 2], [3, 4]]), Path("x/y")], "c": 'quo"te\n', "d": 1e-7}
        self.assertEqual(tomllib.loads(str(thermsim.Stack(odd=odd)))["odd"],
                         {"a b": [True, [[1.5, 2], [3, 4]], "x/y"], "c": 'quo"te\n', "d": 1e-7})

    def test_a_power_map_is_an_array(self) -> None:
        stack = slab()
        stack.tables["layer"][0].tables.clear()
        power = {"map": numpy.full((2, 2), POWER / 4), "unit": "W", "orientation": "south-first"}
        stack.tables["layer"][0].keys["power"] = power
        self.assertAlmostEqual(thermsim.check(stack)["power"]["mapped_W"], POWER)

    def test_errors_have_a_location(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = dies().save(Path(folder) / "stack.toml")
            path.write_text(path.read_text().replace("6 W", "6 Q").replace('"3 mm"', '"30 mm"'))
            with self.assertRaises(thermsim.InputError) as caught:
                thermsim.steady(path)
        line = 1 + str(dies()).splitlines().index('power = "6 W"')
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.column), (str(path), line, 9))
        self.assertEqual(caught.exception.status, 2)
        self.assertIn('unknown unit "Q"', caught.exception.problems[0].text)
        self.assertEqual(caught.exception.problems[0].source, 'power = "6 Q"')
        with self.assertRaisesRegex(thermsim.InputError, "unknown flag: --grids"):
            thermsim.steady(dies(), grids=1)
        with self.assertRaises(TypeError):
            thermsim.Stack(x=object()).save("unused")


class Results(unittest.TestCase):
    def test_steady_state_of_a_slab(self) -> None:
        run = thermsim.steady(slab())
        flux = POWER / AREA
        z = run.header()["z_m"]
        self.assertEqual(len(z), run.summary["grid"]["nz"])
        expected = AMBIENT + flux / H + flux * (THICKNESS - numpy.array(z)) / K
        assert_allclose(run.field("die"), numpy.broadcast_to(expected[:, None, None], (len(z), 3, 2)), rtol=1e-9)
        assert_allclose(run.map(), run.field().max(axis=0))
        self.assertIsInstance(run.field(), numpy.memmap)
        assert_allclose(run.peak.max_K, expected[0], rtol=1e-9)
        self.assertEqual((run.peak.layer, run.peak.block, run.peak.time_s), ("die", "core", None))
        self.assertTrue(run.ok)
        assert_allclose(run.limits["margin_K"], 350 - expected[0], rtol=1e-7)
        self.assertEqual(run.png()[:4], b"\x89PNG")
        self.assertIn("a &quot;slab&quot;", run._repr_html_())

        hot = thermsim.steady(slab(), set={"boundary.top.h": H / 2, "tmax": None, "layer.die.tmax": "350 K"})
        self.assertFalse(hot.ok)
        assert_allclose(hot.peak.max_K, expected[0] + flux / H, rtol=1e-7)

    def test_tables_without_pandas(self) -> None:
        run = thermsim.transient(slab(), dt="0.1 s", steps=3)
        with mock.patch.dict("sys.modules", {"pandas": None}):
            self.assertEqual([(row["name"], row["power_W"]) for row in run.blocks], [("core", POWER)])
            self.assertEqual(run.blocks[0]["max_x_m"], run.summary["blocks"][0]["max_at"]["x_m"])
            assert_allclose(run.trace["time_s"], [0.1, 0.2, 0.3])
            rows = thermsim.sweep(slab(), {"boundary.top.h": [H, H / 2]})
        self.assertEqual([row["status"] for row in rows], ["done", "done"])
        assert_allclose(numpy.diff(rows["max_K"]), POWER / AREA / H, rtol=1e-6)

    def test_fields_of_steps(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run = thermsim.transient(slab(1), dt="0.1 s", steps=3, out=folder)
            maxima = [step["max_K"] for step in run.summary["step_maxima"]]
            assert_allclose([run.field(step=n).max() for n in (1, 2, 3)], maxima, rtol=1e-14)
            self.assertEqual(run.field("die").max(), maxima[2])
            again = thermsim.Result(folder)
            self.assertEqual((again.peak, again.field(step=1).max()), (run.peak, maxima[0]))
        self.assertEqual(run.peak.time_s, 0.1 * 3)

    def test_runaway_has_the_last_stable_state(self) -> None:
        stack = slab()
        stack.keys["boundary"] = {"top": {"h": 300}}
        stack.tables["layer"][0].tables["block"][0].keys["leakage"] = {"power": "5 W", "beta": 0.02, "range": ["250 K", "900 K"]}
        with self.assertRaises(thermsim.RunawayError) as caught:
            thermsim.steady(stack)
        # With u = 0.02/K of the rise, the largest power has exp(u) (u - 1) = 20 W / 5 W: u is 1.717.
        self.assertLess(abs(caught.exception.result.peak.max_K - AMBIENT - 1.717 / 0.02), 1)


class Studies(unittest.TestCase):
    def test_studies_agree_with_runs(self) -> None:
        run = thermsim.steady(dies())
        of_inputs = thermsim.rth(dies())
        self.assertEqual(of_inputs.inputs, ["die/a", "die/b"])
        self.assertEqual(of_inputs.outputs, ["die/a", "die/b", "probe/corner"])
        assert_allclose((of_inputs.matrix @ [6, 3])[:2] + 298.15, heated(run), rtol=1e-9)
        model = thermsim.reduce(dies())
        assert_allclose(model.step(1e6, [6, 3])[:2], heated(run), rtol=1e-6)
        with thermsim.Runs(dies(), outputs=["die/a"]) as runs:
            answer = runs({POWERS[0]: numpy.float64(6.0), "boundary.top.h": H})
            self.assertAlmostEqual(answer["max_K"], run.peak.max_K, 6)
            self.assertEqual(runs({"boundary.top.h": -1})["status"], "invalid")

    @unittest.skipUnless(has("scipy"), "needs SciPy")
    def test_linear_systems(self) -> None:
        import scipy.sparse
        import scipy.sparse.linalg

        n = 60
        rng = numpy.random.default_rng(1)
        a = scipy.sparse.random(n, n, 0.1, random_state=1)
        a = (a + a.T + scipy.sparse.diags(numpy.full(n, 20.0))).tocsr()
        for b in (rng.standard_normal(n), rng.standard_normal((n, 2))):
            assert_allclose(thermsim.solve(a, b, rtol=1e-12), scipy.sparse.linalg.spsolve(a, b), rtol=1e-9)
        with self.assertRaises(thermsim.NotConvergedError):
            thermsim.solve(a, rng.standard_normal(n), rtol=1e-12, max_iter=1, precond="none")


class Gradients(unittest.TestCase):
    KEYS = [POWERS[1], "boundary.top.h", "layer.tim.thickness"]
    VALUES = numpy.array([3, H, 50])
    UNITS = [" W", "", " um"]

    def differences(self) -> list[float]:
        """The derivatives of the mean of block a by central differences between steady states.

        The differences are of fourth order, because conductances are rounded to FP32 and small steps amplify the errors.
        """
        found = []
        for n, key in enumerate(self.KEYS):
            step = 0.03 * self.VALUES[n]
            values = {k: f"{self.VALUES[n] + k * step}{self.UNITS[n]}" for k in (-2, -1, 1, 2)}
            mean = {k: heated(thermsim.steady(dies(), set={key: value}))[0] for k, value in values.items()}
            found.append((8 * (mean[1] - mean[-1]) - mean[2] + mean[-2]) / (12 * step))
        return found

    def test_gradients_are_finite_differences(self) -> None:
        expected = self.differences()
        run = thermsim.steady(dies())
        assert_allclose(list(run.gradient(of="a", wrt=self.KEYS).values()), expected, rtol=1e-5)
        self.assertEqual(run.gradient(of="a")["h of top"], run.gradient(of="a", wrt=["h of top"])["h of top"])
        with self.assertRaisesRegex(KeyError, "k of air is not a parameter; expected one of .*k of tim"):
            run.gradient(wrt=["k of air"])
        with self.assertRaisesRegex(thermsim.InputError, "layer.die.width"):
            run.gradient(wrt=["layer.die.width"])

        objective = thermsim.Objective(dies(), self.KEYS, of="a")
        assert_allclose(objective.start(), self.VALUES)
        kelvin, slope = objective(self.VALUES)
        self.assertAlmostEqual(kelvin, heated(run)[0], 6)
        assert_allclose(slope, expected, rtol=1e-5)
        with self.subTest("torch"):
            self.check_torch(objective, expected)
        with self.subTest("jax"):
            self.check_jax(objective, expected)

    def check_torch(self, objective: thermsim.Objective, expected: list[float]) -> None:
        if not has("torch"):
            self.skipTest("needs PyTorch")
        import torch

        x = torch.tensor(self.VALUES, requires_grad=True)
        (objective.torch()(x) * 2).backward()
        assert_allclose(x.grad.numpy() / 2, expected, rtol=1e-5)

    def check_jax(self, objective: thermsim.Objective, expected: list[float]) -> None:
        if not has("jax"):
            self.skipTest("needs JAX")
        import jax

        jax.config.update("jax_enable_x64", True)
        slope = jax.jit(jax.grad(lambda x: 2 * objective.jax()(x)))(jax.numpy.array(self.VALUES))
        assert_allclose(numpy.asarray(slope) / 2, expected, rtol=1e-5)


class ClosedLoops(unittest.TestCase):
    def test_steps_are_those_of_a_transient(self) -> None:
        run = thermsim.transient(dies(), dt="5 ms", steps=6, set={POWERS[0]: 4})
        trace = run.trace
        with thermsim.Session(dies(), dt="5 ms") as session:
            self.assertEqual((session.inputs, session.blocks), (["die/a", "die/b"], ["die/a", "die/b"]))
            self.assertEqual((session.layers, session.probes), (["die", "tim", "lid"], ["corner"]))
            kelvin = session.step([4, 3])
            session.ask("save", name="one")
            for _ in range(2):
                for n in range(1, 6):
                    kelvin = session.step()
                    assert_allclose(kelvin, [trace["die/a_max_K"][n], trace["die/b_max_K"][n]], rtol=1e-8)
                self.assertEqual((session.steps, round(session.time, 9), session.power), (6, 0.03, 7))
                assert_allclose(session.map("die"), run.map("die"), rtol=1e-8)
                session.ask("restore", name="one")
            with self.assertRaisesRegex(ValueError, "got 3 powers; expected 2"):
                session.step([1, 2, 3])
            with self.assertRaises(thermsim.RequestError) as caught:
                session.step({"c": 1})
            self.assertEqual((caught.exception.code, session.steps), ("unknown-name", 1))
            session.ask("set", watts={"a": None, "b": 0})
            self.assertEqual(session.read(powers=True)["powers"], {"die/a": 6, "die/b": 0})
            session.ask("reset")
            self.assertEqual(session.steps, 0)

    def test_errors_at_the_start_and_later(self) -> None:
        with self.assertRaisesRegex(thermsim.InputError, "no-such.toml"):
            thermsim.Session("no-such.toml")
        session = thermsim.Session(slab(1), dt="1 ms")
        session._process.send_signal(signal.SIGTERM)
        with self.assertRaises(thermsim.Error) as caught:
            for _ in range(1000):
                session.step()
        self.assertEqual(caught.exception.status, 130)
        session.close()


if __name__ == "__main__":
    unittest.main()
