package mixed

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// hostOperations are those of a workspace on the processor.
type hostOperations struct{ *host.Iteration }

func onHost(w ops.Workspace) (Operations, bool, error) {
	i, ok := host.IterationOf(w)
	return hostOperations{i}, ok, nil
}

type number interface{ float32 | float64 }

// bands are the four diagonals of a symmetric matrix.
type bands[M number] struct{ main, x, y, z []M }

// HostMatrix is a Stored of the processor: as four diagonals, or by rows.
type HostMatrix struct {
	s        *host.Space
	nx       int
	sheet    int
	double   bands[float64]
	single   bands[float32]
	half     bands[float32] // numbers of FP16, times a power of two
	undo     float32        // its inverse
	promote  []int32        // by plane
	promoted [3]int
	scale    []float32 // S, nil in the plain form
	rows     *sparse.CSR
	values   []float32 // by rows, FP32
	bytes    int64
}

var _ Stored = (*HostMatrix)(nil)

func (a *HostMatrix) Promoted() [3]int { return a.promoted }

func (a *HostMatrix) Release() {
	a.s.Account(-a.bytes)
	*a = HostMatrix{s: a.s}
}

var errUnsymmetric = errors.New("the matrix is not symmetric")

func (s hostOperations) StoreDiagonals(d ops.Diagonals, c Copies) (Stored, error) {
	from := d.Download()
	if !from.Symmetric() {
		return nil, errUnsymmetric
	}
	a := &HostMatrix{s: s.Space, nx: from.NX, sheet: from.NX * from.NY, undo: 1}
	for _, v := range from.Main {
		if !(v > 0) {
			return nil, fmt.Errorf("the main diagonal is not positive: it goes down to %g", v)
		}
	}
	if c.Scaled {
		a.scale = reuse.Make[float32](s.Arrays(), len(from.Main))
		for i, v := range from.Main {
			a.scale[i] = float32(1 / math.Sqrt(v))
		}
		a.bytes += 4 * int64(len(a.scale))
	}
	if c.Double {
		a.double = keep(a, from, func(v float64) float64 { return v })
	}
	if c.Single {
		a.single = keep(a, from, func(v float64) float32 { return float32(v) })
	}
	if c.Half {
		sizes := a.extent(from)
		e := HalfExponent(sizes)
		a.undo = float32(math.Ldexp(1, -e))
		a.half = keep(a, from, func(v float64) float32 { return roundHalf(math.Ldexp(v, e)) })
		a.promote, a.promoted = Promotions(sizes, c.PromotePlanes)
	}
	s.Account(a.bytes)
	return a, nil
}

// Scale is S, nil in the plain form.
func (a *HostMatrix) Scale() []float32 { return a.scale }

// entry is that of S A S, or of A where there is no S.
func (a *HostMatrix) entry(v float64, row, col int) float64 {
	if a.scale == nil {
		return v
	}
	return v * float64(a.scale[row]) * float64(a.scale[col])
}

// extent is the largest size of the entries main, x, y and z of every plane.
func (a *HostMatrix) extent(d *sparse.Diagonals) [][4]float64 {
	sizes := make([][4]float64, d.NZ)
	for i, band := range [][]float64{d.Main, d.X, d.Y, d.Z} {
		offset := []int{0, 1, d.NX, a.sheet}[i]
		for c, v := range band {
			size := &sizes[c/a.sheet][i]
			*size = math.Max(*size, math.Abs(a.entry(v, c, c+offset)))
		}
	}
	return sizes
}

func keep[M number](a *HostMatrix, d *sparse.Diagonals, round func(float64) M) bands[M] {
	band := func(from []float64, offset int) []M {
		to := reuse.Make[M](a.s.Arrays(), len(from))
		for c, v := range from {
			to[c] = round(a.entry(v, c, c+offset))
		}
		var m M
		_, single := any(m).(float32)
		a.bytes += map[bool]int64{true: 4, false: 8}[single] * int64(len(to))
		return to
	}
	return bands[M]{band(d.Main, 0), band(d.X, 1), band(d.Y, d.NX), band(d.Z, a.sheet)}
}

