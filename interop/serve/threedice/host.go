package threedice

import (
	"context"
	"errors"
	"net"
	"time"

	"thermsim/interop/serve"
)

// HostOptions say how clients are treated.
type HostOptions struct {
	// Idle is how long a client may be silent between messages, 0 for ever; Patience how long a message may take that
	// has begun, in either direction.
	Idle, Patience time.Duration
	// Keep goes on after EXIT with the next client; 3D-ICE's server ends with it.
	Keep bool
	// Say is told what happens, by several goroutines at once. May be nil.
	Say func(text string)
}

// Host takes the clients of a server. One that is gone without EXIT makes room for the next, which starts anew;
// connections beside a client are closed.
func Host(l net.Listener, s *Server, o HostOptions) *serve.Host {
	return &serve.Host{Listener: l, Say: o.Say, Admit: serve.AdmitSpeaking, Patience: o.Patience,
		Session: func(ctx context.Context, c net.Conn) (last bool, err error) {
			exit, err := s.Serve(ctx, c, o.Idle, o.Patience)
			if exit && !o.Keep {
				return true, err
			}
			if err == nil || errors.Is(err, serve.ErrClient) {
				if wrong := s.Reset(); wrong != nil {
					return true, wrong
				}
			}
			return false, err
		}}
}
