package solves

import (
	"math"

	"thermsim/mesh"
	"thermsim/stack"
)

// Dense is an independent code for stacks of uniform layers whose properties depend on temperature: finite volumes,
// Newton's method, Gaussian elimination. It takes the laws themselves, not what solvers make of them, and rounds
// conductances and capacities to FP32, as the format of A does.
type Dense struct {
	S          *stack.Stack
	M          *mesh.Mesh
	Nx, Ny, Nz int
	Power      []float64 // W
	Leaks      [][]Leak  // of each cell
	Tiles      [][]Tile  // on each cell
	Dt         float64   // s, 0 in a steady state
	Old        []float64 // K
	Flows      []*Flow
	Known      [][12]Evaluated // of each cell
}

// Evaluated is what a law gives at a temperature.
type Evaluated struct{ Kelvin, Value float64 }

// What the laws of a cell give: conductivities along the axes, enthalpies now and a step earlier, leakage, and from
// ofFaces on the heat through the faces.
const (
	OfHeat = 3 + iota
	OfOldHeat
	OfLeakage
	OfFaces
)

// Once evaluates a law of a cell where its temperature has changed: of all cells a column of the Jacobian changes one.
func (d *Dense) Once(c, law int, kelvin float64, evaluate func() float64) float64 {
	e := &d.Known[c][law]
	if e.Kelvin != kelvin {
		*e = Evaluated{kelvin, evaluate()}
	}
	return e.Value
}

// Leak is temperature-dependent power: W at the law's 1.
type Leak struct {
	Watts float64
	Law   *stack.Curve
}

// Tile is the power in W of a tile of a map on a cell at each of the temperatures in K of the map.
type Tile struct{ Kelvin, Watts []float64 }

// At interpolates linearly, and is constant outside.
func (p *Tile) At(kelvin float64) float64 {
	n := len(p.Kelvin) - 1
	if kelvin >= p.Kelvin[n] {
		return p.Watts[n]
	}
	for ; n > 0 && kelvin < p.Kelvin[n-1]; n-- {
	}
	if n == 0 {
		return p.Watts[0]
	}
	return p.Watts[n-1] + (p.Watts[n]-p.Watts[n-1])*(kelvin-p.Kelvin[n-1])/(p.Kelvin[n]-p.Kelvin[n-1])
}

// tilesOn are the tiles of a map over the domain on a cell of a plane, times a share.
func tilesOn(m *mesh.Mesh, p *stack.PowerMap, cell int, share float64) (tiles []Tile) {
	i, j := cell%m.NX(), cell/m.NX()
	across := func(a0, a1, b0, b1 float64) float64 { return math.Max(0, math.Min(a1, b1)-math.Max(a0, b0)) }
	w, h := m.Stack.Size[0]/float64(p.NX), m.Stack.Size[1]/float64(p.NY)
	for t := range p.NX * p.NY {
		x, y := float64(t%p.NX)*w, float64(t/p.NX)*h
		part := across(x, x+w, m.X[i], m.X[i+1]) / w * across(y, y+h, m.Y[j], m.Y[j+1]) / h * share
		if part == 0 {
			continue
		}
		tile := Tile{Kelvin: p.Temperatures}
		for n := range p.Temperatures {
			tile.Watts = append(tile.Watts, part*p.Planes()[n][t])
		}
		tiles = append(tiles, tile)
	}
	return tiles
}

