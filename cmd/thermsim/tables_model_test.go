package main

import (
	"math"
	"slices"
)

// smallStack is two dies in mould on 4 x 3 cells, which are twice as long as wide: small enough for elimination, and
// symmetric in nothing. Without the lines that begin with "leakage" it is linear.
const smallStack = `schema  = 1
title   = "two dies in mould"
ambient = "300 K"
size    = ["8 mm", "3 mm"]
grid    = { nx = 4, ny = 3 }
tmax    = "430 K"
boundary.top = { h = "5000 W/(m^2 K)" }

[materials]
mould  = { k = 0.8, c = 2.0e6 }
logic  = { k = 120, c = 1.6e6 }
memory = { k = 90, c = 1.7e6 }
glue   = { k = 1.5, c = 2.2e6 }
copper = { k = 380, c = 3.4e6 }

[[layer]]
name      = "base"
material  = "mould"
thickness = "300 um"
region    = [
  { name = "cpu", die = "left", material = "logic", x = 0, y = "1 mm", width = "6 mm", height = "2 mm", tmax = 380 },
]
  [layer.power]
  block = [
    { name = "core", x = "0.5 mm", y = "1 mm", width = "2.5 mm", height = "1.5 mm", power = "3 W", tmax = "400 K" },
    { name = "io", x = "5 mm", y = "1.25 mm", width = "2 mm", height = "1 mm", power = "1 W" },
  ]
  schedule = [{ t = 0, factor = 1.5 }, { t = "0.8 s", factor = 0.1 }]
  leakage  = { watts = { core = 0.5, io = 0.2 }, at = "330 K", polynomial = [1, 0.01], range = ["250 K", "500 K"] }

[[layer]]
name      = "upper"
material  = "mould"
thickness = "200 um"
contact_resistance = "1e-5 m^2 K/W"
region    = [
  { name = "ram", die = "right", material = "memory", x = "2 mm", y = 0, width = "6 mm", height = "2 mm" },
  { name = "cap", die = "left", material = "logic", x = 0, y = "2 mm", width = "8 mm", height = "1 mm" },
]
  [[layer.power]]
  uniform  = "2 W"
  area     = ["2 mm", "0 mm", "6 mm", "2 mm"]
  schedule = [{ t = 0, factor = 0.5 }, { t = "0.6 s", factor = 4 }, { t = "1.2 s", factor = 0 }]
  [[layer.power]]
  name     = "pad"
  uniform  = "0.5 W"
  area     = ["0 mm", "2 mm", "4 mm", "1 mm"]
  leakage  = { power = "0.1 W", at = "330 K", polynomial = [1, 0.01], range = ["250 K", "500 K"] }

[[layer]]
name      = "glue"
material  = "glue"
thickness = "50 um"

[[layer]]
name      = "lid"
material  = "copper"
thickness = "1 mm"
cells     = 2

[[probe]]
name = "inside"
x    = "7 mm"
y    = "0.5 mm"
z    = "150 um"

[[probe]]
name = "below"
x    = "3 mm"
y    = "2.5 mm"
z    = "300 um"

[transient]
dt    = "0.2 s"
steps = 8
`

// The same in numbers, SI units: lengths of cells, the ambient, the film.
const (
	smallNX, smallNY, smallNZ = 4, 3, 5
	smallDX, smallDY          = 2e-3, 1e-3
	smallAmbient, smallH      = 300.0, 5000.0
	smallDt, smallSteps       = 0.2, 8
	leakAt, leakSlope         = 330.0, 0.01
)

type rectangle struct{ x, y, w, h float64 }

func (b rectangle) area() float64 { return b.w * b.h }

// overlap is the area that two boxes share, 0 where that is rounding.
func overlap(a, b rectangle) float64 {
	area := max(0, min(a.x+a.w, b.x+b.w)-max(a.x, b.x)) * max(0, min(a.y+a.h, b.y+b.h)-max(a.y, b.y))
	if area < 1e-15 {
		return 0
	}
	return area
}

