package fit_test

import (
	"math"
	"slices"
	"testing"

	"thermsim/internal/testtier"
	"thermsim/study/fit"
	"thermsim/study/response/ladder"
)

// The junction-to-case network of a published MOSFET in a fully molded TO-220 (FQPF47P06, thermal model of the
// manufacturer of 24 April 2007, revision 1.0): resistances in K/W and capacitances in J/K.
var (
	publishedR = []float64{8.6e-3, 5.9e-2, 8.2e-2, 4.6e-1, 8.4e-1, 9.7e-1}
	publishedC = []float64{1.0e-3, 6.6e-3, 4.8e-2, 1.8e-1, 5.8e-1, 6.4e-1}
)

// moldedText is a chip on a frame on a layer of mold compound, as such a package has; its dimensions are guesses.
const moldedText = `
schema = 1
size = ["side", "side"]
grid = { nx = 6, ny = 6 }
boundary.bottom = { h = 1e5 }
materials.mold = { k = "1.5 W/(m K)", c = "1.7e6 J/(m^3 K)" }
materials.solder = { k = "35 W/(m K)", c = "1.5e6 J/(m^3 K)" }
[define]
chip = "4 mm"
side = "9 mm"
edge = "0.5*(side - chip)"
[[layer]]
name = "isolation"
material = "mold"
thickness = "0.3 mm"
cells = 2
[[layer]]
name = "frame"
material = "copper"
thickness = "1 mm"
[[layer]]
name = "attach"
material = "mold"
thickness = "50 um"
region = [{ material = "solder", x = "edge", y = "edge", width = "chip", height = "chip" }]
[[layer]]
name = "chip"
material = "mold"
thickness = "0.2 mm"
region = [{ name = "chip", material = "silicon", x = "edge", y = "edge", width = "chip", height = "chip",
  power = { uniform = "1 W" } }]
`

// Plausible dimensions and conductivities explain the published response within 3 % from 1 ms to 6 s, of which the sum
// of its resistances, 2.42 K/W, is the end.
func TestPublishedResponse(t *testing.T) {
	network := &ladder.Foster{R: publishedR}
	for k, r := range publishedR {
		network.Tau = append(network.Tau, r*publishedC[k])
	}
	c := fit.Curve{}
	for at := 1e-3; at < 7; at *= math.Pow(10, testtier.Pick(0.5, 0.2)) {
		c.Times, c.Z = append(c.Times, at), append(c.Z, network.Step(at))
	}
	p := problem(t, moldedText, []fit.Curve{c}, "materials.mold.k=0.3:5 W/(m K)", "layer.frame.thickness=0.3:2 mm",
		"define.chip=3:6 mm", "define.side=7:12 mm", "layer.chip.thickness=0.05:0.4 mm")
	model := fit.Model{Curves: []fit.Curve{c}}
	var err error
	if p.Values, p.Known, err = model.Values(load(t, moldedText, nil, nil), fit.Sigmas{}); err != nil || p.Known {
		t.Fatal(err)
	}
	r, err := fit.Run(t.Context(), p)
	if err != nil || !r.Converged || len(r.Weak) > 0 {
		t.Fatal(err, r)
	}
	for _, e := range r.Fitted {
		t.Log(e.Key, e.Value, e.Unit, e.State, e.Interval)
	}
	d := r.Deviations[0]
	t.Logf("%g %% rms of %d values, before %g %%; %d evaluations", d.After, d.Values, d.Before, r.Solved)
	if end := slices.Max(r.End); d.After > 3 || math.Abs(end/2.4196-1) > 0.04 {
		t.Errorf("got %g %% rms and an end of %g K/W; expected 3 %% and 2.42 K/W", d.After, end)
	}
}