func NewDense(m *mesh.Mesh, dt float64) *Dense {
	d := &Dense{S: m.Stack, M: m, Nx: m.NX(), Ny: m.NY(), Nz: m.NZ(), Dt: dt}
	d.Flows = FlowsOf(m)
	d.Power, d.Leaks = make([]float64, d.Nx*d.Ny*d.Nz), make([][]Leak, d.Nx*d.Ny*d.Nz)
	d.Tiles = make([][]Tile, len(d.Power))
	d.Known = make([][12]Evaluated, d.Nx*d.Ny*d.Nz)
	for l := range m.Stack.Layers {
		planes := m.LayerPlanes[l]
		for _, p := range m.Stack.Layers[l].Powers {
			for k := planes[0]; k < planes[1]; k++ {
				for c := range d.Nx * d.Ny {
					area := m.DX(c%d.Nx) * m.DY(c/d.Nx) / (m.Stack.Size[0] * m.Stack.Size[1])
					at, share := k*d.Nx*d.Ny+c, area/float64(planes[1]-planes[0])
					d.Power[at] += p.Uniform * share
					if p.Map != nil {
						for _, tile := range tilesOn(m, p.Map, c, 1/float64(planes[1]-planes[0])) {
							d.Power[at] += tile.Watts[0]
							d.Tiles[at] = append(d.Tiles[at], tile)
						}
					}
					if p.Leakage.Factor != nil {
						d.Leaks[at] = append(d.Leaks[at], Leak{p.Leakage.Watts * share, p.Leakage.Factor})
					}
				}
			}
		}
	}
	return d
}

func (d *Dense) At(c int) (i, j, k int) { return c % d.Nx, c / d.Nx % d.Ny, c / (d.Nx * d.Ny) }

func (d *Dense) Material(c int) *stack.Material {
	_, _, k := d.At(c)
	return &d.S.Materials[d.S.Layers[d.M.Planes[k].Layer].Material]
}

func (d *Dense) K(c, axis int, kelvin float64) float64 {
	m := d.Material(c)
	if m.KCurve[axis] != nil {
		return d.Once(c, axis, kelvin, func() float64 { return m.KCurve[axis].Of(kelvin) })
	}
	return m.K[axis]
}

// Heat is the enthalpy of a cell per volume, relative to 300 K, by quadrature of its heat capacity; steps keep within
// the pieces of a table.
func (d *Dense) Heat(c int, kelvin float64) float64 {
	m := d.Material(c)
	if m.CCurve == nil {
		return m.C * (kelvin - 300)
	}
	return Integral(m.CCurve, 300, kelvin)
}

