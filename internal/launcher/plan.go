package launcher

import (
	"errors"
	"fmt"
	"net"
	"strconv"
)

// Request is the user's choice of ranks.
type Request struct {
	Ranks      int    // 0 if not given.
	Rank       int    // -1 if not given.
	Rendezvous string // address and port; "" if not given.
}

// Plan is the part of a run that this process does.
type Plan struct {
	Ranks      int    // 1: one process without communication.
	Rank       int    // of this process; 0 if all ranks run in it.
	Rendezvous string // where processes meet; "" if all ranks run in this one.
	// number of this process among those of the run on the same machine; -1 if there are several processes and it is
	// unknown.
	Local    int
	Launcher string // source of the plan; "" for the user.
}

// Together reports whether all ranks run in this process.
func (p Plan) Together() bool { return p.Rendezvous == "" }

// mostRanks is the largest number of ranks, the number of rows of the finest grid; mostTogether is the largest number
// in one process.
const mostRanks, mostTogether = 100_000, 1000

// Plan combines the user's request with the environment of the launcher. Ranks communicate only if several processes
// were started together.
func (m Machine) Plan(w Request) (Plan, error) {
	p, err := m.plan(w)
	switch {
	case err != nil:
	case p.Together() && p.Ranks > mostTogether:
		err = fmt.Errorf("%d ranks exceed the limit of %d in one process. Use one rank for each GPU or NUMA "+
			"node, or start several processes", p.Ranks, mostTogether)
	case p.Ranks > mostRanks:
		err = fmt.Errorf("%d ranks exceed the limit of %d, the number of rows of the finest grid. Use fewer, larger "+
			"parts", p.Ranks, mostRanks)
	}
	return p, err
}

func (m Machine) plan(w Request) (Plan, error) {
	if w.Ranks == 1 && w.Rank <= 0 {
		return Plan{Ranks: 1}, nil
	}
	t, err := m.task()
	if err != nil {
		return Plan{}, fmt.Errorf("%w; use --ranks 1 to run one process", err)
	}
	if w.Rank >= 0 || w.Rendezvous != "" {
		return w.explicit(t)
	}
	if t == nil || t.count <= 1 {
		return Plan{Ranks: max(1, w.Ranks)}, nil
	}
	if w.Ranks > 1 && w.Ranks != t.count {
		return Plan{}, fmt.Errorf("--ranks %d: %s started %d tasks, and each is a rank; remove --ranks, or run "+
			"one process with --ranks 1", w.Ranks, t.launcher, t.count)
	}
	return t.plan()
}

// plan is that of a task if the user gave no options.
func (t *task) plan() (Plan, error) {
	if t.host == "" || t.key == "" {
		return Plan{}, fmt.Errorf("%s started %d tasks but does not report the host of rank 0. Fix: give it with "+
			"--rendezvous HOST:PORT, or run one process with --ranks 1", t.launcher, t.count)
	}
	return Plan{t.count, t.rank, net.JoinHostPort(t.host, strconv.Itoa(port(t.key))), t.local, t.launcher}, nil
}

// explicit is the plan of a user who gives the rank or the rendezvous.
func (w Request) explicit(t *task) (Plan, error) {
	if t == nil {
		t = &task{rank: -1, local: -1}
	}
	p := Plan{Ranks: w.Ranks, Rank: w.Rank, Rendezvous: w.Rendezvous, Local: t.local}
	if p.Ranks == 0 {
		p.Ranks = t.count
	}
	if p.Rank < 0 {
		p.Rank, p.Launcher = t.rank, t.launcher
	}
	if p.Ranks == 0 {
		return p, errors.New("the number of ranks is unknown; give it with --ranks N")
	}
	if p.Rank < 0 {
		return p, errors.New("the rank of this process is unknown; give it with --rank R, from 0")
	}
	if p.Rank >= p.Ranks {
		return p, fmt.Errorf("--rank %d is out of range: %d ranks are numbered from 0", p.Rank, p.Ranks)
	}
	if p.Ranks == 1 {
		return Plan{Ranks: 1}, nil
	}
	if p.Rendezvous == "" {
		if t.host == "" || t.key == "" {
			return p, errors.New("the rendezvous is unknown; give it with --rendezvous HOST:PORT, the machine of " +
				"rank 0 and a free port there")
		}
		p.Rendezvous = net.JoinHostPort(t.host, strconv.Itoa(port(t.key)))
	}
	return p, checkAddress(p.Rendezvous)
}

func checkAddress(address string) error {
	host, text, err := net.SplitHostPort(address)
	n, bad := strconv.Atoi(text)
	if err != nil || host == "" || bad != nil || n < 1 || n > 65535 {
		return fmt.Errorf("--rendezvous %s: expected HOST:PORT, the machine of rank 0 and a free port there",
			address)
	}
	return nil
}
