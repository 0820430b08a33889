package launcher

import (
	"errors"
	"fmt"
	"net"
	"strconv"
)

// Wishes are what the user says of ranks.
type Wishes struct {
	Ranks      int    // 0 where nothing is said
	Rank       int    // -1 where nothing is said
	Rendezvous string // HOST:PORT; "" where nothing is said
}

// Plan is what part of a run this process does.
type Plan struct {
	Ranks      int    // 1: the run is done alone
	Rank       int    // of this process; 0 where all ranks run in it
	Rendezvous string // where processes meet; "" where all ranks run in this one
	// number of this process among those of the run on the same machine; -1 where there are several processes and
	// nothing tells
	Local    int
	Launcher string // who told it; "" where the user did
}

// Together says that all ranks run in this process.
func (p Plan) Together() bool { return p.Rendezvous == "" }

// mostRanks is the largest number of ranks, as many as the finest grid has rows; mostTogether that of ranks in one
// process.
const mostRanks, mostTogether = 100_000, 1000

// Plan makes a plan of what the user wishes and what a launcher tells. Ranks meet only if there are several processes
// that were started together.
func (m Machine) Plan(w Wishes) (Plan, error) {
	p, err := m.plan(w)
	switch {
	case err != nil:
	case p.Together() && p.Ranks > mostTogether:
		err = fmt.Errorf("%d ranks are more than %d, the most that one process holds; take one for each GPU or NUMA "+
			"node, or start several processes", p.Ranks, mostTogether)
	case p.Ranks > mostRanks:
		err = fmt.Errorf("%d ranks are more than %d, the most that a grid has rows for; give each a part that is "+
			"worth its while", p.Ranks, mostRanks)
	}
	return p, err
}

func (m Machine) plan(w Wishes) (Plan, error) {
	if w.Ranks == 1 && w.Rank <= 0 {
		return Plan{Ranks: 1}, nil
	}
	t, err := m.task()
	if err != nil {
		return Plan{}, fmt.Errorf("%w; --ranks 1 runs alone", err)
	}
	if w.Rank >= 0 || w.Rendezvous != "" {
		return w.explicit(t)
	}
	if t == nil || t.count <= 1 {
		return Plan{Ranks: max(1, w.Ranks)}, nil
	}
	if w.Ranks > 1 && w.Ranks != t.count {
		return Plan{}, fmt.Errorf("--ranks %d: %s started %d tasks, and each is a rank; leave --ranks out, or run "+
			"alone with --ranks 1", w.Ranks, t.launcher, t.count)
	}
	return t.plan()
}

// plan of a task, where nothing is said by the user.
func (t *task) plan() (Plan, error) {
	if t.host == "" || t.key == "" {
		return Plan{}, fmt.Errorf("%s started %d tasks and does not tell where rank 0 runs; say so with --rendezvous "+
			"HOST:PORT, or run alone with --ranks 1", t.launcher, t.count)
	}
	return Plan{t.count, t.rank, net.JoinHostPort(t.host, strconv.Itoa(port(t.key))), t.local, t.launcher}, nil
}

// explicit is the plan of a user who says where ranks meet, or which this one is.
func (w Wishes) explicit(t *task) (Plan, error) {
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
		return p, errors.New("how many ranks are there? Say so with --ranks N")
	}
	if p.Rank < 0 {
		return p, errors.New("which rank is this? Say so with --rank R, from 0")
	}
	if p.Rank >= p.Ranks {
		return p, fmt.Errorf("there is no rank %d of %d: ranks are numbered from 0", p.Rank, p.Ranks)
	}
	if p.Ranks == 1 {
		return Plan{Ranks: 1}, nil
	}
	if p.Rendezvous == "" {
		if t.host == "" || t.key == "" {
			return p, errors.New("where do the ranks meet? Say so with --rendezvous HOST:PORT, the machine of rank 0 " +
				"and a port that is free there")
		}
		p.Rendezvous = net.JoinHostPort(t.host, strconv.Itoa(port(t.key)))
	}
	return p, checkPlace(p.Rendezvous)
}

func checkPlace(place string) error {
	host, text, err := net.SplitHostPort(place)
	n, bad := strconv.Atoi(text)
	if err != nil || host == "" || bad != nil || n < 1 || n > 65535 {
		return fmt.Errorf("--rendezvous %s: write HOST:PORT, the machine of rank 0 and a port that is free there",
			place)
	}
	return nil
}
