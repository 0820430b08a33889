package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/tcp"
	"thermsim/internal/launcher"
)

// ranksOptions are the flags of runs over several ranks.
type ranksOptions struct {
	count      count
	rank       rankNumber
	rendezvous string
	insecure   bool // a network that is not this machine's own may be used
	wait       quantity
	facts      []ranks.Fact // of the command, which all ranks must have in common
}

func newRanksOptions() ranksOptions { return ranksOptions{wait: duration()} }

func (o *ranksOptions) addFlags(f *pflag.FlagSet) {
	f.Var(&o.count, "ranks", "split the grid over N ranks: all in this process, or one process each")
	f.Var(&o.rank, "rank", "which rank this process is, from 0, where no launcher tells")
	f.StringVar(&o.rendezvous, "rendezvous", "", "where the processes of a run meet: `HOST:PORT` of rank 0")
	f.BoolVar(&o.insecure, "insecure-network", false, "let ranks meet over a network where all are trusted")
	f.Var(&o.wait, "ranks-wait", "how long ranks wait for each other at the start (default 60 s)")
}

// plan is what part of a run this process does.
func (o *ranksOptions) plan(d *deviceList) (launcher.Plan, error) {
	wishes := launcher.Wishes{Ranks: int(o.count), Rank: -1, Rendezvous: o.rendezvous}
	if o.rank.given {
		wishes.Rank = o.rank.n
	}
	p, err := launcher.Machine{Getenv: os.Getenv, Read: os.ReadFile, Parent: os.Getppid()}.Plan(wishes)
	if err != nil {
		return p, usagef("%w", err)
	}
	if host, _, _ := net.SplitHostPort(p.Rendezvous); !p.Together() && !o.insecure && !tcp.OnThisMachine(host) {
		return p, usagef("the ranks would meet at %s, over a network where others can read along or pose as a rank; "+
			"where you trust all who reach it, allow that with --insecure-network", p.Rendezvous)
	}
	if o.count == 0 && p.Together() && p.Ranks == 1 && d.several() {
		gpus, err := d.gpus(device.List)
		if err != nil {
			return p, err
		}
		p.Ranks = len(gpus)
	}
	return p, nil
}

// rankNumber is --rank.
type rankNumber struct {
	n     int
	given bool
}

func (r *rankNumber) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("give a whole number from 0 to one less than there are ranks")
	}
	r.n, r.given = n, true
	return nil
}

func (r *rankNumber) String() string {
	if !r.given {
		return ""
	}
	return strconv.Itoa(r.n)
}

func (r *rankNumber) Type() string { return "R" }

// deviceList is --device of commands that can use several.
type deviceList struct {
	deviceName
	list []int // of GPUs
	all  bool
}

const severalDevices = "gpu:all"

func (d *deviceList) Set(text string) error {
	numbers, numbered := strings.CutPrefix(text, "gpu:")
	switch {
	case text == severalDevices:
		*d = deviceList{deviceName: deviceName(text), all: true}
		return nil
	case !numbered || !strings.Contains(numbers, ","):
		*d = deviceList{}
		if err := d.deviceName.Set(text); err != nil {
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
	*d = deviceList{deviceName: deviceName(text), list: list}
	return nil
}

func (d *deviceList) several() bool { return d.all || len(d.list) > 0 }

// gpus are the numbers of those that are meant, where several are.
func (d *deviceList) gpus(list func() ([]device.GPU, error)) ([]int, error) {
	if !d.all {
		return d.list, nil
	}
	found, err := usableGPUs(list)
	if err != nil {
		return nil, fmt.Errorf("%w: %s was asked for: %w", gpusolve.ErrDevice, d.deviceName, err)
	}
	return found, nil
}

// usableGPUs are the numbers of the GPUs that the kernels are compiled for.
func usableGPUs(list func() ([]device.GPU, error)) ([]int, error) {
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

// refuse is the refusal of a run over ranks by what does not go with it.
func (o *ranksOptions) refuse(d *deviceList, what string) error {
	p, err := o.plan(d)
	if err == nil && p.Ranks > 1 {
		err = usagef("%s does not go with a run over ranks; leave one of the two out, or run alone with --ranks 1",
			what)
	}
	return err
}
