package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The committed page is what the committed measurements make.
func TestPerformancePage(t *testing.T) {
	files, err := filepath.Glob("../../docs/measurements/*.json")
	files = slices.DeleteFunc(files, func(f string) bool {
		return strings.HasPrefix(filepath.Base(f), "bench-") || strings.HasPrefix(filepath.Base(f), "external-")
	}) // those of thermsim bench
	if err != nil || len(files) == 0 {
		t.Fatalf("measurements %v: %v", files, err)
	}
	var page bytes.Buffer
	if err := writePage(&page, files); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page.Bytes(), committed) {
		t.Error("docs/performance.md is not what docs/measurements makes: run make performance")
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if renewed, err := readme(string(text), files); err != nil || renewed != string(text) {
		t.Errorf("README.md does not show what docs/measurements holds: run make performance (%v)", err)
	}
}

func TestPageOfMeasurements(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cpu := write("a.json", `{"date": "2025-01-02", "cpu": "linux/amd64", "cores": 2, "rows": [{"case": "one", "cells": 2500000, "method": "multigrid", "rule": "1e-4 K", "iterations": 8,
		"residual_norm_W": 1e-6, "setup_ms": 90, "solve_ms": 1234, "device_bytes_per_cell": 66, "converged": false}]}`)
	gpu := write("b.json", `{"date": "2025-01-03", "gpu": "H", "driver": "CUDA 13.0", "copy_TB_per_s": 4, "rows": [{"case": "one", "cells": 2500000, "method": "multigrid", "rule": "1e-4 K",
		"iterations": 8, "residual_norm_W": 1e-6, "setup_ms": 2, "solve_ms": 3, "device_bytes_per_cell": 56, "converged": true}]}`)
	var page strings.Builder
	if err := writePage(&page, []string{cpu, gpu}); err != nil {
		t.Fatal(err)
	}
	// 3 ms at 4 TB/s are 12 GB; over 2.5 million cells and 8 iterations that is 600 B.
	onGPU := "| one | 2.50 M | multigrid | 1e-4 K | 8 | 1.0e-06 W | 2.00 ms | 3.00 ms | 56.0 B | 600 B |"
	onCPU := "| one | 2.50 M | multigrid | 1e-4 K | 8 (not converged) | 1.0e-06 W | 90.0 ms | 1.23 s | 66.0 B |"
	g, c := strings.Index(page.String(), onGPU), strings.Index(page.String(), onCPU)
	if g < 0 || c < g {
		t.Errorf("rows at %d and %d of\n%s", g, c, &page)
	}
	text, err := readme("a\n"+readmeBegin+"old\n"+readmeEnd+"z\n", []string{cpu, gpu})
	if want := "| one, 2.50 million cells | multigrid | 8 | 2.00 ms | 3.00 ms | 0.14 GB |\n\n" + readmeEnd + "z\n"; err != nil || !strings.HasSuffix(text, want) || strings.Contains(text, "old") {
		t.Errorf("README: %v\n%s", err, text)
	}
	if _, err := readme("nowhere to put it", nil); err == nil {
		t.Error("accepted a README without a place for the figures")
	}
	if err := writePage(&page, []string{write("c.json", `{"speed": "very fast"}`)}); err == nil {
		t.Error("accepted a file that is no measurement")
	}
}
