package bench

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/picture"
	"thermsim/stack"
)

// floorplans is Table II: three stacks end to end, compared with a solution on a much finer grid.
func floorplans() Table {
	return Table{
		Name: "floorplans", Number: "II", Title: "Three floorplans end to end, compared with a grid-converged solution",
		About: []string{
			"The stacks of examples/mol10-sparc, -ev6 and -9core, h = 1000, 10000 and 8000 W/(m2 K).",
			"total is the time from reading the stack file to the temperatures on the host, without opening the " +
				"device.",
			"top is the heated layer of the upper die, shown in the paper's figure.",
			"Errors are over all cells, relative to the cell means of a solution on a grid finer along x, " +
				"y and z.",
			"Grids of 10 planes have one cell per layer, as in the paper; an additional grid has more cells in " +
				"thick layers.",
			"The last row of a stack compares that solution with one on half as many cells along x and y: an " +
				"estimate of its discretization error.",
		},
		Columns: []Column{columnCase, columnGrid, columnMethod, columnIterations, columnSetup, columnSolve, columnTotal,
			columnMaxAE, columnMAE, columnTopMaxAE, columnTopMAE, columnNote},
		run: func(ctx context.Context, b *Bench) error {
			for _, name := range []string{"sparc", "ev6", "9core"} {
				if err := b.floorplan(ctx, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// floorplanGrids are the sizes of the paper.
func (b *Bench) floorplanGrids() [][2]int {
	if len(b.Grids) > 0 {
		return b.Grids
	}
	var grids [][2]int
	for _, n := range []int{128, 256, 512} {
		if n*n*floorplanLayers <= b.limit() {
			grids = append(grids, [2]int{n, n})
		}
	}
	return grids
}

// floorplanLayers of the stacks, one cell each.
const floorplanLayers = 10

// loadFloorplan reads an embedded stack.
func loadFloorplan(name string, grid [2]int) (*stack.Stack, error) {
	return loadExample("mol10-"+name+"/stack.toml", grid)
}

func (b *Bench) floorplan(ctx context.Context, name string) error {
	grids := b.floorplanGrids()
	if len(grids) == 0 {
		row := newRow()
		row.Case, row.Note = name, "left out: more cells than --max-cells"
		b.add(row)
		return nil
	}
	largest := grids[len(grids)-1]
	factor := b.refinement(largest)
	b.doing("%s, solution on %d x %d", name, factor*largest[0], factor*largest[1])
	fine, err := b.solveFine(ctx, name, largest, factor, grids)
	if err != nil {
		return err
	}
	for i, grid := range grids {
		for _, method := range b.floorplanMethods() {
			row, err := b.measureFloorplan(ctx, floorplanRun{name, method, grid, false}, fine[i])
			if err != nil {
				return err
			}
			b.add(row)
		}
		row, err := b.measureFloorplan(ctx, floorplanRun{name, methods.Names()[0], grid, true}, fine[i])
		if err != nil {
			return err
		}
		b.add(row)
	}
	coarser, err := b.solveFine(ctx, name, largest, factor/2, grids[len(grids)-1:])
	if err != nil {
		return err
	}
	row := newRow()
	row.Case, row.Grid, row.Variant, row.Converged = name, fmt.Sprintf("%dx%d", factor*largest[0], factor*largest[1]),
		"reference", true
	row.Note = "reference against half as many cells along x and y"
	d := newDifference(coarser[0], fine[len(fine)-1])
	row.setErrors(d)
	b.add(row)
	return nil
}

// floorplanMethods are the default method, the direct solver and Chebyshev.
func (b *Bench) floorplanMethods() []string {
	var some []string
	for _, m := range b.Methods {
		if name, _, _ := strings.Cut(m, ":"); isDefault(m) || m == directMethod || name == "chebyshev" {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		return b.Methods
	}
	return some
}

// floorplanRun is a row of the table. Layered selects cells of at most 50 um along z instead of one per layer.
type floorplanRun struct {
	name, method string
	grid         [2]int
	layered      bool
}

// measureFloorplan times everything from the stack file to the temperatures.
func (b *Bench) measureFloorplan(ctx context.Context, r floorplanRun, fine layerMeans) (Row, error) {
	b.doing("%s %d x %d, %s", r.name, r.grid[0], r.grid[1], r.method)
	row := newRow()
	row.Case, row.Method = r.name, r.method
	if r.layered {
		row.Variant, row.Note = "layered", "cells of at most 50 um along z"
	}
	limited, _, cancel := b.limitRow(ctx)
	defer cancel()
	var all times
	for n := range b.Runs + 1 {
		start := time.Now()
		s, err := loadFloorplan(r.name, r.grid)
		if err != nil {
			return row, err
		}
		if r.layered {
			refineLayers(s, 1, 50)
		}
		m, err := built(s)
		if err != nil {
			return row, err
		}
		row.Grid, row.Cells = fmt.Sprintf("%dx%dx%d", m.NX(), m.NY(), m.NZ()), m.Cells()
		j := job{mesh: m, method: r.method, rule: gpusolve.Options{ATol: stopW, MaxIter: b.MaxIter}}
		solution, err := j.run(limited, b)
		if stop, failed := b.judge(ctx, limited, &row, solution, err); failed != nil || stop {
			solution.Close()
			return row, failed
		}
		_, err = m.ReadField(solution.Field)
		took := time.Since(start).Seconds()
		row.PeakK = Number(solution.PeakK)
		timing := solution.Timing
		if err == nil && n == 0 {
			err = b.compareFloorplan(ctx, &row, r, m, solution.Field, fine)
		}
		solution.Close()
		if err != nil {
			return row, err
		}
		if n > 0 {
			all.add(timing, took)
		}
	}
	row.Runs = b.Runs
	all.set(&row)
	return row, nil
}

// compareFloorplan sets the errors of a row, and draws the error map of the default method.
func (b *Bench) compareFloorplan(ctx context.Context, row *Row, r floorplanRun, m *mesh.Mesh, f solution.Field,
	fine layerMeans) error {
	have := newMeans(m.Stack, [][2]int{r.grid})
	if err := averageLayers(have, [][2]int{r.grid}, m, f); err != nil {
		return err
	}
	have[0].mesh = m
	d := newDifference(have[0], fine)
	row.setErrors(d)
	if !isDefault(r.method) || r.layered {
		return nil
	}
	return b.errorMap(ctx, d, r.name, r.grid)
}

// errorMap draws the errors in the layer with the largest error.
func (b *Bench) errorMap(ctx context.Context, d difference, name string, grid [2]int) error {
	if b.MapsDir == "" {
		return nil
	}
	h := picture.HeatMap{
		Title: fmt.Sprintf("Error on %d x %d cells: %s", grid[0], grid[1], d.stack.Title),
		Subtitle: fmt.Sprintf("layer %s, against a grid-converged solution; mean over all layers %.3g K",
			d.stack.Layers[d.worst].Name, d.mean),
		X: d.mesh.X, Y: d.mesh.Y, Kelvin: d.layers[d.worst], Lo: -d.largest, Hi: d.largest, Difference: true,
	}
	_, err := staging.Do(ctx, b.MapsDir, staging.Options{Flag: "--maps"}, func(files *staging.Transaction) error {
		return files.Write(ctx, fmt.Sprintf("error_%s_%dx%d.png", name, grid[0], grid[1]),
			func(w io.Writer) error { return h.Write(w, picture.PNG) })
	})
	return err
}
