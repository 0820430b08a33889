package host

import "thermsim/powermap"

// drawTask draws the power of a layer row by row.
type drawTask struct {
	nx      int
	drawing *powermap.Drawing
	plane   []float64
}

func (t *drawTask) run(lo, hi, _ int) { t.drawing.Draw(t.nx, lo, hi, t.plane) }

// SetPower refers to planes that the drawings hold, and draws the others into planes of its own.
func (s *system) SetPower(layers []powermap.Drawing) {
	clear(s.power)
	for n := range layers {
		d := &layers[n]
		plane, factor := s.layerPower(d)
		r := s.mesh.LayerPlanes[d.Layer]
		for k := r[0]; k < r[1]; k++ {
			s.power[k] = plane
			s.share[k] = factor / float64(r[1]-r[0])
		}
	}
}

// layerPower is a plane that holds a drawing up to a factor.
func (s *system) layerPower(d *powermap.Drawing) (plane []float64, factor float64) {
	if d.Drawn != nil {
		return d.Drawn, 1
	}
	if plane, factor = d.Multiple(); plane != nil {
		return plane, factor
	}
	if plane = s.drawn[d.Layer]; plane == nil {
		plane = make([]float64, s.sheet)
		s.drawn[d.Layer] = plane
		s.account(int64(s.sheet) * 8)
	}
	s.drawOp = drawTask{s.nx, d, plane}
	s.rows(&s.drawOp)
	s.drawOp = drawTask{}
	return plane, 1
}
