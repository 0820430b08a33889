package host

import "thermsim/gpusolve/ops"

// space holds what every linear system on the processor has, whether it comes from a mesh or as a matrix: vectors of
// one length and the count of its memory. Methods that build on the entries of a matrix have their operations here.
type Space struct {
	dev        *Device
	cells, pad int // values of a vector, and zeros on either side of them

	ledger *ledger // what is made now is counted there
	all    map[*ledger]bool
	freed  bool
	parts  [][2]float64 // of Blockwise, by block
	fault  error        // of the ranks that share the grid
}

func newSpace(d *Device, cells, pad int) Space {
	root := new(ledger)
	return Space{dev: d, cells: cells, pad: pad, ledger: root, all: map[*ledger]bool{root: true}}
}

// SpaceOf is the processor's part of an operator or workspace, for methods with loops of their own. ok is false for
// what lives elsewhere.
func SpaceOf(a ops.Space) (s *Space, ok bool) {
	on, ok := a.(interface{ hostSpace() *Space })
	if !ok {
		return nil, false
	}
	return on.hostSpace(), true
}

func (s *Space) hostSpace() *Space { return s }

// Cells is the length of a vector.
func (s *Space) Cells() int { return s.cells }

// Run calls t over rows [0, rows) on all workers. work is about the number of values that it touches.
func (s *Space) Run(t Task, rows, work int) { s.dev.pool.run(t, rows, work) }

// Workers is the number of goroutines that Run uses.
func (s *Space) Workers() int { return s.dev.pool.workers }

// Scratch is a worker's memory, of undefined content.
func (s *Space) Scratch(worker int) *Scratch { return &s.dev.scratch[worker] }

// NewSingles makes an FP32 vector of n values with pad zeros on either side.
func (s *Space) NewSingles(n, pad int) ops.Vector {
	return s.newVec32(n, pad)
}

// Account counts memory that a method takes, and with a negative number what it gives back.
func (s *Space) Account(bytes int64) { s.book(s.ledger, bytes) }

func (s *Space) book(l *ledger, bytes int64) {
	if s.freed {
		return
	}
	l.bytes += bytes
	s.dev.bytes += bytes
	s.dev.peak = max(s.dev.peak, s.dev.bytes)
}

func (s *Space) new32() *vec32 {
	return s.newVec32(s.cells, s.pad)
}

// New32 makes an FP32 vector.
func (s *Space) New32() (ops.Vector, error) { return s.new32(), nil }

// New64 makes an FP64 vector.
func (s *Space) New64() (ops.Vector, error) {
	return s.newVec64(s.cells, s.pad), nil
}

// NewWork makes an FP64 vector: the processor has arithmetic to spare.
func (s *Space) NewWork() (ops.Vector, error) { return s.New64() }

// Single makes an FP32 vector beside w.
func (s *Space) Single(ops.Vector) (ops.Vector, error) { return s.New32() }

// Err is the first failure of the ranks that share a grid: memory of the host does not fail in a way that could be
// reported.
func (s *Space) Err() error { return s.fault }

// Free forgets the system's memory; the collector takes it when the last reference goes.
func (s *Space) Free() {
	for l := range s.all {
		s.dev.bytes -= l.bytes
		l.bytes = 0
	}
	s.freed = true
}

// Read copies all values of v to the host.
func (s *Space) Read(v ops.Vector, dst []float64) {
	switch v := v.(type) {
	case *vec32:
		for i, x := range v.values() {
			dst[i] = float64(x)
		}
	case *vec64:
		copy(dst, v.values())
	}
}

// Write copies src into v, rounding as v does.
func (s *Space) Write(v ops.Vector, src []float64) {
	switch v := v.(type) {
	case *vec32:
		round(v.values(), src)
	case *vec64:
		copy(v.values(), src)
	}
}

// Fill sets every value of x.
func (s *Space) Fill(x ops.Vector, value float64) {
	v := x.(*vec64).values()
	for c := range v {
		v[c] = value
	}
}

// Release forgets vectors before the space goes.
func (s *Space) Release(vectors ...ops.Vector) {
	for _, v := range vectors {
		switch v := v.(type) {
		case *vec32:
			s.book(v.in, -v.Bytes())
			*v = vec32{in: v.in}
		case *vec64:
			s.book(v.in, -v.Bytes())
			*v = vec64{in: v.in}
		}
	}
}

// NewSpace is room for vectors of so many cells, with pad zeros on either side, for methods that need no matrix.
func (d *Device) NewSpace(cells, pad int) *Space {
	s := newSpace(d, cells, pad)
	return &s
}
