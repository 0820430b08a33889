//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"thermsim/cmd/thermsim/exit"
)

// A run whose reader is gone ends as by SIGINT: with its status, and without leaving what was staged. Where only the
// table is not read, the files are there.
func TestGoneReader(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		files bool
	}{
		"log":   {[]string{"steady", "-v", "--out", "out"}, false},
		"table": {[]string{"steady", "--out", "out"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "stack.toml"), []byte(tinyStack), 0o666); err != nil {
				t.Fatal(err)
			}
			reads, writes, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer writes.Close()
			if err := reads.Close(); err != nil {
				t.Fatal(err)
			}
			cmd := program(t, dir, c.args...)
			cmd.Stdout, cmd.Stderr = writes, writes
			_ = cmd.Run() // the status tells
			if status := cmd.ProcessState.ExitCode(); status != exit.Interrupted {
				t.Errorf("%v", cmd.ProcessState)
			}
			if _, err := os.Stat(filepath.Join(dir, "out", "summary.json")); (err == nil) != c.files {
				t.Errorf("summary.json: %v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "out", ".thermsim", "*")); len(left) > 1 || len(left) == 1 &&
				filepath.Base(left[0]) != "files.json" {
				t.Errorf("left: %v", left)
			}
		})
	}
}
