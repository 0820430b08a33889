package main

import (
	"cmp"
	"maps"
	"path"
	"slices"
)

// summary has the counts by package, and every fault.
type summary struct {
	Commit string   `json:"commit"`
	Seed   uint64   `json:"seed"`
	List   string   `json:"list,omitempty"`
	Rows   []counts `json:"rows"` // by package, the last one of all
	Faults []result `json:"faults"`
}

type counts struct {
	Package  string `json:"package"`
	Planted  int    `json:"planted"`
	Noticed  int    `json:"noticed"`
	First    int    `json:"first"` // of those noticed, by the first run of tests
	Harmless int    `json:"harmless"`
	Survived int    `json:"survived"`
	// Percent of the faults without a reason to survive that a test noticed.
	Percent float64 `json:"percent"`
}

func (c *counts) add(r *result) {
	c.Planted++
	switch r.Outcome {
	case killed:
		c.Noticed++
		if r.Run == 1 {
			c.First++
		}
	case harmless:
		c.Harmless++
	case survived:
		c.Survived++
	}
	if able := c.Planted - c.Harmless; able > 0 {
		c.Percent = 100 * float64(c.Noticed) / float64(able)
	}
}

func summarise(s *settings, results []result) summary {
	sum := summary{Commit: s.commit, Seed: s.seed, List: s.list, Faults: slices.Clone(results)}
	slices.SortFunc(sum.Faults, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, cmp.Compare(a.Becomes, b.Becomes))
	})
	all := counts{Package: "all"}
	rows := map[string]*counts{}
	for i := range sum.Faults {
		name := path.Dir(sum.Faults[i].File)
		if rows[name] == nil {
			rows[name] = &counts{Package: name}
		}
		rows[name].add(&sum.Faults[i])
		all.add(&sum.Faults[i])
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		sum.Rows = append(sum.Rows, *rows[name])
	}
	sum.Rows = append(sum.Rows, all)
	return sum
}
