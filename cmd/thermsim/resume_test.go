package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"thermsim/internal/testtier"
)

// resumedStack has a power that changes twice; the wall makes multigrid necessary.
const resumedStack = `schema  = 1
title   = "killed"
ambient = "300 K"
size    = ["4 mm", "4 mm"]
grid    = { nx = 20, ny = 18 }
boundary.top = { h = "5000 W/(m^2 K)" }

[[layer]]
name      = "die"
material  = "silicon"
thickness = "100 um"
power     = { uniform = "1 W", schedule = [{ t = "0 s", factor = 1.0 }, { t = "4 ms", factor = 0.2 }, { t = "9 ms", factor = 2.0 }] }

  [[layer.block]]
  name   = "core"
  x      = "0 mm"
  y      = "0 mm"
  width  = "2 mm"
  height = "2 mm"
  power  = "2 W"
  MATERIAL

[[layer]]
name      = "lid"
material  = "copper"
thickness = "500 um"
cells     = 2
`

// program runs thermsim as a process of its own in a folder.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("thermsim", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CUDA_VISIBLE_DEVICES=")
	return cmd
}

// A run that is killed at random moments, and resumed until it ends, leaves the files of a run that was not: by every
// solver and kind of steps that has checkpoints.
func TestKilledRunsEndTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	figures := testtier.Pick("traces,maxima", "all") // an animation takes more time than the run
	fixed := []string{"--steps", "60", "--dt", "0.2 ms", "--figures", figures, "--save", "all", "--dpi", "36"}
	adaptive := []string{"--until", "16 ms", "--dt-tol", "0.005 K", "--every", "1 ms", "--to-steady", "1e-6 K",
		"--formats", testtier.Pick("none", "png")}
	left := testtier.Pick(4, 200) // kills, over all kinds of runs
	runs := []struct {
		name, material string
		args           []string
	}{
		{"direct, fixed", "", fixed}, {"multigrid, fixed", `material = "copper"`, fixed},
		{"direct, adaptive", "", adaptive}, {"multigrid, adaptive", `material = "copper"`, adaptive},
	}
	for n, run := range runs {
		t.Run(run.name, func(t *testing.T) {
			share := left / (len(runs) - n)
			left -= share
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "stack.toml"),
				[]byte(strings.Replace(resumedStack, "MATERIAL", run.material, 1)), 0o666); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"transient", "--quiet"}, run.args...)
			start := time.Now()
			if out, err := program(t, dir, append(args, "--out", "whole")...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			took := time.Since(start)
			for killed := 0; killed < share; {
				out := "killed"
				for {
					var said bytes.Buffer
					cmd := program(t, dir, append(args, "--out", out, "--checkpoint", "2 steps", "--resume")...)
					cmd.Stderr = &said
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					stop := func() bool { return false }
					if killed < share {
						stop = time.AfterFunc(time.Duration(rng.Float64()*1.3*float64(took)), func() {
							_ = cmd.Process.Kill()
						}).Stop
					}
					err := cmd.Wait()
					stop()
					if err == nil {
						break
					}
					if status := cmd.ProcessState.ExitCode(); status != -1 {
						t.Fatalf("status %d: %s", status, said.String())
					}
					killed++
				}
				sameFiles(t, filepath.Join(dir, "whole"), filepath.Join(dir, out))
				if err := os.RemoveAll(filepath.Join(dir, out)); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("killed %d times", share)
		})
	}
}

// sameFiles compares the files of two runs, apart from times, memory and the identity of a run.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	names := func(dir string) (all []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != ".thermsim" {
				all = append(all, e.Name())
			}
		}
		return all
	}
	if x, y := strings.Join(names(a), " "), strings.Join(names(b), " "); x != y {
		t.Errorf("files %s, and %s", x, y)
	}
	for _, name := range names(a) {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "report.html": // it shows times
			continue
		case "summary.json":
			x, y = timeless(t, x), timeless(t, y)
		case "run.zip":
			x, y = unzipped(t, x), unzipped(t, y)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs", name)
		}
	}
}

// timeless is JSON without times, memory and the identity of a run.
func timeless(t *testing.T, text []byte) []byte {
	t.Helper()
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"time", "memory", "id", "timing"} {
		delete(all, key)
	}
	if device, ok := all["device"].(map[string]any); ok {
		delete(device, "transport") // of ranks, which processes have another of
	}
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// unzipped is what a saved run holds.
func unzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "run.json" {
			content = timeless(t, content)
		}
		all.WriteString(f.Name)
		all.Write(content)
	}
	return all.Bytes()
}
