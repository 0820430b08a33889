package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"thermsim/tools/campaign"
)

// Joined files keep the rows of both, with those of a later file in place of earlier ones of the same table,
// case and right-hand side.
func TestJoin(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}
	for name, text := range map[string]string{
		"a.json": `{"gpu": "A", "commands": ["one"], "rows": [{"table": "x", "case": "1", "t": 1.5},
			{"table": "x", "case": "2", "t": 2}, {"table": "x", "case": "2", "right_side": "product", "t": 4}]}`,
		"b.json": `{"gpu": "B", "command": "two", "rows": [{"table": "x", "case": "2", "t": 3}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	joined := output{path: filepath.Join(dir, "c.json")}
	if err := flag.CommandLine.Parse(paths); err != nil {
		t.Fatal(err)
	}
	if err := join(&joined)(); err != nil {
		t.Fatal(err)
	}
	var got result[map[string]any]
	if err := campaign.Load(joined.path, &got); err != nil {
		t.Fatal(err)
	}
	var times []any
	for _, r := range got.Rows {
		times = append(times, r["t"])
	}
	if !slices.Equal(times, []any{1.5, 4.0, 3.0}) || got.GPU != "B" || len(got.Commands) != 2 {
		t.Errorf("%+v", got)
	}
}
