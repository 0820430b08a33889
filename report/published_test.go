package report

import (
	"fmt"
	"math"
	"os"
	"testing"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack/stackfile"
)

// Flip-chip packages with a lid of one piece, as NEC Electronics published them (thermal characteristics of FCBGA
// packages, necel.com/pkg, calculated by the maker for a JEDEC test board of four layers in still air): body and die in
// mm, theta_JA, psi_JT and theta_JC in K/W, rounded as there. Nothing else of the packages is told. What is missing is
// taken within its usual range, once for all: an interface of 50 um that conducts 1.3 W/(m K), which the column of
// theta_JC asks for, two build-up layers a side, a board of JESD51-7 for bodies below 27 mm.
func TestPublishedFlipChips(t *testing.T) {
	cases := []struct{ body, die, ja, jt, jc float64 }{
		{21, 3.03, 22, 3.64, 5.1}, {29, 11.03, 12, 0.16, 0.4}, {25, 4.95, 16, 1.24, 2.0},
		{21, 8.15, 15, 0.25, 0.8}, {23, 3.99, 19, 1.94, 3.0}, {25, 11.03, 13, 0.16, 0.4}, {27, 8.15, 13, 0.35, 0.8},
	}
	for _, c := range testtier.Pick(cases[:3], cases) {
		text := func(environment string) string {
			return fmt.Sprintf(`schema = 1
[materials.adhesive]
k = 1.3
c = 2e6
[package]
kind = "flip-chip-lid"
size = ["%[1]v mm", "%[1]v mm"]
environment = %[3]q
tim1 = { material = "adhesive" }
board = { size = ["76.2 mm", "114.3 mm"] }
[package.substrate]
vias = 0.001
copper = [{ thickness = "15 um", coverage = 0.5 }, { thickness = "15 um", coverage = 0.5 }, { thickness = "25 um", coverage = 0.8 }, { thickness = "25 um", coverage = 0.8 }, { thickness = "15 um", coverage = 0.5 }, { thickness = "15 um", coverage = 0.5 }]
[[package.die]]
name = "d"
size = ["%[2]v mm", "%[2]v mm"]
power = { uniform = 2 }
`, c.body, c.die, environment)
		}
		still := solvePackageTo(t, text("jesd51-2a"), 1e-4)
		ja, jt, jc := figure(t, still, "theta_JA"), figure(t, still, "psi_JT"),
			figure(t, solvePackageTo(t, text("jesd51-14"), 1e-4), "theta_JC(top)")
		t.Logf("body %g, die %g: theta_JA %.1f (%g), psi_JT %.2f (%g), theta_JC %.2f (%g)", c.body, c.die, ja, c.ja, jt,
			c.jt, jc, c.jc)
		if math.Abs(ja/c.ja-1) > 0.12 || math.Abs(jc/c.jc-1) > 0.25 || math.Abs(jt-c.jt) > 0.25*c.jt+0.2 {
			t.Errorf("body %g, die %g: theta_JA %.2f, published %g; psi_JT %.2f, %g; theta_JC %.2f, %g", c.body, c.die,
				ja, c.ja, jt, c.jt, jc, c.jc)
		}
	}
}

// HotSpot's first example, the EV6 under spreader and sink without a path through the board. HotSpot 7.0 has 342.33 K
// for the hottest cell, on 64 x 64 cells over the die and twelve nodes for what sticks out; codes that resolve the
// plates get 342.0 to 343.7 K, by where in the die the heat arises. Here that is its lower face, which adds 1.7 K at
// most: 75 um of silicon under the 2.9 W/mm2 of IntReg, without spreading.
func TestHotSpotsPackage(t *testing.T) {
	const text = `schema = 1
ambient = "318.15 K"
size = ["60 mm", "60 mm"]
[materials.silicon]
k = 130
c = 1.6303e6
[materials.interface]
k = 4
c = 4e6
[materials.copper]
k = 400
c = 3.55e6
[package]
kind = "flip-chip-lid"
size = ["30 mm", "30 mm"]
board = "none"
tim1 = { material = "interface", thickness = "20 um" }
tim2 = { material = "copper", thickness = "1 um" }
lid = { foot = 0, thickness = "1 mm" }
  [[package.die]]
  name = "die"
  size = ["16 mm", "16 mm"]
  thickness = "150 um"
  power = { floorplan = "../examples/package/ev6.flp", watts = "../examples/package/ev6.ptrace" }
[heat_sink]
material = "copper"
base = "6.9 mm"
resistance = 0.1
`
	s, err := stackfile.Parse("stack.toml", []byte(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	sum, err := Summarise(&Run{Command: "steady", Mesh: m, Solution: sol})
	if err != nil {
		t.Fatal(err)
	}
	if got := sum.Temperature.MaxK; got < 342.0 || got > 343.7+1.7 {
		t.Errorf("the hottest cell is at %.2f K", got)
	}
	if got := sum.Temperature.MaxAt.Block; got != "IntReg_0" && got != "IntReg_1" {
		t.Errorf("it lies in %s", got)
	}
}
