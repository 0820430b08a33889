// Command cuthmatch looks for stacks whose matrices are those of the CUTh-Solver paper (Wang et al., arXiv:2606.17850),
// which gives unknowns, nonzeros and iterations but neither die, cooling nor the layers that have cells. It solves
// candidates at the size of CUTh1 as the paper does, the nearest of them at the size of CUTh7 too, and writes all
// counts as JSON. docs/cuth-systems.md tells what came out.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"time"

	"thermsim/gpusolve"
)

// result is the file that docs/measurements keeps.
type result struct {
	Date   string  `json:"date"`
	Commit string  `json:"commit"`
	Device string  `json:"device"`
	StopW  float64 `json:"stop_W"`
	Rows   []row   `json:"rows"`
}

func main() {
	out := flag.String("json", "", "write the result to this file")
	device := flag.String("device", "auto", "as thermsim has it")
	list := flag.String("search", "near", "which candidates: wide, dies, near or one (-layers, -bulk, -width, "+
		"-h, -power)")
	best := flag.Int("best", 1, "how many of the nearest are solved at the size of CUTh7")
	scale := flag.Int("scale", 1, "divide the cells along x and y, and the width with them: cells stay as large "+
		"as they are")
	one := candidate{}
	flag.IntVar(&one.Layers, "layers", 8, "layers with cells")
	flag.Float64Var(&one.BulkUM, "bulk", 100, "bulk silicon of both dies, um; 0: 10 and 200")
	flag.Float64Var(&one.WidthMM, "width", 25, "side of the die, mm")
	flag.Float64Var(&one.H, "h", 1e5, "W/(m2 K) on the top face")
	flag.Float64Var(&one.PowerW, "power", 40, "W")
	seconds := flag.Float64("seconds", 0, "start no candidate after so long")
	version := flag.String("commit", "", "commit, where Go did not record it")
	against := flag.String("rank", "", "solve nothing: put the rows of this file of thermsim bench beside the paper's")
	theirs := flag.String("paper", "docs/measurements/paper-cuth.json", "the paper's figures")
	flag.Parse()
	if *against != "" {
		fail(rank(*theirs, *against, *out))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	all, ok := map[string][]candidate{"wide": wide(), "dies": dies(), "near": near(), "one": {one}}[*list]
	if !ok {
		fmt.Fprintln(os.Stderr, "cuthmatch: -search is wide, dies, near or one")
		os.Exit(2)
	}
	fail(run(ctx, search{all, *best, *scale, *seconds}, *device, *version, *out))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cuthmatch:", err)
		os.Exit(1)
	}
}

// search is what to solve.
type search struct {
	candidates  []candidate
	best, scale int
	seconds     float64
}

func run(ctx context.Context, s search, device, version, out string) error {
	dev, err := gpusolve.OpenDevice(device)
	if err != nil {
		return err
	}
	defer dev.Release()
	r := result{Date: time.Now().UTC().Format(time.DateOnly), Commit: version, Device: dev.Info.Name, StopW: stopW}
	if r.Commit == "" {
		r.Commit = commit()
	}
	began := time.Now()
	for _, c := range s.candidates {
		if s.seconds > 0 && time.Since(began).Seconds() > s.seconds {
			break
		}
		row, err := c.solve(ctx, dev, 1, s.scale)
		if err != nil {
			return errors.Join(err, r.write(out))
		}
		row.Commit = r.Commit
		fmt.Println(row)
		r.Rows = append(r.Rows, row)
	}
	slices.SortStableFunc(r.Rows, func(a, b row) int { return int(math.Copysign(1, a.Distance-b.Distance)) })
	for _, near := range r.Rows[:min(s.best, len(r.Rows))] {
		row, err := near.candidate.solve(ctx, dev, 7, s.scale)
		if err != nil {
			return errors.Join(err, r.write(out))
		}
		row.Commit = r.Commit
		fmt.Println(row)
		r.Rows = append(r.Rows, row)
	}
	return r.write(out)
}

func (r *result) write(path string) error {
	if path == "" {
		return nil
	}
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

// commit that the program was built from.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 7 {
				return s.Value[:7]
			}
		}
	}
	return ""
}
