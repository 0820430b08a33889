// Package electrothermal solves the power grid of a chip together with the temperatures of its stack. With the
// resistances R of the segments, each a resistor of a netlist on the chip, and their mean temperatures T,
//
//	R = R0 (1 + tcr (T - at))        G(R) v = i        heat of a segment = I^2 R
//
// A segment heats the tiles that it covers, each with the resistance at the temperature of the tile. At given currents
// its heat is linear in these temperatures, as that of a temperature-dependent power map, which solvers take into
// account by Newton's method, with the loop gain. What remains is an iteration over the currents, which depend on
// ratios of resistances.
package electrothermal

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/report/summary"
	"thermsim/stack"
)

// Grid is a power grid in a stack.
type Grid struct {
	stack    *stack.Stack
	of       *stack.PowerGrid
	net      *netlist.Grid
	ohms     []netlist.Resistor
	tiles    powermap.Grid
	segments []segment
	layers   []heated
	kelvin   []float64 // of the segments, on which resistances are based
	last     state
}

// segment is a resistor in the stack.
type segment struct {
	resistor int // of the netlist
	metal    *stack.Metal
	layer    int // in Grid.layers
	x, y     float64
	length   float64 // m; 0 of a via
	parts    []part  // of its heat
}

// part is the share of a tile in the heat of a segment.
type part struct {
	tile  int32
	share float64
}

// heated is a layer with segments.
type heated struct {
	layer  int           // index into Stack.Layers
	powers []stack.Power // of the layer without the power grid
	low    float64       // K, lower end of the linear range of the heat
	kelvin []float64     // of the tiles
}

// state is a solution for the voltages.
type state struct {
	system   *netlist.System
	volts    []float64 // of the nodes, in the order of system.Voltages
	currents []float64 // A, of the resistors of the netlist
}

// highest is the upper end of the linear range of the heat in K, above the melting points of copper and aluminium.
const highest = 2000

// New takes the power grid out of a stack and heats its layers with the currents at the ambient temperature.
func New(ctx context.Context, s *stack.Stack) (*Grid, error) {
	g := &Grid{stack: s, of: s.PowerGrid, tiles: tilesOf(s)}
	var err error
	if g.net, err = netlist.Parse(g.of.File, g.of.Data); err != nil {
		return nil, err
	}
	g.ohms = g.net.Resistors()
	if err := g.place(); err != nil {
		return nil, err
	}
	s.PowerGrid, g.of.Data = nil, nil
	g.kelvin = make([]float64, len(g.segments))
	for n := range g.kelvin {
		g.kelvin[n] = s.Ambient
	}
	return g, g.heat(ctx)
}

// linear is the resistance of a metal relative to that of the netlist.
func linear(m *stack.Metal, kelvin float64) float64 {
	return math.Max(1+m.TCR*(math.Min(kelvin, highest)-m.At), 0)
}

// factor is linear, but positive far below the reference temperature, where it does not apply.
func factor(m *stack.Metal, kelvin float64) float64 { return math.Max(linear(m, kelvin), 0.01) }

// heat solves for the currents at the temperatures of the segments, and makes them power maps.
func (g *Grid) heat(ctx context.Context) error {
	factors := make([]float64, len(g.ohms))
	for n := range factors {
		factors[n] = 1
	}
	for n := range g.segments {
		factors[g.segments[n].resistor] = factor(g.segments[n].metal, g.kelvin[n])
	}
	var err error
	if g.last, err = solve(ctx, g.net.Scaled(factors)); err != nil {
		return err
	}
	maps := make([]*stack.PowerMap, len(g.layers))
	for n := range maps {
		tiles := g.tiles.NX() * g.tiles.NY()
		maps[n] = &stack.PowerMap{NX: g.tiles.NX(), NY: g.tiles.NY(), Values: make([]float64, tiles),
			Hotter: [][]float64{make([]float64, tiles)}, Temperatures: []float64{g.layers[n].low, highest}}
	}
	for n := range g.segments {
		s := &g.segments[n]
		amperes := g.last.currents[s.resistor]
		watts := amperes * amperes * g.ohms[s.resistor].Ohms
		m, l := maps[s.layer], &g.layers[s.layer]
		cold, hot := watts*linear(s.metal, l.low), watts*linear(s.metal, highest)
		for _, p := range s.parts {
			m.Values[p.tile] += p.share * cold
			m.Hotter[0][p.tile] += p.share * hot
		}
	}
	for n, m := range maps {
		l := &g.layers[n]
		g.stack.Layers[l.layer].Powers = append(l.powers, stack.Power{Name: "power grid", Map: m,
			Area: g.stack.Domain(), Pos: g.of.Pos})
	}
	return nil
}

