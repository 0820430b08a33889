package tcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"thermsim/gpusolve/ranks"
)

// settling is how long a rank that is gone without a word waits for the word of others. A rank that ends because
// another one ended reports which one that was, but the reset of its connection may overtake it.
const settling = 200 * time.Millisecond

// farewell is how long the news of a failure may take to be sent, and a rank that leaves waits for the others to.
const farewell = time.Second

// Fail ends the group with this rank's own reason.
func (g *group) Fail(reason error) {
	f := &ranks.Failure{Rank: g.rank, Host: g.host, Reason: "failed: " + reason.Error()}
	var own *ranks.Failure
	var status interface{ ExitStatus() int }
	switch {
	case errors.As(reason, &own):
		f = own
	case errors.As(reason, &status):
		f.Status = status.ExitStatus()
	}
	g.end(f)
}

// lose notes that a peer is gone. What others say of the reason comes first.
func (g *group) lose(p *peer, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failure != nil || g.left {
		return
	}
	if g.suspect = append(g.suspect, gone(p.rank, p.host, err)); len(g.suspect) > 1 {
		return
	}
	time.AfterFunc(settling, func() {
		g.mu.Lock()
		worst := together(g.suspect)
		g.mu.Unlock()
		g.end(worst)
	})
}

// lost is the failure of a rank that others noticed.
func lost(rank int, host, format string, args ...any) *ranks.Failure {
	return &ranks.Failure{Rank: rank, Host: host, Reason: fmt.Sprintf(format, args...), Status: 1, Lost: true}
}

// gone is that of a rank whose connection failed.
func gone(rank int, host string, err error) *ranks.Failure {
	return lost(rank, host, "is gone: %s", lossText(err))
}

// together is one failure for ranks that went without a word.
func together(list []*ranks.Failure) *ranks.Failure {
	f := *list[0]
	seen := []int{f.Rank}
	for _, other := range list[1:] {
		if !slices.Contains(seen, other.Rank) {
			seen = append(seen, other.Rank)
		}
	}
	f.Reason += furtherRanks(seen[1:], "; so is rank ", "; so are ranks ")
	return &f
}

// furtherRanks lists the ranks that a failure is about too.
func furtherRanks(list []int, one, several string) string {
	if len(list) == 0 {
		return ""
	}
	if len(list) > 1 {
		one = several
	}
	return one + strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ", ")
}

// lossText is what an error of a connection means.
func lossText(err error) string {
	var damage net.Error
	switch {
	case errors.Is(err, errSilent):
		return fmt.Sprintf("nothing came from it for %v", Silence)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return "its connection broke"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "it takes no data"
	case errors.As(err, &damage):
		return "its connection broke: " + err.Error()
	}
	return err.Error()
}

// end ends the group, once. The news goes to all but those that are gone; news from others too, because a rank may have
// lost the one that it is about.
func (g *group) end(f *ranks.Failure) {
	g.ended.Do(func() {
		g.mu.Lock()
		g.failure = f
		g.mu.Unlock()
		close(g.done)
		close(g.failing)
		text := encodeFailure(f)
		for _, p := range g.others() {
			g.running.Go(func() { p.dismiss(failed, text) })
		}
	})
}

// dismiss sends the last frame to a peer, without waiting long.
func (p *peer) dismiss(k kind, payload []byte) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(farewell)) // a connection that takes no deadline is broken
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.write(k, payload) != nil {
		return
	}
	if half, ok := p.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // then the peer reads the end a moment later
	}
}

// cause is the last part of an error of the network, without addresses that the message has already.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

func encodeFailure(f *ranks.Failure) []byte {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // numbers and texts
	}
	return text
}

// decodeFailure reads the news that a peer sent.
func decodeFailure(text []byte, from *peer) *ranks.Failure {
	f := new(ranks.Failure)
	if json.Unmarshal(text, f) != nil {
		return &ranks.Failure{Rank: from.rank, Host: from.host, Reason: "failed"}
	}
	return f
}
