package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The committed page has the tables that the committed measurements make.
func TestRanksTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/explanation/ranks-gpu.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../docs/measurements/*h100x2*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no measurements", err)
	}
	for _, file := range files {
		var made bytes.Buffer
		if err := writeRanks(&made, []string{file}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page, made.Bytes()) {
			t.Errorf("docs/explanation/ranks-gpu.md does not hold what gpubench -ranks-table makes of %s", file)
		}
	}
}
