package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/study/bench"
)

// readExternal reads the files of --external.
func readExternal(names []string) ([]bench.ExternalRow, error) {
	var all []bench.ExternalRow
	for _, name := range names {
		data, err := inputfile.Read(name)
		if err != nil {
			return nil, usagef("cannot read %s: %w; docs/reference/bench.md describes the file", name, err)
		}
		rows, err := bench.ReadExternal(name, data)
		if err != nil {
			return nil, withStatus(exitInput, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}

// tellLeftOut says how many external rows found no place in the tables.
func tellLeftOut(g *globals, r *bench.Result, rows []bench.ExternalRow) {
	if left := r.LeftOut(rows); len(left) > 0 {
		g.note("%d of %d external rows are of tables or systems that are not here, such as %s", len(left), len(rows),
			left[0].System())
	}
}

// exportBench writes systems as Matrix Market.
func exportBench(ctx context.Context, g *globals, o benchOptions) error {
	systems, err := bench.Systems(bench.Options{
		Device: string(o.device), Tables: o.tables, MaxCells: int(o.maxCells), MinCells: int(o.minCells),
		Systems: o.systems, Grids: o.grids.sizes,
	})
	if err != nil {
		return err
	}
	if len(systems) == 0 {
		return usagef("these tables have no systems to write, or none of that size; name steady or graphs, with " +
			"--grid, --max-cells or --device gpu for the sizes of GPUs")
	}
	p := startProgress(g.console, "exporting")
	defer p.stop()
	out, err := begin(g, o.export, staging.Options{Set: "bench", Command: "bench --export"})
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, s := range systems {
		p.enter(s.Name)
		m, b, err := s.Build()
		if err != nil {
			return err
		}
		a := m.Rows
		if a == nil {
			a = m.Diagonals.CSR()
		}
		note := strings.TrimSpace(fmt.Sprintf("thermsim bench, table %s, %s %s", s.Table, s.Case, s.Grid)) +
			"\nsolve A x = b from x = 0 to " + s.Rule
		err = out.WriteFiles(ctx,
			staging.File{Name: s.Name + "-A.mtx", Write: func(w io.Writer) error {
				return matrixmarket.WriteMatrix(w, a, true, note)
			}},
			staging.File{Name: s.Name + "-b.mtx", Write: func(w io.Writer) error {
				return matrixmarket.WriteVector(w, b, note)
			}},
		)
		if err != nil {
			return steadyInterrupted(err)
		}
	}
	done, err := commit(ctx, g, out)
	if err != nil {
		return steadyInterrupted(err)
	}
	p.stop()
	g.note("systems written into %s: %d, in %d files", out.Dir(), len(systems), len(done.Files))
	return nil
}