// solve solves for the voltages and currents of a netlist.
func solve(ctx context.Context, net *netlist.Grid) (s state, err error) {
	if s.system, err = netlist.NewSystem(net); err != nil {
		return s, err
	}
	a, err := matrix.New(s.system.CSR, matrix.Shape{})
	if err != nil {
		return s, fmt.Errorf("%s: %w", net.File, err)
	}
	x, err := matrix.Solve(ctx, a, s.system.B, driver.Options{Device: "cpu", RTol: 1e-13})
	if err != nil {
		return s, fmt.Errorf("%s: %w", net.File, err)
	}
	if !x.Status.Converged {
		return s, fmt.Errorf("%s: the voltages of the power grid did not converge: %s", net.File, x.Status.Reason)
	}
	s.volts = s.system.Voltages(x.X)
	volts := func(n int32) float64 {
		if n == 0 {
			return 0
		}
		return s.volts[n-1]
	}
	for _, r := range net.Resistors() {
		s.currents = append(s.currents, (volts(r.A)-volts(r.B))/r.Ohms)
	}
	return s, nil
}

// Bounds of the iteration over the currents.
const (
	mostIterations = 40
	mostRunaways   = 3 // with currents between them that no longer lead to one
	leastRelax     = 0.01
	mostRelax      = 2
)

// Outcome is how the iteration over the currents ended.
type Outcome struct {
	Iterations int
	ChangeK    float64 // largest change of the temperature of a segment in the last one
	Settled    bool
	Factor     float64 // on all powers that the solution is of; not 1 after a thermal runaway
}

// Steady solves for the temperatures of the mesh, whose powers it changes, and the currents of the power grid. It ends
// where the temperatures of the segments would change by no more than the tolerance.
func (g *Grid) Steady(ctx context.Context, m *mesh.Mesh, o gpusolve.Options) (*solution.Solution, Outcome, error) {
	i := iteration{Outcome: Outcome{Factor: 1}, relax: 1, before: math.NaN()}
	for {
		s, err := gpusolve.Steady(ctx, m, o)
		if err != nil {
			return nil, i.Outcome, err
		}
		o.Ahead = nil // it is in use
		next, err := g.temperatures(m, s.Field)
		if err != nil {
			s.Close()
			return nil, i.Outcome, err
		}
		if i.ends(g.kelvin, next, &s.Status, o.Tolerance()) {
			g.kelvin = next
			if n := s.Status.Nonlinear; n != nil && n.Leakage != nil && n.Leakage.Factor > 0 {
				i.Factor = n.Leakage.Factor
			}
			if s.Status.Converged && g.outOfRange() != nil {
				s.Status.Converged, s.Status.Reason = false, solution.ReasonOutOfRange
			}
			return s, i.Outcome, nil
		}
		s.Close()
		for n, residual := range i.residual {
			g.kelvin[n] += i.relax * residual
		}
		if err := errors.Join(g.heat(ctx), m.MapPowers()); err != nil {
			return nil, i.Outcome, err
		}
	}
}

// iteration takes the temperatures of the segments from one solution to the next, relaxed by the method of Irons and
// Tuck: the heat of segments between given voltages falls with the temperature, and the solutions alternate.
type iteration struct {
	Outcome
	residual []float64 // change of the temperatures of the segments by the last solution, K
	relax    float64   // part of it that is taken
	before   float64   // largest residual of the solution before, K
	runaways int
}

