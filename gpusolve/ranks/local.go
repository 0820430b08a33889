package ranks

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Local makes a group of n ranks in this process: one Group for each, in the order of their numbers, for a goroutine of
// its own.
func Local(n int) []Group {
	h := &hub{failed: make(chan struct{}), queues: make([][]*queue, n)}
	if runtime.GOMAXPROCS(0) > n { // a core for each rank, and another
		h.looks = mostLooks
	}
	groups := make([]Group, n)
	for to := range n {
		h.queues[to] = make([]*queue, n*numKinds)
		for q := range h.queues[to] {
			h.queues[to][q] = &queue{ready: make(chan struct{}, 1)}
		}
		groups[to] = &local{hub: h, rank: to, size: n}
	}
	return groups
}

// Kinds of messages, each with a separate queue for every sender.
const (
	direct = iota
	gathered
	neighbour
	numKinds
)

// mostLooks is how often a rank looks for a message before it sleeps, some 30 us: the sums of an iteration arrive
// sooner, and a thread that sleeps takes as long to wake. Where ranks may have no core for each, they sleep at once.
const mostLooks = 20_000

// hub is what the ranks of a process share.
type hub struct {
	looks  int
	queues [][]*queue // by receiver, then by sender and kind
	once   sync.Once
	failed chan struct{}
	why    *Failure
}

// queue holds the messages of one kind from one rank to another.
type queue struct {
	mu    sync.Mutex
	list  [][]byte
	count atomic.Int32  // of list
	ready chan struct{} // has a token where list may not be empty
}

// local is a rank's view of them.
type local struct {
	*hub
	rank, size int
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return l.size }

// InProcess is the number of ranks in this process: all.
func (l *local) InProcess() int { return l.size }

// Failed is closed when the group has failed.
func (l *local) Failed() <-chan struct{} { return l.failed }

// put leaves a message, which becomes the receiver's.
func (l *local) put(to, kind int, data []byte) error {
	if to < 0 || to >= l.size {
		return fmt.Errorf("there is no rank %d; there are %d ranks, numbered from 0", to, l.size)
	}
	if l.hasFailed() {
		return l.why
	}
	l.leave(to, kind, data)
	return nil
}

func (l *local) hasFailed() bool {
	select {
	case <-l.failed:
		return true
	default:
		return false
	}
}

func (l *local) leave(to, kind int, data []byte) {
	q := l.queues[to][l.rank*numKinds+kind]
	q.mu.Lock()
	q.list = append(q.list, data)
	q.count.Add(1)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// take waits for the next message.
func (l *local) take(from, kind int) ([]byte, error) {
	if from < 0 || from >= l.size {
		return nil, fmt.Errorf("there is no rank %d; there are %d ranks, numbered from 0", from, l.size)
	}
	q := l.queues[l.rank][from*numKinds+kind]
	for {
		for n := 0; n < l.looks && q.count.Load() == 0; n++ {
		}
		failed := l.hasFailed() // before the look at the list: a rank may leave a message and then fail
		q.mu.Lock()
		if len(q.list) > 0 {
			data := q.list[0]
			q.list = q.list[1:]
			q.count.Add(-1)
			q.mu.Unlock()
			return data, nil
		}
		q.mu.Unlock()
		if failed {
			return nil, l.why
		}
		select {
		case <-q.ready:
		case <-l.failed:
		}
	}
}

func (l *local) Gather(mine []byte) ([][]byte, error) {
	if l.hasFailed() {
		return nil, l.why
	}
	for to := range l.size { // also if one of them, which has all it needs, fails meanwhile
		l.leave(to, gathered, slices.Clone(mine))
	}
	all := make([][]byte, l.size)
	for from := range all {
		var err error
		if all[from], err = l.take(from, gathered); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (l *local) Exchange(toBelow, toAbove, fromBelow, fromAbove []byte) error {
	below, above := l.rank-1, l.rank+1
	if below >= 0 {
		if err := l.put(below, neighbour, slices.Clone(toBelow)); err != nil {
			return err
		}
	}
	if above < l.size {
		if err := l.put(above, neighbour, slices.Clone(toAbove)); err != nil {
			return err
		}
	}
	if below >= 0 {
		if err := l.fill(below, fromBelow); err != nil {
			return err
		}
	}
	if above < l.size {
		return l.fill(above, fromAbove)
	}
	return nil
}

// fill takes a neighbour's part of an exchange.
func (l *local) fill(from int, dst []byte) error {
	data, err := l.take(from, neighbour)
	if err != nil {
		return err
	}
	if len(data) != len(dst) {
		return fmt.Errorf("rank %d sent %d bytes where rank %d expects %d", from, len(data), l.rank, len(dst))
	}
	copy(dst, data)
	return nil
}

func (l *local) Send(to int, data []byte) error { return l.put(to, direct, slices.Clone(data)) }

func (l *local) Receive(from int) ([]byte, error) { return l.take(from, direct) }

// Fail ends the group. A failure that another rank has reported keeps its name.
func (l *local) Fail(reason error) {
	l.once.Do(func() {
		if !errors.As(reason, &l.why) {
			l.why = &Failure{Rank: l.rank, Reason: "failed: " + reason.Error()}
			if s, ok := reason.(interface{ ExitStatus() int }); ok {
				l.why.Status = s.ExitStatus()
			}
		}
		close(l.failed)
	})
}

// Close has nothing to give back that the collector would not take.
func (l *local) Close() error { return nil }