// share is the area of cell (i, j) that a box covers.
func (b rectangle) share(i, j int) float64 {
	return overlap(b, rectangle{float64(i) * smallDX, float64(j) * smallDY, smallDX, smallDY})
}

type smallMaterial struct{ k, c float64 }

var (
	mould, logic, memoryDie = smallMaterial{0.8, 2.0e6}, smallMaterial{120, 1.6e6}, smallMaterial{90, 1.7e6}
	glue, copper            = smallMaterial{1.5, 2.2e6}, smallMaterial{380, 3.4e6}
	everywhere              = rectangle{0, 0, 8e-3, 3e-3}
	cpuBox, ramBox          = rectangle{0, 1e-3, 6e-3, 2e-3}, rectangle{2e-3, 0, 6e-3, 2e-3}
	capBox, padBox          = rectangle{0, 2e-3, 8e-3, 1e-3}, rectangle{0, 2e-3, 4e-3, 1e-3}
)

type smallLayer struct {
	name      string
	of        smallMaterial
	material  string
	z, dz     float64
	contact   float64 // above it
	planes    []int
	regions   map[string]rectangle
	regionsOf map[string]smallMaterial
}

var smallLayers = []smallLayer{
	{"base", mould, "mould", 0, 300e-6, 0, []int{0},
		map[string]rectangle{"cpu": cpuBox}, map[string]smallMaterial{"cpu": logic}},
	{"upper", mould, "mould", 300e-6, 200e-6, 1e-5, []int{1},
		map[string]rectangle{"ram": ramBox, "cap": capBox}, map[string]smallMaterial{"ram": memoryDie, "cap": logic}},
	{"glue", glue, "glue", 500e-6, 50e-6, 0, []int{2}, nil, nil},
	{"lid", copper, "copper", 550e-6, 1e-3, 0, []int{3, 4}, nil, nil},
}

// smallSource is a block, or a power without blocks.
type smallSource struct {
	name        string
	block       bool
	layer       int
	box         rectangle
	watts, leak float64
	factors     [smallSteps]float64
}

var blockFactors = [smallSteps]float64{1.5, 1.5, 1.5, 1.5, 0.1, 0.1, 0.1, 0.1}

var smallSources = []smallSource{
	{"core", true, 0, rectangle{0.5e-3, 1e-3, 2.5e-3, 1.5e-3}, 3, 0.5, blockFactors},
	{"io", true, 0, rectangle{5e-3, 1.25e-3, 2e-3, 1e-3}, 1, 0.2, blockFactors},
	{"uniform", false, 1, ramBox, 2, 0, [...]float64{0.5, 0.5, 0.5, 4, 4, 4, 0, 0}},
	{"pad", false, 1, padBox, 0.5, 0.1, [...]float64{1, 1, 1, 1, 1, 1, 1, 1}},
}

// smallModel is the small stack with its parameters scaled, for differences. Keys are "power of base/core", "thickness
// of base", "k of base", "contact above upper", "h of top", "ambient of top" and their like.
type smallModel struct {
	leaks  bool
	parts  int // that each step of backward Euler is cut into; 0 is 1
	scaled map[string]float64
}

func (m *smallModel) dt() float64 { return smallDt / float64(max(1, m.parts)) }

func (m *smallModel) scale(what string) float64 {
	if f, ok := m.scaled[what]; ok {
		return f
	}
	return 1
}

func smallCell(i, j, k int) int { return (k*smallNY+j)*smallNX + i }

func layerOfPlane(k int) int { return []int{0, 1, 2, 3, 3}[k] }

func (m *smallModel) dz(k int) float64 {
	l := &smallLayers[layerOfPlane(k)]
	return l.dz / float64(len(l.planes)) * m.scale("thickness of "+l.name)
}

func (m *smallModel) material(i, j, k int) smallMaterial {
	l := &smallLayers[layerOfPlane(k)]
	of := l.of
	for name, b := range l.regions {
		if b.share(i, j) > 0 { // regions end at faces of cells
			of = l.regionsOf[name]
		}
	}
	return smallMaterial{of.k * m.scale("k of "+l.name), of.c}
}

