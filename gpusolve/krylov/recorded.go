package krylov

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Recorder is a Space that repeats a sequence of operations at less cost than asking for each again.
type Recorder interface {
	// Record notes the operations that body asks for, without doing them, and returns a function that does, and one
	// that gives its memory back.
	Record(body func()) (replay, forget func(), err error)
}

// Recorded is an iteration on one vector, noted by devices that can repeat it at less cost.
type Recorded struct {
	x          ops.Vector
	kelvin     bool // where the rule looks at z
	generation int  // of the preconditioner
	again      func()
	forget     func()
}

// Repeat returns body, recorded where the device can, unless the same was asked for before.
func (r *Recorded) Repeat(a ops.Operator, m precond.Preconditioner, x ops.Vector, kelvin bool, body func()) func() {
	generation := generationOf(m)
	if r.again != nil && r.x == x && r.kelvin == kelvin && r.generation == generation {
		return r.again
	}
	r.Drop()
	*r = Recorded{x: x, kelvin: kelvin, generation: generation, again: body}
	if device, ok := a.(Recorder); ok {
		if replay, forget, err := device.Record(body); err == nil {
			r.again, r.forget = replay, forget
		}
	}
	return r.again
}

// Drop gives the recording back.
func (r *Recorded) Drop() {
	if r.forget != nil {
		r.forget()
	}
	*r = Recorded{}
}

func generationOf(m precond.Preconditioner) int {
	if g, ok := m.(interface{ Generation() int }); ok {
		return g.Generation()
	}
	return 0
}
