// Package fft is the complex Fourier transform of any length on one core, by the quickest of three ways.
package fft

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Transform has separate buffers, so each worker needs one.
type Transform interface {
	// Transform replaces x[j] by the sum over i of x[i] exp(-2 pi i j/n), in place.
	Transform(x []complex128)
}

// New takes the quickest way for a length.
func New(n int) Transform {
	if _, ok := stockhamCost(n); ok {
		return newStockham(n)
	}
	m, padded := paddedLength(n)
	if gonumCost(n) <= 2*padded+10*float64(n) {
		return &plain{fourier.NewCmplxFFT(n)}
	}
	return newBluestein(n, m)
}

// gonumCost is about the time of gonum's transform in ns: passes of radix 4, 5, 3 and 2 over all values, and for other
// prime factors p a sum of p terms each.
func gonumCost(n int) float64 {
	common, rest := 0.0, n
	for _, radix := range radices {
		for ; rest%radix == 0; rest /= radix {
			common += 6
		}
	}
	for p := 7; rest > 1; p += 2 {
		if p*p > rest {
			p = rest
		}
		for ; rest%p == 0; rest /= p {
			common += 1.1 * float64(p)
		}
	}
	return common * float64(n)
}

// paddedLength is the quickest length that a convolution with a chirp of length n fits in.
func paddedLength(n int) (length int, cost float64) {
	limit := 1 << bits.Len(uint(2*n-2))
	length = limit
	cost, _ = stockhamCost(limit)
	for five := 1; five <= limit; five *= 5 {
		for three := five; three <= limit; three *= 3 {
			m := three
			for m < 2*n-1 {
				m *= 2
			}
			if c, _ := stockhamCost(m); m <= limit && c < cost {
				length, cost = m, c
			}
		}
	}
	return length, cost
}

type plain struct{ fft *fourier.CmplxFFT }

func (t *plain) Transform(x []complex128) { t.fft.Coefficients(x, x) }

// bluestein writes i j as (i^2 + j^2 - (j-i)^2)/2: the transform is a convolution with a chirp, which a longer
// transform of a good length does.
type bluestein struct {
	fft      *stockham
	chirp    []complex128 // exp(-pi i^2/n)
	spectrum []complex128 // of the conjugate chirp, over the long length
	a        []complex128
}

func newBluestein(n, m int) *bluestein {
	t := &bluestein{newStockham(m), make([]complex128, n), make([]complex128, m), make([]complex128, m)}
	for i := range t.chirp {
		square := uint64(i) * uint64(i) % uint64(2*n) // exact, where i^2/n would lose digits
		sin, cos := math.Sincos(math.Pi * float64(square) / float64(n))
		t.chirp[i] = complex(cos, -sin)
		c := complex(cos/float64(m), sin/float64(m))
		t.spectrum[i] = c
		if i > 0 {
			t.spectrum[m-i] = c
		}
	}
	t.fft.Transform(t.spectrum)
	return t
}

func (t *bluestein) Transform(x []complex128) {
	for i, w := range t.chirp {
		t.a[i] = x[i] * w
	}
	clear(t.a[len(x):])
	t.fft.Transform(t.a)
	for i, s := range t.spectrum {
		v := t.a[i] * s
		t.a[i] = complex(imag(v), real(v)) // the way back is the same transform with the parts in exchange
	}
	t.fft.Transform(t.a)
	for i, w := range t.chirp {
		x[i] = complex(imag(t.a[i]), real(t.a[i])) * w
	}
}

// Circle is exp(-i pi (a k + b) / c) for k = 0..n-1.
func Circle(n int, a, b, c float64) []complex128 {
	t := make([]complex128, n)
	for k := range t {
		sin, cos := math.Sincos(math.Pi * (a*float64(k) + b) / c)
		t[k] = complex(cos, -sin)
	}
	return t
}
