package main

import (
	"path/filepath"
	"regexp"
	"testing"
)

// layersStack is regionsStack with uniform layers, which are solved directly.
var layersStack = regexp.MustCompile(`(?s)  \[\[layer\.region\]\].*?  \[\[layer\.block`).ReplaceAllString(regionsStack,
	"  [[layer.block")

// Ranks as processes solve layers directly, with the field of a run alone.
func TestRanksSolveDirectly(t *testing.T) {
	for name, args := range map[string][]string{
		"steady": {"steady", "--quiet", "--precond", "fourier", "--save", "last"},
		"transient": {"transient", "--quiet", "--save", "last", "--steps", "5", "--dt", "2 ms", "--initial", "steady",
			"--set", "layer.dies.block.core.power=9"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := stackFolder(t, layersStack)
			args = append(args, "--formats", "none", "--no-page")
			alone := program(t, dir, append(append([]string{}, args...), "--out", "alone")...)
			if said, err := alone.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			want := lastField(t, filepath.Join(dir, "alone"))
			for _, n := range []int{2, 5} {
				e := startRanks(t, dir, n, args, nil)
				e.end()
				for rank := range n {
					if e.status(rank) != 0 || e.said[rank].Len()+e.shown[rank].Len() > 0 {
						t.Fatalf("%d ranks: %v", n, e)
					}
				}
				if d := furthest(want, lastField(t, e.out)); d != 0 {
					t.Errorf("%d ranks: %g K from the field of one", n, d)
				}
			}
		})
	}
}
