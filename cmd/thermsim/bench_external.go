package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
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
			return nil, exit.Usagef("cannot read %s: %w; docs/reference/bench.md describes the file", name, err)
		}
		rows, err := bench.ReadExternal(name, data)
		if err != nil {
			return nil, exit.With(exit.Input, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}

// tellLeftOut says how many external rows found no place in the tables.
func tellLeftOut(g *session.Session, r *bench.Result, rows []bench.ExternalRow) {
	if left := r.LeftOut(rows); len(left) > 0 {
		g.Note("%d of %d external rows are of tables or systems that are not here, such as %s", len(left), len(rows),
			left[0].System())
	}
}

// exportBench writes systems as Matrix Market.
func exportBench(ctx context.Context, g *session.Session, o benchOptions) error {
	systems, err := bench.Systems(bench.Options{
		Device: o.device, Tables: o.tables, MaxCells: o.maxCells, MinCells: o.minCells,
		Systems: o.systems, Grids: o.grids,
	})
	if err != nil {
		return err
	}
	if len(systems) == 0 {
		return exit.Usagef("these tables have no systems to write, or none of that size; name steady or graphs, with " +
			"--grid, --max-cells or --device gpu for the sizes of GPUs")
	}
	p := terminal.StartProgress(g.Console, "exporting")
	defer p.Stop()
	out, err := g.Begin(o.export, staging.Options{Set: "bench", Command: "bench --export"})
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, s := range systems {
		p.Enter(s.Name)
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
			return exit.NothingWritten(err)
		}
	}
	done, err := g.Commit(ctx, out)
	if err != nil {
		return err
	}
	p.Stop()
	g.Note("systems written into %s: %d, in %d files", out.Dir(), len(systems), len(done.Files))
	return nil
}
