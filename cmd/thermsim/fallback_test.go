package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
)

// A GPU that runs out of memory while it is set up: auto takes the processor, says so on stderr and in summary.json; a
// GPU that was asked for ends the run with status 4 and no file.
func TestAutoWithoutAGPUThatFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stack.toml")
	// Some 3.8 million steps of cells: more work than opening a GPU.
	text := strings.Replace(tinyStack, "nx = 3, ny = 2", "nx = 320, ny = 300", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(device string) (out string, status int, said string) {
		out = filepath.Join(t.TempDir(), "out")
		status, said = adjusted(func(s *gpusolve.Options) {
			s.Device, s.Driver = device, cudriver.Faulty(newMachine(),
				cudriver.FailNth("cuMemAlloc", 8, cudriver.OutOfMemory))
		}, "transient", file, "--out", out, "--precond", "multigrid", // which takes long enough
			"--steps", "20", "--dt", "1 ms", "--formats", "none", "--no-page")
		return out, status, said
	}
	out, status, stderr := run("auto")
	if status != exit.Done || strings.Count(stderr, "solving on the CPU instead of the GPU: ") != 1 ||
		!strings.Contains(stderr, "cuMemAlloc") {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	data, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Device struct{ Kind, GPU_failure string }
	}
	if err := json.Unmarshal(data, &s); err != nil || s.Device.Kind != "cpu" ||
		!strings.Contains(s.Device.GPU_failure, "cuMemAlloc") {
		t.Errorf("%v, device in summary.json: %+v", err, s.Device)
	}
	out, status, stderr = run("gpu")
	if files, _ := os.ReadDir(out); status != exit.Device || !strings.Contains(stderr, "cuMemAlloc") || len(files) > 0 {
		t.Errorf("a GPU was demanded: status %d, %d files, stderr %q", status, len(files), stderr)
	}
}
