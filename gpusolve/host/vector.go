package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// vec32 and vec64 hold a field of n values with pad values on either side, pad being the length of a row: the
// neighbours of any cell can then be read without asking whether they exist, because the couplings to those that do not
// are zero.
type vec32 struct {
	buf    []float32
	pad, n int
	in     *ledger // nil where nobody releases it
}

type vec64 struct {
	buf    []float64
	pad, n int
	in     *ledger
}

func (v *vec32) Len() int     { return v.n }
func (v *vec32) Bytes() int64 { return int64(len(v.buf)) * 4 }
func (v *vec64) Len() int     { return v.n }
func (v *vec64) Bytes() int64 { return int64(len(v.buf)) * 8 }

func (s *Space) newVec32(n, pad int) *vec32 {
	v := &vec32{buf: reuse.Make[float32](s.Arrays(), n+2*pad), pad: pad, n: n, in: s.ledger}
	s.Account(v.Bytes())
	return v
}

func (s *Space) newVec64(n, pad int) *vec64 {
	v := &vec64{buf: reuse.Make[float64](s.Arrays(), n+2*pad), pad: pad, n: n, in: s.ledger}
	s.Account(v.Bytes())
	return v
}

// SinglesOf is a vector of values that are held elsewhere, with pad values on either side.
func SinglesOf(buf []float32, pad int) ops.Vector {
	return &vec32{buf: buf, pad: pad, n: len(buf) - 2*pad}
}

// values are the n values without padding.
func (v *vec32) values() []float32 { return v.buf[v.pad : v.pad+v.n] }
func (v *vec64) values() []float64 { return v.buf[v.pad : v.pad+v.n] }

// Singles and Doubles are the values of vectors of this executor.
func Singles(v ops.Vector) []float32 { return v.(*vec32).values() }

// PaddedSingles are those of an FP32 vector with what lies on either side of them: zeros, of which methods with
// couplings read the neighbours that do not exist.
func PaddedSingles(v ops.Vector) []float32 { return v.(*vec32).buf }

// Doubles are those of an FP64 vector.
func Doubles(v ops.Vector) []float64 { return v.(*vec64).values() }

// Values are those of a vector of either precision, the other result being nil.
func Values(v ops.Vector) (double []float64, single []float32) {
	if d, ok := v.(*vec64); ok {
		return d.values(), nil
	}
	return nil, Singles(v)
}

// f32 is the padded buffer of a vector of this executor, nil for a nil vector.
func f32(v ops.Vector) []float32 {
	if v == nil {
		return nil
	}
	return v.(*vec32).buf
}

func f64(v ops.Vector) []float64 {
	if v == nil {
		return nil
	}
	return v.(*vec64).buf
}

func round(dst []float32, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = float32(v)
	}
}
