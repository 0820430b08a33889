package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// system is A on the finest grid. Couplings are FP32 in padded arrays: gx[c] couples c and c+1, gy[c] c and c+nx, gz[c]
// c and c+nx*ny, 0 where there is no such neighbour. ground and capacity have one slice per plane, nil where all
// entries are zero.
type system struct {
	grid
	mesh *mesh.Mesh
	dt   float64

	gx, gy, gz *vec32
	generation int         // of these
	ground     [][]float32 // W/K to the temperatures of the faces
	capacity   [][]float32 // C/dt, W/K

	inflow [][]float64 // W from boundary temperatures and fluxes per plane, nil where none

	following *following // nil without temperature-dependent materials
	leaking   *leaking   // nil without leakage
	cooling   *cooling   // nil where no coolant flows

	residualOp residualTask // kept here so that dispatching it allocates nothing
}

var _ ops.Forms = (*system)(nil)

func newSystem(d *Device, m *mesh.Mesh, dt float64) *system {
	s := &system{mesh: m, dt: dt}
	s.init(d, m.NX(), m.NY(), m.NZ())
	s.gx, s.gy, s.gz = s.new32(), s.new32(), s.new32()
	s.ground = make([][]float32, s.nz)
	s.capacity = make([][]float32, s.nz)
	s.inflow = make([][]float64, s.nz)
	s.following = newFollowing(m)
	s.cooling = newCooling(s)
	s.assemble()
	s.newLeaking()
	return s
}

func (s *system) Mesh() *mesh.Mesh { return s.mesh }

func (s *system) TimeStep() float64 { return s.dt }

// Symmetric is true where heat flows by differences of temperature alone, and no coolant carries it.
func (s *system) Symmetric() bool { return s.cooling == nil }

func (s *system) Plane(k int, x ops.Vector, dst []float64) {
	copy(dst, x.(*vec64).values()[k*s.sheet:(k+1)*s.sheet])
}

func (d *Device) Assemble(m *mesh.Mesh, dt float64) (ops.System, error) {
	return newSystem(d, m, dt), nil
}

// discretiseRows rounds the discretisation of mesh to FP32.
func (s *system) discretiseRows(lo, hi, worker int) {
	scratch := s.Scratch(worker)
	s.holdRows(lo, hi, scratch.Doubles(s.nx))
	couplings := &scratch.couplings
	couplings.Begin(s.mesh)
	for k := range s.nz {
		for j := lo; j < hi; j++ {
			c := s.pad + k*s.sheet + j*s.nx
			round(s.gx.buf[c:], couplings.X(k, j))
			round(s.gy.buf[c:], couplings.Y(k, j))
			round(s.gz.buf[c:], couplings.Z(k, j))
		}
	}
}

// holdRows rounds C/dt.
func (s *system) holdRows(lo, hi int, row []float64) {
	if s.dt <= 0 {
		return
	}
	for k, held := range s.capacity {
		for j := lo; j < hi; j++ {
			s.mesh.Capacity(k, j, row)
			for i, v := range row {
				held[j*s.nx+i] = float32(v / s.dt)
			}
		}
	}
}

func (s *system) assemble() {
	if s.dt > 0 {
		for k := range s.capacity {
			s.capacity[k] = reuse.Make[float32](s.Arrays(), s.sheet)
			s.Account(int64(s.sheet) * 4)
		}
	}
	s.discretise()
}

func (s *system) Refresh(dt float64) error {
	if (dt > 0) != (s.dt > 0) {
		return ops.ErrRefresh
	}
	s.dt = dt
	if s.leaking != nil {
		s.leaking.in = false
	}
	for k := range s.nz {
		clear(s.ground[k])
		clear(s.inflow[k])
	}
	s.discretise()
	return nil
}

// Retime is Refresh where nothing but the time step has changed. It returns false where that is not all: in properties
// or powers that depend on temperature.
func (s *system) Retime(dt float64) bool {
	if dt <= 0 || s.dt <= 0 || s.following != nil || s.leaking != nil {
		return false
	}
	s.dt = dt
	s.rows(loop(func(lo, hi, worker int) { s.holdRows(lo, hi, s.Scratch(worker).Doubles(s.nx)) }))
	return true
}

func (s *system) discretise() {
	s.generation++
	s.rows(loop(s.discretiseRows))
	for f := range stack.Face(stack.NumFaces) {
		s.assembleFace(f)
	}
	if s.cooling != nil {
		s.cooling.assemble(s)
	}
}

