package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"thermsim/gpusolve/ranks"
)

// visit is the other ranks' side of the rendezvous.
func (c *Config) visit(ctx context.Context) ([]*peer, error) {
	host, _, _ := net.SplitHostPort(c.Rendezvous) // check looked at it
	zero, err := c.dialZero(ctx)
	if err != nil {
		return nil, err
	}
	// Only now: a port that the system chooses while nobody is at the rendezvous may be that of the rendezvous.
	own := ":0"
	if OnThisMachine(host) {
		own = net.JoinHostPort(host, "0")
	}
	listener, err := net.Listen("tcp", own)
	if err != nil {
		zero.Close()
		f := c.own("cannot listen for other ranks: %v", err)
		f.Lost = true // the others will miss it, and not know why
		return nil, f
	}
	defer listener.Close()
	m := &meshing{Config: c, listener: listener, zero: zero, peers: make([]*peer, c.Ranks)}
	stop := context.AfterFunc(ctx, func() { _ = zero.SetDeadline(time.Now()) })
	f := m.introduce(host)
	if f == nil {
		f = m.connect(ctx, host)
	}
	if !stop() && c.Problem == nil {
		f = c.stopped(ctx)
		if m.table.Token == "" && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			f = &ranks.Failure{Host: host,
				Reason: fmt.Sprintf("said nothing at %s; is it a rank of thermsim that listens there?", c.Rendezvous),
				Status: 1, Lost: true}
		}
	}
	if f != nil {
		m.withdraw(f)
		return nil, f
	}
	return m.peers, nil
}

// withdraw gives up what was connected. Those that have begun already, as rank 0 told them to, hear why.
func (m *meshing) withdraw(f *ranks.Failure) {
	m.zero.Close()
	for _, p := range present(m.peers) {
		if p.rank != 0 {
			p.dismiss(failed, encodeFailure(f))
			p.conn.Close()
		}
	}
}

// problem is the failure of a rank that cannot take part.
func problem(c *Config) *ranks.Failure {
	f := c.own("failed: %v", c.Problem)
	var status interface{ ExitStatus() int }
	if errors.As(c.Problem, &status) {
		f.Status = status.ExitStatus()
	}
	return f
}

// dialZero connects to rank 0, which may start later than this rank, on a machine whose name is not known yet.
func (c *Config) dialZero(ctx context.Context) (net.Conn, error) {
	const pause = 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	var d net.Dialer
	var why error // what the last attempt ended with that the time did not cut off, if there was one
	for {
		attempt, stop := context.WithTimeout(ctx, introduction)
		conn, err := d.DialContext(attempt, "tcp", c.Rendezvous)
		stop()
		if err == nil {
			return c.wrap(conn), nil
		}
		if late, ok := errors.AsType[net.Error](err); why == nil || !ok || !late.Timeout() {
			why = err
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return nil, c.stopped(ctx)
			}
			return nil,
				&ranks.Failure{Reason: fmt.Sprintf("was not found at %s within %v: %v", c.Rendezvous, c.Wait,
					cause(why)), Status: 1, Lost: true}
		case <-time.After(pause):
		}
	}
}

// introduce says who this rank is, and hears where the others are.
func (m *meshing) introduce(rendezvous string) *ranks.Failure {
	h := hello{Protocol: Protocol, Rank: m.Rank, Ranks: m.Ranks, Host: m.Host,
		Port: m.listener.Addr().(*net.TCPAddr).Port, Facts: m.Facts}
	if m.Problem != nil {
		h.Problem = problem(m.Config)
	}
	err := say(m.zero, h)
	if err == nil {
		err = hearLine(m.zero, &m.table)
	}
	switch {
	case m.table.Failure != nil:
		return m.table.Failure
	case m.Problem != nil:
		return h.Problem
	case err != nil:
		return &ranks.Failure{Host: rendezvous, Reason: "is gone before all ranks were there: " + lossText(err),
			Status: 1, Lost: true}
	case len(m.table.Entries) != m.Ranks:
		return &ranks.Failure{Host: m.table.Host,
			Reason: fmt.Sprintf("told of %d ranks where there are %d", len(m.table.Entries), m.Ranks), Status: 1,
			Lost: true}
	}
	m.peers[0] = newPeer(0, m.table.Host, m.zero)
	return nil
}
