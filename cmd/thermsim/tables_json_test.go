package main

import (
	"math"
	"slices"
)

// summary is summary.json, but for what depends on the machine, the solver and the day.
func (w *wanted) summary() map[string]any {
	at := func(cell int) map[string]any {
		x, y, z := centreOf(cell)
		layer, block, region := place(cell)
		return map[string]any{"x_m": x, "y_m": y, "z_m": z, "layer": layer, "block": block, "region": region}
	}
	whole := w.whole()
	in, leak, out, stored := w.heat()
	power := map[string]any{"requested_W": 6.5, "mapped_W": 6.5}
	solver := map[string]any{"method": nil, "preconditioner": nil, "iterations": nil,
		"residual_norm_W": nil, "relative_residual": nil, "estimated_error_K": nil, "converged": true, "reason": nil}
	s := map[string]any{
		"schema": 1.0, "command": "steady", "version": nil, "stack": nil,
		"title": "two dies in mould", "input_sha256": nil, "device": nil, "solver": solver,
		"time": nil, "memory": nil, "warnings": nil,
		"grid": map[string]any{"nx": 4.0, "ny": 3.0, "nz": 5.0, "cells": 60.0},
		"temperature": map[string]any{"ambient_K": smallAmbient, "max_K": whole.max, "min_K": whole.min,
			"mean_K": whole.mean, "max_at": at(whole.hottest)},
		"power": power,
		"energy": map[string]any{"in_W": in, "out_W": out, "stored_W": stored, "imbalance_rel": nil,
			"by_face_W": map[string]any{"bottom": 0.0, "top": out, "west": 0.0,
				"east": 0.0, "south": 0.0, "north": 0.0}},
		"rth_K_per_W": (whole.max - smallAmbient) / in,
	}
	if w.model.leaks {
		power["leakage_W"] = leak
		gain, cell := w.model.gain()
		leakage := map[string]any{"power_W": leak, "loop_gain": roughly(gain), "at": at(cell),
			"runaway": false, "from_K": 250.0, "to_K": 500.0}
		solver["nonlinear"] = map[string]any{"outer_iterations": nil, "residual_norm_W": nil, "contraction": nil,
			"leakage": leakage}
	}
	peak := func(r *wantedRow) map[string]any {
		return map[string]any{"max_K": r.peak.max, "time_s": r.peakS, "at": at(r.peak.hottest)}
	}
	if w.fields != nil {
		var steps []any
		for step := 1; step <= smallSteps; step++ {
			watts, leak := w.powerIn(step)
			row := map[string]any{"time_s": smallDt * float64(step), "max_K": slices.Max(w.fields[step]),
				"power_W": watts, "iterations": nil, "converged": true}
			if w.model.leaks {
				row["leakage_W"] = leak
			}
			steps = append(steps, row)
		}
		s["command"], s["rth_K_per_W"], s["peak"] = "transient", math.NaN(), peak(whole)
		s["steps"], s["dt_s"], s["iterations_total"], s["step_maxima"] = float64(smallSteps), smallDt, nil, steps
	}
	var spots []any
	for _, p := range w.hotSpots() {
		spot := at(p.cell)
		spot["max_K"], spot["prominence_K"] = w.field[p.cell], p.prominence
		spots = append(spots, spot)
	}
	s["hot_spots"] = spots
	mean := map[string]string{"layers": "mean_K", "blocks": "mean_K", "regions": "mean_K", "dies": "mean_K"}
	for list, name := range mean {
		var all []any
		for _, r := range w.lists[list] {
			row := map[string]any{"name": r.name, "power_W": r.watts, "max_K": r.max, name: r.mean,
				"min_K": r.min, "max_at": at(r.hottest)}
			if r.leak != 0 {
				row["leakage_W"] = r.leak
			}
			if w.fields != nil {
				row["peak"] = peak(r)
			}
			switch list {
			case "layers":
				row["material"], row["z_bottom_m"], row["thickness_m"] = r.material, r.z, r.dz
				if r.without != nil {
					row["mean_without"] = []any{"mould"}
				}
			case "blocks":
				row["layer"], row["area_m2"] = r.layer, r.area
			case "regions":
				row["layer"], row["kind"], row["material"], row["area_m2"] = r.layer, r.kind, r.material, r.area
			case "dies":
				var layers []any
				for _, l := range r.layers {
					layers = append(layers, l)
				}
				row["layers"] = layers
			}
			all = append(all, row)
		}
		s[list] = all
	}
	probes := w.model.probes(w.field)
	s["probes"] = []any{
		map[string]any{"name": "inside", "x_m": 7e-3, "y_m": 0.5e-3, "z_m": 150e-6, "temperature_K": probes[0]},
		map[string]any{"name": "below", "x_m": 3e-3, "y_m": 2.5e-3, "z_m": 300e-6, "temperature_K": probes[1]},
	}
	var limits []any
	for _, l := range w.limitList() {
		row := map[string]any{"kind": l.kind, "layer": l.layer, "name": l.name, "tmax_K": l.tmax, "max_K": l.max,
			"margin_K": l.tmax - l.max, "margin_W": l.watts, "at": at(l.hottest), "ok": l.max <= l.tmax}
		if w.fields != nil {
			row["time_s"] = l.time
		}
		limits = append(limits, row)
	}
	s["limits"] = limits
	return s
}
