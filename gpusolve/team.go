package gpusolve

import (
	"encoding/binary"
	"errors"
	"fmt"

	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/reduction"
)

// ErrStopped is how a run ends on other ranks when rank 0 ends it: its OnStep has failed, and it has the reason.
var ErrStopped = errors.New("rank 0 has ended the run")

// team is the group of a run on several ranks. All of them solve. Then, or between steps, rank 0 looks at the field,
// and the others send it what it asks for until it goes on.
type team struct {
	group ranks.Group
	known map[*reduction.Regions]int // regions that rank 0 has told of, by their number
	all   []*reduction.Regions       // by number
	slabs []*reduction.Slab          // what this rank has of them
}

// What rank 0 asks the others.
const (
	askOn    = 'n' // to go on
	askStop  = 's' // to end the run
	askPlane = 'p' // for their rows of a plane, whose number follows
	askKnow  = 'k' // to know regions, which follow
	askStats = 'r' // for the statistics of regions that they know, whose number follows
	askCount = 'q' // for quanta of their rows: factor, base and quantum follow
)

// lead says whether this is rank 0.
func (t *team) lead() bool { return t.group.Rank() == 0 }

// others tells all other ranks the same.
func (t *team) others(message []byte) error {
	for r := 1; r < t.group.Size(); r++ {
		if err := t.group.Send(r, message); err != nil {
			return err
		}
	}
	return nil
}

// look has rank 0 look at a field while the others serve it. The error is that of look, or ErrStopped.
func (t *team) look(f sharedField, look func(f Field) error) error {
	if !t.lead() {
		return t.serve(f)
	}
	failed := look(t.field(f))
	message := byte(askOn)
	if failed != nil {
		message = askStop
	}
	if err := t.others([]byte{message}); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// serve answers rank 0 until it goes on.
func (t *team) serve(f sharedField) error {
	for {
		message, err := t.group.Receive(0)
		if err != nil {
			return err
		}
		if len(message) == 0 {
			return errors.New("rank 0 asks nothing")
		}
		if message[0] == askOn {
			return nil
		}
		if err := t.answer(f, message[0], message[1:]); err != nil {
			return err
		}
	}
}

// answer does what rank 0 asks.
func (t *team) answer(f sharedField, what byte, rest []byte) error {
	switch what {
	case askStop:
		return ErrStopped
	case askPlane:
		return t.sendPlane(f, numberOf(rest))
	case askKnow:
		return t.learn(f, rest)
	case askStats:
		v, err := t.statistics(f, numberOf(rest))
		if err != nil {
			return err
		}
		return t.group.Send(0, v.Bytes())
	case askCount:
		return t.sendCounts(f, rest)
	}
	return fmt.Errorf("rank 0 asks %q, which this version does not know", what)
}

// numberOf is the number in a message, -1 where there is none.
func numberOf(message []byte) int {
	if len(message) != 4 {
		return -1
	}
	return int(binary.LittleEndian.Uint32(message))
}

// sendPlane sends the own rows of a plane of the temperature.
func (t *team) sendPlane(f sharedField, k int) error {
	m := f.grid()
	plane := make([]float64, m.NX()*m.NY())
	if err := f.Plane(k, plane); err != nil {
		return err
	}
	from, to := t.cells(f, t.group.Rank())
	return t.group.Send(0, bytesOf(plane[from:to]))
}

// cells are those of a plane that a rank owns.
func (t *team) cells(f sharedField, rank int) (from, to int) {
	from, to = t.rows(f, rank)
	nx := f.grid().NX()
	return from * nx, to * nx
}

// rows are those that a rank owns.
func (t *team) rows(f sharedField, rank int) (from, to int) {
	b := f.borders()
	return b[rank], b[rank+1]
}

// teamField is the field as rank 0 sees it.
type teamField struct {
	own  sharedField
	team *team
}

// field is a field that rank 0 and the others share, as rank 0 sees it.
func (t *team) field(own sharedField) Field { return teamField{own, t} }

// Plane copies the temperatures of plane k into dst.
func (f teamField) Plane(k int, dst []float64) error {
	if err := checkPlane(f.own.grid(), k, dst); err != nil {
		return err
	}
	if err := f.team.others(binary.LittleEndian.AppendUint32([]byte{askPlane}, uint32(k))); err != nil {
		return err
	}
	if err := f.own.Plane(k, dst); err != nil {
		return err
	}
	for r := 1; r < f.team.group.Size(); r++ {
		data, err := f.team.group.Receive(r)
		if err != nil {
			return err
		}
		from, to := f.team.cells(f.own, r)
		if len(data) != 8*(to-from) {
			return fmt.Errorf("rank %d sent %d bytes of plane %d in place of %d", r, len(data), k, 8*(to-from))
		}
		copy(dst[from:to], float64sOf(data))
	}
	return nil
}
