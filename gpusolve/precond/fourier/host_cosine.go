package fourier

import "thermsim/gpusolve/precond/fourier/fft"

// wholeCosine is the DCT-II and its inverse by a complex transform of the same length (Makhoul 1980): with the even
// cells first and the odd ones behind, backwards, the cosine coefficients are the real parts of the Fourier
// coefficients times exp(-i pi k/2n).
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
		// exp(i pi k/2n) (c[k] - i c[n-k]) / 2, of a and of b
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
