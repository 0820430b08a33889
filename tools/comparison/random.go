package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// randomResults is what random projects of HotSpot showed.
type randomResults struct {
	Simulator string       `json:"simulator"`
	Seed      uint64       `json:"first_seed"`
	Projects  int          `json:"projects"`
	Decimals  int          `json:"decimals"` // that the simulator wrote
	Tol       string       `json:"tolerance_K"`
	Groups    []randomRows `json:"groups"`
}

// randomRows sums up the projects of a kind.
type randomRows struct {
	Kind     string  `json:"kind"`
	Run      string  `json:"run"` // steady or transient
	Projects int     `json:"projects"`
	Numbers  int     `json:"numbers"`
	WorstK   float64 `json:"largest_difference_K"`
	WorstOf  uint64  `json:"seed_of_largest"`
}

// randomTol is the tolerance in K of thermsim's runs.
const randomTol = "1e-9"

// runRandom compares thermsim --compat with HotSpot's executable on random projects. An executable that writes more
// decimals than HotSpot's two shows more.
func runRandom(ctx context.Context, o options) error {
	program, err := filepath.Abs(o.program)
	if err != nil {
		return err
	}
	peer, err := filepath.Abs(o.hotspot)
	if err != nil {
		return err
	}
	results := randomResults{Simulator: hotSpot{}.title(), Seed: o.seed, Projects: o.random, Tol: randomTol}
	for seed := o.seed; seed < o.seed+uint64(o.random); seed++ {
		if err := results.project(ctx, seed, program, peer); err != nil {
			return fmt.Errorf("random project %d: %w", seed, err)
		}
	}
	for _, g := range results.Groups {
		log.Printf("%s, %s: %d projects, %d numbers, at most %.1e K apart (seed %d)", g.Kind, g.Run, g.Projects,
			g.Numbers, g.WorstK, g.WorstOf)
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.results, append(data, '\n'), 0o644)
}

// project runs both programs on the project of a seed.
func (s *randomResults) project(ctx context.Context, seed uint64, program, peer string) error {
	dir, err := os.MkdirTemp("", "random-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := newRandomProject(seed)
	if err := p.save(dir); err != nil {
		return err
	}
	theirs := []string{"-c", "chip.config", "-o", "t.ttrace", "-grid_transient_file", "t.grid.ttrace", "-steady_file",
		"t.steady", "-grid_steady_file", "t.grid.steady"}
	var ours []string
	for i := 0; i < len(p.options); i += 2 {
		theirs = append(theirs, "-"+p.options[i], p.options[i+1])
		name := "--" + p.options[i]
		if len(p.options[i]) == 1 {
			name = name[1:]
		}
		ours = append(ours, name, p.options[i+1])
	}
	if err := inFolder(ctx, dir, peer, theirs...); err != nil {
		return err
	}
	for _, run := range []string{"steady", "transient"} {
		args := append([]string{run, "chip.config", "--compat", "--format", "hotspot", "--decimals", "9", "--tol",
			randomTol, "--device", "cpu", "--quiet", "--out", run}, ours...)
		if err := inFolder(ctx, dir, program, args...); err != nil {
			return err
		}
		kinds := map[string][]string{"steady": {".steady", ".grid.steady"},
			"transient": {".ttrace", ".grid.ttrace"}}[run]
		for _, kind := range kinds {
			largest, n, decimals, err := apart(filepath.Join(dir, run, "chip"+kind), filepath.Join(dir, "t"+kind))
			if err != nil {
				return err
			}
			s.Decimals = max(s.Decimals, decimals)
			s.note(p.Kind, run, kind == kinds[0], n, largest, seed)
		}
	}
	return nil
}

// note counts a file.
func (s *randomResults) note(kind, run string, first bool, numbers int, largest float64, seed uint64) {
	at := -1
	for i, g := range s.Groups {
		if g.Kind == kind && g.Run == run {
			at = i
		}
	}
	if at < 0 {
		at = len(s.Groups)
		s.Groups = append(s.Groups, randomRows{Kind: kind, Run: run})
	}
	g := &s.Groups[at]
	if first {
		g.Projects++
	}
	g.Numbers += numbers
	if !(largest <= g.WorstK) {
		g.WorstK, g.WorstOf = largest, seed
	}
}

func inFolder(ctx context.Context, dir, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, text)
	}
	return nil
}

// apart compares two files word by word: the largest difference of two numbers, how many there are, and the decimals of
// the second file.
func apart(ours, theirs string) (largest float64, numbers, decimals int, err error) {
	a, err := readWords(ours)
	if err != nil {
		return 0, 0, 0, err
	}
	b, err := readWords(theirs)
	if err != nil {
		return 0, 0, 0, err
	}
	if len(a) != len(b) {
		return 0, 0, 0, fmt.Errorf("%s has %d words, %s %d", filepath.Base(ours), len(a), filepath.Base(theirs), len(b))
	}
	for i := range a {
		x, errA := strconv.ParseFloat(a[i], 64)
		y, errB := strconv.ParseFloat(b[i], 64)
		if errA != nil || errB != nil {
			if a[i] != b[i] {
				return 0, 0, 0, fmt.Errorf("%s: word %d is %q, in %s %q", filepath.Base(ours), i+1, a[i],
					filepath.Base(theirs), b[i])
			}
			continue
		}
		numbers++
		if _, fraction, ok := strings.Cut(b[i], "."); ok {
			decimals = max(decimals, len(fraction))
		}
		if d := math.Abs(x - y); !(d <= largest) {
			largest = d
		}
	}
	return largest, numbers, decimals, nil
}

func readWords(path string) (words []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Split(bufio.ScanWords)
	for s.Scan() {
		words = append(words, s.Text())
	}
	return words, s.Err()
}
