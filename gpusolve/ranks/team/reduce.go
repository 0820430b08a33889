package team

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"

	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

var _ solution.Reducer = teamField{}

// learn keeps regions that rank 0 sends.
func (t *Team) learn(f Shared, data []byte) error {
	var r reduction.Regions
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&r); err != nil {
		return err
	}
	whole, err := reduction.New(r)
	if err != nil {
		return err
	}
	return t.keep(f, whole)
}

// keep cuts regions to the own rows.
func (t *Team) keep(f Shared, r *reduction.Regions) error {
	s, err := f.Cut(r)
	t.all, t.slabs = append(t.all, r), append(t.slabs, s)
	return err
}

// statistics are those of the own rows.
func (t *Team) statistics(f Shared, number int) (*reduction.Values, error) {
	if number < 0 || number >= len(t.slabs) {
		return nil, fmt.Errorf("rank 0 asks for regions %d of %d", number, len(t.slabs))
	}
	return f.ReduceOwn(t.all[number], t.slabs[number])
}

func (f teamField) Reduce(r *reduction.Regions) (*reduction.Values, error) {
	t := f.team
	if err := fields.CheckRegions(f.own.Grid(), r); err != nil {
		return nil, err
	}
	if err := t.tellOf(f.own, r); err != nil {
		return nil, err
	}
	if err := t.Others(binary.LittleEndian.AppendUint32([]byte{askStats}, uint32(t.known[r]))); err != nil {
		return nil, err
	}
	own, err := t.statistics(f.own, t.known[r])
	if err != nil {
		return nil, err
	}
	parts := []*reduction.Values{own}
	for rank := 1; rank < t.Group.Size(); rank++ {
		data, err := t.Group.Receive(rank)
		if err != nil {
			return nil, err
		}
		v, err := r.ValuesOf(data)
		if err != nil {
			return nil, err
		}
		parts = append(parts, v)
	}
	return r.Join(parts), nil
}

// tellOf makes regions known to all.
func (t *Team) tellOf(f Shared, r *reduction.Regions) error {
	if _, known := t.known[r]; known {
		return nil
	}
	b := bytes.NewBuffer([]byte{askKnow})
	if err := gob.NewEncoder(b).Encode(r); err != nil {
		return err
	}
	t.known[r] = len(t.slabs)
	if err := t.Others(b.Bytes()); err != nil {
		return err
	}
	return t.keep(f, r)
}

// counting is what rank 0 sends of quanta.
type counting struct {
	Factor        int64
	Base, Quantum float64
}

// sendCounts sends those of the own rows.
func (t *Team) sendCounts(f Shared, data []byte) error {
	var c counting
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, &c); err != nil {
		return err
	}
	counts, err := t.counts(f, reduction.Quanta{Factor: int(c.Factor), Base: c.Base, Quantum: c.Quantum})
	if err != nil {
		return err
	}
	message, err := binary.Append(nil, binary.LittleEndian, counts)
	if err != nil {
		return err
	}
	return t.Group.Send(0, message)
}

// counts are those of the rows of squares that the own rows reach into, plane by plane.
func (t *Team) counts(f Shared, q reduction.Quanta) ([]int32, error) {
	m := f.Grid()
	nx, w := m.NX(), q.Side(m.NX())
	from, to := rows(f, t.Group.Rank())
	var counts []int32
	plane := make([]float64, nx*m.NY())
	for k := range m.NZ() {
		if err := f.Plane(k, plane); err != nil {
			return nil, err
		}
		for s := from / q.Factor; s*q.Factor < to; s++ {
			row := make([]int32, w)
			q.Plane(row, plane[max(from, s*q.Factor)*nx:min(to, (s+1)*q.Factor)*nx], nx)
			counts = append(counts, row...)
		}
	}
	return counts, nil
}

// Quantise counts on all ranks. A square that several of them share has the largest of their counts.
func (f teamField) Quantise(q reduction.Quanta, counts []int32) (bool, error) {
	t, m := f.team, f.own.Grid()
	if err := fields.CheckCounts(m, q, counts); err != nil {
		return false, err
	}
	message, err := binary.Append([]byte{askCount}, binary.LittleEndian, counting{int64(q.Factor), q.Base, q.Quantum})
	if err != nil {
		return false, err
	}
	if err := t.Others(message); err != nil {
		return false, err
	}
	for c := range counts {
		counts[c] = reduction.Missing
	}
	for rank := range t.Group.Size() {
		from, to := rows(f.own, rank)
		first := from / q.Factor
		sheet := ((to-1)/q.Factor + 1 - first) * q.Side(m.NX())
		of := make([]int32, sheet*m.NZ())
		if rank == 0 {
			of, err = t.counts(f.own, q)
		} else {
			err = t.receiveCounts(rank, of)
		}
		if err != nil {
			return false, err
		}
		all := len(counts) / m.NZ()
		for c, n := range of {
			at := &counts[c/sheet*all+first*q.Side(m.NX())+c%sheet]
			*at = max(*at, n)
		}
	}
	return true, nil
}

func (t *Team) receiveCounts(rank int, of []int32) error {
	data, err := t.Group.Receive(rank)
	if err != nil {
		return err
	}
	if len(data) != 4*len(of) {
		return fmt.Errorf("rank %d sent %d bytes of quanta instead of %d", rank, len(data), 4*len(of))
	}
	_, err = binary.Decode(data, binary.LittleEndian, of)
	return err
}
