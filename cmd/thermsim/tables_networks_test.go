package main

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"thermsim/cmd/thermsim/exit"
)

// Curves of zth are steps of 1 W by elimination, and networks, of zth and of reduce, have the resistances of steady
// states; those of Foster and of Cauer are one.
func TestNetworksAgainstElimination(t *testing.T) {
	dir := quickFolder(t)
	path := writeSmall(t, dir, false)
	out := filepath.Join(dir, "zth")
	output(t, exit.Done, "zth", path, "--from", "io", "--to", "core", "--probes", "--out", out, "--no-page")
	rows := readTable(t, filepath.Join(out, "zth.csv"))
	if want := []string{"heated", "output", "kind", "time_s", "Zth_K_per_W"}; !slices.Equal(rows[0], want) {
		t.Fatalf("zth.csv has the columns %q, want %q", rows[0], want)
	}
	kinds := map[string]string{"base/io": "mean", "base/io:peak": "peak", "base/core": "mean", "probe/inside": "probe",
		"probe/below": "probe"}
	seen := 0
	for _, second := range []float64{1, 10} {
		want := stepOfIO(second)
		for _, row := range rows[1:] {
			if at := parseCells(t, row[3])[0]; math.Abs(at/second-1) > 1e-9 {
				continue
			}
			seen++
			z, ok := want[row[1]]
			v := parseCells(t, row[4])[0]
			if !ok || row[0] != "base/io" || row[2] != kinds[row[1]] || math.Abs(v/z-1) > 1e-3 {
				t.Errorf("%q, want %v", row, z)
			}
		}
	}
	if seen != 2*len(kinds) {
		t.Errorf("%d rows of 1 and 10 s, want %d", seen, 2*len(kinds))
	}
	_, _, matrix := resistances()
	own := map[string]float64{}
	for s := range smallSources {
		own[matrix.head[2+s]] = matrix.rows[s][2+s].(float64)
	}
	own = map[string]float64{"base/io": own["base/io"]}
	foster := sections(t, filepath.Join(out, "zth_spectrum.csv"), "heated", "tau_s", "R_K_per_W", "C_J_per_K")
	checkFoster(t, foster, own, 0, 1, 2)
	structure := sections(t, filepath.Join(out, "zth_structure.csv"), "heated", "R_K_per_W", "C_J_per_K",
		"R_sum_K_per_W", "C_sum_J_per_K", "K_W2s_per_K2")
	checkSame(t, foster, structure, [3]int{0, 1, 2}, [2]int{0, 1})
	for name, sections := range structure {
		sum := [2]float64{}
		for n, s := range sections {
			sum[1] += s[1]
			for what, pair := range map[string][2]float64{"sum of R, to the middle": {s[2], sum[0] + s[0]/2},
				"sum of C": {s[3], sum[1]}, "structure function": {s[4], s[1] / s[0]}} {
				if math.Abs(pair[0]/pair[1]-1) > 1e-9 {
					t.Errorf("%s, section %d: %s is %v, want %v", name, n+1, what, pair[0], pair[1])
				}
			}
			sum[0] += s[0]
		}
	}

	out = filepath.Join(dir, "model")
	output(t, exit.Done, "reduce", path, "--out", out)
	for s := range smallSources {
		own[matrix.head[2+s]] = matrix.rows[s][2+s].(float64)
	}
	foster = sections(t, filepath.Join(out, "foster.csv"), "input", "section", "R_K_per_W", "tau_s", "C_J_per_K")
	checkFoster(t, foster, own, 2, 1, 3)
	cauer := sections(t, filepath.Join(out, "cauer.csv"), "input", "section", "C_J_per_K", "R_K_per_W")
	checkSame(t, foster, cauer, [3]int{2, 1, 3}, [2]int{2, 1})
}

// stepOfIO are the rises a time after 1 W begins in block io, which is extrapolated from steps of backward Euler.
func stepOfIO(end float64) map[string]float64 {
	rises := func(parts int) map[string]float64 {
		m := &smallModel{parts: parts, scaled: map[string]float64{"ambient of top": 0, "power of base/core": 0,
			"power of upper/uniform": 0, "power of upper/pad": 0}}
		field := make([]float64, smallNX*smallNY*smallNZ)
		for range int(math.Round(end / m.dt())) {
			field = eliminate(m.system(0, field))
		}
		core := m.stats(field, []volume{{0, smallSources[0].box}})
		io := m.stats(field, []volume{{0, smallSources[1].box}})
		probes := m.probes(field)
		return map[string]float64{"base/io": io.mean, "base/io:peak": io.max, "base/core": core.mean,
			"probe/inside": probes[0], "probe/below": probes[1]}
	}
	coarse, fine := rises(4), rises(8)
	for name := range fine {
		fine[name] = 2*fine[name] - coarse[name]
	}
	return fine
}

func parseCells(t *testing.T, cells ...string) (values []float64) {
	t.Helper()
	for _, c := range cells {
		v, err := strconv.ParseFloat(c, 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	return values
}

// sections are the numbers of networks by the names of their inputs, in order.
func sections(t *testing.T, path string, head ...string) map[string][][]float64 {
	t.Helper()
	rows := readTable(t, path)
	if !slices.Equal(rows[0], head) {
		t.Fatalf("%s has the columns %q, want %q", filepath.Base(path), rows[0], head)
	}
	all := map[string][][]float64{}
	for _, row := range rows[1:] {
		all[row[0]] = append(all[row[0]], parseCells(t, row[1:]...))
	}
	return all
}

// checkFoster checks the sums of resistances and that tau = R C; tau, r and c are columns.
func checkFoster(t *testing.T, all map[string][][]float64, own map[string]float64, tau, r, c int) {
	t.Helper()
	if len(all) != len(own) {
		t.Errorf("%d networks, want %d", len(all), len(own))
	}
	for name, sections := range all {
		sum := 0.0
		for _, s := range sections {
			sum += s[r]
			if math.Abs(s[tau]/(s[r]*s[c])-1) > 1e-8 {
				t.Errorf("%s: tau %v is not R %v times C %v", name, s[tau], s[r], s[c])
			}
		}
		if math.Abs(sum/own[name]-1) > 1e-4 {
			t.Errorf("%s: %v K/W in all, want %v", name, sum, own[name])
		}
	}
}

// checkSame compares the impedances of Foster networks with those of Cauer networks, each by its columns.
func checkSame(t *testing.T, foster, cauer map[string][][]float64, tauRC [3]int, rc [2]int) {
	t.Helper()
	for name, sections := range cauer {
		for _, s := range []float64{1e-3, 1, 100} { // 1/s
			want, got := 0.0, 0.0
			for _, f := range foster[name] {
				want += f[tauRC[1]] / (1 + s*f[tauRC[0]])
			}
			for _, c := range slices.Backward(sections) {
				got = 1 / (s*c[rc[1]] + 1/(c[rc[0]]+got))
			}
			if math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%s at %g 1/s: %v K/W by Cauer's network, %v by Foster's", name, s, got, want)
			}
		}
	}
}
