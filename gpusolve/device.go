package gpusolve

import (
	"fmt"
	"strings"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// openDevice opens the device of the given name.
func openDevice(name string) (ops.Device, DeviceInfo, error) {
	switch {
	case name == "" || name == "auto" || name == "cpu":
		d := host.Open()
		why := "asked for"
		if name != "cpu" {
			why = "this build has no GPU executor"
		}
		return d, DeviceInfo{Kind: "cpu", Name: d.Name(), Threads: d.Threads(), Why: why}, nil
	case name == "gpu" || strings.HasPrefix(name, "gpu:"):
		return nil, DeviceInfo{}, fmt.Errorf("%w: %s was asked for, but this build has no GPU executor; use --device cpu", ErrDevice, name)
	}
	return nil, DeviceInfo{}, fmt.Errorf("%w: device %q is unknown; choose auto, cpu, gpu or gpu:N", ErrOption, name)
}
