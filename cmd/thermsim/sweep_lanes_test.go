package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/study/sweep/lanes"
)

// A sweep on several lanes of a GPU writes the bytes of one on a single lane, and gives back all that it took.
func TestLanesOfASweep(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2 * lanes.Most))
	folder := t.TempDir()
	text, err := os.ReadFile("../../examples/quickstart/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	sweepFile := filepath.Join(folder, "sweep.toml")
	for path, content := range map[string]string{
		filepath.Join(folder, "stack.toml"): string(text),
		sweepFile: `stack = "stack.toml"
set = ["grid.nx=8", "grid.ny=6"]
[[vary]]
key = "boundary.top.h"
from = "1000 W/(m^2 K)"
to = "9000 W/(m^2 K)"
count = 8
`} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var tables [2][]byte
	for n, procs := range []int{2, 2 * lanes.Most} {
		runtime.GOMAXPROCS(procs)
		drv := cudriver.Faulty(newMachine(), nil)
		g := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: io.Discard, Quiet: true},
			Start: time.Now()}
		g.Adjust = func(o *gpusolve.Options) { o.Driver = drv }
		o := sweepOptions{file: sweepFile, out: filepath.Join(folder, "out"+string(rune('0'+n))), device: "gpu"}
		if err := runSweep(context.Background(), g, o, strings.NewReader("")); err != nil {
			t.Fatal(err)
		}
		if tables[n], err = os.ReadFile(filepath.Join(o.out, "sweep.csv")); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, call := range drv.Calls() {
			count[call]++
		}
		if n := count["cuDevicePrimaryCtxRetain"]; n != min(lanes.Most, procs/2) {
			t.Errorf("%d lanes on %d processors", n, procs)
		}
		for take, give := range map[string]string{"cuDevicePrimaryCtxRetain": "cuDevicePrimaryCtxRelease",
			"cuMemAlloc": "cuMemFree", "cuMemAllocHost": "cuMemFreeHost", "cuModuleLoadData": "cuModuleUnload"} {
			if count[take] != count[give] {
				t.Errorf("%d times %s, %d times %s", count[take], take, count[give], give)
			}
		}
		if most := 20 * (count["cuDevicePrimaryCtxRetain"]); count["cuMemAlloc"] > most {
			t.Errorf("%d times cuMemAlloc on %d lanes: runs do not take what runs before them gave back",
				count["cuMemAlloc"], count["cuDevicePrimaryCtxRetain"])
		}
	}
	if !bytes.Equal(tables[0], tables[1]) {
		t.Errorf("tables differ:\n%s\n%s", tables[0], tables[1])
	}
}

// The heap of a sweep may grow ninefold while it is small, and by 128 MiB where a large table is in use, but never less
// than Go lets it.
func TestGrowthOfASweep(t *testing.T) {
	for inUse, want := range map[uint64]int{0: 800, 1 << 20: 800, 16 << 20: 800, 64 << 20: 200, 128 << 20: 100,
		1 << 40: 100} {
		if got := growthOf(inUse); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", inUse, got, want)
		}
	}
}
