package flags

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/internal/launcher"
)

// Ranks is the flag of runs over several ranks.
type Ranks struct {
	count int
	Facts []ranks.Fact // of the command, which all ranks must have in common
}

func (o *Ranks) Add(f *pflag.FlagSet) {
	CountVar(f, &o.count, "ranks", "split the grid over N ranks in this process; mpirun and srun set N")
}

// Plan is what part of a run this process does.
func (o *Ranks) Plan(d *Devices) (launcher.Plan, error) {
	p, err := launcher.NewPlan(o.count, os.Getenv)
	if err != nil {
		return p, exit.Usagef("%w", err)
	}
	if o.count == 0 && p.Together() && p.Ranks == 1 && d.Several() {
		gpus, err := d.GPUs(device.List)
		if err != nil {
			return p, err
		}
		p.Ranks = len(gpus)
	}
	return p, nil
}

// Devices is --device of commands that can use several.
type Devices struct {
	Name string
	list []int // of GPUs
	all  bool
}

const SeveralDevices = "gpu:all"

func (d *Devices) Set(text string) error {
	numbers, numbered := strings.CutPrefix(text, "gpu:")
	switch {
	case text == SeveralDevices:
		*d = Devices{Name: text, all: true}
		return nil
	case !numbered || !strings.Contains(numbers, ","):
		name, err := parseDevice(text)
		if *d = (Devices{Name: name}); err != nil {
			return fmt.Errorf("%w; or gpu:0,1 or gpu:all for a rank on each", err)
		}
		return nil
	}
	var list []int
	for number := range strings.SplitSeq(numbers, ",") {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return errors.New("write numbers of GPUs from 0, such as gpu:0,1")
		}
		if slices.Contains(list, n) {
			return fmt.Errorf("GPU %d is named twice; name each once, such as gpu:0,1", n)
		}
		list = append(list, n)
	}
	*d = Devices{Name: text, list: list}
	return nil
}

func (d *Devices) String() string { return d.Name }
func (d *Devices) Type() string   { return "NAME" }

func (d *Devices) Several() bool { return d.all || len(d.list) > 0 }

// GPUs are the numbers of those that are meant, where several are.
func (d *Devices) GPUs(list func() ([]device.GPU, error)) ([]int, error) {
	if !d.all {
		return d.list, nil
	}
	found, err := UsableGPUs(list)
	if err != nil {
		return nil, fmt.Errorf("%w: %s was asked for: %w", gpusolve.ErrDevice, d.Name, err)
	}
	return found, nil
}

// UsableGPUs are the numbers of the GPUs that the kernels are compiled for.
func UsableGPUs(list func() ([]device.GPU, error)) ([]int, error) {
	found, err := list()
	if err != nil {
		return nil, err
	}
	var usable []int
	for _, gpu := range found {
		if gpu.Usable {
			usable = append(usable, gpu.Ordinal)
		}
	}
	if len(usable) == 0 {
		return nil, fmt.Errorf("no GPU has compute capability %s, which the kernels need",
			device.LeastComputeCapability)
	}
	return usable, nil
}

// Refuse is the refusal of a run over ranks by what does not go with it.
func (o *Ranks) Refuse(d *Devices, what string) error {
	p, err := o.Plan(d)
	if err == nil && p.Ranks > 1 {
		err = exit.Usagef("%s does not go with a run over ranks; leave one of the two out, or run alone with --ranks 1",
			what)
	}
	return err
}
