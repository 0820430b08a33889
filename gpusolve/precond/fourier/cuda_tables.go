package fourier

import (
	"math"
	"math/cmplx"
	"slices"

	"thermsim/gpusolve/precond/fourier/fft"
)

func (p *gpuPlan) convolves() bool { return p.m != p.n }

// pad is where value i stands in shared memory: values a stride apart shall not share a bank.
func (p *gpuPlan) pad(i int) int {
	if p.fixed == 0 {
		return i + i/16
	}
	at, stride := i, 1
	for _, r := range p.radices {
		stride *= r
		if stride < p.m && stride&(stride-1) == 0 {
			at += i / stride
		}
	}
	return at
}

// sharedBytes of a block.
func (p *gpuPlan) sharedBytes() int { return p.together * (p.pad(p.m-1) + 1) * bytesOfComplex }

// places gives where value i of the input of a decimation in time stands: its digits reversed.
func (p *gpuPlan) places() []int32 {
	places := make([]int32, p.m)
	for i := range places {
		rest, stride, at := i, p.m, 0
		for _, r := range slices.Backward(p.radices) {
			stride /= r
			at += rest % r * stride
			rest /= r
		}
		places[i] = int32(at)
	}
	return places
}

// root is exp(-2 pi i k / n), from the angle of the first octant that has the same sine and cosine.
func root(k, n int) complex128 {
	k = ((k % n) + n) % n
	quarter := 4 * k / n
	sin, cos := math.Sincos(2 * math.Pi * (float64(k) - float64(quarter)*float64(n)/4) / float64(n))
	return [...]complex128{complex(cos, -sin), complex(-sin, -cos), complex(-cos, sin), complex(sin, cos)}[quarter]
}

// roots of the stages, one behind the other: exp(-2 pi i j / (radix stride)) for j < stride.
func (p *gpuPlan) roots() []complex128 {
	var all []complex128
	stride := 1
	for _, r := range p.radices {
		for j := range stride {
			all = append(all, root(j, r*stride))
		}
		stride *= r
	}
	return all
}

// transform is what the kernels do to a row of m values in places, in place: decimation in time.
func (p *gpuPlan) transform(v []complex128) {
	all := make([]complex128, p.m)
	for k := range all {
		all[k] = root(k, p.m)
	}
	stride := 1
	for _, r := range p.radices {
		in, turns := make([]complex128, r), make([]complex128, r*r)
		for i := range turns {
			turns[i] = all[i/r*(i%r)%r*(p.m/r)]
		}
		step := p.m / (r * stride)
		for first := 0; first < p.m; first += r * stride {
			for j := range stride {
				for q := range r {
					in[q] = v[first+j+q*stride] * all[q*j*step]
				}
				for k := range r {
					sum := complex128(0)
					for q, t := range turns[k*r : (k+1)*r] {
						sum += in[q] * t
					}
					v[first+j+k*stride] = sum
				}
			}
		}
		stride *= r
	}
}

// chirp is exp(-pi i j^2 / n).
func (p *gpuPlan) chirp() []complex128 {
	w := make([]complex128, p.n)
	for j := range w {
		w[j] = root(int(int64(j)*int64(j)%int64(2*p.n)), 2*p.n)
	}
	return w
}

// filter is the transform of the conjugate chirp, over m, in the order in which the kernels meet it.
func (p *gpuPlan) filter(chirp []complex128) []complex128 {
	places := p.places()
	v := make([]complex128, p.m)
	for j, w := range chirp {
		v[j] = cmplx.Conj(w)
		v[(p.m-j)%p.m] = cmplx.Conj(w)
	}
	if quick, ok := fft.Stockham(p.m); ok {
		quick.Transform(v)
	} else {
		reversed := make([]complex128, p.m)
		for j, w := range v {
			reversed[places[j]] = w
		}
		p.transform(reversed)
		v = reversed
	}
	filter := make([]complex128, p.m)
	for k, x := range v {
		at := int(places[k])
		if p.fixed > 0 { // value r of butterfly b stands at r m/R + b
			r := p.radices[0]
			at = at%r*(p.m/r) + at/r
		}
		filter[at] = x / complex(float64(p.m), 0)
	}
	return filter
}