// exit is the conductance in W/K from a cell of the uppermost plane to the ambient.
func (m *smallModel) exit(i, j int) float64 {
	return smallDX * smallDY / (1/(smallH*m.scale("h of top")) + m.dz(4)/2/m.material(i, j, 4).k)
}

func (m *smallModel) sink() float64 { return smallAmbient * m.scale("ambient of top") }

// conductances are those between a cell and its neighbours to the east, to the north and above in W/K.
func (m *smallModel) conductances(i, j, k int) (east, north, above float64) {
	here, dz := m.material(i, j, k), m.dz(k)
	if i+1 < smallNX {
		east = smallDY * dz / (smallDX/2/here.k + smallDX/2/m.material(i+1, j, k).k)
	}
	if j+1 < smallNY {
		north = smallDX * dz / (smallDY/2/here.k + smallDY/2/m.material(i, j+1, k).k)
	}
	if k+1 < smallNZ {
		contact := 0.0
		if l := layerOfPlane(k); l != layerOfPlane(k+1) {
			contact = smallLayers[l].contact * m.scale("contact above "+smallLayers[l].name)
		}
		above = smallDX * smallDY / (dz/2/here.k + contact + m.dz(k+1)/2/m.material(i, j, k+1).k)
	}
	return east, north, above
}

// system is the matrix and the right-hand side of a steady state, or of a step of backward Euler that follows old.
// Leakage q (1 + slope (T - at)) is linear in T.
func (m *smallModel) system(step int, old []float64) (a [][]float64, b []float64) {
	n := smallNX * smallNY * smallNZ
	a, b = make([][]float64, n), make([]float64, n)
	for c := range a {
		a[c] = make([]float64, n)
	}
	join := func(c, d int, g float64) {
		a[c][c], a[d][d], a[c][d], a[d][c] = a[c][c]+g, a[d][d]+g, a[c][d]-g, a[d][c]-g
	}
	for k := range smallNZ {
		for j := range smallNY {
			for i := range smallNX {
				c := smallCell(i, j, k)
				east, north, above := m.conductances(i, j, k)
				if east > 0 {
					join(c, c+1, east)
				}
				if north > 0 {
					join(c, c+smallNX, north)
				}
				if above > 0 {
					join(c, c+smallNX*smallNY, above)
				}
				if k == smallNZ-1 {
					a[c][c] += m.exit(i, j)
					b[c] += m.exit(i, j) * m.sink()
				}
				for s := range smallSources {
					q := &smallSources[s]
					if q.layer != k { // the lower layers are a plane each
						continue
					}
					of := q.box.share(i, j) / q.box.area()
					b[c] += of * q.power(m, step)
					if m.leaks {
						b[c] += of * q.leak * (1 - leakSlope*leakAt)
						a[c][c] -= of * q.leak * leakSlope
					}
				}
				if old != nil {
					a[c][c] += m.capacity(i, j, k) / m.dt()
					b[c] += m.capacity(i, j, k) / m.dt() * old[c]
				}
			}
		}
	}
	return a, b
}

func (m *smallModel) capacity(i, j, k int) float64 {
	return m.material(i, j, k).c * smallDX * smallDY * m.dz(k)
}

// power of a source in W without its leakage, in a step from 1, or in a steady state at step 0.
func (q *smallSource) power(m *smallModel, step int) float64 {
	watts := q.watts * m.scale("power of "+smallLayers[q.layer].name+"/"+q.name)
	if step > 0 {
		watts *= q.factors[step-1]
	}
	return watts
}

// eliminate solves a x = b.
func eliminate(a [][]float64, b []float64) []float64 {
	for p := range a {
		for r := p + 1; r < len(a); r++ {
			if f := a[r][p] / a[p][p]; f != 0 {
				for c := p; c < len(a); c++ {
					a[r][c] -= f * a[p][c]
				}
				b[r] -= f * b[p]
			}
		}
	}
	for p := len(a) - 1; p >= 0; p-- {
		for c := p + 1; c < len(a); c++ {
			b[p] -= a[p][c] * b[c]
		}
		b[p] /= a[p][p]
	}
	return b
}

