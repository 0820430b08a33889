package verify

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/stack"
	"thermsim/stack/heatsink"
	"thermsim/stack/stackfile"
	"thermsim/study/verify/analytic"
)

const finned = `schema = 1
ambient = "300 K"
size = ["40 mm", "60 mm"]
grid = { nx = 80, ny = 120 }
[materials.tim]
k = 4
c = 2e6
[[layer]]
name = "source"
material = "tim"
thickness = "1 um"
  [[layer.block]]
  name = "die"
  x = "12 mm"
  y = "20 mm"
  width = "16 mm"
  height = "10 mm"
  power = "50 W"
[[layer]]
name = "tim"
material = "tim"
thickness = "49 um"
[heat_sink]
material = "aluminium_6061"
base = "5 mm"
cells = 10
fins = { count = 20, thickness = "0.8 mm", height = "25 mm", velocity = "1.5 m/s" }
`

func TestHeatSinkSpreads(t *testing.T) {
	st, err := stackfile.Parse("stack.toml", []byte(finned), nil)
	if err != nil {
		t.Fatal(err)
	}
	top := st.Boundary[stack.Top]
	fins := heatsink.Fins{Count: 20, Thickness: 0.8e-3, Height: 25e-3, Length: 60e-3, Width: 40e-3, K: 167}
	air, err := heatsink.AirAt(300)
	if err != nil {
		t.Fatal(err)
	}
	fins.H, _ = heatsink.Channel(air, 1.5, fins.Gap(), fins.Length)
	if top.Kind != stack.Convective || math.Abs(top.H/fins.OnBase()-1) > 1e-12 {
		t.Fatalf("top %+v, want h = %g", top, fins.OnBase())
	}
	// The series of Muzychka, Culham and Yovanovich for a source off the centre of two isotropic sheets.
	plate := analytic.Plate{A: 40e-3, B: 60e-3, H: top.H, Sheets: []analytic.Sheet{{Thickness: 50e-6, K: isotropic(4)},
		{Thickness: 5e-3, K: isotropic(167)}}}
	want := plate.MeanRise(analytic.Source{X: 20e-3, Y: 25e-3, Width: 16e-3, Height: 10e-3, Watts: 50}, 200)
	f, err := solver{options: gpusolve.Options{Device: "cpu", Tol: 1e-5}}.steady(context.Background(), st)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for j := 40; j < 60; j++ {
		for i := 24; i < 56; i++ {
			mean += f.at(i, j, 0) / (20 * 32)
		}
	}
	if math.Abs(mean/want-1) > 2e-3 {
		t.Errorf("mean rise of the die %.6g K, series %.6g K", mean, want)
	}
	t.Logf("mean rise of the die %.6g K, series %.6g K: %+.2g %%", mean, want, 100*(mean/want-1))
}

// A fin in three dimensions, the base held at a temperature and all other faces cooled, against the efficiency of a fin
// with half its thickness added to the height.
func TestResolvedFin(t *testing.T) {
	const nx, ny, nz = 4, 40, 200
	for _, h := range []float64{20, 200, 2000} {
		fin := heatsink.Fins{Count: 1, Thickness: 1e-3, Height: 25e-3, Length: 40e-3, Width: 1e-3, K: 167, H: h}
		st := newStack("fin", fin.Thickness, fin.Length, nx, ny)
		addLayer(st, "fin", fin.Height, nz, isotropic(fin.K), 2e6)
		for face := range stack.Face(stack.NumFaces) {
			st.Boundary[face] = convection(h)
		}
		st.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: st.Ambient + 10}
		f, err := solver{options: gpusolve.Options{Device: "cpu", Tol: 1e-6}}.steady(context.Background(), st)
		if err != nil {
			t.Fatal(err)
		}
		heat := 0.0 // through the base, from the lowest cells' centres
		dx, dy, dz := fin.Thickness/nx, fin.Length/ny, fin.Height/nz
		for j := range ny {
			for i := range nx {
				heat += fin.K * dx * dy * (10 - f.at(i, j, 0)) / (dz / 2)
			}
		}
		want := fin.H * 10 * fin.Efficiency() * 2 * (fin.Thickness + fin.Length) * (fin.Height + fin.Thickness/2)
		t.Logf("h = %g: %.6g W resolved, %.6g W by the formula: %+.2g %%", h, heat, want, 100*(want/heat-1))
		if math.Abs(want/heat-1) > 2e-3 {
			t.Errorf("h = %g: %.6g W resolved, %.6g W by the formula", h, heat, want)
		}
	}
}
