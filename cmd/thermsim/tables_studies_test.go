package main

import (
	"cmp"
	"math"
	"slices"
)

// studyTables are those of a study in the file and on the terminal.
type studyTables struct{ csv, text wantedTable }

// sensitivities are those of the mean over a volume, by differences of fields: the strongest first, temperatures last.
func sensitivities(of volume) (t studyTables) {
	type parameter struct {
		kind, name, unit, label string
		value                   float64
		perUnit                 float64
	}
	all := []parameter{
		{"h", "top", "W/(m^2 K)", "h of top", smallH, 0},
		{"temperature", "top", "K", "ambient of top", smallAmbient, 0},
		{"contact_resistance", "upper", "m^2 K/W", "contact above upper", smallLayers[1].contact, 0},
	}
	for l := range smallLayers {
		y := &smallLayers[l]
		all = append(all, parameter{"thickness", y.name, "m", "thickness of " + y.name, y.dz, 0},
			parameter{"k", y.name, "1", "k of " + y.name, 1, 0})
	}
	for s := range smallSources {
		q := &smallSources[s]
		name := smallLayers[q.layer].name + "/" + q.name
		all = append(all, parameter{"power", name, "W", "power of " + name, q.watts, 0})
	}
	const step = 1e-3
	for n := range all {
		p := &all[n]
		at := func(factor float64) float64 {
			m := &smallModel{scaled: map[string]float64{p.label: factor}}
			return m.stats(m.steady(), []volume{of}).mean
		}
		p.perUnit = (at(1+step) - at(1-step)) / (2 * step * p.value)
	}
	percent := func(p *parameter) float64 { return p.perUnit * p.value / 100 }
	slices.SortFunc(all, func(a, b parameter) int {
		last := func(p *parameter) bool { return p.kind == "temperature" }
		if last(&a) || last(&b) {
			return map[bool]int{true: 1, false: -1}[last(&a)]
		}
		return cmp.Compare(math.Abs(percent(&b)), math.Abs(percent(&a)))
	})
	t.csv = wantedTable{head: []string{"kind", "name", "value", "unit", "K_per_unit", "K_per_percent",
		"objective"}, within: 1e-5}
	t.text = wantedTable{head: []string{"parameter", "value", "unit", "K per unit", "K per +1 %"}, within: 1e-5}
	for n := range all {
		p := &all[n]
		t.csv.rows = append(t.csv.rows, []any{p.kind, p.name, p.value, p.unit, p.perUnit, percent(p), "base/io"})
		unit, last := p.unit, any(percent(p))
		switch p.kind {
		case "k":
			unit = "times"
		case "temperature":
			last = "-"
		}
		t.text.rows = append(t.text.rows, []any{p.label, p.value, unit, p.perUnit, last})
	}
	return t
}

// resistances are the rises of means and probes for 1 W in one source, as tables of the terminal and as the matrix.
func resistances() (own, pairs, matrix wantedTable) {
	var names []string
	var fields [][]float64
	for s := range smallSources {
		names = append(names, smallLayers[smallSources[s].layer].name+"/"+smallSources[s].name)
	}
	for s := range smallSources {
		m := &smallModel{scaled: map[string]float64{"ambient of top": 0}}
		for o := range smallSources {
			m.scaled["power of "+names[o]] = 0
		}
		m.scaled["power of "+names[s]] = 1 / smallSources[s].watts
		fields = append(fields, m.steady())
	}
	m := &smallModel{}
	over := func(s int) []volume { return []volume{{smallSources[s].layer, smallSources[s].box}} }
	mean := func(of, heated int) float64 { return m.stats(fields[heated], over(of)).mean }
	matrix.head = append([]string{"output", "kind"}, names...)
	for s := range smallSources {
		row := []any{names[s], "mean"}
		for heated := range fields {
			row = append(row, mean(s, heated))
		}
		matrix.rows = append(matrix.rows, row)
	}
	for p, name := range []string{"probe/inside", "probe/below"} {
		row := []any{name, "probe"}
		for heated := range fields {
			row = append(row, m.probes(fields[heated])[p])
		}
		matrix.rows = append(matrix.rows, row)
	}
	own.head = []string{"input", "mean K/W", "hottest K/W", "power W", "rise K", "self-heating K"}
	pairs.head = []string{"heated", "warmed", "K/W", "% of self"}
	for s := range smallSources {
		rise, watts := 0.0, smallSources[s].watts
		for heated := range fields {
			rise += mean(s, heated) * smallSources[heated].watts
			if heated < s {
				r := mean(s, heated)
				part := marked{100 * r / mean(heated, heated), " %"}
				pairs.rows = append(pairs.rows, []any{names[heated], names[s], r, part})
			}
		}
		for p, name := range []string{"probe/inside", "probe/below"} {
			r := m.probes(fields[s])[p]
			pairs.rows = append(pairs.rows, []any{names[s], name, r, marked{100 * r / mean(s, s), " %"}})
		}
		hottest := m.stats(fields[s], over(s)).max
		own.rows = append(own.rows, []any{names[s], mean(s, s), hottest, watts, rise, mean(s, s) * watts})
	}
	descending := func(rows [][]any, column int) {
		slices.SortFunc(rows, func(a, b []any) int { return cmp.Compare(b[column].(float64), a[column].(float64)) })
	}
	descending(own.rows, 1)
	descending(pairs.rows, 2)
	return own, pairs, matrix
}
