// Command ilubench measures incomplete factors on a GPU: factorisation, triangular solves per level and against the copy bandwidth, and iterations of conjugate
// gradients on Poisson's equation and of BiCGSTAB on convection with diffusion. Like gpubench it is a single binary for GPU machines without Go.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
)

// row is what was measured of a grid.
type row struct {
	Commit      string  `json:"commit,omitempty"`
	Device      string  `json:"device"`
	Case        string  `json:"case"`
	Order       int     `json:"order"`
	Precision   string  `json:"precision"`
	Cells       int     `json:"cells"`
	Levels      int     `json:"levels"`
	Tile        [3]int  `json:"tile_and_chunk"` // 0 for the solver's choice
	FactorMS    float64 `json:"factor_ms,omitempty"`
	ApplyMS     float64 `json:"apply_ms,omitempty"`
	LevelUS     float64 `json:"us_per_level,omitempty"` // of one triangular solve, the change of layout included
	TBPerS      float64 `json:"TB_per_s,omitempty"`
	BytesCell   float64 `json:"triangles_bytes_per_cell,omitempty"`
	Right       string  `json:"right_side,omitempty"`
	Iterations  int     `json:"iterations,omitempty"`
	SolveMS     float64 `json:"solve_ms,omitempty"`
	ResidualRel float64 `json:"residual_rel,omitempty"`
}

