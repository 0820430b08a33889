package tcp

import (
	"context"
	"fmt"
	"net"
	"time"

	"thermsim/gpusolve/ranks"
)

// Protocol is the number of what ranks say to each other. It grows with every change of it.
const Protocol = 1

// DefaultWait is how long ranks wait for each other at the start.
const DefaultWait = time.Minute

// Config is what a rank brings to the rendezvous.
type Config struct {
	Rank, Ranks int
	Rendezvous  string        // HOST:PORT, where rank 0 listens
	Wait        time.Duration // how long to wait for the others to appear; 0 stands for DefaultWait
	Host        string        // what messages call the machine of this rank
	Facts       []ranks.Fact  // what all ranks must have in common
	// Problem is why this rank cannot take part, nil where it can. It comes to the rendezvous all the same, so that all
	// are told.
	Problem error

	wrap func(net.Conn) net.Conn // by tests; nil otherwise
}

// check refuses what no rendezvous can come of.
func (c *Config) check() error {
	if c.Ranks < 1 || c.Rank < 0 || c.Rank >= c.Ranks {
		return fmt.Errorf("rank %d of %d: ranks are numbered from 0 to one less than there are", c.Rank, c.Ranks)
	}
	if host, port, err := net.SplitHostPort(c.Rendezvous); err != nil || host == "" || port == "" {
		return fmt.Errorf("%q is no place to meet; write HOST:PORT", c.Rendezvous)
	}
	return nil
}

// Join meets the other ranks and returns when all are connected to all. What it returns as an error is a
// *ranks.Failure, which the other ranks get too, as far as they can be reached.
func Join(ctx context.Context, c Config) (ranks.Group, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Wait <= 0 {
		c.Wait = DefaultWait
	}
	if c.wrap == nil {
		c.wrap = func(conn net.Conn) net.Conn { return conn }
	}
	ctx, cancel := context.WithTimeout(ctx, c.Wait+slack)
	defer cancel()
	peers, err := c.meet(ctx)
	if err != nil {
		return nil, err
	}
	return start(c.Rank, c.Host, peers), nil
}

// slack is what connecting may take after all have appeared.
const slack = 10 * time.Second

func (c *Config) meet(ctx context.Context) ([]*peer, error) {
	if c.Rank == 0 {
		return c.receiveAll(ctx)
	}
	return c.visit(ctx)
}

// own is a failure of this rank.
func (c *Config) own(format string, args ...any) *ranks.Failure {
	return &ranks.Failure{Rank: c.Rank, Host: c.Host, Reason: fmt.Sprintf(format, args...), Status: 1}
}
