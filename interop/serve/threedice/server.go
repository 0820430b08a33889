package threedice

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"slices"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/interop/export"
	"thermsim/interop/serve"
	project "thermsim/interop/threedice"
)

// Limits on what a client can make the server store or send.
const (
	maxQueue = 1 << 16 // slots
	maxWords = 1 << 25 // of a reply
)

// Server is a 3D-ICE project that a client steps. Only one goroutine may use it at a time.
type Server struct {
	outputs  *project.Outputs
	session  *gpusolve.Session
	live     *export.Live
	elements []element
	inSlot   int  // steps taken of the current slot
	begun    bool // a slot has begun
	log      func(text string)
}

// element of a floorplan, in 3D-ICE's order of powers: by layers from the bottom, in a layer as in its file.
type element struct {
	input int
	queue []float64 // W, of the slots to come
}

// New makes a server of a session on a project's stack. log reports what happens, for several goroutines at once; it
// may be nil.
func New(o *project.Outputs, s *gpusolve.Session, log func(text string)) (*Server, error) {
	if o.StepsPerSlot < 1 {
		return nil, errors.New("3D-ICE's server steps transients; the solver section of the project is steady")
	}
	srv := &Server{outputs: o, session: s, log: log}
	return srv, srv.begin()
}

// begin sets queues and printed files to those of the project.
func (s *Server) begin() error {
	s.live, s.elements, s.inSlot, s.begun = export.NewLive(s.outputs, s.session.Mesh()), nil, 0, false
	inputs := ports.InputsOf(s.session.Mesh().Stack)
	layer := func(die string) int { return s.outputs.Layers[die] }
	dies := slices.SortedFunc(maps.Keys(s.outputs.Floorplans), func(a, b string) int { return layer(a) - layer(b) })
	for _, die := range dies {
		first := slices.IndexFunc(inputs, func(in ports.Input) bool { return in.Layer == layer(die) })
		if first < 0 {
			return fmt.Errorf("the floorplan of %s has no power", die)
		}
		for n, e := range s.outputs.Floorplans[die] {
			s.elements = append(s.elements, element{first + n, slices.Clone(e.Powers)})
		}
	}
	return nil
}

// Printed are the files that the client had printed, by name.
func (s *Server) Printed() map[string][]byte {
	all := map[string][]byte{}
	for _, name := range s.live.Names() {
		all[name] = s.live.Text(name)
	}
	return all
}

// Reset restores the start: temperatures, time, queues and printed files.
func (s *Server) Reset() error {
	if err := s.begin(); err != nil {
		return err
	}
	return s.session.Start(nil)
}

// HostOptions are the settings for clients.
type HostOptions struct {
	// Idle is the longest time between messages, 0 for no limit; Patience that for one message, in either direction.
	Idle, Patience time.Duration
	// Keep continues after EXIT with the next client; 3D-ICE's server ends with it.
	Keep bool
}

// Host serves one client after the other. If one disconnects without EXIT, the next one starts from the beginning;
// connections while a client is served are closed.
func (s *Server) Host(l net.Listener, o HostOptions) *serve.Host {
	return &serve.Host{Listener: l, Log: s.log, Admit: serve.AdmitSpeaking, Patience: o.Patience,
		Session: func(ctx context.Context, c net.Conn) (last bool, err error) {
			exit, err := s.Serve(ctx, c, o.Idle, o.Patience)
			if exit && !o.Keep {
				return true, err
			}
			if err == nil || errors.Is(err, serve.ErrClient) {
				if failure := s.Reset(); failure != nil {
					return true, failure
				}
			}
			return false, err
		}}
}

func (s *Server) note(format string, args ...any) {
	if s.log != nil {
		s.log(fmt.Sprintf(format, args...))
	}
}

// longest is the length of the longest valid message of a client, in words.
func (s *Server) longest() int { return max(256, header+1+len(s.elements)) }

// Serve answers a client until it sends EXIT, disconnects or the context ends. exit is set for EXIT. The faults of a
// client are a serve.ErrClient.
func (s *Server) Serve(ctx context.Context, c net.Conn, idle, patience time.Duration) (exit bool, err error) {
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	in := bufio.NewReaderSize(c, 1<<16)
	for {
		serve.SetReadDeadline(ctx, c, idle)
		_, err := in.Peek(1)
		serve.SetReadDeadline(ctx, c, patience)
		if err != nil {
			return false, s.gone(ctx, err)
		}
		m, err := readMessage(in, s.longest())
		if err != nil {
			return false, s.gone(ctx, err)
		}
		answer, end, err := s.handle(ctx, m)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if answer != nil {
			if patience > 0 {
				_ = c.SetWriteDeadline(time.Now().Add(patience)) // Write reports a closed connection
			}
			if _, failure := c.Write(answer.bytes()); failure != nil && err == nil {
				return false, s.gone(ctx, fmt.Errorf("does not read answers: %w", failure))
			}
		}
		if err != nil || end {
			return end, err
		}
	}
}

