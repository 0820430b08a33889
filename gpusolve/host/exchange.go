package host

import (
	"encoding/binary"
	"math"

	"thermsim/gpusolve/ops"
)

// strips are the planes of vectors whose rows pass between ranks.
type strips struct {
	vectors []ops.Vector
	nx, ny  int // of a plane
}

// bytes that so many rows take.
func (t strips) bytes(rows int) int {
	n := 0
	for _, v := range t.vectors {
		n += v.Len() / t.ny * rows * width(v)
	}
	return n
}

func width(v ops.Vector) int {
	if _, single := v.(*vec32); single {
		return 4
	}
	return 8
}

// pack appends rows [from, to) of all planes.
func (t strips) pack(dst []byte, from, to int) []byte {
	for _, v := range t.vectors {
		double, single := Values(v)
		for at := from * t.nx; at < v.Len(); at += t.nx * t.ny {
			if double != nil {
				dst = appendDoubles(dst, double[at:at+(to-from)*t.nx])
			} else {
				dst = appendSingles(dst, single[at:at+(to-from)*t.nx])
			}
		}
	}
	return dst
}

// unpack fills them.
func (t strips) unpack(src []byte, from, to int) {
	for _, v := range t.vectors {
		double, single := Values(v)
		for at := from * t.nx; at < v.Len(); at += t.nx * t.ny {
			n := (to - from) * t.nx
			if double != nil {
				doubles(double[at:at+n], src)
			} else {
				singles(single[at:at+n], src)
			}
			src = src[n*width(v):]
		}
	}
}

func appendSingles(to []byte, values []float32) []byte {
	for _, v := range values {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
	}
	return to
}

func singles(dst []float32, from []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:]))
	}
}

// Exchange fills ghost rows from the neighbours' own.
func (s *system) Exchange(on ops.Partition, below, above int, vectors ...ops.Vector) {
	h := s.share
	if s.fault != nil {
		return
	}
	from, to := on.Held(h.rank)
	t := strips{vectors, on.NX, to - from}
	first, last := on.Own(h.rank)
	var toBelow, toAbove, fromBelow, fromAbove []byte
	if h.rank > 0 { // their rows above are the first of these
		toBelow = t.pack(make([]byte, 0, t.bytes(above)), first, first+above)
		fromBelow = make([]byte, t.bytes(below))
	}
	if h.rank+1 < h.Group.Size() {
		toAbove = t.pack(make([]byte, 0, t.bytes(below)), last-below, last)
		fromAbove = make([]byte, t.bytes(above))
	}
	if err := h.Group.Exchange(toBelow, toAbove, fromBelow, fromAbove); err != nil {
		s.fail(err)
		return
	}
	if h.rank > 0 {
		t.unpack(fromBelow, first-below, first)
	}
	if h.rank+1 < h.Group.Size() {
		t.unpack(fromAbove, last, last+above)
	}
}

// Collect fills whole from the own rows of all ranks.
func (s *system) Collect(on ops.Partition, whole, part ops.Vector) {
	h := s.share
	from, to := on.Held(h.rank)
	first, last := on.Own(h.rank)
	all, err := h.gather(&s.grid, strips{[]ops.Vector{part}, on.NX, to - from}.pack(nil, first, last))
	if err != nil {
		return
	}
	t := strips{[]ops.Vector{whole}, on.NX, on.NY()}
	for rank, theirs := range all {
		t.unpack(theirs, on.Borders[rank], on.Borders[rank+1])
	}
}

// Cut fills part from whole.
func (s *system) Cut(on ops.Partition, part, whole ops.Vector) {
	from, to := on.Held(s.share.rank)
	n, sheet := (to-from)*on.NX, on.NY()*on.NX
	dst, src := Singles(part), Singles(whole)
	for k := range len(dst) / n {
		copy(dst[k*n:(k+1)*n], src[k*sheet+from*on.NX:])
	}
}