func (m *smallModel) steady() []float64 { return eliminate(m.system(0, nil)) }

// steps are the fields at the start, which is at the ambient, and after every step.
func (m *smallModel) steps() [][]float64 {
	all := [][]float64{slices.Repeat([]float64{smallAmbient}, smallNX*smallNY*smallNZ)}
	for step := 1; step <= smallSteps; step++ {
		field := all[step-1]
		for range max(1, m.parts) {
			field = eliminate(m.system(step, field))
		}
		all = append(all, field)
	}
	return all
}

// gain is the largest eigenvalue of K^-1 D, D the slope of the leakage, and the cell where its vector is largest.
func (m *smallModel) gain() (gain float64, cell int) {
	linear := *m
	linear.leaks = false
	v := slices.Repeat([]float64{1}, smallNX*smallNY*smallNZ)
	for range 40 {
		heat := make([]float64, len(v))
		for s := range smallSources {
			q := &smallSources[s]
			for c := range smallNX * smallNY {
				at := q.layer*smallNX*smallNY + c
				heat[at] += q.box.share(c%smallNX, c/smallNX) / q.box.area() * q.leak * leakSlope * v[at]
			}
		}
		a, _ := linear.system(0, nil)
		w := eliminate(a, heat)
		gain = slices.Max(w) / slices.Max(v)
		v = w
	}
	for c := range v {
		if leaky := m.leakOf(c); leaky > 0 && (m.leakOf(cell) == 0 || v[c] > v[cell]) {
			cell = c
		}
	}
	return gain, cell
}

func (m *smallModel) leakOf(cell int) (watts float64) {
	for s := range smallSources {
		if q := &smallSources[s]; q.layer == cell/(smallNX*smallNY) {
			watts += q.leak * q.box.share(cell%smallNX, cell/smallNX%smallNY) / q.box.area()
		}
	}
	return watts
}

// leaking is what a source leaks within a box, in W.
func (q *smallSource) leaking(field []float64, within rectangle) (watts float64) {
	for j := range smallNY {
		for i := range smallNX {
			law := 1 + leakSlope*(field[smallCell(i, j, q.layer)]-leakAt)
			watts += q.leak * q.box.share(i, j) / q.box.area() * law
		}
	}
	return watts * overlap(q.box, within) / q.box.area()
}

// volume is a box over the whole thickness of a layer.
type volume struct {
	layer int
	box   rectangle
}

// smallStats are the temperatures of cells: extremes of those that a volume touches, the mean by volume.
type smallStats struct {
	max, mean, min float64
	hottest        int
}

func (m *smallModel) stats(field []float64, over []volume) smallStats {
	s := smallStats{max: math.Inf(-1), min: math.Inf(1)}
	weight := 0.0
	for k := range smallNZ {
		for _, v := range over {
			if v.layer != layerOfPlane(k) {
				continue
			}
			for j := range smallNY {
				for i := range smallNX {
					share := v.box.share(i, j) * m.dz(k)
					if share == 0 {
						continue
					}
					c := smallCell(i, j, k)
					if field[c] > s.max {
						s.max, s.hottest = field[c], c
					}
					s.min = min(s.min, field[c])
					s.mean += share * field[c]
					weight += share
				}
			}
		}
	}
	s.mean /= weight
	return s
}

// probes are the temperatures at the middle of a cell, and on the face between two of the same column.
func (m *smallModel) probes(field []float64) [2]float64 {
	lower, upper := smallCell(1, 2, 0), smallCell(1, 2, 1)
	r, s := m.dz(0)/2/m.material(1, 2, 0).k, m.dz(1)/2/m.material(1, 2, 1).k
	return [2]float64{field[smallCell(3, 0, 0)], (s*field[lower] + r*field[upper]) / (r + s)}
}
