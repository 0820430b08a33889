package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/powermap"
)

// drawTask draws the power of a layer row by row.
type drawTask struct {
	nx      int
	drawing *powermap.Drawing
	plane   []float64
}

func (t *drawTask) Run(lo, hi, _ int) { t.drawing.Draw(t.nx, lo, hi, t.plane) }

// source is the right side of a mesh's system: power, what the faces drive in, and C/dt times the state at the start of
// a step.
type source struct {
	*system
	power  [][]float64 // W per cell column of the plane's layer, nil where none
	share  []float64   // of it that falls into the plane
	drawn  [][]float64 // planes that hold the power of layers, by layer; nil where none was needed
	inflow [][]float64 // W from boundary temperatures and fluxes per plane, nil where none
	old    []float64   // padded; nil where no step is taken
	bytes  int64

	drawOp drawTask
}

var _ ops.HeatSource = (*source)(nil)

// NewSource makes a source without power. Driven sources include what temperatures and fluxes of the faces bring in.
func (s *system) NewSource(driven bool) (ops.HeatSource, error) { return s.newSource(driven), nil }

func (s *system) newSource(driven bool) *source {
	b := &source{system: s, power: make([][]float64, s.nz), share: make([]float64, s.nz),
		drawn: make([][]float64, len(s.mesh.LayerPlanes))}
	b.inflow = make([][]float64, s.nz)
	if driven {
		b.inflow = s.inflow
	}
	return b
}

// SourceOf is b = v, plane by plane.
func (s *system) SourceOf(v ops.Vector) ops.Source {
	b := s.newSource(false)
	values := v.(*vec64).values()
	for k := range s.nz {
		b.power[k], b.share[k] = values[k*s.sheet:(k+1)*s.sheet], 1
	}
	return b
}

// SetOld adds C/dt old to the source; a nil old takes that back.
func (s *source) SetOld(old ops.Vector) { s.old = f64(old) }

// Read writes b to the host.
func (s *source) Read(dst []float64) {
	row := make([]float64, s.nx)
	for k := range s.nz {
		for j := range s.ny {
			s.values(row, k, j)
			copy(dst[k*s.sheet+j*s.nx:], row)
		}
	}
}

// Close forgets the planes.
func (s *source) Close() {
	s.Account(-s.bytes)
	s.power, s.drawn, s.bytes = nil, nil, 0
}

// values fills b with row j of plane k.
func (s *source) values(b []float64, k, j int) {
	s.heat(b, k, j)
	g := s.heldIn(k, j)
	if g == nil || s.old == nil {
		return
	}
	c := s.pad + k*s.sheet + j*s.nx
	for i, v := range g {
		b[i] += float64(v) * s.old[c+i]
	}
}

// heat fills b with the heat that power and boundaries bring into row j of plane k.
func (s *source) heat(b []float64, k, j int) {
	if p := s.power[k]; p != nil {
		f := s.share[k]
		for i, v := range p[j*s.nx : j*s.nx+s.nx] {
			b[i] = v * f
		}
	} else {
		clear(b)
	}
	if p := s.inflow[k]; p != nil {
		for i, v := range p[j*s.nx : j*s.nx+s.nx] {
			b[i] += v
		}
	}
}

// SetPower refers to planes that the drawings hold, and draws the others into planes of its own.
func (s *source) SetPower(layers []powermap.Drawing) {
	clear(s.power)
	for n := range layers {
		d := &layers[n]
		plane, factor := s.layerPower(d)
		r := s.mesh.PowerPlanes(d.Layer)
		for k := r[0]; k < r[1]; k++ {
			s.power[k] = plane
			s.share[k] = factor / float64(r[1]-r[0])
		}
	}
}

// layerPower is a plane that holds a drawing up to a factor.
func (s *source) layerPower(d *powermap.Drawing) (plane []float64, factor float64) {
	if plane, factor = d.Multiple(); plane != nil {
		return plane, factor
	}
	if plane = s.drawn[d.Layer]; plane == nil {
		plane = make([]float64, s.sheet)
		s.drawn[d.Layer] = plane
		s.Account(int64(s.sheet) * 8)
		s.bytes += int64(s.sheet) * 8
	}
	s.drawOp = drawTask{s.nx, d, plane}
	s.rows(&s.drawOp)
	s.drawOp = drawTask{}
	return plane, 1
}
