package fourier

import (
	"math"

	"thermsim/gpusolve/precond/fourier/fft"
)

// evenHalfCosine is the DCT-IV of an even length by a complex transform of half of it: with t[j] = x[2j] + i x[n-1-2j]
// and w[j] = exp(-i pi (8j+1)/8n),
//
//	c[k] = w[k] sum over j of t[j] w[j] exp(-4 pi i j k/n),  X[2k] = Re c[k],  X[n-1-2k] = -Im c[k]
//
// The transform is its own inverse but for a factor 2/n.
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

// oddHalfCosine is the DCT-IV of an odd length n by a complex transform of that length (Chan and Ho 1992). The terms
// are cos(2 pi p q/8n) with p = 2i+1 and q = 2k+1. One of p, -p, p+4n and 4n-p is 1 modulo 8, and the cosine is the
// same but for the sign; q alike. Then, with u n + 8 v = 1 modulo 8n,
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
