package device

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"thermsim/gpusolve/cuda/cudriver"
)

// GPU is a graphics processor that the CUDA driver lists.
type GPU struct {
	Ordinal           int // N of Options.Device gpu:N
	Name              string
	ComputeCapability string // as in "9.0"
	MemoryBytes       int64  // in all; what is free shows when the device is opened
	Multiprocessors   int
	Usable            bool   // its compute capability is one that the kernels are compiled for
	CUDA              string // highest CUDA version that the driver speaks, as in "13.0"
	Driver            string // release of the NVIDIA driver, as in "580.65.06"; "" where it is unknown
}

// LeastComputeCapability is what the kernels need.
const LeastComputeCapability = "7.0"

// leastMajor is the first number of LeastComputeCapability.
const leastMajor = 7

// List lists the GPUs; the processor is always there besides. Where there is none, the error is the reason and what
// to do about it. Nothing is opened or allocated, but starting the driver takes a tenth of a second.
func List() ([]GPU, error) {
	drv, err := cudriver.Open()
	if err != nil {
		return nil, err
	}
	return list(drv, driverRelease(os.ReadFile))
}

func list(drv cudriver.Driver, release string) ([]GPU, error) {
	found, err := cudriver.List(drv)
	if err != nil {
		return nil, err
	}
	gpus := make([]GPU, len(found))
	for i, f := range found {
		gpus[i] = GPU{
			Ordinal: f.Ordinal, Name: f.Name, ComputeCapability: f.ComputeCapability(), MemoryBytes: f.TotalMemory,
			Multiprocessors: f.Multiprocessors,
			Usable:          f.Major >= leastMajor, CUDA: f.CUDAVersion(), Driver: release,
		}
	}
	return gpus, nil
}

// String is one line for people.
func (g GPU) String() string { return fmt.Sprintf("gpu:%d, %s", g.Ordinal, g.Name) }

// driverRelease finds the release of the kernel module, which the driver's interface does not report: the only word of
// the first line of its file in /proc that is made of numbers with dots between.
func driverRelease(read func(string) ([]byte, error)) string {
	text, err := read("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	for _, word := range strings.Fields(first) {
		if strings.Contains(word, ".") && strings.Trim(word, "0123456789.") == "" {
			return word
		}
	}
	return ""
}

// ProcessorName is the model as Linux reports it, elsewhere operating system and architecture.
func ProcessorName() string {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if name := modelName(string(text)); name != "" {
			return name
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}

// modelName finds the line "model name : ...", "" without it (as on many arm64 machines).
func modelName(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
