package main

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"thermsim/cmd/thermsim/exit"
)

// What diff tells of two runs of the small stack, with leakage and without, against the difference of both fields.
func TestDiffAgainstElimination(t *testing.T) {
	dir := quickFolder(t)
	for name, leaks := range map[string]bool{"first": true, "second": false} {
		output(t, exit.TooHot, "steady", writeSmall(t, dir, leaks), "--out", filepath.Join(dir, name), "--device",
			"cpu", "--tol", "1e-9", "--no-page")
	}
	out := filepath.Join(dir, "diff")
	text := output(t, exit.Done, "diff", filepath.Join(dir, "first"), filepath.Join(dir, "second"), "--out", out)
	first, second := newWanted(true, false), newWanted(false, false)
	field := make([]float64, len(first.field))
	for c := range field {
		field[c] = first.field[c] - second.field[c]
	}

	var layers, pageLayers, jsonLayers [][]any
	for l := range smallLayers {
		d := differenceOver(first.model, field, []volume{{l, everywhere}})
		x, y, _ := centreOf(d.at)
		_, block, _ := place(d.at)
		name := smallLayers[l].name
		layers = append(layers, []any{name, d.max, d.min, d.mean, d.rms, x * 1e3, y * 1e3, cmp.Or(block, "-")})
		pageLayers = append(pageLayers, []any{placed(name, d.at), d.max, d.min, d.mean, d.rms})
		jsonLayers = append(jsonLayers, []any{name, d})
	}
	slices.Reverse(layers)
	slices.Reverse(pageLayers)
	compareTable(t, "Layers", section(t, text, "Layers  "), wantedTable{
		head: []string{"layer", "max K", "min", "mean", "rms", "x mm", "y mm", "block"}, rows: layers})
	var blocks [][]any
	for n, a := range first.lists["blocks"] {
		b := second.lists["blocks"][n]
		blocks = append(blocks, []any{a.name, a.layer, a.max - b.max, a.mean - b.mean})
	}
	inOrder := slices.Clone(blocks)
	slices.SortFunc(blocks, func(a, b []any) int { return cmp.Compare(b[2].(float64), a[2].(float64)) })
	compareTable(t, "Blocks", section(t, text, "Blocks  "), wantedTable{
		head: []string{"block", "layer", "of maxima K", "of means K"}, rows: blocks})

	page, err := os.ReadFile(filepath.Join(out, "diff.html"))
	if err != nil {
		t.Fatal(err)
	}
	compareTable(t, "the page's layers", pageTable(t, string(page), "layers-table"), wantedTable{
		head: []string{"layer", "max", "min", "mean", "rms"}, rows: pageLayers, within: 1e-5})
	compareTable(t, "the page's blocks", pageTable(t, string(page), "blocks"), wantedTable{
		head: []string{"block", "layer", "of maxima", "of means"}, rows: inOrder, within: 1e-5})

	var got map[string]any
	data, err := os.ReadFile(filepath.Join(out, "diff.json"))
	if err == nil {
		err = json.Unmarshal(data, &got)
	}
	if err != nil {
		t.Fatal(err)
	}
	compareJSON(t, "diff", got["all"], differenceOver(first.model, field, first.whole().over).json())
	compareJSON(t, "diff", got["peak_K"], []any{first.whole().max, second.whole().max})
	for n, row := range got["layers"].([]any) {
		want := jsonLayers[n][1].(difference).json()
		want["name"] = jsonLayers[n][0]
		compareJSON(t, "diff.layers", row, want)
	}
	for n, row := range got["blocks"].([]any) {
		b := inOrder[n]
		compareJSON(t, "diff.blocks", row, map[string]any{"name": b[0], "layer": b[1], "max_K": b[2], "mean_K": b[3]})
	}
}

// difference sums up one of two fields over a volume.
type difference struct {
	max, min, mean, rms float64
	at                  int // where it is largest, whatever its sign
}

func differenceOver(m *smallModel, field []float64, over []volume) difference {
	s := m.stats(field, over)
	squares, sizes := make([]float64, len(field)), make([]float64, len(field))
	for c, v := range field {
		squares[c], sizes[c] = v*v, math.Abs(v)
	}
	return difference{s.max, s.min, s.mean, math.Sqrt(m.stats(squares, over).mean), m.stats(sizes, over).hottest}
}

func (d difference) json() map[string]any {
	x, y, z := centreOf(d.at)
	layer, block, region := place(d.at)
	return map[string]any{"max_K": d.max, "min_K": d.min, "mean_K": d.mean, "rms_K": d.rms, "cells_not_compared": 0.0,
		"at": map[string]any{"x_m": x, "y_m": y, "z_m": z, "layer": layer, "block": block, "region": region}}
}
