package ddilu

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/partition"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

// TestMeasurePartsOnGPU times the steps of a set-up of parts, levels on the processor and on the GPU among them, and
// writes them to the file that THERMSIM_MEASURE names; THERMSIM_COMMIT is what the rows name. Graphs have five to eight
// couplings a row.
func TestMeasurePartsOnGPU(t *testing.T) {
	file := os.Getenv("THERMSIM_MEASURE")
	if file == "" {
		t.Skip("measures: set THERMSIM_MEASURE to a file")
	}
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	var rows []map[string]any
	for name, a := range map[string]*sparse.CSR{
		"rows of poisson 160": opstest.Upwind([3]int{160, 160, 160}, [3]float64{}).CSR(),
		"random graph":        opstest.RandomGraph(rand.New(rand.NewPCG(1, 2)), 1e6),
	} {
		s, err := d.LoadCSR(a)
		if err != nil {
			t.Fatal(err)
		}
		device, err := on(s)
		if err != nil {
			t.Fatal(err)
		}
		row := map[string]any{"commit": os.Getenv("THERMSIM_COMMIT"), "device": d.Name(), "case": name, "cells": a.N(),
			"entries": a.Entries()}
		timed := func(step string, f func()) {
			start := time.Now()
			f()
			row[step+"_ms"] = float64(time.Since(start).Microseconds()) / 1000
		}
		var part []int32
		var parts int
		timed("grow", func() { part, parts = partition.Divide(a, device.brickRows(false)) })
		var m, sorted *PartMatrix
		timed("cut", func() { m, err = cutOut(a, part, parts) })
		if err != nil {
			t.Fatal(err)
		}
		var lower, upper []int32
		timed("levels_processor", func() { lower, upper = levelsOf(m) })
		for range 2 { // the second without loading the module
			timed("levels_gpu_with_copies", func() { lower, upper, err = device.levels(m) })
		}
		if err != nil {
			t.Fatal(err)
		}
		timed("sort", func() { sorted = m.sorted(lower, upper) })
		row["parts"], row["levels"] = parts, len(sorted.Lower.Level)-parts
		timed("factor_gpu_with_copies", func() {
			f, err := device.factorParts(sorted, PartOptions{})
			if err != nil {
				t.Fatal(err)
			}
			f.Release()
		})
		timed("factor_processor", func() {
			bad := make([]int, parts)
			abreast(parts, func(p int) { bad[p] = sorted.eliminate(p, 1, false) })
		})
		rows = append(rows, row)
		s.Free()
	}
	data, err := json.MarshalIndent(map[string]any{"rows": rows}, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
