package device

import (
	"errors"
	"testing"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

func TestListedDevices(t *testing.T) {
	gpus, err := list(devices.Machine(interpreter.Options{}), "1.2.3")
	if err != nil || len(gpus) != 1 {
		t.Fatalf("%v, %v", gpus, err)
	}
	if g := gpus[0]; g.Ordinal != 0 || g.Name == "" || g.MemoryBytes <= 0 || !g.Usable || g.Driver != "1.2.3" ||
		g.CUDA == "" {
		t.Errorf("%+v", g)
	}
	none := cudriver.Faulty(devices.Machine(interpreter.Options{}), cudriver.FailAt(0, cudriver.NoDevice))
	if gpus, err := list(none, ""); !errors.Is(err, cudriver.ErrNoDevice) || gpus != nil {
		t.Errorf("%v, %v", gpus, err)
	}
}

// The two forms of the file, of the closed and the open kernel module.
func TestDriverRelease(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023\nGCC version:  gcc " +
			"version 12.2.0 (Debian)\n": "535.129.03",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs-builder@U22)  Sun " +
			"Jul 27 07:18:10 UTC 2025\nGCC": "580.65.06",
		"something else": "",
	} {
		if got := driverRelease(func(string) ([]byte, error) { return []byte(text), nil }); got != want {
			t.Errorf("%q: release %q, want %q", text, got, want)
		}
	}
	if got := driverRelease(func(string) ([]byte, error) { return nil, errors.New("no such file") }); got != "" {
		t.Errorf("release %q of no driver", got)
	}
}

func TestModelName(t *testing.T) {
	if got := modelName("processor\t: 0\nmodel name\t: AMD EPYC: 9005\nflags\t: fpu\n"); got != "AMD EPYC: 9005" {
		t.Errorf("%q", got)
	}
	if got := modelName("processor\t: 0\nCPU part\t: 0xd40\n"); got != "" {
		t.Errorf("%q", got)
	}
}
