package powermap

import (
	"reflect"

	"thermsim/stack"
)

// LayerLeakage is the leakage of one layer, as a sum over its laws.
type LayerLeakage struct {
	Layer int // index into Stack.Layers
	Terms []LeakageTerm
}

// LeakageTerm is leakage by one law: W per cell column over the layer's heated thickness for the law's value 1, x
// fastest.
type LeakageTerm struct {
	Law   *stack.Curve
	Watts []float64
}

// Leakage is that of all layers that leak, bottom to top. Equal laws are one, the same pointer.
func (m *Map) Leakage() []LayerLeakage {
	var all []LayerLeakage
	var known laws
	for i := range m.Layers {
		l := &m.Layers[i]
		leakage := LayerLeakage{Layer: l.Layer}
		for k := range l.sources {
			l.sources[k].leak(m.Grid, &known, &leakage)
		}
		if len(leakage.Terms) > 0 {
			all = append(all, leakage)
		}
	}
	return all
}

// laws are those met so far.
type laws []*stack.Curve

// one is the first law that equals another.
func (l *laws) one(law *stack.Curve) *stack.Curve {
	for _, known := range *l {
		if known == law || reflect.DeepEqual(known, law) {
			return known
		}
	}
	*l = append(*l, law)
	return law
}

// leak adds the leakage of a source.
func (s *source) leak(g Grid, known *laws, to *LayerLeakage) {
	if s.power.Map != nil {
		for n, law := range s.power.Map.Leakage() {
			Spread(g, s.area, s.power.Map.Rise(n), 1, to.term(known.one(law), g))
		}
		return
	}
	laws, watts := s.leakages()
	for of, law := range laws {
		if law == nil || watts[of] == 0 {
			continue
		}
		dst := to.term(known.one(law), g)
		for n, p := range s.portions {
			if p.of == of {
				s.footprints[n].add(watts[of]*p.share, g.NX(), 0, g.NY(), dst)
			}
		}
	}
}

// leakages are those of each value of the strength of blocks or of a uniform power.
func (s *source) leakages() (laws []*stack.Curve, watts []float64) {
	if len(s.power.Blocks) == 0 {
		return []*stack.Curve{s.power.Leakage.Factor}, []float64{s.power.Leakage.Watts}
	}
	for i := range s.power.Blocks {
		l := &s.power.Blocks[i].Leakage
		laws, watts = append(laws, l.Factor), append(watts, l.Watts)
	}
	return laws, watts
}

// term finds that of a law, or adds it.
func (l *LayerLeakage) term(law *stack.Curve, g Grid) []float64 {
	for i := range l.Terms {
		if l.Terms[i].Law == law {
			return l.Terms[i].Watts
		}
	}
	l.Terms = append(l.Terms, LeakageTerm{law, make([]float64, g.NX()*g.NY())})
	return l.Terms[len(l.Terms)-1].Watts
}

// LeakageWatts is the leakage in W of each block of p, of each law of its map, or of p itself, at the
// temperatures in K of the planes that its layer heats. of evaluates a law.
func (m *Map) LeakageWatts(p *stack.Power, planes [][]float64,
	of func(law *stack.Curve) func(kelvin float64) float64) []float64 {
	s, g := m.find(p), m.Grid
	if s == nil {
		return nil
	}
	if p.Map != nil {
		return s.mapLeakage(g, planes, of)
	}
	laws, watts := s.leakages()
	sums := make([]Sum, len(laws))
	for n, p := range s.portions {
		if p.of >= len(laws) || laws[p.of] == nil || watts[p.of] == 0 {
			continue
		}
		law := of(laws[p.of])
		f := &s.footprints[n]
		for j, y := range f.Y {
			row := (f.J+j)*g.NX() + f.I
			for i, x := range f.X {
				for _, kelvin := range planes {
					sums[p.of].Add(watts[p.of] * p.share * y * x / float64(len(planes)) * law(kelvin[row+i]))
				}
			}
		}
	}
	w := make([]float64, len(sums))
	for i := range sums {
		w[i] = sums[i].Value()
	}
	return w
}

// mapLeakage is LeakageWatts of a map.
func (s *source) mapLeakage(g Grid, planes [][]float64,
	of func(law *stack.Curve) func(kelvin float64) float64) (watts []float64) {
	for n, law := range s.power.Map.Leakage() {
		cells, value := make([]float64, g.NX()*g.NY()), of(law)
		Spread(g, s.area, s.power.Map.Rise(n), 1/float64(len(planes)), cells)
		var total Sum
		for c, w := range cells {
			for _, kelvin := range planes {
				total.Add(w * value(kelvin[c]))
			}
		}
		watts = append(watts, total.Value())
	}
	return watts
}
