package fft

// stockham is the transform of lengths of factors 2, 3 and 5, by Stockham's passes with exact twiddle factors. It
// complements gonum's, which takes three times as long.
type stockham struct {
	passes []pass
	other  []complex128
}

// pass combines radix values that lie a radix-th apart, stride of them with the same factors.
type pass struct {
	radix, stride int
	w             []complex128 // Powers 1 to radix-1 of the root for each output.
}

// radices in the order of the passes: the first has stride 1, and is written out for radix 4.
var radices = []int{4, 5, 3, 2}

// stockhamCost is about the time for a length in ns, and whether it has other factors than these.
func stockhamCost(n int) (cost float64, ok bool) {
	perPass := map[int]float64{4: 2.5, 5: 4, 3: 3, 2: 2}
	rest := n
	for _, r := range radices {
		for ; rest%r == 0; rest /= r {
			cost += perPass[r] * float64(n)
		}
	}
	return cost, rest == 1
}

// Stockham is the transform of a length without other factors than 2, 3 and 5; ok is false for others.
func Stockham(n int) (t Transform, ok bool) {
	if _, ok := stockhamCost(n); !ok {
		return nil, false
	}
	return newStockham(n), true
}

func newStockham(n int) *stockham {
	t := &stockham{other: make([]complex128, n)}
	stride := 1
	for m := n; m > 1; {
		r := 0
		for m%radices[r] != 0 {
			r++
		}
		radix := radices[r]
		circle := Circle(m, 2, 0, float64(m))
		f := pass{radix: radix, stride: stride}
		for p := range m / radix {
			for k := 1; k < radix; k++ {
				f.w = append(f.w, circle[k*p])
			}
		}
		t.passes = append(t.passes, f)
		m, stride = m/radix, stride*radix
	}
	return t
}

func (t *stockham) Transform(x []complex128) {
	from, to := x, t.other
	for i := range t.passes {
		f := &t.passes[i]
		switch {
		case f.radix == 4 && f.stride == 1:
			f.first(to, from)
		case f.radix == 4:
			f.four(to, from)
		case f.radix == 5:
			f.five(to, from)
		case f.radix == 3:
			f.three(to, from)
		default:
			f.two(to, from)
		}
		from, to = to, from
	}
	if &from[0] != &x[0] {
		copy(x, from)
	}
}

// timesMinusI is v times -i.
func timesMinusI(v complex128) complex128 { return complex(imag(v), -real(v)) }

// first is the pass of radix 4 and stride 1.
func (f *pass) first(y, x []complex128) {
	m := len(x) / 4
	x0, x1, x2, x3 := x[:m], x[m:2*m], x[2*m:3*m], x[3*m:4*m]
	for p := range m {
		out, w := y[4*p:4*p+4:4*p+4], f.w[3*p:3*p+3:3*p+3]
		sum, difference := x0[p]+x2[p], x0[p]-x2[p]
		other, turned := x1[p]+x3[p], timesMinusI(x1[p]-x3[p])
		out[0] = sum + other
		out[1] = w[0] * (difference + turned)
		out[2] = w[1] * (sum - other)
		out[3] = w[2] * (difference - turned)
	}
}

// in and out are the r-th rows that pass p reads and writes.
func (f *pass) in(x []complex128, p, r int) []complex128 {
	return x[r*(len(x)/f.radix)+p*f.stride:][:f.stride]
}

func (f *pass) out(y []complex128, p, r int) []complex128 {
	return y[(f.radix*p+r)*f.stride:][:f.stride]
}

func (f *pass) two(y, x []complex128) {
	for p := range len(x) / (2 * f.stride) {
		x1, y0, y1, w := f.in(x, p, 1), f.out(y, p, 0), f.out(y, p, 1), f.w[p]
		for q, a := range f.in(x, p, 0) {
			y0[q], y1[q] = a+x1[q], w*(a-x1[q])
		}
	}
}

func (f *pass) three(y, x []complex128) {
	const sin = 0.86602540378443864676
	for p := range len(x) / (3 * f.stride) {
		x1, x2 := f.in(x, p, 1), f.in(x, p, 2)
		y0, y1, y2 := f.out(y, p, 0), f.out(y, p, 1), f.out(y, p, 2)
		w1, w2 := f.w[2*p], f.w[2*p+1]
		for q, a := range f.in(x, p, 0) {
			sum, difference := x1[q]+x2[q], x1[q]-x2[q]
			turned := complex(sin*imag(difference), -sin*real(difference))
			rest := complex(real(a)-0.5*real(sum), imag(a)-0.5*imag(sum))
			y0[q] = a + sum
			y1[q] = w1 * (rest + turned)
			y2[q] = w2 * (rest - turned)
		}
	}
}

func (f *pass) four(y, x []complex128) {
	for p := range len(x) / (4 * f.stride) {
		x1, x2, x3 := f.in(x, p, 1), f.in(x, p, 2), f.in(x, p, 3)
		y0, y1, y2, y3 := f.out(y, p, 0), f.out(y, p, 1), f.out(y, p, 2), f.out(y, p, 3)
		w1, w2, w3 := f.w[3*p], f.w[3*p+1], f.w[3*p+2]
		for q, a := range f.in(x, p, 0) {
			sum, difference := a+x2[q], a-x2[q]
			other, turned := x1[q]+x3[q], timesMinusI(x1[q]-x3[q])
			y0[q] = sum + other
			y1[q] = w1 * (difference + turned)
			y2[q] = w2 * (sum - other)
			y3[q] = w3 * (difference - turned)
		}
	}
}

func (f *pass) five(y, x []complex128) {
	const c1, c2, s1, s2 = 0.30901699437494742410, -0.80901699437494742410, 0.95105651629515357212,
		0.58778525229247312917
	for p := range len(x) / (5 * f.stride) {
		x1, x2, x3, x4 := f.in(x, p, 1), f.in(x, p, 2), f.in(x, p, 3), f.in(x, p, 4)
		y0, y1, y2, y3, y4 := f.out(y, p, 0), f.out(y, p, 1), f.out(y, p, 2), f.out(y, p, 3), f.out(y, p, 4)
		w := f.w[4*p : 4*p+4]
		for q, v := range f.in(x, p, 0) {
			a, b, c, d := x1[q]+x4[q], x2[q]+x3[q], x1[q]-x4[q], x2[q]-x3[q]
			r1 := complex(real(v)+c1*real(a)+c2*real(b), imag(v)+c1*imag(a)+c2*imag(b))
			r2 := complex(real(v)+c2*real(a)+c1*real(b), imag(v)+c2*imag(a)+c1*imag(b))
			i1 := complex(s1*imag(c)+s2*imag(d), -s1*real(c)-s2*real(d))
			i2 := complex(s2*imag(c)-s1*imag(d), -s2*real(c)+s1*real(d))
			y0[q] = v + (a + b)
			y1[q] = w[0] * (r1 + i1)
			y2[q] = w[1] * (r2 + i2)
			y3[q] = w[2] * (r2 - i2)
			y4[q] = w[3] * (r1 - i1)
		}
	}
}
