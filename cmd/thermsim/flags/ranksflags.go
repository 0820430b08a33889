package flags

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/tcp"
	"thermsim/internal/launcher"
)

// Ranks are the flags of runs over several ranks.
type Ranks struct {
	count      int
	rank       *int
	rendezvous string
	insecure   bool         // a network that is not this machine's own may be used
	Wait       float64      // s; 0 means the default
	Facts      []ranks.Fact // of the command, which all ranks must have in common
}

func (o *Ranks) Add(f *pflag.FlagSet) {
	CountVar(f, &o.count, "ranks", "split the grid over N ranks: all in this process, or one process each")
	Var(f, &o.rank, "rank", "R", "rank of this process, from 0, if no launcher sets it",
		func(text string) (*int, error) {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return nil, errors.New("give a whole number from 0 to one less than there are ranks")
			}
			return &n, nil
		})
	f.StringVar(&o.rendezvous, "rendezvous", "", "where the processes of a run connect: `HOST:PORT` of rank 0")
	f.BoolVar(&o.insecure, "insecure-network", false, "let ranks connect over a network where everyone is trusted")
	Duration.Var(f, &o.Wait, "ranks-wait", "how long ranks wait for each other at the start (default 60 s)")
}

// Plan is what part of a run this process does.
func (o *Ranks) Plan(d *Devices) (launcher.Plan, error) {
	request := launcher.Request{Ranks: o.count, Rank: -1, Rendezvous: o.rendezvous}
	if o.rank != nil {
		request.Rank = *o.rank
	}
	p, err := launcher.Machine{Getenv: os.Getenv, Read: os.ReadFile, Parent: os.Getppid()}.Plan(request)
	if err != nil {
		return p, exit.Usagef("%w", err)
	}
	if host, _, _ := net.SplitHostPort(p.Rendezvous); !p.Together() && !o.insecure && !tcp.OnThisMachine(host) {
		return p, exit.Usagef("the ranks would meet at %s, over a network where others can read along or pose as a "+
			"rank; where you trust all who reach it, allow that with --insecure-network", p.Rendezvous)
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
