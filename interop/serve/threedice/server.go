package threedice

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"sort"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/interop/export"
	"thermsim/interop/serve"
	project "thermsim/interop/threedice"
)

// Bounds of what a client may have the server keep or send.
const (
	maxQueue = 1 << 16 // slots
	maxWords = 1 << 25 // of a reply
)

// Server is a 3D-ICE project that a client steps. It is for one goroutine at a time.
type Server struct {
	outputs    *project.Outputs
	session    *gpusolve.Session
	inspection *export.Inspection
	printout   *export.Printout // nil until something is printed
	elements   []element
	inSlot     int  // steps taken of the current slot
	begun      bool // a slot has begun
	say        func(text string)
}

// element of a floorplan, in the order in which 3D-ICE takes powers: by layers from the bottom, in a layer as in its
// file.
type element struct {
	input int
	queue []float64 // W, of the slots to come
}

// New makes a server of a session on a project's stack. say is told what happens; it may be nil.
func New(o *project.Outputs, s *gpusolve.Session, say func(text string)) (*Server, error) {
	if o.StepsPerSlot < 1 {
		return nil, errors.New("3D-ICE's server steps transients; the solver section of the project is steady")
	}
	srv := &Server{outputs: o, session: s, inspection: export.NewInspection(o, s.Mesh()), say: say}
	inputs := ports.InputsOf(s.Mesh().Stack)
	for _, die := range srv.dies() {
		first := slices.IndexFunc(inputs, func(in ports.Input) bool { return in.Layer == o.Layer(die) })
		if first < 0 {
			return nil, fmt.Errorf("the floorplan of %s heats nothing", die)
		}
		for n, e := range o.Floorplans[die] {
			srv.elements = append(srv.elements, element{first + n, slices.Clone(e.Powers)})
		}
	}
	return srv, nil
}

// dies are the stack elements with floorplans, from the bottom.
func (s *Server) dies() []string {
	var dies []string
	for name := range s.outputs.Floorplans {
		dies = append(dies, name)
	}
	sort.Slice(dies, func(a, b int) bool { return s.outputs.Layer(dies[a]) < s.outputs.Layer(dies[b]) })
	return dies
}

// Printed are the files that the client had printed, by name.
func (s *Server) Printed() map[string][]byte {
	all := map[string][]byte{}
	if s.printout != nil {
		for _, name := range s.printout.Names() {
			all[name] = s.printout.Text(name)
		}
	}
	return all
}

// Reset takes everything back to the start: temperatures, time, queues and printed files.
func (s *Server) Reset() error {
	s.printout, s.inSlot, s.begun = nil, 0, false
	n := 0
	for _, die := range s.dies() {
		for _, e := range s.outputs.Floorplans[die] {
			s.elements[n].queue = slices.Clone(e.Powers)
			n++
		}
	}
	s.inspection.Renew()
	return s.session.Start(nil)
}

func (s *Server) note(format string, args ...any) {
	if s.say != nil {
		s.say(fmt.Sprintf(format, args...))
	}
}

// longest message that a client has reason to send, in words.
func (s *Server) longest() int { return max(256, header+1+len(s.elements)) }

// Serve answers a client until it says EXIT, is gone or the context ends. Only EXIT is an end in order: exit says so.
// What is wrong with the client is a serve.ErrClient.
func (s *Server) Serve(ctx context.Context, c net.Conn, idle, patience time.Duration) (exit bool, err error) {
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	in := bufio.NewReaderSize(c, 1<<16)
	for {
		if err := await(ctx, c, in, idle, patience); err != nil {
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
				_ = c.SetWriteDeadline(time.Now().Add(patience)) // a connection that is gone shows in Write
			}
			if _, wrong := c.Write(answer.bytes()); wrong != nil && err == nil {
				return false, s.gone(ctx, fmt.Errorf("takes no answers: %w", wrong))
			}
		}
		if err != nil || end {
			return end, err
		}
	}
}

// await waits for the first byte of a message; for the others the client gets so much time.
func await(ctx context.Context, c net.Conn, in *bufio.Reader, idle, patience time.Duration) error {
	set := func(most time.Duration) {
		until := time.Time{}
		if most > 0 {
			until = time.Now().Add(most)
		}
		_ = c.SetReadDeadline(until) // a connection that is gone shows when it is read
		if ctx.Err() != nil {
			_ = c.SetReadDeadline(time.Unix(1, 0))
		}
	}
	set(idle)
	_, err := in.Peek(1)
	set(patience)
	return err
}

// gone says how a client ended.
func (s *Server) gone(ctx context.Context, err error) error {
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == io.EOF:
		return fmt.Errorf("%w left without EXIT_SIMULATION", serve.ErrClient)
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w took too long", serve.ErrClient)
	}
	return fmt.Errorf("%w: %w", serve.ErrClient, err)
}

// handle answers a message. Without an answer there is none, as in 3D-ICE. An error ends the session; it is the
// server's own unless it is a serve.ErrClient.
func (s *Server) handle(ctx context.Context, m *message) (answer *message, end bool, err error) {
	answer = &message{kind: m.kind}
	switch m.kind {
	case exitSimulation:
		return nil, true, nil
	case resetState:
		s.inspection.Renew()
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
		s.note("a message of %s was left out: it is unknown", typeName(m.kind))
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
		return refuse("it does not hold as many powers as it says")
	case len(payload)-1 != n:
		return refuse("it holds %d powers for %d floorplan elements", len(payload)-1, n)
	}
	for n, w := range payload[1:] {
		if v := float64(math.Float32frombits(w)); math.IsNaN(v) || math.IsInf(v, 0) {
			return refuse("power %d is no number", n)
		}
		if len(s.elements[n].queue) >= maxQueue {
			return refuse("%d slots wait already", maxQueue)
		}
	}
	for n, w := range payload[1:] {
		s.elements[n].queue = append(s.elements[n].queue, float64(math.Float32frombits(w)))
	}
	return success
}

// simulate takes a step, or all that is left of a slot. Without powers for a new slot the simulation ends, and with it,
// as in 3D-ICE, the server.
func (s *Server) simulate(ctx context.Context, answer *message) (_ *message, end bool, err error) {
	for {
		if s.inSlot == 0 && !s.nextSlot() {
			answer.add(endOfSimulation)
			s.note("%s: there are no powers for another slot, so the simulation has ended", typeName(answer.kind))
			return answer, true, nil
		}
		if _, err := s.session.Step(ctx); err != nil {
			answer.add(solverError)
			if errors.Is(err, gpusolve.ErrNotConverged) || errors.Is(err, gpusolve.ErrRunaway) {
				err = fmt.Errorf("%w asked for a step that failed: %w", serve.ErrClient, err)
			}
			return answer, false, err
		}
		s.inspection.Renew()
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

// nextSlot takes a power from every queue; false where one is empty.
func (s *Server) nextSlot() bool {
	if slices.ContainsFunc(s.elements, func(e element) bool { return len(e.queue) == 0 }) {
		return false
	}
	s.begun = true
	for n := range s.elements {
		e := &s.elements[n]
		_ = s.session.Power().Set(e.input, e.queue[0]) // finite, as insert and the parser have seen to
		if e.queue = e.queue[1:]; len(e.queue) == 0 {
			e.queue = nil // lets go of the memory
		}
	}
	return true
}
