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

// Listen opens a socket: unix:PATH, or HOST:PORT with a host of this machine unless remote is allowed. The error is an
// [AddressError].
func Listen(address string, remote bool) (net.Listener, error) {
	listen := func() (net.Listener, error) { return listenTCP(address, remote) }
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		listen = func() (net.Listener, error) { return listenUnix(path) }
	}
	l, err := listen()
	if err != nil {
		return nil, &AddressError{err}
	}
	return l, nil
}

// AddressError is the error of an address that is in use or invalid.
type AddressError struct{ error }

func (e *AddressError) Unwrap() error { return e.error }

func listenTCP(address string, remote bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address: got %s; expected unix:PATH or HOST:PORT", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !remote && !isLoopback(host) {
		return nil, fmt.Errorf("%s would accept connections from other machines; add --remote to allow that", address)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", address, err)
	}
	return l, nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// listenUnix replaces a socket without a server.
func listenUnix(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("%s exists and is not a socket; choose another path", path)
		}
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
			_ = c.Close() // nothing was written
			return nil, fmt.Errorf("another server listens on %s", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("cannot replace the socket %s, which has no server: %w", path, err)
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close() // it was never used
		return nil, err
	}
	return l, nil
}

// Host serves one client after the other.
type Host struct {
	Listener net.Listener
	// Admit reads the first message of a client, and returns the connection as if nothing had been read. Clients that
	// send nothing do not delay others. After an error the client is disconnected.
	Admit func(c net.Conn) (net.Conn, error)
	// Patience is the time limit of Admit.
	Patience time.Duration
	// Session serves a client. With last it was the last one; the error of a client ends its session only, and other
	// errors the server.
	Session func(ctx context.Context, c net.Conn) (last bool, err error)
	// Refusal is the answer to a client while another one is served; nil for nothing.
	Refusal []byte
	// Log reports what happens, for several goroutines at once. May be nil.
	Log func(text string)
}

func (h *Host) log(format string, args ...any) {
	if h.Log != nil {
		h.Log(fmt.Sprintf(format, args...))
	}
}

// parting is how long a client waits for the end of the previous session, so that a client that connects when the last
// one disconnects is not refused.
const parting = 500 * time.Millisecond

// maxWaiting limits the clients that have connected and are not served yet.
const maxWaiting = 256

// Run serves clients until the context ends or a session was the last. It closes the listener.
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
			return fmt.Errorf("cannot accept clients: %w", err)
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
				h.log("client %d%s was rejected: %v", n, from(c), err)
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

// admit reads the first message of a client within Patience.
func (h *Host) admit(ctx context.Context, c net.Conn) (net.Conn, error) {
	if h.Patience > 0 {
		_ = c.SetDeadline(time.Now().Add(h.Patience)) // Admit reports a closed connection
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
	h.log("client %d connected%s", n, from(c))
	last, err = h.Session(ctx, c)
	switch {
	case ctx.Err() != nil:
		return last, ctx.Err()
	case errors.Is(err, ErrClient):
		h.log("client %d was dropped: %v", n, err)
		return false, nil
	case err != nil:
		h.log("client %d: the session failed: %v", n, err)
		return true, err
	}
	h.log("client %d disconnected", n)
	return last, nil
}

// refuse reports to a client that another one is served.
func (h *Host) refuse(c net.Conn, n int) {
	h.log("client %d was refused%s: another one is being served", n, from(c))
	if len(h.Refusal) > 0 {
		_ = c.SetDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(h.Refusal) // it may have disconnected already
	}
	_ = c.Close()
}

func from(c net.Conn) string {
	if a := c.RemoteAddr(); a != nil && a.Network() == "tcp" {
		return " from " + a.String()
	}
	return ""
}

// BusyAnswer is the answer to a client of this package's protocol while another one is served.
func BusyAnswer() []byte {
	return []byte(`{"ok":false,"error":{"code":"` + Busy +
		`","text":"another client is being served; this server serves one at a time"}}` + "\n")
}
