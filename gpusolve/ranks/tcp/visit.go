package tcp

import (
	"context"
	"errors"
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
	// Only now: a port that the system chooses while no rank is at the rendezvous may be that of the rendezvous.
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
			f = lost(0, host, "said nothing at %s; is it a rank of thermsim that listens there?", c.Rendezvous)
		}
	}
	if f != nil {
		m.withdraw(f)
		return nil, f
	}
	return m.peers, nil
}

// withdraw gives up what was connected. Ranks that have begun already, on the word of rank 0, get the reason.
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
			return nil, lost(0, "", "was not found at %s within %v: %v", c.Rendezvous, c.Wait, cause(why))
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
		return lost(0, rendezvous, "is gone before all ranks were there: %s", lossText(err))
	case len(m.table.Entries) != m.Ranks:
		return lost(0, m.table.Host, "listed %d ranks where there are %d", len(m.table.Entries), m.Ranks)
	}
	m.peers[0] = newPeer(0, m.table.Host, m.zero)
	return nil
}

// meshing connects a rank to those besides rank 0.
type meshing struct {
	*Config
	table    table
	listener net.Listener
	zero     net.Conn
	peers    []*peer
}

// connect dials the lower ranks and waits for the higher ones, and ends when rank 0 says that all are ready, or why
// they will not be.
func (m *meshing) connect(ctx context.Context, rendezvous string) *ranks.Failure {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	verdict := make(chan *ranks.Failure, 1)
	go func() {
		var word ready
		if err := hearLine(m.zero, &word); err != nil {
			word.Failure = lost(0, m.table.Host, "is gone before all ranks were connected: %s", lossText(err))
		}
		verdict <- word.Failure
		if word.Failure != nil {
			cancel()
		}
	}()
	stop := context.AfterFunc(ctx, func() { m.listener.Close() })
	defer stop()
	f := m.dialLower(ctx, rendezvous)
	if f == nil {
		f = m.acceptHigher()
	}
	if ctx.Err() == nil { // else rank 0 has said why
		_ = say(m.zero, ready{f}) // if rank 0 is gone the verdict says so
	}
	return <-verdict
}

func (m *meshing) dialLower(ctx context.Context, rendezvous string) *ranks.Failure {
	var d net.Dialer
	for rank := 1; rank < m.Rank; rank++ {
		e := m.table.Entries[rank]
		address := e.Address
		if host, port, err := net.SplitHostPort(address); err == nil && host == "" {
			address = net.JoinHostPort(rendezvous, port)
		}
		attempt, stop := context.WithTimeout(ctx, introduction)
		conn, err := d.DialContext(attempt, "tcp", address)
		stop()
		if err == nil {
			conn = m.wrap(conn)
			err = say(conn, greeting{m.table.Token, m.Rank})
		}
		if err != nil {
			return m.own("cannot reach rank %d on %s at %s: %v", rank, e.Host, address, cause(err))
		}
		m.peers[rank] = newPeer(rank, e.Host, conn)
	}
	return nil
}

// acceptHigher waits for the ranks above. Others that connect are sent away.
func (m *meshing) acceptHigher() *ranks.Failure {
	type caller struct {
		rank int
		conn net.Conn
	}
	callers, done := make(chan caller), make(chan struct{})
	defer close(done)
	go func() {
		for {
			conn, err := m.listener.Accept()
			if err != nil {
				select {
				case callers <- caller{rank: -1}:
				case <-done:
				}
				return
			}
			conn = m.wrap(conn)
			go func() {
				var g greeting
				_ = conn.SetReadDeadline(time.Now().Add(introduction))
				if hearLine(conn, &g) != nil || g.Token != m.table.Token || g.Rank <= m.Rank || g.Rank >= m.Ranks {
					conn.Close()
					return
				}
				_ = conn.SetReadDeadline(time.Time{})
				select {
				case callers <- caller{g.Rank, conn}:
				case <-done:
					conn.Close()
				}
			}()
		}
	}()
	for missing := m.Ranks - 1 - m.Rank; missing > 0; {
		c := <-callers
		if c.rank < 0 {
			return m.own("was not reached by all ranks above it")
		}
		if m.peers[c.rank] == nil {
			missing--
		}
		m.peers[c.rank] = newPeer(c.rank, m.table.Entries[c.rank].Host, c.conn)
	}
	return nil
}
