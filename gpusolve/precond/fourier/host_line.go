package fourier

import (
	"math"
	"slices"

	"thermsim/gpusolve/precond/fourier/fft"
)

// rowTransform transforms count rows of an axis that lie a stride apart, in place. A worker has its own.
type rowTransform interface {
	together() int // the most rows at a time
	// heat turns the heat of cells into modes, field a field in space, and inverse modes into a field.
	heat(rows []float64, count, stride int)
	field(rows []float64, count, stride int)
	inverse(rows []float64, count, stride int)
}

// cosines transforms rows of equal cells by pairs.
type cosines struct{ *line }

func (c cosines) together() int { return pairRows }

func (c cosines) heat(rows []float64, count, stride int) {
	c.pairs(rows, count, stride, c.line.forward)
}

func (c cosines) field(rows []float64, count, stride int) { c.heat(rows, count, stride) }

func (c cosines) inverse(rows []float64, count, stride int) {
	c.pairs(rows, count, stride, c.line.inverse)
}

func (c cosines) pairs(rows []float64, count, stride int, along func(a, b []float64)) {
	n := len(c.spare)
	for r := 0; r < count; r += 2 {
		a, b := rows[r*stride:][:n], []float64(nil)
		if r+1 < count {
			b = rows[(r+1)*stride:][:n]
		}
		along(a, b)
	}
}

// line turns pairs of real rows of one axis into coefficients of the basis functions and back. Two rows share one
// complex transform. A worker has its own.
//
// Sines are cosines of a row that is reversed or has every other sign changed.
//
//	sin(pi (k+1) (i+1/2) / n)   = (-1)^i cos(pi (n-1-k) (i+1/2) / n)
//	sin(pi (k+1/2) (i+1/2) / n) = (-1)^k cos(pi (k+1/2) (n-1-i+1/2) / n)
type line struct {
	ends Ends
	cosine
	spare []float64 // stands in for the second row of a pair
}

// cosine is a cosine transform of pairs of rows.
type cosine interface {
	// forward turns values into the coefficients c of value = sum of c times cosine.
	forward(a, b []float64)
	inverse(a, b []float64)
}

func newLine(n int, ends Ends) *line {
	l := &line{ends: ends, spare: make([]float64, n)}
	switch {
	case ends == Adiabatic || ends == Held:
		l.cosine = newWholeCosine(n)
	case n%2 == 0:
		l.cosine = newEvenHalfCosine(n)
	default:
		l.cosine = newOddHalfCosine(n)
	}
	return l
}

// forward turns values of rows a and b into coefficients of the basis functions. A nil b is none.
func (l *line) forward(a, b []float64) {
	if b == nil {
		b = l.nothing()
	}
	switch l.ends {
	case Held:
		alternate(a, b)
		l.cosine.forward(a, b)
		slices.Reverse(a)
		slices.Reverse(b)
	case HeldLow:
		slices.Reverse(a)
		slices.Reverse(b)
		l.cosine.forward(a, b)
		alternate(a, b)
	default:
		l.cosine.forward(a, b)
	}
}

// inverse is the way back.
func (l *line) inverse(a, b []float64) {
	if b == nil {
		b = l.nothing()
	}
	switch l.ends {
	case Held:
		slices.Reverse(a)
		slices.Reverse(b)
		l.cosine.inverse(a, b)
		alternate(a, b)
	case HeldLow:
		alternate(a, b)
		l.cosine.inverse(a, b)
		slices.Reverse(a)
		slices.Reverse(b)
	default:
		l.cosine.inverse(a, b)
	}
}

// nothing is a row of zeros. What rounding left there must not grow from one transform to the next.
func (l *line) nothing() []float64 {
	clear(l.spare)
	return l.spare
}

// alternate changes every other sign.
func alternate(rows ...[]float64) {
	for _, r := range rows {
		for i := 1; i < len(r); i += 2 {
			r[i] = -r[i]
		}
	}
}

// wholeCosine is the discrete cosine transform (DCT) of type II and its inverse by a complex transform of the same
// length (Makhoul 1980). With the even cells first and the odd ones behind, backwards, the cosine coefficients are the
// real parts of the Fourier coefficients times exp(-i pi k/2n).
type wholeCosine struct {
	fft     fft.Transform
	quarter []complex128 // exp(-i pi k/2n)
	z       []complex128
}

func newWholeCosine(n int) *wholeCosine {
	return &wholeCosine{fft.New(n), fft.Circle(n, 1, 0, 2*float64(n)), make([]complex128, n)}
}

func (t *wholeCosine) forward(a, b []float64) {
	n, z := len(a), t.z
	b = b[:n]
	for i, j := 0, 0; i < n; i, j = i+2, j+1 {
		z[j] = complex(a[i], b[i])
	}
	for i, j := 1, n-1; i < n; i, j = i+2, j-1 {
		z[j] = complex(a[i], b[i])
	}
	t.fft.Transform(z)
	scale := 1 / float64(n)
	a[0], b[0] = scale*real(z[0]), scale*imag(z[0])
	for k := 1; k < n; k++ {
		v, w, h := z[k], z[n-k], t.quarter[k]
		hr, hi := scale*real(h), scale*imag(h)
		a[k] = hr*(real(v)+real(w)) - hi*(imag(v)-imag(w))
		b[k] = hr*(imag(v)+imag(w)) + hi*(real(v)-real(w))
	}
}

