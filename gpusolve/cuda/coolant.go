package cuda

import (
	"errors"
	"slices"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/cuda/kernels/launch"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// cooling is the part of the operator on the device that coolant adds to the couplings. The equations are in
// kernels/coolant.h.
type cooling struct {
	of       []*mesh.Cavity
	cavities cudriver.Ptr[kernels.Cavity]
	sent     []kernels.Cavity
	lines    []cudriver.Ptr[float64] // heat of each cavity's lines
	far      slots[float32]          // couplings of planes k and k+2, by the lower one
	flowing  cudriver.Ptr[int32]     // by plane the cavity whose coolant it is, -1 of others
	rise     cudriver.Ptr[float64]   // of the inlets above the ambient, K
	heat     cudriver.Ptr[float64]   // that the cavities carry out, W
}

// errCoolant is why the operator of a stack with coolant has no diagonals.
var errCoolant = errors.New("coolant couples cells beyond the seven diagonals of a grid")

// uploadCavities sends what does not change with a refresh, and takes the memory of far couplings.
func (s *system) uploadCavities() {
	m := s.mesh
	if !m.Cooled() {
		return
	}
	w := &cooling{of: m.Cavities}
	far, flowing := make([]bool, s.nz), make([]int32, s.nz)
	for k := range flowing {
		flowing[k] = -1
	}
	for n, v := range w.of {
		flowing[v.Fluid] = int32(n)
		if v.Wall != v.Fluid {
			far[v.Wall-1], far[v.Wall] = true, true
		}
		wet := make([]int32, len(v.Lines))
		for line, holds := range v.Lines {
			wet[line] = Flag(holds)
		}
		w.lines = append(w.lines, AllocRaw[float64](&s.Space, int64(len(v.Heat))))
		length := s.ny
		if v.Along == 0 {
			length = s.nx
		}
		w.sent = append(w.sent, kernels.Cavity{
			Wall: int32(v.Wall), Fluid: int32(v.Fluid), Axis: int32(v.Along), Backward: Flag(v.Backward),
			Length: int32(length), Heat: w.lines[n],
			Wet: Upload(&s.Space, wet), Profile: AllocRaw[int32](&s.Space, int64(len(v.Lines))),
		})
	}
	w.far = reserve[float32](s, far)
	w.flowing = Upload(&s.Space, flowing)
	w.cavities = AllocRaw[kernels.Cavity](&s.Space, int64(len(w.of)))
	w.rise, w.heat = AllocRaw[float64](&s.Space, int64(len(w.of))), AllocRaw[float64](&s.Space, int64(len(w.of)))
	s.cooling = w
	s.closeSides()
	s.sendCavities()
}

// closeSides marks the cells of cavities whose sides are adiabatic: all cells of porous cavities, and cells with
// coolant.
func (s *system) closeSides() {
	closed, length := make([]int32, s.nz), s.nx+s.ny
	for k := range closed {
		closed[k] = -1
	}
	var lines []int32
	for _, v := range s.cooling.of {
		closed[v.Wall], closed[v.Fluid] = int32(len(lines)), int32(len(lines))
		own := make([]int32, length)
		first := s.nx // rows hold lines of a flow along x
		if v.Along == 1 {
			first = 0
		}
		for line, wet := range v.Lines {
			own[first+line] = Flag(wet || v.Wall != v.Fluid)
		}
		lines = append(lines, own...)
	}
	s.compact.closed, s.compact.closedLine = Upload(&s.Space, closed), Upload(&s.Space, lines)
}

// sendCavities sends the values that a refresh may change.
func (s *system) sendCavities() {
	w := s.cooling
	if w == nil {
		return
	}
	rise := make([]float64, len(w.of))
	for n, v := range w.of {
		c, to := v.Of, &w.sent[n]
		rise[n] = c.Inlet - s.mesh.Stack.Ambient
		to.Central, to.Pins = Flag(c.Central), Flag(c.Pins != nil)
		to.Along, to.Capacity, to.Porosity, to.Height = v.AlongFlow(), c.Fluid.C, c.Porosity(),
			s.mesh.Stack.Layers[v.Layer].Thickness
		Send(&s.Space, w.lines[n], v.Heat)
		profile, films := s.profiles(v)
		s.Discard(to.Films)
		to.Films = Upload(&s.Space, films)
		Send(&s.Space, to.Profile, profile)
	}
	Send(&s.Space, w.cavities, w.sent)
	Send(&s.Space, w.rise, rise)
}

// profiles are the different courses of the films along lines, and which of them each line has.
func (s *system) profiles(v *mesh.Cavity) (profile []int32, films []float64) {
	n := s.ny
	if v.Along == 0 {
		n = s.nx
	}
	n *= kernels.Films
	profile, line := make([]int32, len(v.Lines)), make([]float64, 0, n)
	seen := map[int]int32{} // of the profiles of the mesh, which may equal one another
	for l := range profile {
		if of, ok := seen[v.Profile(l)]; ok {
			profile[l] = of
			continue
		}
		line = line[:0]
		for at := range n / kernels.Films {
			i, j := l, at
			if v.Along == 0 {
				i, j = at, l
			}
			f := v.WallH(i, j)
			line = append(line, f.Side, f.Bottom, f.Top)
		}
		known := 0
		for known*n < len(films) && !slices.Equal(films[known*n:(known+1)*n], line) {
			known++
		}
		if known*n == len(films) {
			films = append(films, line...)
		}
		profile[l] = int32(known)
		seen[v.Profile(l)] = int32(known)
	}
	return profile, films
}

func (s *system) kernelsToCool() (*kernels.Coolant, bool) {
	return loaded(&s.Space, "coolant", kernels.LoadCoolant)
}

// cool computes the changes that cavities make to the couplings, and adds the heat that enters through the inlets.
func (s *system) cool() {
	w := s.cooling
	if w == nil {
		return
	}
	k, ok := s.kernelsToCool()
	if !ok {
		return
	}
	c, count := &s.compact, len(w.of)
	grid := s.Grid(s.nx, kernels.CoolantThreads, s.ny, 2*count)
	Launch(&s.Space, &k.CoolPlanes, grid, kernels.CoolantCoolPlanesArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
		Uniform: c.uniform, Slot: c.slot,
		Index: c.index, Palette: c.palette, Cavities: w.cavities, Dt: s.dt, Gx: s.gx.at, Gy: s.gy.at,
		Capacity: s.capacity.address(),
	})
	grid = s.Grid(s.nx, kernels.CoolantThreads, s.ny, count)
	Launch(&s.Space, &k.CoolColumns, grid, kernels.CoolantCoolColumnsArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
		Uniform: c.uniform, Slot: c.slot,
		Index: c.index, Palette: c.palette, Cavities: w.cavities, FarSlot: w.far.onDev, Gz: s.gz.at, Far: w.far.data,
	})
	s.letIn()
}

