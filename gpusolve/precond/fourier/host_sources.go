package fourier

import "thermsim/powermap"

// hostSource is a load's lateral shape in modes.
type hostSource struct {
	Load
	footprints []product   // of the outline
	planes     [][]float64 // spectra of the outline's planes
	// spectrum is the sum with the drawing's watts and factors; nil where a few products are quicker formed where they
	// are needed.
	spectrum []float64
	width    int
}

// product is the spectrum of a footprint of 1 W.
type product struct{ x, y []float64 }

// term is a source's share in a plane.
type term struct {
	source int
	share  float64
}

// SetLoads makes the right-hand side.
func (e *hostOperations) SetLoads(loads []Load) {
	former := e.sources
	e.sources = make([]*hostSource, len(loads))
	for k := range e.terms {
		e.terms[k] = e.terms[k][:0]
	}
	for n, l := range loads {
		e.sources[n] = e.sourceOf(l, former)
		for i, share := range l.Shares {
			e.terms[l.First+i] = append(e.terms[l.First+i], term{n, share})
		}
	}
	for _, s := range former {
		if s != nil {
			e.account(-s.bytes())
		}
	}
}

// sourceOf makes a source, with what a former one of the same outline holds.
func (e *hostOperations) sourceOf(l Load, former []*hostSource) *hostSource {
	s := &hostSource{Load: l, width: e.width}
	for n, f := range former {
		if f != nil && f.Outline == l.Outline {
			s.footprints, s.planes, s.spectrum = f.footprints, f.planes, f.spectrum
			former[n] = nil
			if sameWatts(&f.Drawing, &l.Drawing) {
				return s
			}
			e.fill(s)
			return s
		}
	}
	if byProducts(&l.Drawing, int64(e.NX)*int64(e.NY)) {
		for k := range l.Footprints {
			s.footprints = append(s.footprints, e.productOf(&l.Footprints[k]))
		}
		for _, p := range l.Planes {
			s.planes = append(s.planes, e.spectrumOf(p))
		}
	}
	if len(s.planes) > 0 || len(s.footprints) == 0 || len(s.footprints) > fewProducts {
		s.spectrum = make([]float64, e.sheet)
	}
	e.account(s.bytes())
	e.fill(s)
	return s
}

func sameWatts(a, b *powermap.Drawing) bool {
	for n, w := range a.Watts {
		if w != b.Watts[n] {
			return false
		}
	}
	for n, f := range a.Factors {
		if f != b.Factors[n] {
			return false
		}
	}
	return true
}

// productOf is the spectrum of a footprint along either axis, of the own wave numbers along x.
func (e *hostOperations) productOf(f *powermap.Footprint) product {
	x, y := make([]float64, e.NX), make([]float64, e.NY)
	copy(x[f.I:], f.X)
	copy(y[f.J:], f.Y)
	e.alongX[0].heat(x, 1, e.NX)
	e.alongY[0].heat(y, 1, e.NY)
	return product{x[e.waves[e.rank]:e.waves[e.rank+1]], y}
}

func (e *hostOperations) spectrumOf(plane []float64) []float64 {
	v := make([]float64, e.sheet)
	first, end := e.own()
	e.forward(v, plane[first*e.NX:end*e.NX], 0, rowTransform.heat)
	return v
}

// fill sums the spectrum with the watts of now.
func (e *hostOperations) fill(s *hostSource) {
	switch {
	case s.spectrum == nil:
	case s.footprints == nil && s.planes == nil:
		rows := s.spectrum
		if first, end := e.own(); !e.alone() {
			rows = make([]float64, (end-first)*e.NX)
		}
		e.drawOwn(s, rows)
		e.forward(s.spectrum, rows, 0, rowTransform.heat)
	default:
		e.perRow(e.NY, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				s.sum(s.spectrum[j*e.width:(j+1)*e.width], 0, j)
			}
		})
	}
}

// row fills dst with the modes from i of row j.
func (s *hostSource) row(dst []float64, i, j int) {
	if s.spectrum != nil {
		copy(dst, s.spectrum[j*s.width+i:])
		return
	}
	s.sum(dst, i, j)
}

func (s *hostSource) sum(dst []float64, i, j int) {
	clear(dst)
	part := func(n int) (float64, []float64) {
		if n >= len(s.footprints) {
			return 0, dst
		}
		p := &s.footprints[n]
		return s.Watts[n] * p.y[j], p.x[i : i+len(dst)]
	}
	for n := 0; n < len(s.footprints); n += 4 { // four at a time, as dst is read and written each time
		w0, x0 := part(n)
		w1, x1 := part(n + 1)
		w2, x2 := part(n + 2)
		w3, x3 := part(n + 3)
		for c, v := range dst {
			dst[c] = v + (w0*x0[c] + w1*x1[c] + (w2*x2[c] + w3*x3[c]))
		}
	}
	for n, p := range s.planes {
		f := s.Factors[n]
		for c, v := range p[j*s.width+i:][:len(dst)] {
			dst[c] += f * v
		}
	}
}

func (s *hostSource) bytes() int64 {
	n := len(s.spectrum)
	for _, p := range s.planes {
		n += len(p)
	}
	for k := range s.footprints {
		n += len(s.footprints[k].x) + len(s.footprints[k].y)
	}
	return 8 * int64(n)
}
