package gpusolve_test

import (
	"math"

	"thermsim/mesh"
	"thermsim/stack"
)

// dense is an independent code for stacks of uniform layers whose properties follow the temperature: finite volumes,
// Newton's method, Gaussian elimination. It takes the laws themselves, not what solvers make of them, and rounds
// conductances and capacities to FP32, as the format of A does.
type dense struct {
	s          *stack.Stack
	m          *mesh.Mesh
	nx, ny, nz int
	power      []float64 // W
	leaks      [][]leak  // of each cell
	dt         float64   // s, 0 in a steady state
	old        []float64 // K
	flows      []*flow
	known      [][12]evaluated // of each cell
}

// evaluated is what a law gives at a temperature.
type evaluated struct{ kelvin, value float64 }

// What the laws of a cell give: conductivities along the axes, enthalpies now and a step earlier, leakage, and from
// ofFaces on the heat through the faces.
const (
	ofHeat = 3 + iota
	ofOldHeat
	ofLeakage
	ofFaces
)

// once evaluates a law of a cell where its temperature has changed: of all cells a column of the Jacobian changes one.
func (d *dense) once(c, law int, kelvin float64, evaluate func() float64) float64 {
	e := &d.known[c][law]
	if e.kelvin != kelvin {
		*e = evaluated{kelvin, evaluate()}
	}
	return e.value
}

// leak is power that follows the temperature: W at the law's 1.
type leak struct {
	watts float64
	law   *stack.Curve
}

func newDense(m *mesh.Mesh, dt float64) *dense {
	d := &dense{s: m.Stack, m: m, nx: m.NX(), ny: m.NY(), nz: m.NZ(), dt: dt}
	d.flows = flowsOf(m)
	d.power, d.leaks = make([]float64, d.nx*d.ny*d.nz), make([][]leak, d.nx*d.ny*d.nz)
	d.known = make([][12]evaluated, d.nx*d.ny*d.nz)
	for l := range m.Stack.Layers {
		planes := m.LayerPlanes[l]
		for _, p := range m.Stack.Layers[l].Powers {
			for k := planes[0]; k < planes[1]; k++ {
				for c := range d.nx * d.ny {
					area := m.DX(c%d.nx) * m.DY(c/d.nx) / (m.Stack.Size[0] * m.Stack.Size[1])
					at, share := k*d.nx*d.ny+c, area/float64(planes[1]-planes[0])
					d.power[at] += p.Uniform * share
					if p.Leakage.Factor != nil {
						d.leaks[at] = append(d.leaks[at], leak{p.Leakage.Watts * share, p.Leakage.Factor})
					}
				}
			}
		}
	}
	return d
}

func (d *dense) at(c int) (i, j, k int) { return c % d.nx, c / d.nx % d.ny, c / (d.nx * d.ny) }

func (d *dense) material(c int) *stack.Material {
	_, _, k := d.at(c)
	return &d.s.Materials[d.s.Layers[d.m.Planes[k].Layer].Material]
}

func (d *dense) k(c, axis int, kelvin float64) float64 {
	m := d.material(c)
	if m.KCurve[axis] != nil {
		return d.once(c, axis, kelvin, func() float64 { return m.KCurve[axis].Of(kelvin) })
	}
	return m.K[axis]
}

// heat is the enthalpy of a cell per volume, relative to 300 K, by quadrature of its heat capacity; steps keep within
// the pieces of a table.
func (d *dense) heat(c int, kelvin float64) float64 {
	m := d.material(c)
	if m.CCurve == nil {
		return m.C * (kelvin - 300)
	}
	return integral(m.CCurve, 300, kelvin)
}