// ends reports whether a solution is the last. at are the temperatures that it is based on, next those that it has.
func (i *iteration) ends(at, next []float64, s *solution.Status, tol float64) bool {
	i.Iterations++
	i.ChangeK = 0
	residual := make([]float64, len(at))
	up, down := 0.0, 0.0
	for n := range at {
		residual[n] = next[n] - at[n]
		i.ChangeK = math.Max(i.ChangeK, math.Abs(residual[n]))
		if i.residual != nil {
			change := residual[n] - i.residual[n]
			up, down = up-i.residual[n]*change, down+change*change
		}
	}
	if down > 0 {
		i.relax = math.Min(math.Max(i.relax*up/down, leastRelax), mostRelax)
	}
	runaway := s.Reason == solution.ReasonRunaway
	if runaway {
		i.runaways++
	}
	// A contraction c makes relax 1/(1-c), and the error of this solution c/(1-c) of the residual.
	left := math.Max(math.Abs(1-i.relax), i.ChangeK/i.before)
	i.Settled = i.ChangeK <= tol || left*i.ChangeK <= tol/2
	i.residual, i.before = residual, i.ChangeK
	if i.Settled || i.runaways == mostRunaways || !s.Converged && !runaway {
		return true
	}
	if i.Iterations < mostIterations {
		return false
	}
	s.Converged, s.Reason = false, solution.ReasonUnsettled
	return true
}

// outOfRange is the segment whose hottest or coldest part is furthest outside the linear range of its resistance in the
// last solution; nil if all are inside.
func (g *Grid) outOfRange() (worst *summary.OutOfRangeSegment) {
	most := 0.0
	for n := range g.segments {
		s := &g.segments[n]
		l, r := &g.layers[s.layer], &g.ohms[s.resistor]
		for _, p := range s.parts {
			kelvin := l.kelvin[p.tile]
			if off := math.Max(kelvin-highest, l.low-kelvin); off > most && s.metal.TCR > 0 {
				most = off
				worst = &summary.OutOfRangeSegment{From: g.net.Names[r.A], To: g.net.Names[r.B],
					Layer: g.stack.Layers[l.layer].Name, TemperatureK: kelvin, FromK: l.low, ToK: highest}
			}
		}
	}
	return worst
}

// temperatures are those of the segments in a field.
func (g *Grid) temperatures(m *mesh.Mesh, f solution.Field) ([]float64, error) {
	for n := range g.layers {
		l := &g.layers[n]
		cells, err := meanOf(m, f, l.layer)
		if err != nil {
			return nil, err
		}
		l.kelvin = onTiles(g.tiles, m, cells)
	}
	kelvin := make([]float64, len(g.segments))
	for n := range g.segments {
		s := &g.segments[n]
		for _, p := range s.parts {
			kelvin[n] += p.share * g.layers[s.layer].kelvin[p.tile]
		}
	}
	return kelvin, nil
}

// meanOf is the mean temperature over the heated planes of a layer.
func meanOf(m *mesh.Mesh, f solution.Field, layer int) ([]float64, error) {
	mean, plane := make([]float64, m.NX()*m.NY()), make([]float64, m.NX()*m.NY())
	planes := m.PowerPlanes(layer)
	for k := planes[0]; k < planes[1]; k++ {
		if err := f.Plane(k, plane); err != nil {
			return nil, fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		for c, kelvin := range plane {
			mean[c] += kelvin / float64(planes[1]-planes[0])
		}
	}
	return mean, nil
}

// onTiles is the mean of a plane of cells over each tile, by area, as power maps spread the heat of the tiles.
func onTiles(g powermap.Grid, m *mesh.Mesh, cells []float64) []float64 {
	type overlap struct {
		first  int
		shares []float64
	}
	along := func(faces, edges []float64) []overlap {
		all := make([]overlap, len(edges)-1)
		for i := range all {
			all[i].first, all[i].shares = powermap.Overlap(faces, edges[i], edges[i+1], nil)
		}
		return all
	}
	x, y, nx := along(m.X, g.X), along(m.Y, g.Y), m.NX()
	tiles := make([]float64, len(x)*len(y))
	for j := range y {
		for i := range x {
			mean := 0.0
			for b, v := range y[j].shares {
				for a, u := range x[i].shares {
					mean += u * v * cells[(y[j].first+b)*nx+x[i].first+a]
				}
			}
			tiles[j*len(x)+i] = mean
		}
	}
	return tiles
}