// StoreRows keeps FP32 values in addition to those of r.
func (s hostOperations) StoreRows(r ops.Rows, c Copies) (Stored, error) {
	if c.Scaled || c.Half {
		return nil, errors.New("a matrix by rows is kept neither scaled nor in FP16")
	}
	a := &HostMatrix{s: s.Space, rows: r.Download(), undo: 1}
	if c.Single {
		a.values = reuse.Make[float32](s.Arrays(), len(a.rows.Val))
		convert(a.values, a.rows.Val, 1)
		a.bytes = 4 * int64(len(a.values))
		s.Account(a.bytes)
	}
	return a, nil
}

func (s hostOperations) NewVector(_ Stored, p Precision) (ops.Vector, error) {
	switch p {
	case Double:
		return s.New64()
	case Single:
		return s.New32()
	}
	wide, err := s.New32()
	return &halves{wide}, err
}

// Release gives vectors back, halves too.
func (s hostOperations) Release(vectors ...ops.Vector) {
	for _, v := range vectors {
		if h, ok := v.(*halves); ok {
			v = h.Vector
		}
		s.Iteration.Release(v)
	}
}

// roundHalf rounds to the nearest number of IEEE binary16, ties to even; the result is exact in FP32. The processor has
// no arithmetic on halves: what is kept in FP16 on a GPU is kept here as FP32 numbers that are halves.
func roundHalf(v float64) float32 {
	a := math.Abs(v)
	switch {
	case a < 0x1p-14: // subnormal halves are multiples of 2^-24, as are doubles next to 2^28
		return float32(math.Copysign((a+0x1p28)-0x1p28, v))
	case a >= 65520: // half-way between the largest half and the next power of two
		return float32(math.Copysign(math.Inf(1), v))
	case a != a:
		return float32(v)
	}
	const dropped = 52 - 10
	b := math.Float64bits(v)
	b += 1<<(dropped-1) - 1 + b>>dropped&1
	return float32(math.Float64frombits(b &^ (1<<dropped - 1)))
}

// RoundHalves rounds all of v to halves.
func RoundHalves(v []float32) {
	for i, x := range v {
		v[i] = roundHalf(float64(x))
	}
}

// halves is a vector of halves, kept in an FP32 vector.
type halves struct{ ops.Vector }

// HostValues are those of a vector on the processor, FP64 or FP32. half says that the FP32 ones are halves.
func HostValues(v ops.Vector) (double []float64, single []float32, half bool) {
	if h, ok := v.(*halves); ok {
		return nil, host.Singles(h.Vector), true
	}
	double, single = host.Values(v)
	return double, single, false
}

// Product64 sets y = (A x)[lo:hi] with entries in FP64 or FP32.
func (a *HostMatrix) Product64(entries Precision, y, x []float64, lo, hi int) {
	switch {
	case a.rows != nil && entries == Double:
		byRows(a, a.rows.Val, y, x, lo, hi)
	case a.rows != nil:
		byRows(a, a.values, y, x, lo, hi)
	case entries == Double:
		byBands(a, a.double, y, x, lo, hi)
	default:
		byBands(a, a.single, y, x, lo, hi)
	}
}

// Product32 sets y = (A x)[lo:hi]. whole says that products in FP16 are rounded as sums only.
func (a *HostMatrix) Product32(entries Precision, whole bool, y, x []float32, lo, hi int) {
	switch {
	case a.rows != nil:
		byRows(a, a.values, y, x, lo, hi)
		return
	case entries == Single:
		byBands(a, a.single, y, x, lo, hi)
		return
	case whole:
		byBands(a, a.half, y, x, lo, hi)
	default:
		a.physics(y, x, lo, hi)
	}
	for i := range y {
		y[i] *= a.undo
	}
}

func byRows[M, V number](a *HostMatrix, values []M, y, x []V, lo, hi int) {
	for r := lo; r < hi; r++ {
		var sum V
		for at := a.rows.RowPtr[r]; at < a.rows.RowPtr[r+1]; at++ {
			sum += V(values[at]) * x[a.rows.Col[at]]
		}
		y[r-lo] = sum
	}
}