// integral of a curve by Gauss's formula of five points on short steps that end at the rows of a table.
func integral(c *stack.Curve, from, to float64) float64 {
	if from > to {
		return -integral(c, to, from)
	}
	x := [...]float64{0, 0.5384693101056831, 0.906179845938664}
	w := [...]float64{0.5688888888888889, 0.47862867049936647, 0.23692688505618908}
	ends := []float64{from}
	for _, t := range append(append([]float64{}, c.Temperatures...), c.Range[0], c.Range[1]) {
		if t > from && t < to {
			ends = append(ends, t)
		}
	}
	ends = append(ends, to)
	for i := range ends {
		for j := i; j > 0 && ends[j] < ends[j-1]; j-- {
			ends[j], ends[j-1] = ends[j-1], ends[j]
		}
	}
	sum := 0.0
	for i := 1; i < len(ends); i++ {
		n := int((ends[i]-ends[i-1])/2) + 1
		h := (ends[i] - ends[i-1]) / float64(n)
		for s := range n {
			mid := ends[i-1] + (float64(s)+0.5)*h
			part := w[0] * c.Of(mid)
			for p := 1; p < 3; p++ {
				part += w[p] * (c.Of(mid-h/2*x[p]) + c.Of(mid+h/2*x[p]))
			}
			sum += part * h / 2
		}
	}
	return sum
}

// leaking is the leakage of a cell in W.
func (d *dense) leaking(c int, kelvin float64) float64 {
	sum := 0.0
	for _, l := range d.leaks[c] {
		sum += l.watts * l.law.Of(kelvin)
	}
	return sum
}

func single(v float64, round bool) float64 {
	if round {
		return float64(float32(v))
	}
	return v
}

// residual fills r with what is missing from the balance of each cell at temperatures t (K).
func (d *dense) residual(r, t []float64, round bool) {
	nx, sheet := d.nx, d.nx*d.ny
	for c := range r {
		r[c] = d.power[c] + d.once(c, ofLeakage, t[c], func() float64 { return d.leaking(c, t[c]) })
	}
	couple := func(a, b, axis int, area, da, db, contact float64) {
		d.join(r, t, a, b, area/(da/(2*d.k(a, axis, t[a]))+contact+db/(2*d.k(b, axis, t[b]))), round)
	}
	for c := range r {
		i, j, k := d.at(c)
		dx, dy, dz := d.m.DX(i), d.m.DY(j), d.m.DZ(k)
		flow := d.flowAt(k)
		if flow != nil {
			d.along(flow, c, r, t, round)
		}
		if i+1 < nx && flow == nil {
			couple(c, c+1, 0, dy*dz, dx, d.m.DX(i+1), 0)
		}
		if j+1 < d.ny && flow == nil {
			couple(c, c+nx, 1, dx*dz, dy, d.m.DY(j+1), 0)
		}
		if k+1 < d.nz && flow == nil && d.flowAt(k+1) == nil {
			contact := 0.0
			if l := d.m.Planes[k].Layer; d.m.Planes[k+1].Layer != l {
				contact = d.s.Layers[l].ContactResistance
			}
			couple(c, c+sheet, 2, dx*dy, dz, d.m.DZ(k+1), contact)
		}
		d.faces(c, r, t, round)
		if d.dt > 0 {
			r[c] -= d.stored(c, t[c], round)
		}
	}
	for _, f := range d.flows {
		d.across(f, r, t, round)
		d.carry(f, r, t)
	}
}

// join adds a conductance between two cells.
func (d *dense) join(r, t []float64, a, b int, g float64, round bool) {
	g = single(g, round)
	r[a] += g * (t[b] - t[a])
	r[b] += g * (t[a] - t[b])
}

// stored is the heat that goes into the capacity of a cell in W.
func (d *dense) stored(c int, kelvin float64, round bool) float64 {
	i, j, k := d.at(c)
	volume := d.m.DX(i) * d.m.DY(j) * d.m.DZ(k)
	rise := kelvin - d.old[c]
	if f := d.flowAt(k); f != nil {
		var heat float64
		if volume, heat = f.holds(d, i, j, k); heat > 0 {
			return single(heat*volume/d.dt, round) * rise
		}
	}
	if math.Abs(rise) < 1e-6 {
		m := d.material(c)
		mean := m.C
		if m.CCurve != nil {
			mean = m.CCurve.Of(kelvin)
		}
		return single(mean*volume/d.dt, round) * rise
	}
	now := d.once(c, ofHeat, kelvin, func() float64 { return d.heat(c, kelvin) })
	before := d.once(c, ofOldHeat, d.old[c], func() float64 { return d.heat(c, d.old[c]) })
	return single((now-before)/rise*volume/d.dt, round) * rise
}

