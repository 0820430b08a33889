package tcp

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"thermsim/gpusolve/ranks"
)

// A handshake is lines of JSON with their length before them, after eight bytes that no other program begins with.
//
//	a rank to rank 0        hello
//	rank 0 to a rank        table, or why there will be no group
//	a rank to lower ranks   greeting
//	a rank to rank 0        ready, or why it is not
//	rank 0 to a rank        ready.
//
// The first two keep their form for ever, so that versions which differ can say so.
type hello struct {
	Protocol int            `json:"protocol"`
	Rank     int            `json:"rank"`
	Ranks    int            `json:"ranks"`
	Host     string         `json:"host"`
	Port     int            `json:"port"` // where the rank listens for higher ones
	Facts    []ranks.Fact   `json:"facts"`
	Problem  *ranks.Failure `json:"problem,omitempty"`
}

// table lists how to reach the other ranks.
type table struct {
	Failure *ranks.Failure `json:"failure,omitempty"`
	Token   string         `json:"token"` // of this group
	Host    string         `json:"host"`  // of rank 0
	Entries []entry        `json:"entries"`
}

// entry is a rank in a table. Address has no host where the rank runs on the machine of rank 0, which everybody reaches
// by the same name.
type entry struct {
	Host    string `json:"host"`
	Address string `json:"address"`
}

type greeting struct {
	Token string `json:"token"`
	Rank  int    `json:"rank"`
}

type ready struct {
	Failure *ranks.Failure `json:"failure,omitempty"`
}

var magic = [8]byte{'t', 'h', 'r', 'm', 'r', 'a', 'n', 'k'}

// longestLine bounds what a stranger can make a rank hold.
const longestLine = 16 << 20

var errStranger = errors.New("this is no rank of thermsim")

func say(w io.Writer, line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if len(text) > longestLine {
		return fmt.Errorf("%d bytes are too many for a handshake", len(text))
	}
	out := append([]byte(nil), magic[:]...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	_, err = w.Write(append(out, text...))
	return err
}

func hearLine(r io.Reader, line any) error {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	length := binary.LittleEndian.Uint32(head[8:])
	if [8]byte(head[:8]) != magic || length > longestLine {
		return errStranger
	}
	text, err := io.ReadAll(io.LimitReader(r, int64(length))) // which holds what came, not what was promised
	if err != nil {
		return err
	}
	if len(text) < int(length) {
		return io.ErrUnexpectedEOF
	}
	if json.Unmarshal(text, line) != nil {
		return errStranger
	}
	return nil
}

// refusal is why a rank cannot be taken, nil where it can.
func (c *Config) refusal(h *hello) *ranks.Failure {
	f := &ranks.Failure{Rank: h.Rank, Host: h.Host, Status: 2}
	switch {
	case h.Problem != nil:
		return h.Problem
	case h.Protocol != Protocol:
		f.Reason = fmt.Sprintf("was refused: it is of another version, whose protocol is %d; that of rank 0 is %d",
			h.Protocol, Protocol)
	case h.Ranks != c.Ranks:
		f.Reason = fmt.Sprintf("was refused: it was started with %d ranks, rank 0 with %d", h.Ranks, c.Ranks)
	case h.Rank < 1 || h.Rank >= c.Ranks:
		f.Reason = fmt.Sprintf("was refused: the ranks are numbered 0 to %d", c.Ranks-1)
	default:
		if difference := ranks.Difference(c.Facts, h.Facts); difference != "" {
			f.Reason = "was refused: " + difference
			return f
		}
		return nil
	}
	return f
}

// isLoopback says whether a peer's address is of the same machine.
func isLoopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// hostOf is the host of an address without its port.
func hostOf(a net.Addr) string {
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return host
}

// Protocol is the number of what ranks say to each other. It grows with every change of it.
const Protocol = 1

// DefaultWait is how long ranks wait for each other at the start.
const DefaultWait = time.Minute

// Config is what a rank brings to the rendezvous.
type Config struct {
	Rank, Ranks int
	Rendezvous  string        // HOST:PORT, where rank 0 listens
	Wait        time.Duration // how long to wait for the others to appear; 0 means DefaultWait
	Host        string        // what messages call the machine of this rank
	Facts       []ranks.Fact  // what all ranks must have in common
	// Problem is why this rank cannot take part, nil where it can. It joins the rendezvous nevertheless, so that all
	// ranks learn the reason.
	Problem error

	wrap func(net.Conn) net.Conn // by tests; nil otherwise
}

// check refuses what no rendezvous can come of.
func (c *Config) check() error {
	if c.Ranks < 1 || c.Rank < 0 || c.Rank >= c.Ranks {
		return fmt.Errorf("rank %d of %d: ranks are numbered from 0 to one less than there are", c.Rank, c.Ranks)
	}
	if host, port, err := net.SplitHostPort(c.Rendezvous); err != nil || host == "" || port == "" {
		return fmt.Errorf("%q is not a rendezvous address; write HOST:PORT", c.Rendezvous)
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
