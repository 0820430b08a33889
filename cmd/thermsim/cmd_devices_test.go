package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/device"
)

var (
	someProcessor = processor{Name: "Abacus 9000", Cores: 12, Memory: 32e9}
	someGPUs      = []device.GPU{
		{Ordinal: 0, Name: "NVIDIA H200", ComputeCapability: "9.0", MemoryBytes: 150e9, Multiprocessors: 132,
			Usable: true, CUDA: "13.0", Driver: "580.65.06"},
		{Ordinal: 1, Name: "Tesla P4", ComputeCapability: "6.1", MemoryBytes: 8e9, Multiprocessors: 20, CUDA: "13.0",
			Driver: "580.65.06"},
	}
)

func devicesOutput(t *testing.T, gpus []device.GPU, none error, asJSON bool) string {
	t.Helper()
	var out strings.Builder
	c := &terminal.Console{Stdout: &out}
	c.Style.Width = 120
	if err := runDevices(c, someProcessor, func() ([]device.GPU, error) { return gpus, none }, asJSON); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestDevicesTable(t *testing.T) {
	got := devicesOutput(t, someGPUs, nil, false)
	for _, line := range []string{
		"  cpu     Abacus 9000  32 GB free  12 cores\n",
		"  gpu:0   NVIDIA H200      150 GB  compute capability 9.0, 132 multiprocessors\n",
		"  gpu:1   Tesla P4           8 GB  cannot be used: compute capability 6.1, the kernels need 7.0\n",
		"\nNVIDIA driver 580.65.06, CUDA 13.0. ",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
	got = devicesOutput(t, nil, errors.New("no driver; install one"), false)
	if want := "\nNo GPU: no driver; install one.\nEverything is solved on the CPU.\n"; !strings.HasSuffix(got, want) {
		t.Errorf("no GPU: %s", got)
	}
}

func TestDevicesJSON(t *testing.T) {
	var got struct {
		CPU  map[string]any
		GPUs []map[string]any
		None string `json:"no_gpu"`
	}
	if err := json.Unmarshal([]byte(devicesOutput(t, someGPUs, nil, true)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.GPUs) != 2 || got.GPUs[0]["device"] != "gpu:0" || got.GPUs[0]["memory_bytes"] != 150e9 ||
		got.GPUs[1]["usable"] != false || got.CPU["cores"] != 12.0 {
		t.Errorf("%+v", got)
	}
	if text := devicesOutput(t, nil, errors.New("no driver"), true); !strings.Contains(text, `"gpus": []`) ||
		!strings.Contains(text, `"no_gpu": "no driver"`) {
		t.Errorf("no GPU: %s", text)
	}
}
