package host

import (
	"math"
	"time"
	"unsafe"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// Space is the common part of all linear systems on the processor, from a mesh or given as a matrix: vectors of one
// length and the count of their memory.
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
	root := &ledger{arrays: d.arrays.Sibling()}
	return Space{dev: d, cells: cells, pad: pad, ledger: root, all: map[*ledger]bool{root: true}}
}

// SpaceOf is the processor's part of an operator or workspace, for methods with their own loops. ok is false for what
// lives elsewhere.
func SpaceOf(a ops.Space) (s *Space, ok bool) {
	on, ok := a.(interface{ hostSpace() *Space })
	if !ok {
		return nil, false
	}
	return on.hostSpace(), true
}

func (s *Space) hostSpace() *Space { return s }

func (s *Space) Cells() int { return s.cells }

// Run calls t over rows [0, rows) on all workers. work is the approximate number of values that it reads or writes.
func (s *Space) Run(t Task, rows, work int) { s.dev.pool.run(t, rows, work) }

// Loop is Run for a loop body.
func (s *Space) Loop(rows, work int, body func(lo, hi, worker int)) { s.Run(loop(body), rows, work) }

// Workers is the number of goroutines that Run uses.
func (s *Space) Workers() int { return s.dev.pool.workers }

// Scratch is a worker's memory, of undefined content.
func (s *Space) Scratch(worker int) *Scratch { return &s.dev.scratch[worker] }

// NewSingles makes an FP32 vector of n values with pad zeros on either side.
func (s *Space) NewSingles(n, pad int) ops.Vector {
	return newVec[float32](s, n, pad)
}

// Account counts memory that a method allocates, or with a negative number releases.
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
	return newVec[float32](s, s.cells, s.pad)
}

func (s *Space) New32() (ops.Vector, error) { return s.new32(), nil }

func (s *Space) New64() (ops.Vector, error) {
	return newVec[float64](s, s.cells, s.pad), nil
}

// NewWork makes an FP64 vector: the processor has arithmetic to spare.
func (s *Space) NewWork() (ops.Vector, error) { return s.New64() }

func (s *Space) Single(ops.Vector) (ops.Vector, error) { return s.New32() }

// Err is the first failure of the ranks that share a grid. Failures of host memory cannot be reported.
func (s *Space) Err() error { return s.fault }

// Free stops counting the system's memory. The garbage collector releases it, unless another system of the device uses
// it before.
func (s *Space) Free() {
	for l := range s.all {
		s.dev.bytes -= l.bytes
		l.bytes = 0
		if !s.freed {
			l.arrays.Renew()
		}
	}
	s.freed = true
}

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

func (s *Space) Write(v ops.Vector, src []float64) {
	switch v := v.(type) {
	case *vec32:
		round(v.values(), src)
	case *vec64:
		copy(v.values(), src)
	}
}

func (s *Space) Fill(x ops.Vector, value float64) {
	v := x.(*vec64).values()
	for c := range v {
		v[c] = value
	}
}

func (s *Space) Release(vectors ...ops.Vector) {
	for _, v := range vectors {
		switch v := v.(type) {
		case *vec32:
			v.release(s)
		case *vec64:
			v.release(s)
		}
	}
}

// NewSpace makes vectors of the given number of cells, with pad zeros on either side, for methods that need no matrix.
func (d *Device) NewSpace(cells, pad int) *Space {
	s := newSpace(d, cells, pad)
	return &s
}

// vec32 and vec64 hold a field of n values with pad values on either side, where pad is the length of a row. The
// neighbours of any cell can then be read without a check, because the couplings to missing ones are zero.
type vec[T float32 | float64] struct {
	buf    []T
	pad, n int
	in     *ledger // nil where it is not released
}

type (
	vec32 = vec[float32]
	vec64 = vec[float64]
)

func (v *vec[T]) Len() int     { return v.n }
func (v *vec[T]) Bytes() int64 { return int64(len(v.buf)) * int64(unsafe.Sizeof(*new(T))) }

// values are the n values without padding.
func (v *vec[T]) values() []T { return v.buf[v.pad : v.pad+v.n] }

func newVec[T float32 | float64](s *Space, n, pad int) *vec[T] {
	v := &vec[T]{buf: reuse.Make[T](s.Arrays(), n+2*pad), pad: pad, n: n, in: s.ledger}
	s.Account(v.Bytes())
	return v
}

