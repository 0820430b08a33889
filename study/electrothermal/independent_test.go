package electrothermal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"thermsim/internal/testtier"
	"thermsim/report/summary"
	"thermsim/stack"
)

// network is a symmetric system of conductances between unknowns, and to given values.
type network struct {
	a, b     []int // b is -1 for the given value
	g, value []float64
	rows     int
}

func (n *network) connect(a, b int, g, value float64) {
	n.a, n.b, n.g, n.value = append(n.a, a), append(n.b, b), append(n.g, g), append(n.value, value)
}

// solve improves x for a source by conjugate gradients with the diagonal, to rounding.
func (n *network) solve(x, source []float64) {
	diagonal, r := make([]float64, n.rows), append([]float64(nil), source...)
	for e, a := range n.a {
		diagonal[a] += n.g[e]
		if n.b[e] >= 0 {
			diagonal[n.b[e]] += n.g[e]
		} else {
			r[a] += n.g[e] * n.value[e]
		}
	}
	apply := func(y, x []float64) {
		clear(y)
		for e, a := range n.a {
			if b := n.b[e]; b < 0 {
				y[a] += n.g[e] * x[a]
			} else {
				flow := n.g[e] * (x[a] - x[b])
				y[a] += flow
				y[b] -= flow
			}
		}
	}
	dot := func(x, y []float64) (sum float64) {
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum
	}
	p, q, z := make([]float64, n.rows), make([]float64, n.rows), make([]float64, n.rows)
	norm := math.Sqrt(dot(r, r))
	apply(q, x)
	for i := range r {
		r[i] -= q[i]
	}
	for k, before := 0, 0.0; k < 20000 && math.Sqrt(dot(r, r)) > 1e-14*norm; k++ {
		for i := range z {
			z[i] = r[i] / diagonal[i]
		}
		now := dot(r, z)
		for i := range p {
			if p[i] = z[i]; k > 0 {
				p[i] += now / before * q[i]
			}
		}
		apply(z, p)
		step := now / dot(p, z)
		for i := range x {
			x[i] += step * p[i]
			r[i] -= step * z[i]
		}
		copy(q, p)
		before = now
	}
}

// mesh of wires of two layers of metal, rows and columns, with vias, pads and loads at random.
type wires struct {
	deck     strings.Builder
	volts    network
	loads    []float64
	ohms     []float64
	at       [][4]float64 // ends in m
	from, to []string
	widths   []float64
}

const (
	pitch, wide, viaWide = 10e-6, 2e-6, 1e-6
	packageOhms          = 0.2
)

func randomWires(rng *rand.Rand, m int) *wires {
	w := &wires{loads: make([]float64, 2*m*m)}
	w.volts.rows = 2 * m * m
	name := func(layer, i, j int) string {
		return fmt.Sprintf("n%d_%d_%d", layer, (2*i+1)*5, (2*j+1)*5)
	}
	resistor := func(a, b [3]int, ohms, width float64) {
		index := func(n [3]int) int { return (n[0]-1)*m*m + n[2]*m + n[1] }
		from, to := name(a[0], a[1], a[2]), name(b[0], b[1], b[2])
		fmt.Fprintf(&w.deck, "R%d %s %s %.17g\n", len(w.ohms), from, to, ohms)
		w.volts.connect(index(a), index(b), 1/ohms, 0)
		x := func(i int) float64 { return (float64(i) + 0.5) * pitch }
		w.ohms, w.widths = append(w.ohms, ohms), append(w.widths, width)
		w.at = append(w.at, [4]float64{x(a[1]), x(a[2]), x(b[1]), x(b[2])})
		w.from, w.to = append(w.from, from), append(w.to, to)
	}
	about := func(v float64) float64 { return v * (0.7 + 0.6*rng.Float64()) }
	for j := range m {
		for i := range m {
			if i+1 < m {
				resistor([3]int{1, i, j}, [3]int{1, i + 1, j}, about(0.5), wide)
			}
			if j+1 < m {
				resistor([3]int{2, i, j}, [3]int{2, i, j + 1}, about(0.3), wide)
			}
			resistor([3]int{1, i, j}, [3]int{2, i, j}, about(0.8), viaWide)
			w.loads[j*m+i] = -about(1.5e-3)
			fmt.Fprintf(&w.deck, "I%d_%d %s 0 %.17g\n", i, j, name(1, i, j), -w.loads[j*m+i])
			if i%8 == 4 && j%8 == 4 {
				fmt.Fprintf(&w.deck, "Rp%d_%d vdd %s %.17g\n", i, j, name(2, i, j), packageOhms)
				w.volts.connect(m*m+j*m+i, -1, 1/packageOhms, 1)
			}
		}
	}
	w.deck.WriteString("V1 vdd 0 1\n.op\n.end\n")
	return w
}

// conduction is the finite-volume network of two layers of cells over a film, and the cells of the upper one.
func conduction(s *stack.Stack) (n *network, upper int) {
	nx, ny := s.Grid.X.Cells, s.Grid.Y.Cells
	dx, dy := s.Size[0]/float64(nx), s.Size[1]/float64(ny)
	n = &network{rows: 2 * nx * ny}
	for l := range 2 {
		k, dz := s.Materials[s.Layers[l].Material].K[0], s.Layers[l].Thickness
		for j := range ny {
			for i := range nx {
				c := (l*ny+j)*nx + i
				if i+1 < nx {
					n.connect(c, c+1, k*dz*dy/dx, 0)
				}
				if j+1 < ny {
					n.connect(c, c+nx, k*dz*dx/dy, 0)
				}
				half := dz / 2 / k
				if l == 0 {
					other := s.Layers[1].Thickness / 2 / s.Materials[s.Layers[1].Material].K[0]
					n.connect(c, c+nx*ny, dx*dy/(half+other), 0)
					b := s.Boundary[stack.Bottom]
					n.connect(c, -1, dx*dy/(half+1/b.H), b.Temperature)
				}
			}
		}
	}
	return n, nx * ny
}