// assembleFace adds a face's conductances to ground, and the heat that its temperature or flux drives into the cells to
// inflow. The driven heat uses the conductance that ground holds, so that a stack at the temperature of its faces stays
// there exactly.
func (s *system) assembleFace(f stack.Face) {
	if !s.mesh.Exchanges(f) {
		return
	}
	dependent := s.mesh.Stack.Boundary[f].TemperatureDependent()
	for k := range s.nz {
		conductance := s.mesh.FaceConductances(f, k)
		s.mesh.FaceCells(f, [2]int{k, k + 1}, func(i, j, k int) {
			c := j*s.nx + i
			d := s.mesh.Drive(f, i, j, k)
			if d.Flux != 0 {
				s.planeInflow(k)[c] += d.Flux * s.mesh.CellFaceArea(f, i, j, k)
			}
			if !d.Driven() {
				return
			}
			s.planeGround(k)[c] += float32(conductance(i, j))
			if rise := d.Temperature - s.mesh.Stack.Ambient; rise != 0 || dependent {
				s.planeInflow(k)[c] += s.mesh.HeldFaceConductance(f, i, j, k) * rise
			}
		})
	}
}

// planeGround and planeInflow are planes that are made when first asked for.
func (s *system) planeGround(k int) []float32 {
	if s.ground[k] == nil {
		s.ground[k] = reuse.Make[float32](s.Arrays(), s.sheet)
		s.Account(int64(s.sheet) * 4)
	}
	return s.ground[k]
}

func (s *system) planeInflow(k int) []float64 {
	if s.inflow[k] == nil {
		s.inflow[k] = reuse.Make[float64](s.Arrays(), s.sheet)
		s.Account(int64(s.sheet) * 8)
	}
	return s.inflow[k]
}

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
}

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

func (s *source) SetOld(old ops.Vector) { s.old = f64(old) }

func (s *source) Read(dst []float64) {
	row := make([]float64, s.nx)
	for k := range s.nz {
		for j := range s.ny {
			s.values(row, k, j)
			copy(dst[k*s.sheet+j*s.nx:], row)
		}
	}
}

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

// heat fills b with the heat that power and boundaries bring into rows of plane k from row j on.
func (s *source) heat(b []float64, k, j int) {
	first, end := j*s.nx, j*s.nx+len(b)
	if p := s.power[k]; p != nil {
		f := s.share[k]
		for i, v := range p[first:end] {
			b[i] = v * f
		}
	} else {
		clear(b)
	}
	if p := s.inflow[k]; p != nil {
		for i, v := range p[first:end] {
			b[i] += v
		}
	}
}

// SetPower refers to planes that the drawings hold, and draws the others into its own planes.
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
		plane = reuse.Make[float64](s.Arrays(), s.sheet)
		s.drawn[d.Layer] = plane
		s.Account(int64(s.sheet) * 8)
		s.bytes += int64(s.sheet) * 8
	}
	s.rows(loop(func(lo, hi, _ int) { d.Draw(s.nx, lo, hi, plane) }))
	return plane, 1
}

// Conductances are what a mesh's operator is made of, in W/K, for methods that work on couplings. GX[c] couples cells c
// and c+1, GY[c] c and c+NX, GZ[c] c and c+NX NY. They are 0 where there is no such neighbour. NX zeros precede the
// first cell and follow the last. Ground and Capacity hold a slice per plane, nil where all of it is zero. They belong
// to the operator: a refresh changes their values and nothing else may.
type Conductances struct {
	*Space
	NX, NY, NZ       int
	GX, GY, GZ       []float32
	Ground, Capacity [][]float32

	system *system
	zero   []float32 // a row
}

// ConductancesOf are those of a mesh's system on the processor. ok is false for what lives elsewhere or came as a
// matrix.
func ConductancesOf(a ops.Space) (c *Conductances, ok bool) {
	s, ok := a.(*system)
	if !ok {
		return nil, false
	}
	return &Conductances{&s.Space, s.nx, s.ny, s.nz, s.gx.buf, s.gy.buf, s.gz.buf, s.ground, s.capacity, s,
		make([]float32, s.nx)}, true
}

// Generation counts how often the couplings were computed. As long as it stays, a refresh has changed capacities alone.
func (c *Conductances) Generation() int { return c.system.generation }

// Diagonal fills dst with row j of plane k of the operator's main diagonal, summed in FP64.
func (c *Conductances) Diagonal(dst []float64, k, j int) {
	st, _ := c.system.row(k, j, c.zero)
	for i := range dst {
		dst[i] = st.diagonal(i)
	}
}

// Cooling is what coolant adds to the operator of a mesh, for methods that work on couplings: far couples planes k and
// k+2, nil where there is none, and the cavities carry heat. ok is false where no coolant flows.
func (c *Conductances) Cooling() (far [][]float32, cavities []*mesh.Cavity, ok bool) {
	if c.system.cooling == nil {
		return nil, nil, false
	}
	return c.system.cooling.far, c.system.cooling.of, true
}
