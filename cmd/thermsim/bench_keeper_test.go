package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/study/bench"
)

// Rows that were measured are on the disk before the benchmark ends, but not after every row.
func TestRowsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.json")
	result := &bench.Result{Schema: 2, Tables: []bench.Sheet{{Name: "steady"}}}
	rows := func(keep func(bench.Event)) int {
		result.Tables[0].Rows = append(result.Tables[0].Rows, bench.Row{Case: "a"})
		keep(bench.Event{Row: &result.Tables[0].Rows[0]})
		f, err := os.Open(path)
		if os.IsNotExist(err) {
			return 0
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := bench.ReadResult(f)
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Tables[0].Rows)
	}
	g := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: io.Discard, Quiet: true},
		Start: time.Now()}
	seldom := keeper(context.Background(), g, benchOptions{out: []string{path}}, time.Hour)
	seldom(bench.Event{Result: result})
	if n := rows(seldom); n != 0 {
		t.Errorf("%d rows were saved at once", n)
	}
	always := keeper(context.Background(), g, benchOptions{out: []string{path}}, 0)
	always(bench.Event{Result: result})
	for n := 2; n < 4; n++ {
		if got := rows(always); got != n {
			t.Errorf("%d rows were saved of %d", got, n)
		}
	}
}