// gone is the error of a client that has disconnected or is dropped.
func (s *Server) gone(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == io.EOF:
		return fmt.Errorf("%w disconnected without EXIT_SIMULATION", serve.ErrClient)
	case serve.IsTimeout(err):
		return fmt.Errorf("%w took too long", serve.ErrClient)
	}
	return fmt.Errorf("%w: %w", serve.ErrClient, err)
}

// handle answers a message, with nil for none, as in 3D-ICE. An error ends the session; it is that of the server unless
// it is a serve.ErrClient.
func (s *Server) handle(ctx context.Context, m *message) (answer *message, end bool, err error) {
	answer = &message{kind: m.kind}
	switch m.kind {
	case exitSimulation:
		return nil, true, nil
	case resetState:
		s.live.Renew()
		return nil, false, s.session.Resume(nil, s.session.Time(), s.session.Steps())
	case totalElements:
		answer.add(uint32(len(s.elements)))
	case insertPowers:
		answer.add(s.insert(m.payload))
	case simulateSlot, simulateStep:
		return s.simulate(ctx, answer)
	case sendOutput:
		return answer, false, s.send(m.payload, answer)
	case printOutput:
		return nil, false, s.print(m.payload)
	case sendOutputFiles:
		return answer, false, s.files(answer)
	default:
		s.note("ignored a message of %s: unknown type", typeName(m.kind))
		return nil, false, nil
	}
	return answer, false, nil
}

// insert puts powers at the end of the queues, all of them or none.
func (s *Server) insert(payload []uint32) uint32 {
	refuse := func(format string, args ...any) uint32 {
		s.note("INSERT_POWERS was refused: "+format, args...)
		return failure
	}
	switch n := len(s.elements); {
	case len(payload) == 0 || uint64(payload[0]) != uint64(len(payload)-1):
		return refuse("its length differs from its number of powers")
	case len(payload)-1 != n:
		return refuse("got %d powers for %d floorplan elements", len(payload)-1, n)
	}
	for n, w := range payload[1:] {
		if v := float64(math.Float32frombits(w)); math.IsNaN(v) || math.IsInf(v, 0) {
			return refuse("power %d is not a number", n)
		}
		if len(s.elements[n].queue) >= maxQueue {
			return refuse("%d slots are queued already", maxQueue)
		}
	}
	for n, w := range payload[1:] {
		s.elements[n].queue = append(s.elements[n].queue, float64(math.Float32frombits(w)))
	}
	return success
}

// simulate takes a step, or the rest of a slot. Without powers for a new slot the simulation ends, and with it the
// server, as in 3D-ICE.
func (s *Server) simulate(ctx context.Context, answer *message) (_ *message, end bool, err error) {
	for {
		if s.inSlot == 0 && !s.nextSlot() {
			answer.add(endOfSimulation)
			s.note("%s: no powers for another slot, so the simulation has ended", typeName(answer.kind))
			return answer, true, nil
		}
		if _, err := s.session.Step(ctx); err != nil {
			answer.add(solverError)
			if errors.Is(err, gpusolve.ErrNotConverged) || errors.Is(err, gpusolve.ErrRunaway) {
				err = fmt.Errorf("%w requested a step that failed: %w", serve.ErrClient, err)
			}
			return answer, false, err
		}
		s.live.Renew()
		if s.inSlot++; s.inSlot == s.outputs.StepsPerSlot {
			s.inSlot = 0
			answer.add(slotDone)
			return answer, false, nil
		}
		if answer.kind == simulateStep {
			answer.add(stepDone)
			return answer, false, nil
		}
	}
}

// nextSlot takes a power from every queue; false if one is empty.
func (s *Server) nextSlot() bool {
	if slices.ContainsFunc(s.elements, func(e element) bool { return len(e.queue) == 0 }) {
		return false
	}
	s.begun = true
	for n := range s.elements {
		e := &s.elements[n]
		_ = s.session.Power().Set(e.input, e.queue[0]) // insert and the parser accept finite powers only
		if e.queue = e.queue[1:]; len(e.queue) == 0 {
			e.queue = nil // frees the memory
		}
	}
	return true
}
