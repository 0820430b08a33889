// Package team joins the ranks of a run: their devices, what rank 0 asks of the others, and fields of which every rank
// has its rows.
package team

import (
	"encoding/binary"
	"errors"
	"fmt"

	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// ErrStopped is how a run ends on other ranks when rank 0 ends it: its OnStep has failed, and it has the reason.
var ErrStopped = errors.New("rank 0 has ended the run")

// Team is the group of a run on several ranks. All of them solve. Then, or between steps, rank 0 looks at the field,
// and the others send it what it asks for until it goes on.
type Team struct {
	Group ranks.Group
	known map[*reduction.Regions]int // numbers of the regions that rank 0 has sent
	all   []*reduction.Regions       // by number
	slabs []*reduction.Slab          // what this rank has of them
}

// What rank 0 asks the others.
const (
	AskOn    = 'n' // to go on
	askStop  = 's' // to end the run
	askPlane = 'p' // for their rows of a plane, whose number follows
	askKnow  = 'k' // to know regions, which follow
	askStats = 'r' // for the statistics of regions that they know, whose number follows
	askCount = 'q' // for quanta of their rows: factor, base and quantum follow
)

// IsRoot says whether this is rank 0.
func (t *Team) IsRoot() bool { return t.Group.Rank() == 0 }

// Others sends all other ranks the same message.
func (t *Team) Others(message []byte) error {
	for r := 1; r < t.Group.Size(); r++ {
		if err := t.Group.Send(r, message); err != nil {
			return err
		}
	}
	return nil
}

// look has rank 0 look at a field while the others serve it. The error is that of look, or ErrStopped.
func (t *Team) look(f Shared, look func(f solution.Field) error) error {
	if !t.IsRoot() {
		return t.Serve(f)
	}
	failed := look(t.Field(f))
	message := byte(AskOn)
	if failed != nil {
		message = askStop
	}
	if err := t.Others([]byte{message}); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// Serve answers rank 0 until it goes on.
func (t *Team) Serve(f Shared) error {
	for {
		message, err := t.Group.Receive(0)
		if err != nil {
			return err
		}
		if len(message) == 0 {
			return errors.New("rank 0 asks nothing")
		}
		if message[0] == AskOn {
			return nil
		}
		if err := t.answer(f, message[0], message[1:]); err != nil {
			return err
		}
	}
}

// answer does what rank 0 asks.
func (t *Team) answer(f Shared, what byte, rest []byte) error {
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
		return t.Group.Send(0, v.Bytes())
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
func (t *Team) sendPlane(f Shared, k int) error {
	m := f.Grid()
	plane := make([]float64, m.NX()*m.NY())
	if err := f.Plane(k, plane); err != nil {
		return err
	}
	from, to := rows(f, t.Group.Rank())
	return t.Group.Send(0, Bytes(plane[from*m.NX():to*m.NX()]))
}

// rows are those that a rank owns.
func rows(f Shared, rank int) (from, to int) {
	b := f.Borders()
	return b[rank], b[rank+1]
}

// teamField is the field as rank 0 sees it.
type teamField struct {
	own  Shared
	team *Team
}

// Field is a field that rank 0 and the others share, as rank 0 sees it.
func (t *Team) Field(own Shared) solution.Field { return teamField{own, t} }

func (f teamField) Plane(k int, dst []float64) error {
	if err := fields.CheckPlane(f.own.Grid(), k, dst); err != nil {
		return err
	}
	if err := f.team.Others(binary.LittleEndian.AppendUint32([]byte{askPlane}, uint32(k))); err != nil {
		return err
	}
	if err := f.own.Plane(k, dst); err != nil {
		return err
	}
	for r := 1; r < f.team.Group.Size(); r++ {
		data, err := f.team.Group.Receive(r)
		if err != nil {
			return err
		}
		from, to := rows(f.own, r)
		own := dst[from*f.own.Grid().NX() : to*f.own.Grid().NX()]
		if len(data) != 8*len(own) {
			return fmt.Errorf("rank %d sent %d bytes of plane %d instead of %d", r, len(data), k, 8*len(own))
		}
		copy(own, Values(data))
	}
	return nil
}

// Shared is a field of which every rank has its rows.
type Shared interface {
	solution.Field // of a plane the own rows alone are right
	Grid() *mesh.Mesh
	// Borders of the rows that the ranks own.
	Borders() []int
	// Cut is what this rank has of regions.
	Cut(r *reduction.Regions) (*reduction.Slab, error)
	// ReduceOwn takes the statistics of the own rows; all ranks do so at once.
	ReduceOwn(r *reduction.Regions, own *reduction.Slab) (*reduction.Values, error)
}

// Show hands a finished step to rank 0.
func (t *Team) Show(onStep func(solution.Step, solution.Field) error, step solution.Step, f Shared) error {
	return t.look(f, func(shown solution.Field) error {
		if onStep == nil {
			return nil
		}
		return onStep(step, shown)
	})
}

// Agree gives all ranks the answer of rank 0.
func (t *Team) Agree(says bool) (bool, error) {
	mine := []byte{0}
	if says {
		mine[0] = 1
	}
	all, err := t.Group.Gather(mine)
	return err == nil && all[0][0] == 1, err
}

// Bytes are numbers in a message, which Values reads.
func Bytes(values []float64) []byte {
	data, _ := binary.Append(nil, binary.LittleEndian, values) // numbers of fixed size
	return data
}

// Values are the numbers of a message.
func Values(data []byte) []float64 {
	values := make([]float64, len(data)/8)
	_, _ = binary.Decode(data, binary.LittleEndian, values) // as many as there are
	return values
}

// Least is the smallest number that any rank has.
func (t *Team) Least(mine int) (int, error) {
	all, err := t.Group.Gather(binary.LittleEndian.AppendUint64(nil, uint64(mine)))
	if err != nil {
		return 0, err
	}
	for _, of := range all {
		mine = min(mine, int(binary.LittleEndian.Uint64(of)))
	}
	return mine, nil
}
