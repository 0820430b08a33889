package tcp

import (
	"context"
	"net"
	"time"

	"thermsim/gpusolve/ranks"
)

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
			word.Failure = &ranks.Failure{Host: m.table.Host, Reason: "is gone before all ranks were connected: " +
				lossText(err), Status: 1, Lost: true}
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
