package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// Listen opens the socket that an address names: unix:PATH, or HOST:PORT with a host of this machine unless remote is
// allowed.
func Listen(address string, remote bool) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenUnix(path)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &AddressError{fmt.Errorf("%s is no address to listen on: give unix:PATH or HOST:PORT", address)}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !remote && !isLoopback(host) {
		return nil, &AddressError{fmt.Errorf("%s would let other machines in; --remote allows it", address)}
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, &AddressError{fmt.Errorf("cannot listen on %s: %w", address, err)}
	}
	return l, nil
}

// AddressError is the error of an address that cannot be listened on.
type AddressError struct{ error }

func (e *AddressError) Unwrap() error { return e.error }

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// listenUnix takes the place of a socket that nobody answers at.
func listenUnix(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, &AddressError{fmt.Errorf("%s exists and is no socket; choose another path", path)}
		}
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
			_ = c.Close() // nothing was written
			return nil, &AddressError{fmt.Errorf("another server listens on %s", path)}
		}
		if err := os.Remove(path); err != nil {
			return nil,
				&AddressError{fmt.Errorf("cannot take the place of the socket %s, where nobody answers: %w", path, err)}
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, &AddressError{fmt.Errorf("cannot listen on %s: %w", path, err)}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close() // it was never used
		return nil, &AddressError{err}
	}
	return l, nil
}

// Host takes one client after the other.
type Host struct {
	Listener net.Listener
	// Admit reads what a client says first, and returns the connection as if nothing had been read. Clients are no
	// others' affair before: those that say nothing keep none from being served. After an error the client is gone.
	Admit func(c net.Conn) (net.Conn, error)
	// Patience is how long Admit may take.
	Patience time.Duration
	// Session serves a client. With last no further one is taken; the error of a client ends its session alone, and
	// others the server.
	Session func(ctx context.Context, c net.Conn) (last bool, err error)
	// Refusal is what a client is told while another one is served; nil for nothing.
	Refusal []byte
	// Say is told what happens, by several goroutines at once. May be nil.
	Say func(text string)
}

func (h *Host) say(format string, args ...any) {
	if h.Say != nil {
		h.Say(fmt.Sprintf(format, args...))
	}
}

// parting is how long a client waits for the session before it to end: one that connects as the last one leaves is not
// refused, on a busy machine either.
const parting = 500 * time.Millisecond

// maxWaiting bounds the clients that have connected and are not served.
const maxWaiting = 256

// Run takes clients until the context ends or a session was the last. It closes the listener.
func (h *Host) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() { _ = h.Listener.Close() })() // ends Accept
	var clients sync.WaitGroup
	defer clients.Wait()
	defer cancel()
	waiting, busy := make(chan struct{}, maxWaiting), make(chan struct{}, 1)
	ended := make(chan error, 1)
	for n := 1; ; n++ {
		c, err := h.Listener.Accept()
		if ctx.Err() != nil {
			if c != nil {
				_ = c.Close() // too late
			}
			select {
			case last := <-ended:
				return last
			default:
				return ctx.Err()
			}
		}
		if err != nil {
			return fmt.Errorf("no more clients can be taken: %w", err)
		}
		select {
		case waiting <- struct{}{}:
		default:
			h.refuse(c, n)
			continue
		}
		clients.Go(func() {
			defer c.Close()
			opened, err := h.admit(ctx, c)
			<-waiting
			if err != nil {
				h.say("client %d%s has been sent away: %v", n, from(c), err)
				return
			}
			select {
			case busy <- struct{}{}:
			case <-time.After(parting):
				h.refuse(c, n)
				return
			}
			defer func() { <-busy }()
			if ctx.Err() != nil {
				return // too late
			}
			if last, err := h.session(ctx, opened, n); last {
				ended <- err
				cancel()
			}
		})
	}
}

// admit lets a client say who it is.
func (h *Host) admit(ctx context.Context, c net.Conn) (net.Conn, error) {
	if h.Patience > 0 {
		_ = c.SetDeadline(time.Now().Add(h.Patience)) // a connection that is gone shows when it is read
	}
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	opened, err := h.Admit(c)
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	return opened, err
}

// session serves client n.
func (h *Host) session(ctx context.Context, c net.Conn, n int) (last bool, err error) {
	h.say("client %d is here%s", n, from(c))
	last, err = h.Session(ctx, c)
	switch {
	case ctx.Err() != nil:
		return last, ctx.Err()
	case errors.Is(err, ErrClient):
		h.say("client %d has been given up: %v", n, err)
		return false, nil
	case err != nil:
		h.say("client %d was served to an error: %v", n, err)
		return true, err
	}
	h.say("client %d is gone", n)
	return last, nil
}

// refuse tells a client that another one is served.
func (h *Host) refuse(c net.Conn, n int) {
	h.say("client %d is refused%s: another one is being served", n, from(c))
	if len(h.Refusal) > 0 {
		_ = c.SetDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(h.Refusal) // it may be gone already
	}
	_ = c.Close()
}

func from(c net.Conn) string {
	if a := c.RemoteAddr(); a != nil && a.Network() == "tcp" {
		return " from " + a.String()
	}
	return ""
}

// BusyAnswer is what a client of this package's protocol is told while another one is served.
func BusyAnswer() []byte {
	return []byte(`{"ok":false,"error":{"code":"` + Busy +
		`","text":"another client is being served; this server takes one at a time"}}` + "\n")
}