func (d *dense) faces(c int, r, t []float64, round bool) {
	i, j, k := d.at(c)
	dx, dy, dz := d.m.DX(i), d.m.DY(j), d.m.DZ(k)
	if f := d.flowAt(k); f != nil && (f.porous() || f.wet(d, i, j)) {
		return
	}
	for f, b := range d.s.Boundary {
		on := [...]bool{k == 0, k == d.nz-1, i == 0, i == d.nx-1, j == 0, j == d.ny-1}[f]
		axis := [...]int{2, 2, 0, 0, 1, 1}[f]
		area := [...]float64{dy * dz, dx * dz, dx * dy}[axis]
		half := [...]float64{dx, dy, dz}[axis] / (2 * d.k(c, axis, t[c]))
		switch {
		case !on || b.Kind == stack.Adiabatic:
		case b.Kind == stack.HeatFlux:
			r[c] += b.Flux * area
		case b.Kind == stack.FixedTemperature:
			r[c] += single(area/half, round) * (b.Temperature - t[c])
		case b.Follows():
			r[c] -= area * d.once(c, ofFaces+f, t[c], func() float64 { return leaving(&b, t[c], half) })
		default:
			r[c] += single(area/(1/b.H+half), round) * (b.Temperature - t[c])
		}
	}
}

// leaving is the heat per area through a face whose coefficient follows the temperature, from a cell behind the
// resistance half in m2 K/W: the surface lies where both fluxes meet.
func leaving(b *stack.Boundary, kelvin, half float64) float64 {
	flux := func(surface float64) float64 {
		q := b.H*(surface-b.Temperature) + b.Emissivity*5.670374419e-8*(math.Pow(surface, 4)-math.Pow(b.Temperature, 4))
		if b.Law != nil {
			q += b.Law.Of(surface) * (surface - b.Temperature)
		}
		return q
	}
	missing := func(surface float64) float64 { return (kelvin - surface) - half*flux(surface) }
	last, surface := kelvin, kelvin-1e-3*(kelvin-b.Temperature)
	for range 50 { // secants
		if math.Abs(surface-last) < 1e-13*kelvin {
			break
		}
		f := missing(surface)
		last, surface = surface, surface-f*(surface-last)/(f-missing(last))
	}
	return flux(surface)
}

// solve finds the temperatures in K from a start: Newton's method with a Jacobian by differences.
func (d *dense) solve(t []float64) {
	n := len(t)
	r, moved := make([]float64, n), make([]float64, n)
	for range 60 {
		jacobian := make([][]float64, n)
		d.residual(r, t, false)
		for row := range jacobian {
			jacobian[row] = make([]float64, n+1)
		}
		for c := range t {
			kept := t[c]
			const h = 1e-4
			t[c] = kept + h
			d.residual(moved, t, false)
			t[c] = kept
			for row := range jacobian {
				jacobian[row][c] = (r[row] - moved[row]) / h
			}
		}
		d.residual(r, t, true)
		for row := range jacobian {
			jacobian[row][n] = r[row]
		}
		step := eliminate(jacobian)
		largest := 0.0
		for c, v := range step {
			t[c] += v
			largest = math.Max(largest, math.Abs(v))
		}
		if largest < 1e-10 {
			return
		}
	}
}

// eliminate solves a system whose last column is the right side.
func eliminate(a [][]float64) []float64 {
	n := len(a)
	for c := range n {
		p := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		a[c], a[p] = a[p], a[c]
		for r := c + 1; r < n; r++ {
			f := a[r][c] / a[c][c]
			if f == 0 {
				continue
			}
			for k := c; k <= n; k++ {
				a[r][k] -= f * a[c][k]
			}
		}
	}
	x := make([]float64, n)
	for r := n - 1; r >= 0; r-- {
		s := a[r][n]
		for c := r + 1; c < n; c++ {
			s -= a[r][c] * x[c]
		}
		x[r] = s / a[r][r]
	}
	return x
}
