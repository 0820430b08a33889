package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"thermsim/gpusolve"
	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/study/verify"
)

// finding is what a comparison found.
type finding struct {
	study      study
	refused    []string // why thermsim does not take the case
	grid       string
	rows       []row
	deviations []importer.Deviation
	compat     cost
	image      string // of the difference map, "" without
	imageOf    string // what it shows
}

// row is one map.
type row struct {
	name            string
	instants        int
	peer            float64 // K, hottest of all instants
	plain, compat   float64 // K, the same of thermsim, its own way and with --compat
	dPlain, dCompat float64 // K, largest difference of any cell at any instant
}

// summary is the part of summary.json that counts here.
type summary struct {
	Grid   struct{ NX, NY, NZ int }
	Memory struct {
		HostPeakBytes float64 `json:"host_peak_bytes"`
	}
	wall, cpu float64 // s, of the whole process
}

// compatTol is the largest error in K of a solve that is compared digit by digit.
const compatTol = "1e-6"

// compare runs thermsim both ways.
func compare(ctx context.Context, o options, sim simulator, s study) (f finding, err error) {
	f.study = s
	r, err := sim.format().Import(s.request)
	var list stack.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			f.refused = append(f.refused,
				strings.Replace(e.Error(), filepath.Dir(s.request.Files[0])+string(filepath.Separator), "", 1))
		}
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if err := verify.MeasureDeviations(ctx, r, s.request, gpusolve.Options{Device: "cpu"}); err != nil {
		return f, err
	}
	f.deviations = r.Deviations
	peer, err := s.maps(s.own)
	if err != nil {
		return f, err
	}
	plain, _, err := solve(ctx, o, s)
	if err != nil {
		return f, err
	}
	compat, sum, err := solve(ctx, o, s, "--compat")
	if err != nil {
		return f, err
	}
	f.grid = fmt.Sprintf("%d x %d x %d", sum.Grid.NX, sum.Grid.NY, sum.Grid.NZ)
	if f.compat, err = cheapest(ctx, o, s); err != nil {
		return f, err
	}
	if f.rows, err = rows(peer, plain, compat); err != nil {
		return f, err
	}
	err = f.draw(o, r.Stack, peer, plain)
	return f, err
}

// solve runs thermsim and reads the maps it wrote.
func solve(ctx context.Context, o options, s study, flags ...string) ([]peerMap, summary, error) {
	dir, err := os.MkdirTemp("", "comparison-*")
	if err != nil {
		return nil, summary{}, err
	}
	defer os.RemoveAll(dir)
	sum, err := execute(ctx, o, dir, append(append([]string{}, s.args...), append(flags, "--tol", compatTol)...))
	if err != nil {
		return nil, sum, err
	}
	maps, err := s.maps(dir)
	return maps, sum, err
}

// cheapest is what thermsim takes as a user runs it, with its default tolerance and its own maps and tables: the
// fastest of five runs.
func cheapest(ctx context.Context, o options, s study) (best cost, err error) {
	for range 5 {
		dir, err := os.MkdirTemp("", "comparison-*")
		if err != nil {
			return best, err
		}
		sum, err := execute(ctx, o, dir, append(append([]string{}, s.args...), "--compat"))
		os.RemoveAll(dir)
		if err != nil {
			return best, err
		}
		if best.wall == 0 || sum.wall < best.wall {
			best = cost{sum.wall, sum.cpu, sum.Memory.HostPeakBytes}
		}
	}
	return best, nil
}

func execute(ctx context.Context, o options, dir string, args []string) (s summary, err error) {
	cmd := exec.CommandContext(ctx, o.program, append(args, "--quiet", "--out", dir)...)
	start := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		return s, fmt.Errorf("%s: %w\n%s", cmd, err, text)
	}
	s.wall = time.Since(start).Seconds()
	s.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	data, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// rows compares the maps that all three have.
func rows(peer, plain, compat []peerMap) (list []row, err error) {
	for _, p := range peer {
		a, b := named(plain, p.name), named(compat, p.name)
		if a == nil || b == nil {
			return nil, fmt.Errorf("thermsim wrote no map %s", p.name)
		}
		r := row{name: p.name, instants: len(p.instants), peer: p.hottest(), plain: a.hottest(), compat: b.hottest()}
		if r.dPlain, _, err = a.apart(&p); err != nil {
			return nil, err
		}
		if r.dCompat, _, err = b.apart(&p); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

func named(maps []peerMap, name string) *peerMap {
	for i := range maps {
		if maps[i].name == name {
			return &maps[i]
		}
	}
	return nil
}

func (m *peerMap) hottest() float64 {
	hot := math.Inf(-1)
	for _, values := range m.instants {
		for _, v := range values {
			hot = math.Max(hot, v)
		}
	}
	return hot
}

// apart is the largest difference between two maps, and the instant at which it occurs. Maps of different grids are not
// comparable: NaN.
func (m *peerMap) apart(other *peerMap) (largest float64, instant int, err error) {
	if len(m.instants) != len(other.instants) {
		return 0, 0, fmt.Errorf("map %s has %d instants, the other %d", m.name, len(m.instants), len(other.instants))
	}
	for n := range m.instants {
		if len(m.instants[n]) != len(other.instants[n]) {
			return math.NaN(), n, nil
		}
		for c, v := range m.instants[n] {
			if d := math.Abs(v - other.instants[n][c]); !(d <= largest) {
				largest, instant = d, n
			}
		}
	}
	return largest, instant, nil
}