// share is the part of an interval, or of a point with a width, in cell i of size d.
func share(a, b, width, d float64, i int) float64 {
	low, high := min(a, b), max(a, b)
	if high-low < 1e-9 {
		low, high = low-width/2, high+width/2
	}
	return max(0, min(high, float64(i+1)*d)-max(low, float64(i)*d)) / (high - low)
}

// parts are the cells of a wire with their shares.
func (w *wires) parts(n int, dx, dy float64, nx int) (cells []int, shares []float64) {
	e, width := w.at[n], w.widths[n]
	x, y := width, width // of a via
	if e[0] != e[2] {
		x = 0
	} else if e[1] != e[3] {
		y = 0
	}
	for j := int((min(e[1], e[3]) - y) / dy); j <= int((max(e[1], e[3])+y+width)/dy); j++ {
		for i := int((min(e[0], e[2]) - x) / dx); i <= int((max(e[0], e[2])+x+width)/dx); i++ {
			if s := share(e[0], e[2], width, dx, i) * share(e[1], e[3], width, dy, j); s > 1e-12 {
				cells, shares = append(cells, j*nx+i), append(shares, s)
			}
		}
	}
	return cells, shares
}

// A power grid of random resistors, with vias, in a stack whose cells are not those of the grid, against independent
// code: conjugate gradients for both networks in turn, with the heat of each wire by the temperature of each cell.
func TestIndependentCode(t *testing.T) {
	m := testtier.Pick(24, 183) // 1,704 and 100,101 segments
	w := randomWires(rand.New(rand.NewPCG(41, 7)), m)
	cells := testtier.Pick(17, 120)
	side := float64(m) * pitch
	s := layered([2]float64{side, side}, [2]int{cells, cells}, 5e-6, w.deck.String(),
		stack.Metal{Nodes: []string{"n1", "n2"}, Layer: 1, Width: wide},
		stack.Metal{Nodes: []string{"n1 n2"}, Layer: 1, Width: viaWide})
	s.Materials = append(s.Materials, stack.Material{Name: "silicon", K: [3]float64{120, 120, 120}, C: 1.6e6})
	s.Layers = append([]stack.Layer{{Name: "die", Material: 1, Thickness: 1e-4, Cells: 1}}, s.Layers...)
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.Convective, H: 2e4, Temperature: 330}
	_, _, sum := solved(t, s, 1e-6)

	heat, upper := conduction(s)
	volts, kelvin := make([]float64, w.volts.rows), make([]float64, heat.rows)
	for c := range kelvin {
		kelvin[c] = 330
	}
	of, mean := w.allParts(side/float64(cells), cells), make([]float64, len(w.ohms))
	amperes := make([]float64, len(w.ohms))
	factor := func(kelvin float64) float64 { return 1 + tcr*(kelvin-reference) }
	for change := 1.0; change > 1e-8; {
		for n := range w.ohms {
			mean[n] = 0
			for k, c := range of[n].cells {
				mean[n] += of[n].shares[k] * kelvin[upper+c]
			}
		}
		for n, e := range w.edges() {
			w.volts.g[e] = 1 / (w.ohms[n] * factor(mean[n]))
		}
		w.volts.solve(volts, w.loads)
		source := make([]float64, heat.rows)
		for n, e := range w.edges() {
			amperes[n] = w.volts.g[e] * (volts[w.volts.a[e]] - volts[w.volts.b[e]])
			for k, c := range of[n].cells {
				source[upper+c] += amperes[n] * amperes[n] * w.ohms[n] * of[n].shares[k] * factor(kelvin[upper+c])
			}
		}
		before := append([]float64(nil), kelvin...)
		heat.solve(kelvin, source)
		change = 0
		for c := range kelvin {
			change = max(change, math.Abs(kelvin[c]-before[c]))
		}
	}
	byEnds := map[string]*summary.Segment{}
	for n := range sum.All {
		byEnds[sum.All[n].From+" "+sum.All[n].To] = &sum.All[n]
	}
	worstK, worstA, top, most := 0.0, 0.0, 0.0, 0.0
	for n := range w.ohms {
		e := byEnds[w.from[n]+" "+w.to[n]]
		worstK = max(worstK, math.Abs(e.TemperatureK-mean[n]))
		worstA = max(worstA, math.Abs(e.CurrentA-math.Abs(amperes[n])))
		top, most = max(top, mean[n]), max(most, math.Abs(amperes[n]))
	}
	t.Logf("%d segments, hottest %.3f K, %d iterations: %.2g K and %.2g of the largest current off", len(w.ohms), top,
		sum.Iterations, worstK, worstA/most)
	if worstK > 1e-5 || worstA > 1e-7*most {
		t.Errorf("%g K, %g A off", worstK, worstA)
	}
}

type partsOf struct {
	cells  []int
	shares []float64
}

func (w *wires) allParts(d float64, nx int) (all []partsOf) {
	for n := range w.ohms {
		cells, shares := w.parts(n, d, d, nx)
		all = append(all, partsOf{cells, shares})
	}
	return all
}

// edges are the indices of the wires in the network, which has those to pads too.
func (w *wires) edges() (edges []int) {
	for e, b := range w.volts.b {
		if b >= 0 {
			edges = append(edges, e)
		}
	}
	return edges
}
