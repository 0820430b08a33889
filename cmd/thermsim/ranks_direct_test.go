package main

import (
	"path/filepath"
	"regexp"
	"testing"

	"thermsim/internal/testtier"
)

// layersStack is regionsStack with uniform layers, which are solved directly.
var layersStack = regexp.MustCompile(`(?s)  \[\[layer\.region\]\].*?  \[\[layer\.block`).ReplaceAllString(regionsStack,
	"  [[layer.block")

// Ranks as processes solve layers directly, with the field of a run alone.
func TestRanksSolveDirectly(t *testing.T) {
	for i, args := range [][]string{
		{"steady", "--quiet", "--precond", "fourier", "--save", "last"},
		{"transient", "--quiet", "--save", "last", "--steps", "5", "--dt", "2 ms", "--initial", "steady",
			"--set", "layer.dies.block.core.power=9"},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			dir := stackFolder(t, layersStack)
			args = append(args, "--formats", "none", "--no-page")
			alone := program(t, dir, append(append([]string{}, args...), "--out", "alone")...)
			if said, err := alone.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			want := lastField(t, filepath.Join(dir, "alone"))
			for _, launcher := range launchers(i) {
				for _, n := range testtier.Pick([]int{2 + 3*i}, []int{1, 2, 3, 4, 5, 8}) {
					j := newJob(t, dir, launcher, n, args, nil)
					if status := j.run(); status != 0 || j.said.Len() > 0 {
						t.Fatalf("%s, %d ranks: status %d, %s", launcher, n, status, j.said.String())
					}
					if d := furthest(want, lastField(t, j.out)); d != 0 {
						t.Errorf("%s, %d ranks: %g K from the field of one", launcher, n, d)
					}
				}
			}
		})
	}
}
