package report

import (
	"math"
	"testing"
)

// A heat sink of 30 x 20 mm and a board of 20 x 30 mm on a package of 10 x 10 mm, both nearly isothermal. The heated
// slice, the sink and the board are the nodes of a network of sums of thickness over conductivity: every exposed face
// gives heat to its own air.
func TestSizesOfSinkAndBoard(t *testing.T) {
	const um, mm, square = 1e-6, 1e-3, 1e-6
	const copper, abf, solder, underfill, air, silicon, grease = 401.0, 0.4, 58.0, 0.5, 0.0263, 148.0, 4.0
	const plate, space, hBottom, hTop, sink, watts = 1e6, 1e3, 50.0, 80.0, 2.0, 10.0
	s := solvePackage(t, `schema = 1
ambient = "25 degC"
boundary = { bottom = { h = 50 }, top = { h = 80 } }
[materials]
plate = { k = 1e6, c = 1e6 }
air = { k = [1e-9, 1e-9, 0.0263], c = 1200 }
[heat_sink]
size = ["30 mm", "20 mm"]
material = "plate"
base = "5 mm"
resistance = 2
[package]
kind = "flip-chip"
size = ["10 mm", "10 mm"]
board = { size = ["20 mm", "30 mm"], dielectric = "plate", copper = [{ thickness = "70 um", coverage = 1e-9 }] }
[[package.die]]
name = "d"
size = ["10 mm", "10 mm"]
power = { uniform = 10 }
`)
	along := func(f, ki, km float64) float64 { return f*ki + (1-f)*km }
	disc := func(d, p float64) float64 { return math.Pi / 4 * d * d / p / p }
	pile := 1.2 * mm / (8*15*um/along(0.6, copper, abf) + 2*25*um/along(0.8, copper, abf) + (1200-120-50)*um/abf)
	const body, both, alone = 100 * square, 400 * square, 200 * square
	const between = (500 + 1200 + 75 + 775 + 50) * um
	up := body / ((775-2.5)*um/silicon + 50*um/grease)
	down := body / (2.5*um/silicon + 75*um/along(disc(80, 180), solder, underfill) +
		1.2*mm/along(0.003, copper, pile) + 0.5*mm/along(disc(0.6, 1), solder, air))
	gap := (both - body) / (between / air)
	sinkOut := 1/sink + alone/(1/hBottom+(1.6*mm+between)/space)
	boardOut := hBottom*(both+alone) + alone/(1/hTop+(between+5*mm)/space)
	// The rises of sink a and board b: (up + gap + sinkOut) a - gap b = up T and likewise for b, with T = 1.
	det := (up+gap+sinkOut)*(down+gap+boardOut) - gap*gap
	a := (up*(down+gap+boardOut) + gap*down) / det
	b := (down*(up+gap+sinkOut) + gap*up) / det
	rise := watts / (up*(1-a) + down*(1-b))
	if got := s.Temperature.MaxK - s.Temperature.AmbientK; math.Abs(got/rise-1) > 2e-5 {
		t.Errorf("the die is %.9g K above ambient, want %.9g", got, rise)
	}
	solid, volume := 0.0, 0.0 // the mean of the stack is that of its parts
	for i := range s.Regions {
		r := &s.Regions[i]
		thick := 0.0
		for _, l := range s.Layers {
			if l.Name == r.Layer && r.Material != "open_space" {
				thick = l.ThicknessM
			}
		}
		solid += r.AreaM2 * thick * r.MeanK
		volume += r.AreaM2 * thick
	}
	if got := s.Temperature.MeanK; math.Abs(got-solid/volume) > 1e-6 {
		t.Errorf("the mean is %.9g K, that of the parts %.9g K", got, solid/volume)
	}
	if got, want := s.Energy.ByFaceW.Bottom, hBottom*(both+alone)*b*rise+
		a*rise*alone/(1/hBottom+(1.6*mm+between)/space); math.Abs(got/want-1) > 2e-4 {
		t.Errorf("%.6g W leave through the bottom, want %.6g", got, want)
	}
}