// letIn adds the heat that enters through the inlets.
func (s *system) letIn() {
	w := s.cooling
	if w == nil {
		return
	}
	if k, ok := s.kernelsToCool(); ok {
		Launch(&s.Space, &k.Inlets, s.Grid(max(s.nx, s.ny), kernels.CoolantThreads, len(w.of), 1),
			kernels.CoolantInletsArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Cavities: w.cavities, Rise: w.rise, Inflow: s.inflow.data,
				InflowSlot: s.inflow.onDev,
			})
	}
}

// flowing says of each plane which cavity's coolant it is; null without any.
func (s *system) flowing() (by cudriver.Ptr[int32], cavities cudriver.Ptr[kernels.Cavity]) {
	if w := s.cooling; w != nil {
		return w.flowing, w.cavities
	}
	return by, cavities
}

// followCavities computes what cavities change in the couplings at the temperatures of x.
func (s *system) followCavities(k *kernels.Follow, x, old ops.Vector) {
	w := s.cooling
	if w == nil {
		return
	}
	c, f := &s.compact, s.following
	Launch(&s.Space, &k.FollowCavities, s.Grid(s.nx, kernels.FollowThreads, s.ny, 3*len(w.of)),
		kernels.FollowFollowCavitiesArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
			Uniform: c.uniform, Slot: c.slot,
			Index: c.index, Laws: f.laws, Planes: f.planes, Ambient: s.mesh.Stack.Ambient, X: F64(x), Old: F64(old),
			Dt: s.dt, Cavities: w.cavities,
			FarSlot: w.far.onDev, Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Far: w.far.data,
			Capacity: s.capacity.address(),
		})
}

