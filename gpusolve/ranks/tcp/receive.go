package tcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"thermsim/gpusolve/ranks"
)

// introduction is how long a connecting program may take to identify itself.
const introduction = 5 * time.Second

// reception is rank 0's side of the rendezvous.
type reception struct {
	*Config
	listener net.Listener
	events   chan event
	done     chan struct{} // closed when events are no longer received
	visitors []*visitor
	ranked   []*visitor // those that were taken, by rank
	tired    bool       // of waiting for those that are not there
}

type visitor struct {
	hello hello
	conn  net.Conn
	over  bool // nothing more is heard of it: it is ready, or gone
}

// event is that a rank came, is ready, or is gone.
type event struct {
	from  *visitor
	ready *ready
	err   error
}

// receiveAll waits at the rendezvous until all ranks are connected.
func (c *Config) receiveAll(ctx context.Context) ([]*peer, error) {
	listener, err := net.Listen("tcp", listenAddress(c.Rendezvous))
	if err != nil {
		return nil, c.own("cannot wait at %s: %v; name another port with --rendezvous", c.Rendezvous, cause(err))
	}
	r := &reception{Config: c, listener: listener, events: make(chan event), done: make(chan struct{}),
		ranked: make([]*visitor, c.Ranks)}
	defer close(r.done)
	defer listener.Close()
	go r.accept()
	if f := r.assemble(ctx); f != nil {
		r.tellAll(f)
		return nil, f
	}
	peers := make([]*peer, c.Ranks)
	for i, v := range r.ranked[1:] {
		_ = say(v.conn, ready{}) // a rank that is gone by now is missed by all that are not
		peers[i+1] = newPeer(v.hello.Rank, v.hello.Host, v.conn)
	}
	return peers, nil
}

// listenAddress is where rank 0 listens: on all interfaces, because its name may resolve to one that other machines do
// not reach. A loopback address is used alone.
func listenAddress(rendezvous string) string {
	host, port, _ := net.SplitHostPort(rendezvous) // check looked at it
	if OnThisMachine(host) {
		return rendezvous
	}
	return ":" + port
}

// OnThisMachine says whether only this machine reaches a host.
func OnThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (r *reception) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.attend(&visitor{conn: r.wrap(conn)})
	}
}

// attend hears what a visitor says. Strangers are sent away without a word: the port is open to all.
func (r *reception) attend(v *visitor) {
	_ = v.conn.SetReadDeadline(time.Now().Add(introduction))
	if err := hearLine(v.conn, &v.hello); err != nil {
		v.conn.Close()
		return
	}
	_ = v.conn.SetReadDeadline(time.Time{})
	if !r.happens(event{from: v}) {
		v.conn.Close()
		return
	}
	var word ready
	err := hearLine(v.conn, &word)
	r.happens(event{from: v, ready: &word, err: err})
}

func (r *reception) happens(e event) bool {
	select {
	case r.events <- e:
		return true
	case <-r.done:
		return false
	}
}

// assemble brings all ranks to where they are connected to each other.
func (r *reception) assemble(ctx context.Context) *ranks.Failure {
	if r.Problem != nil {
		return problem(r.Config)
	}
	missing := time.NewTimer(r.Wait)
	defer missing.Stop()
	ready := 0
	for ready < r.Ranks-1 {
		select {
		case e := <-r.events:
			f := r.note(e)
			if f != nil {
				return f
			}
			if e.ready != nil {
				ready++
			}
		case <-missing.C:
			if len(r.visitors) < r.Ranks-1 {
				return r.absent()
			}
		case <-ctx.Done():
			r.tired = true
			return r.stopped(ctx)
		}
	}
	return nil
}

// stopped is the failure of a rank that was interrupted, or whose time is over.
func (c *Config) stopped(ctx context.Context) *ranks.Failure {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return c.own("failed: the ranks could not connect to each other within %v", c.Wait+slack)
	}
	f := c.own("was interrupted")
	f.Status = 130
	return f
}

// note takes in an event; a failure ends the group before it begins.
func (r *reception) note(e event) *ranks.Failure {
	v := e.from
	switch {
	case e.err != nil:
		v.over = true
		return gone(v.hello.Rank, v.hello.Host, e.err)
	case e.ready != nil:
		v.over = true
		return e.ready.Failure
	}
	r.visitors = append(r.visitors, v)
	if f := r.refusal(&v.hello); f != nil {
		return f
	}
	if other := r.ranked[v.hello.Rank]; other != nil {
		return &ranks.Failure{Rank: v.hello.Rank, Host: v.hello.Host, Status: 2,
			Reason: fmt.Sprintf("was refused: there is a rank %d already, on %s", v.hello.Rank, other.hello.Host)}
	}
	r.ranked[v.hello.Rank] = v
	if len(r.visitors) == r.Ranks-1 {
		return r.introduce()
	}
	return nil
}

// introduce sends all ranks the addresses of the others.
func (r *reception) introduce() *ranks.Failure {
	t := table{Token: rand.Text(), Host: r.Host, Entries: make([]entry, r.Ranks)}
	for i, v := range r.ranked[1:] {
		address := net.JoinHostPort(hostOf(v.conn.RemoteAddr()), strconv.Itoa(v.hello.Port))
		if isLoopback(v.conn.RemoteAddr()) {
			address = net.JoinHostPort("", strconv.Itoa(v.hello.Port))
		}
		t.Entries[i+1] = entry{v.hello.Host, address}
	}
	for _, v := range r.ranked[1:] {
		if err := say(v.conn, t); err != nil {
			return gone(v.hello.Rank, v.hello.Host, err)
		}
	}
	return nil
}

// latecomers is how long a failure is reported to ranks that come late.
const latecomers = 3 * time.Second

// absent names the ranks that did not come.
func (r *reception) absent() *ranks.Failure {
	r.tired = true
	var list []int
	for rank := 1; rank < r.Ranks; rank++ {
		if r.ranked[rank] == nil {
			list = append(list, rank)
		}
	}
	return lost(list[0], "", "did not appear at %s within %v%s", r.Rendezvous, r.Wait,
		furtherRanks(list[1:], ", nor did rank ", ", nor did ranks "))
}

// tellAll reports to the ranks that there will be no group: to those that are here, and for a while to those that come
// late.
func (r *reception) tellAll(f *ranks.Failure) {
	for _, v := range r.visitors {
		v.dismiss(f)
		defer v.conn.Close()
	}
	patience := latecomers
	late := r.Ranks - 1 - len(r.visitors)
	if r.tired {
		patience, late = farewell, 0
	}
	over := time.After(patience)
	for late > 0 || r.listening() {
		select {
		case e := <-r.events:
			if e.from.over = e.ready != nil || e.err != nil; e.from.over {
				continue
			}
			late--
			r.visitors = append(r.visitors, e.from)
			e.from.dismiss(f)
			defer e.from.conn.Close()
		case <-over:
			return
		}
	}
}

// dismiss reports to a visitor why there will be no group. The visitor reads the end of the connection after that, and
// leaves.
func (v *visitor) dismiss(f *ranks.Failure) {
	_ = v.conn.SetWriteDeadline(time.Now().Add(farewell))
	_ = say(v.conn, ready{f}) // best effort: it may have left
	if half, ok := v.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// listening says whether any of the visitors has not left yet.
func (r *reception) listening() bool {
	return slices.ContainsFunc(r.visitors, func(v *visitor) bool { return !v.over })
}