func (v *vec[T]) release(s *Space) {
	s.book(v.in, -v.Bytes())
	*v = vec[T]{in: v.in}
}

// DoublesOf is a vector of FP64 values that are held elsewhere.
func DoublesOf(buf []float64) ops.Vector { return &vec64{buf: buf, n: len(buf)} }

// SinglesOf is a vector of values that are held elsewhere, with pad values on either side.
func SinglesOf(buf []float32, pad int) ops.Vector {
	return &vec32{buf: buf, pad: pad, n: len(buf) - 2*pad}
}

// Singles and Doubles are the values of vectors of this executor.
func Singles(v ops.Vector) []float32 { return v.(*vec32).values() }

// PaddedSingles are those of an FP32 vector with what lies on either side of them: zeros, of which methods with
// couplings read the neighbours that do not exist.
func PaddedSingles(v ops.Vector) []float32 { return v.(*vec32).buf }

func Doubles(v ops.Vector) []float64 { return v.(*vec64).values() }

// Values are those of a vector of either precision, the other result being nil.
func Values(v ops.Vector) (double []float64, single []float32) {
	if d, ok := v.(*vec64); ok {
		return d.values(), nil
	}
	return nil, Singles(v)
}

// f32 is the padded buffer of a vector of this executor, nil for a nil vector.
func f32(v ops.Vector) []float32 { return padded[float32](v) }

func f64(v ops.Vector) []float64 { return padded[float64](v) }

func padded[T float32 | float64](v ops.Vector) []T {
	if v == nil {
		return nil
	}
	return v.(*vec[T]).buf
}

func round(dst []float32, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = float32(v)
	}
}

// ledger counts the memory that was allocated since it was opened, and lists the arrays.
type ledger struct {
	s      *Space
	bytes  int64
	arrays *reuse.List
}

func (s *Space) Scope(body func() error) (ops.Scope, error) {
	own := &ledger{s: s, arrays: s.dev.arrays.Sibling()}
	s.all[own] = true
	return own, own.run(body)
}

func (l *ledger) run(body func() error) error {
	outer := l.s.ledger
	l.s.ledger = l
	defer func() { l.s.ledger = outer }()
	return body()
}

func (l *ledger) Remake(body func() error) error {
	l.s.book(l, -l.bytes)
	l.arrays.Renew()
	return l.run(body)
}

// Close stops counting the memory; the garbage collector releases it.
func (l *ledger) Close() {
	l.s.book(l, -l.bytes)
	delete(l.s.all, l)
}

// Arrays allocates the arrays of methods, including temporary ones, so that a scope that is remade can use them again.
func (s *Space) Arrays() *reuse.List { return s.ledger.arrays }

// Blockwise runs f on blocks of values and adds up what it returns, the second part by its maximum.
func (s *Space) Blockwise(f func(lo, hi, worker int) (sum, top float64)) (sum, top float64) {
	blocks := (s.cells + blockRows - 1) / blockRows
	if s.parts == nil {
		s.parts = make([][2]float64, blocks)
	}
	parts := s.parts
	s.Run(loop(func(first, end, worker int) {
		for b := first; b < end; b++ {
			parts[b][0], parts[b][1] = f(b*blockRows, min((b+1)*blockRows, s.cells), worker)
		}
	}), blocks, s.cells)
	for _, p := range parts {
		sum += p[0]
		top = math.Max(top, p[1])
	}
	return sum, top
}

// Time is how long the operations of body take, by the clock.
func (s *Space) Time(body func()) (seconds float64, err error) {
	start := time.Now()
	body()
	return time.Since(start).Seconds(), nil
}

// Cover sets dst = (r, -r): the right side of a double cover, for methods that solve one.
func (s *Space) Cover(dst, r ops.Vector) {
	d, from := Singles(dst), Singles(r)
	n := len(from)
	copy(d, from)
	for i, v := range from {
		d[n+i] = -v
	}
}

// Fold sets z to half the difference of src's halves.
func (s *Space) Fold(z, src ops.Vector) {
	d, from := Singles(z), Singles(src)
	for i := range d {
		d[i] = (from[i] - from[len(d)+i]) / 2
	}
}