// inverse takes a Fourier transform of conjugates, which is one of real and imaginary parts in exchange.
func (t *wholeCosine) inverse(a, b []float64) {
	n, z := len(a), t.z
	b = b[:n]
	z[0] = complex(b[0], a[0])
	for k := 1; k < n; k++ {
		h := t.quarter[k]
		hr, hi := 0.5*real(h), -0.5*imag(h)
		// Half of (c[k] - i c[n-k]) times the conjugate of h, of both rows.
		ar, ai := hr*a[k]+hi*a[n-k], hi*a[k]-hr*a[n-k]
		br, bi := hr*b[k]+hi*b[n-k], hi*b[k]-hr*b[n-k]
		z[k] = complex(ai+br, ar-bi)
	}
	t.fft.Transform(z)
	for i, j := 0, 0; i < n; i, j = i+2, j+1 {
		a[i], b[i] = imag(z[j]), real(z[j])
	}
	for i, j := 1, n-1; i < n; i, j = i+2, j-1 {
		a[i], b[i] = imag(z[j]), real(z[j])
	}
}

// evenHalfCosine is the discrete cosine transform (DCT) of type IV of an even length, by a complex transform of half of
// it. Its input is t[j] = x[2j] + i x[n-1-2j], and w[j] is exp(-i pi (8j+1)/8n).
//
//	c[k] = w[k] sum over j of t[j] w[j] exp(-4 pi i j k/n),  X[2k] = Re c[k],  X[n-1-2k] = -Im c[k]
//
// The transform is its own inverse except for a factor 2/n.
type evenHalfCosine struct {
	fft  fft.Transform
	turn []complex128
	z    []complex128
}

func newEvenHalfCosine(n int) *evenHalfCosine {
	return &evenHalfCosine{fft.New(n / 2), fft.Circle(n/2, 8, 1, 8*float64(n)), make([]complex128, n/2)}
}

func (t *evenHalfCosine) forward(a, b []float64) {
	scale := 2 / float64(len(a))
	t.row(a, scale)
	t.row(b, scale)
}

func (t *evenHalfCosine) inverse(a, b []float64) {
	t.row(a, 1)
	t.row(b, 1)
}

func (t *evenHalfCosine) row(x []float64, scale float64) {
	n := len(x)
	for j, w := range t.turn {
		t.z[j] = complex(scale*x[2*j], scale*x[n-1-2*j]) * w
	}
	t.fft.Transform(t.z)
	for k, w := range t.turn {
		c := t.z[k] * w
		x[2*k], x[n-1-2*k] = real(c), -imag(c)
	}
}

// oddHalfCosine is the discrete cosine transform (DCT) of type IV of an odd length n by a complex transform of that
// length (Chan and Ho 1992). The terms are cos(2 pi p q/8n) with p = 2i+1 and q = 2k+1. One of p, -p, p+4n and 4n-p is
// 1 modulo 8, and the cosine is the same except the sign; q alike. Then, with u n + 8 v = 1 modulo 8n,
//
//	p q/8n = u/8 + v p q/n  modulo 1
//
// and the sum is a Fourier sum over p modulo n, turned by a constant angle.
type oddHalfCosine struct {
	fft  fft.Transform
	at   []int     // of cell i: p modulo n
	from []int     // of wave number k: where its coefficient is
	sign []float64 // of both
	turn complex128
	z    []complex128
}

func newOddHalfCosine(n int) *oddHalfCosine {
	t := &oddHalfCosine{fft.New(n), make([]int, n), make([]int, n), make([]float64, n), 0,
		make([]complex128, n)}
	sin, cos := math.Sincos(math.Pi / 4 * float64(n%8)) // an odd n is its own inverse modulo 8
	t.turn = complex(cos, sin)
	v := 0
	for 8*v%n != 1%n {
		v++
	}
	for i := range n {
		p, sign := 2*i+1, 1.0
		switch p % 8 {
		case 7:
			p = -p
		case 5:
			p, sign = p+4*n, -1
		case 3:
			p, sign = 4*n-p, -1
		}
		p = (p%n + n) % n
		t.at[i], t.sign[i] = p, sign
		t.from[i] = (n - v*p%n) % n
	}
	return t
}

func (t *oddHalfCosine) forward(a, b []float64) { t.rows(a, b, 2/float64(len(a))) }
func (t *oddHalfCosine) inverse(a, b []float64) { t.rows(a, b, 1) }

func (t *oddHalfCosine) rows(a, b []float64, scale float64) {
	n := len(a)
	for i, at := range t.at {
		t.z[at] = complex(t.sign[i]*a[i], t.sign[i]*b[i])
	}
	t.fft.Transform(t.z)
	cos, sin := scale/2*real(t.turn), scale/2*imag(t.turn)
	for k, at := range t.from {
		v, w := t.z[at], t.z[(n-at)%n]
		a[k] = t.sign[k] * (cos*(real(v)+real(w)) - sin*(imag(v)-imag(w)))
		b[k] = t.sign[k] * (cos*(imag(v)+imag(w)) + sin*(real(v)-real(w)))
	}
}