// byBands goes along the diagonals one by one.
func byBands[M, V number](a *HostMatrix, b bands[M], y, x []V, lo, hi int) {
	for c := lo; c < hi; c++ {
		y[c-lo] = V(b.main[c]) * x[c]
	}
	band(y, x, b.x, 1, lo, hi)
	band(y, x, b.y, a.nx, lo, hi)
	band(y, x, b.z, a.sheet, lo, hi)
}

func band[M, V number](y, x []V, g []M, offset, lo, hi int) {
	for c := lo; c < min(hi, len(g)); c++ {
		y[c-lo] += V(g[c]) * x[c+offset]
	}
	for c := max(lo, offset); c < min(hi, len(g)+offset); c++ {
		y[c-lo] += V(g[c-offset]) * x[c-offset]
	}
}

// physics multiplies FP16 entries: the main and the promoted diagonals in FP32, the others in FP16.
func (a *HostMatrix) physics(y, x []float32, lo, hi int) {
	b := a.half
	for c := lo; c < hi; c++ {
		y[c-lo] = b.main[c] * x[c]
	}
	// bits of the plane of row c, by segments that lie in one plane each.
	for from := lo; from < hi; {
		k := from / a.sheet
		to := min(hi, (k+1)*a.sheet)
		out := y[from-lo : to-lo]
		bits := a.promote[k]
		x1, y1 := halfBand{b.x, 1, bits&1 != 0}, halfBand{b.y, a.nx, bits&2 != 0}
		z1 := halfBand{b.z, a.sheet, bits&4 != 0}
		x1.upper(out, x, from, to)
		x1.lower(out, x, from, to)
		y1.upper(out, x, from, to)
		y1.lower(out, x, from, to)
		z1.upper(out, x, from, to)
		z1.wide = k > 0 && a.promote[max(k-1, 0)]&4 != 0
		z1.lower(out, x, from, to)
		from = to
	}
}

// halfBand is FP16 entries of the diagonal at an offset; a wide one is multiplied in FP32.
type halfBand struct {
	g      []float32
	offset int
	wide   bool
}

// upper adds the products of rows lo to hi with the diagonal to y, lower those with its mirror image.
func (h halfBand) upper(y, x []float32, lo, hi int) {
	for c := lo; c < min(hi, len(h.g)); c++ {
		y[c-lo] += physical(h.g[c], x[c+h.offset], h.wide)
	}
}

func (h halfBand) lower(y, x []float32, lo, hi int) {
	for c := max(lo, h.offset); c < min(hi, len(h.g)+h.offset); c++ {
		y[c-lo] += physical(h.g[c-h.offset], x[c-h.offset], h.wide)
	}
}

// physical is the product of a half with a number, in FP32 or in FP16. The product of two halves is exact in FP32
// before it is rounded.
func physical(g, x float32, wide bool) float32 {
	if wide {
		return g * x
	}
	return roundHalf(float64(g * roundHalf(float64(x))))
}

func (s hostOperations) Multiply(m Stored, entries Precision, y, x ops.Vector) {
	a := m.(*HostMatrix)
	s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		a.block(entries, y, x, lo, hi)
		return 0, 0
	})
}

// block sets rows lo to hi of y = A x.
func (a *HostMatrix) block(entries Precision, y, x ops.Vector, lo, hi int) {
	to, to32, half := HostValues(y)
	from, from32, _ := HostValues(x)
	if from != nil {
		a.Product64(entries, to[lo:hi], from, lo, hi)
		return
	}
	a.Product32(entries, half, to32[lo:hi], from32, lo, hi)
	if half {
		RoundHalves(to32[lo:hi])
	}
}

func (s hostOperations) Curve(m Stored, entries Precision, q, p ops.Vector) {
	a := m.(*HostMatrix)
	sum, _ := s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		a.block(entries, q, p, lo, hi)
		p64, p32, _ := HostValues(p)
		q64, q32, _ := HostValues(q)
		if p64 != nil {
			return inner(p64[lo:hi], q64[lo:hi])
		}
		return inner(p32[lo:hi], q32[lo:hi])
	})
	s.SetPQ(sum)
}