func (s *system) cooledResidual(a *kernels.ResidualResidualArgs) {
	w := s.cooling
	if k, ok := s.kernelsToCool(); ok {
		Launch(&s.Space, &k.CooledResidual, s.rows(residualBlocks), kernels.CoolantCooledResidualArgs{
			Nx: a.Nx, Ny: a.Ny, Nz: a.Nz, Gx: a.Gx, Gy: a.Gy, Gz: a.Gz, Ground: a.Ground, GroundSlot: a.GroundSlot,
			Capacity: a.Capacity,
			Power:    a.Power, PowerSlot: a.PowerSlot, Share: a.Share, Inflow: a.Inflow, InflowSlot: a.InflowSlot,
			Cavities: w.cavities, Far: w.far.data,
			FarSlot: w.far.onDev, Flowing: w.flowing, X: a.X, Old: a.Old, R: a.R, R64: a.R64, Partial: a.Partial,
			Scalars: a.Scalars, Ticket: a.Ticket,
		})
	}
}

func (s *system) cooledApply(y, x ops.Vector) {
	if k, ok := s.kernelsToCool(); ok {
		cooledMultiply(s, &k.CooledMultiplyDouble, y, F64(x))
	}
}

// ApplySingle sets the FP64 vector y to A x32 for an FP32 vector, if the system does so itself.
func (s *system) ApplySingle(y, x32 ops.Vector) bool {
	if s.cooling == nil {
		return false
	}
	if k, ok := s.kernelsToCool(); ok {
		cooledMultiply(s, &k.CooledMultiplySingle, y, F32(x32))
	}
	return true
}

func cooledMultiply[T any](s *system, k *launch.Kernel[kernels.CoolantCooledMultiplyArgs[T]], y ops.Vector,
	x cudriver.Ptr[T]) {
	w := s.cooling
	Launch(&s.Space, k, s.rows(residualBlocks), kernels.CoolantCooledMultiplyArgs[T]{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at,
		Ground: s.ground.data, GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Cavities: w.cavities,
		Far: w.far.data, FarSlot: w.far.onDev, Flowing: w.flowing, V: x, Out: F64(y),
	})
}

func (s *system) CoolantHeat(x ops.Vector) []float64 {
	w := s.cooling
	if w == nil {
		return nil
	}
	if k, ok := s.kernelsToCool(); ok {
		Launch(&s.Space, &k.Outlets, [3]uint32{uint32(len(w.of)), 1, 1}, kernels.CoolantOutletsArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Cavities: w.cavities, Rise: w.rise, X: F64(x), Heat: w.heat,
		})
	}
	heat := make([]float64, len(w.of))
	Receive(&s.Space, heat, w.heat)
	return heat
}

// Cooling is what coolant adds to the operator of a mesh on a GPU, for methods with kernels that work on couplings.
// Plane k of Far, which couples planes k and k+2, is in slot FarSlot[k], -1 where there is none.
type Cooling struct {
	*Conductances
	Of      []*mesh.Cavity
	Far     cudriver.Ptr[float32]
	FarSlot cudriver.Ptr[int32]
	Slots   []int32 // those of FarSlot
	system  *system
}

// CoolingOf is that of a mesh's system on a GPU. ok is false where no coolant flows or the operator lives elsewhere.
func CoolingOf(a ops.Space) (c *Cooling, ok bool) {
	s, ok := a.(*system)
	if !ok || s.cooling == nil {
		return nil, false
	}
	g, _ := ConductancesOf(a)
	w := s.cooling
	return &Cooling{g, w.of, w.far.data, w.far.onDev, w.far.of, s}, true
}

// Diagonal fills the FP64 vector v with the diagonal of A.
func (c *Cooling) Diagonal(v ops.Vector) {
	s, w := c.system, c.system.cooling
	if k, ok := s.kernelsToCool(); ok {
		Launch(&s.Space, &k.CooledDiagonal, s.rows(residualBlocks), kernels.CoolantCooledDiagonalArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at,
			Ground:     s.ground.data,
			GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Cavities: w.cavities, Far: w.far.data,
			FarSlot: w.far.onDev,
			Flowing: w.flowing, Out: F64(v),
		})
	}
}

// CavityLines are the heat in W/K that each line of cavity n carries, and 1 where it holds coolant, on the device.
func (c *Cooling) CavityLines(n int) (heat cudriver.Ptr[float64], wet cudriver.Ptr[int32]) {
	v := &c.system.cooling.sent[n]
	return v.Heat, v.Wet
}