func main() {
	out := flag.String("json", "", "write the measurements to this file")
	only := flag.String("case", "", "run only cases whose name begins with this")
	largest := flag.Int("max-cells", 40e6, "leave out cases with more cells")
	tileY := flag.Int("tile-y", 0, "columns of a tile along y, 0 for the solver's choice")
	tileZ := flag.Int("tile-z", 0, "columns of a tile along z")
	chunk := flag.Int("chunk", 0, "levels between two messages of a tile to its neighbours, 0 for the solver's choice")
	runs := flag.Int("runs", 20, "applications that are timed")
	solve := flag.Bool("solve", true, "count iterations")
	flag.Parse()
	rows, err := measure(*only, *largest, [3]int{*tileY, *tileZ, *chunk}, *runs, *solve)
	if err == nil && *out != "" {
		var data []byte
		if data, err = json.MarshalIndent(rows, "", "  "); err == nil {
			err = os.WriteFile(*out, append(data, '\n'), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ilubench:", err)
		os.Exit(1)
	}
}

// problem is a grid to measure on.
type problem struct {
	name   string
	nx, ny int
	nz     int
	open   func(d *cuda.Device) (ops.Operator, error)
}

func problems() []problem {
	var all []problem
	for _, n := range []int{96, 208, 304} {
		all = append(all, problem{fmt.Sprintf("poisson %d", n), n, n, n, poissonOn(n, n, n)})
	}
	for _, n := range []int{96, 304} {
		for _, peclet := range []float64{0.01, 0.1, 1, 10, 100} {
			all = append(all, problem{fmt.Sprintf("upwind %d, Peclet %g", n, peclet), n, n, n, upwindOn(n, n, n, peclet)})
		}
	}
	for _, n := range []int{714, 1871} {
		all = append(all, problem{fmt.Sprintf("upwind %dx%dx10", n, n), n, n, 10, upwindOn(n, n, 10, 1)})
	}
	// The same cells, marched along their short direction.
	all = append(all, problem{"poisson 10x714x714", 10, 714, 714, poissonOn(10, 714, 714)}, problem{"poisson 714x714x10", 714, 714, 10, poissonOn(714, 714, 10)})
	for _, n := range []int{714, 1183, 1871} {
		all = append(all, problem{fmt.Sprintf("stack %d", n), n, n, 10, func(d *cuda.Device) (ops.Operator, error) {
			m, err := mesh.Build(cases.Stack10(cases.Options{NX: n, H: 1000}))
			if err != nil {
				return nil, err
			}
			return d.Assemble(m, 0)
		}})
	}
	return all
}

func poissonOn(nx, ny, nz int) func(d *cuda.Device) (ops.Operator, error) {
	return func(d *cuda.Device) (ops.Operator, error) { return d.LoadDiagonals(poisson(nx, ny, nz)) }
}

func upwindOn(nx, ny, nz int, peclet float64) func(d *cuda.Device) (ops.Operator, error) {
	return func(d *cuda.Device) (ops.Operator, error) { return d.LoadDiagonals(upwind(nx, ny, nz, peclet)) }
}

// upwind adds to poisson a flow along x, half as fast along y and a tenth along z, by first-order upwind differences. The Peclet number is that of a cell along x.
func upwind(nx, ny, nz int, peclet float64) *sparse.Diagonals {
	a := poisson(nx, ny, nz)
	a.LowerX, a.LowerY, a.LowerZ = slices.Clone(a.X), slices.Clone(a.Y), slices.Clone(a.Z)
	for n, band := range [][]float64{a.LowerX, a.LowerY, a.LowerZ} {
		flow := peclet * []float64{1, 0.5, 0.1}[n]
		for c, v := range band {
			band[c] = v * (1 + flow)
		}
		for c := range a.Main {
			a.Main[c] += flow
		}
	}
	return a
}

// poisson is the 7-point Laplacian times h^2 on the unit cube's inner points, zero on its faces.
func poisson(nx, ny, nz int) *sparse.Diagonals {
	a := sparse.NewDiagonals(nx, ny, nz)
	for c := range a.Main {
		a.Main[c] = 6
		if c%nx != nx-1 {
			a.X[c] = -1
		}
		if c/nx%ny != ny-1 {
			a.Y[c] = -1
		}
		if c/(nx*ny) != nz-1 {
			a.Z[c] = -1
		}
	}
	return a
}

// rightSides are those of Poisson's equation that iterations are counted on.
func rightSides(p problem) map[string][]float64 {
	n := p.nx * p.ny * p.nz
	ones, random, wave := make([]float64, n), make([]float64, n), make([]float64, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for c := range n {
		ones[c] = 1
		random[c] = rng.NormFloat64()
		x, y, z := float64(c%p.nx+1)/float64(p.nx+1), float64(c/p.nx%p.ny+1)/float64(p.ny+1), float64(c/(p.nx*p.ny)+1)/float64(p.nz+1)
		wave[c] = x * math.Exp(y) * (1 - x*x) * z * (1 - z) * (1 - y)
	}
	return map[string][]float64{"ones": ones, "normal random": random, "smooth": wave}
}

func measure(only string, largest int, tile [3]int, runs int, solve bool) ([]row, error) {
	drv, err := cudriver.Open()
	if err != nil {
		return nil, err
	}
	d, err := cuda.Open(drv, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	defer d.Bind()()
	fmt.Println(d.Name())
	fmt.Printf("%-24s %5s %4s %9s %6s %9s %9s %9s %7s %6s\n", "case", "order", "", "cells", "levels", "factor ms", "apply ms", "us/level", "TB/s", "B/cell")
	var rows []row
	for _, p := range problems() {
		if len(only) > 0 && (len(p.name) < len(only) || p.name[:len(only)] != only) || p.nx*p.ny*p.nz > largest {
			continue
		}
		more, err := p.measure(d, tile, runs, solve)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", p.name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (p problem) measure(d *cuda.Device, tile [3]int, runs int, solve bool) (rows []row, err error) {
	s, err := p.open(d)
	if err != nil {
		return nil, err
	}
	defer s.Free()
	defer func() {
		for n := range rows {
			rows[n].Commit, rows[n].Device = commit(), d.Name()
		}
	}()
	for order := range 2 {
		for _, precision := range []string{"fp32", "fp64"} {
			r, err := p.timeParts(s, order, precision, tile, runs)
			if err != nil {
				return rows, err
			}
			fmt.Printf("%-24s %5d %s %9d %6d %9.3f %9.3f %9.3f %7.3f %6.1f\n", r.Case, r.Order, precision, r.Cells, r.Levels, r.FactorMS, r.ApplyMS, r.LevelUS, r.TBPerS, r.BytesCell)
			rows = append(rows, r)
			if _, stack := s.(ops.System); !solve || stack || precision == "fp64" && r.Cells > 1e6 {
				continue // whole solves of stacks are gpubench's
			}
			counted, err := p.count(s, r)
			rows = append(rows, counted...)
			if err != nil {
				return rows, err
			}
		}
	}
	return rows, nil
}

// commit is that of the program, "" where it was built without.
func commit() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}

// count solves with each right side.
func (p problem) count(s ops.Operator, of row) (rows []row, err error) {
	method := ilu.Definition()
	set, err := precond.Parse(fmt.Sprintf("order=%d,precision=%s", of.Order, of.Precision), method.Keys)
	if err != nil {
		return nil, err
	}
	solver, m, err := method.SetUp(s, set)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	defer solver.Close()
	x, err := s.New64()
	if err != nil {
		return nil, err
	}
	b, err := s.New64()
	if err != nil {
		return nil, err
	}
	defer s.Release(x, b)
	sides := rightSides(p)
	for _, name := range slices.Sorted(maps.Keys(sides)) {
		s.Write(b, sides[name])
		rule := krylov.Rule{RTol: 1e-5, MaxIter: 3000}
		solver.Prepare(rule, x)
		solver.StartFromZero()
		s.Fill(x, 0)
		start := time.Now()
		o := solver.Solve(context.Background(), rule, s.SourceOf(b), x)
		took := time.Since(start)
		if err := s.Err(); err != nil {
			return rows, err
		}
		q := row{Case: p.name, Order: of.Order, Precision: of.Precision, Cells: of.Cells, Levels: of.Levels, Right: name, Iterations: o.Iterations, SolveMS: ms(took), ResidualRel: o.Norms.Residual / o.Norms.Source}
		fmt.Printf("    %-16s %5d iterations to %.2e in %8.2f ms, converged %v\n", name, q.Iterations, q.ResidualRel, q.SolveMS, o.Converged)
		rows = append(rows, q)
	}
	return rows, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timeParts times the factorisation, the second of two, and the applications, recorded as the solver does it.
func (p problem) timeParts(s ops.Operator, order int, precision string, tile [3]int, runs int) (row, error) {
	n := p.nx * p.ny * p.nz
	r := row{Case: p.name, Order: order, Precision: precision, Cells: n, Levels: p.nx + (1+order)*p.ny + (1+2*order)*p.nz - 2 - 3*order, Tile: tile}
	a, err := s.(ops.Forms).Diagonals()
	if err != nil {
		return r, err
	}
	defer a.Release()
	how := ilu.Options{Order: order, TileY: tile[0], TileZ: tile[1], Chunk: tile[2], Double: precision == "fp64"}
	var f ilu.Factor
	for range 2 {
		if f != nil {
			f.Release()
		}
		start := time.Now()
		if f, err = ilu.Factorise(s, a, how); err != nil {
			return r, err
		}
		r.FactorMS = ms(time.Since(start))
	}
	t, err := f.Triangles()
	f.Release()
	if err != nil {
		return r, err
	}
	defer t.Release()
	r.BytesCell = float64(t.Bytes()) / float64(n)
	right, err := s.New32()
	if err != nil {
		return r, err
	}
	z, err := s.New32()
	if err != nil {
		return r, err
	}
	s.Write(right, rightSides(p)["normal random"])
	replay, _, err := s.(krylov.Recorder).Record(func() { t.Solve(z, right) })
	if err != nil {
		return r, err
	}
	k, err := s.NewWorkspace()
	if err != nil {
		return r, err
	}
	best := math.Inf(1)
	for range 3 {
		replay()
		k.Scalars()
		start := time.Now()
		for range runs {
			replay()
		}
		k.Scalars()
		best = min(best, ms(time.Since(start))/float64(runs))
	}
	r.ApplyMS = best
	r.LevelUS = 1000 * best / 2 / float64(r.Levels)
	off := len(ilu.Neighbours(order))
	// Both changes of layout, and for each solve its diagonals and the vector twice; the upper one reads 1/D too.
	width := map[string]int{"fp32": 4, "fp64": 8}[precision]
	bytes := float64(n) * float64(4*2+width*(2+2*(off+2)+1))
	r.TBPerS = bytes / (best / 1000) / 1e12
	return r, s.Err()
}
