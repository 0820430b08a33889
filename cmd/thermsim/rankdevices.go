package main

import (
	"fmt"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/internal/launcher"
)

// rankDevices are the devices of the ranks in this process. wish is the stack's or the flag's; where several GPUs are
// named, list tells which.
func rankDevices(p launcher.Plan, wish string, several *flags.Devices, list func() ([]device.GPU, error)) ([]string,
	error) {
	here := 1
	if p.Together() {
		here = p.Ranks
	}
	var gpus []int
	var err error
	switch {
	case wish == "cpu":
		return repeated("cpu", here), nil
	case strings.HasPrefix(wish, "gpu:") && !several.Several():
		if here > 1 {
			return nil, exit.Usagef("--device %s is one GPU for %d ranks; name one for each, as in gpu:0,1, or take "+
				"gpu:all", wish, here)
		}
		return []string{wish}, nil
	case several.Several():
		gpus, err = several.GPUs(list)
	default:
		gpus, err = flags.UsableGPUs(list)
	}
	auto := wish == "" || wish == "auto"
	if auto && (err != nil || len(gpus) < here) {
		return repeated("cpu", here), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s was asked for: %w", gpusolve.ErrDevice, wish, err)
	}
	return assign(p, wish, gpus, here)
}

// assign gives GPUs to the ranks in this process: one each, or that of the process's place on its machine.
func assign(p launcher.Plan, wish string, gpus []int, here int) ([]string, error) {
	if !p.Together() {
		return []string{fmt.Sprintf("gpu:%d", gpus[max(0, p.Local)%len(gpus)])}, nil
	}
	if len(gpus) < here || wish != "gpu" && wish != "auto" && wish != "" && wish != flags.SeveralDevices &&
		len(gpus) > here {
		return nil, exit.Usagef("--device %s: %d GPUs for %d ranks; each rank of a process takes one of its own", wish,
			len(gpus), here)
	}
	names := make([]string, here)
	for i := range names {
		names[i] = fmt.Sprintf("gpu:%d", gpus[i])
	}
	return names, nil
}

func repeated(name string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = name
	}
	return list
}