// Integral of a curve by Gauss's formula of five points on short steps that end at the rows of a table.
func Integral(c *stack.Curve, from, to float64) float64 {
	if from > to {
		return -Integral(c, to, from)
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

// Leaking is the leakage of a cell in W.
func (d *Dense) Leaking(c int, kelvin float64) float64 {
	sum := 0.0
	for _, l := range d.Leaks[c] {
		sum += l.Watts * l.Law.Of(kelvin)
	}
	for _, p := range d.Tiles[c] {
		sum += p.At(kelvin) - p.Watts[0]
	}
	return sum
}

func Single(v float64, round bool) float64 {
	if round {
		return float64(float32(v))
	}
	return v
}

// Residual fills r with what is missing from the balance of each cell at temperatures t (K).
func (d *Dense) Residual(r, t []float64, round bool) {
	nx, sheet := d.Nx, d.Nx*d.Ny
	for c := range r {
		r[c] = d.Power[c] + d.Once(c, OfLeakage, t[c], func() float64 { return d.Leaking(c, t[c]) })
	}
	couple := func(a, b, axis int, area, da, db, contact float64) {
		d.Join(r, t, a, b, area/(da/(2*d.K(a, axis, t[a]))+contact+db/(2*d.K(b, axis, t[b]))), round)
	}
	for c := range r {
		i, j, k := d.At(c)
		dx, dy, dz := d.M.DX(i), d.M.DY(j), d.M.DZ(k)
		flow := d.FlowAt(k)
		if flow != nil {
			d.Along(flow, c, r, t, round)
		}
		if i+1 < nx && flow == nil {
			couple(c, c+1, 0, dy*dz, dx, d.M.DX(i+1), 0)
		}
		if j+1 < d.Ny && flow == nil {
			couple(c, c+nx, 1, dx*dz, dy, d.M.DY(j+1), 0)
		}
		if k+1 < d.Nz && flow == nil && d.FlowAt(k+1) == nil {
			contact := 0.0
			if l := d.M.Planes[k].Layer; d.M.Planes[k+1].Layer != l {
				contact = d.S.Layers[l].ContactResistance
			}
			couple(c, c+sheet, 2, dx*dy, dz, d.M.DZ(k+1), contact)
		}
		d.Faces(c, r, t, round)
		if d.Dt > 0 {
			r[c] -= d.Stored(c, t[c], round)
		}
	}
	for _, f := range d.Flows {
		d.Across(f, r, t, round)
		d.Carry(f, r, t)
	}
}

// Join adds a conductance between two cells.
func (d *Dense) Join(r, t []float64, a, b int, g float64, round bool) {
	g = Single(g, round)
	r[a] += g * (t[b] - t[a])
	r[b] += g * (t[a] - t[b])
}

// Stored is the heat that goes into the capacity of a cell in W.
func (d *Dense) Stored(c int, kelvin float64, round bool) float64 {
	i, j, k := d.At(c)
	volume := d.M.DX(i) * d.M.DY(j) * d.M.DZ(k)
	rise := kelvin - d.Old[c]
	if f := d.FlowAt(k); f != nil {
		var heat float64
		if volume, heat = f.Holds(d, i, j, k); heat > 0 {
			return Single(heat*volume/d.Dt, round) * rise
		}
	}
	if math.Abs(rise) < 1e-6 {
		m := d.Material(c)
		mean := m.C
		if m.CCurve != nil {
			mean = m.CCurve.Of(kelvin)
		}
		return Single(mean*volume/d.Dt, round) * rise
	}
	now := d.Once(c, OfHeat, kelvin, func() float64 { return d.Heat(c, kelvin) })
	before := d.Once(c, OfOldHeat, d.Old[c], func() float64 { return d.Heat(c, d.Old[c]) })
	return Single((now-before)/rise*volume/d.Dt, round) * rise
}

func (d *Dense) Faces(c int, r, t []float64, round bool) {
	i, j, k := d.At(c)
	dx, dy, dz := d.M.DX(i), d.M.DY(j), d.M.DZ(k)
	if f := d.FlowAt(k); f != nil && (f.Porous() || f.Wet(d, i, j)) {
		return
	}
	for f, b := range d.S.Boundary {
		on := [...]bool{k == 0, k == d.Nz-1, i == 0, i == d.Nx-1, j == 0, j == d.Ny-1}[f]
		axis := [...]int{2, 2, 0, 0, 1, 1}[f]
		area := [...]float64{dy * dz, dx * dz, dx * dy}[axis]
		half := [...]float64{dx, dy, dz}[axis] / (2 * d.K(c, axis, t[c]))
		switch {
		case !on || b.Kind == stack.Adiabatic:
		case b.Kind == stack.HeatFlux:
			r[c] += b.Flux * area
		case b.Kind == stack.FixedTemperature:
			r[c] += Single(area/half, round) * (b.Temperature - t[c])
		case b.TemperatureDependent():
			r[c] -= area * d.Once(c, OfFaces+f, t[c], func() float64 { return Leaving(&b, t[c], half) })
		default:
			r[c] += Single(area/(1/b.H+half), round) * (b.Temperature - t[c])
		}
	}
}

// Leaving is the heat per area through a face whose coefficient depends on temperature, from a cell behind the
// resistance half in m2 K/W: the surface lies where both fluxes meet.
func Leaving(b *stack.Boundary, kelvin, half float64) float64 {
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

// Solve finds the temperatures in K from a start: Newton's method with a Jacobian by differences.
func (d *Dense) Solve(t []float64) {
	n := len(t)
	r, moved := make([]float64, n), make([]float64, n)
	for range 60 {
		jacobian := make([][]float64, n)
		d.Residual(r, t, false)
		for row := range jacobian {
			jacobian[row] = make([]float64, n+1)
		}
		for c := range t {
			kept := t[c]
			const h = 1e-4
			t[c] = kept + h
			d.Residual(moved, t, false)
			t[c] = kept
			for row := range jacobian {
				jacobian[row][c] = (r[row] - moved[row]) / h
			}
		}
		d.Residual(r, t, true)
		for row := range jacobian {
			jacobian[row][n] = r[row]
		}
		step := Eliminate(jacobian)
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

// Eliminate solves a system whose last column is the right-hand side.
func Eliminate(a [][]float64) []float64 {
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
