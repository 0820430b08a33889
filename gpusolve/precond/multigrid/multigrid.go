// Package multigrid is the default preconditioner: one V-cycle of geometric multigrid made for layered stacks. Columns
// are solved exactly along z, grids are coarsened along x and y only, and the number of planes stays.
//
// Thin layers couple strongly along z and thick ones laterally; with exact column solves only the lateral part is left
// to the hierarchy.
package multigrid

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"fmt"
	"math"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/mesh"
)

// Cycle is a V-cycle. It is symmetric: what smooths after the coarse correction is the adjoint of what smooths before.
type Cycle struct {
	sys    ops.System
	ops    Operations
	plan   Plan
	levels []rung
	// bottom cycles over the levels from bottomLevel on in one operation, where the device has such a thing.
	bottom      func()
	bottomLevel int
	// last is the level that is not restricted to another. Its error shrinks by leaves in a solve of its columns.
	last   int
	leaves float64
}

// rung is one level with its vectors. On the finest level b and z come from the caller.
type rung struct {
	level   Level
	b, z, x ops.Vector
}

var _ precond.Refresher = (*Cycle)(nil)

// New builds the hierarchy for a system, with the choices of Choose, or with those that the system was divided among
// ranks by.
func New(s ops.System) (*Cycle, error) {
	if d, ok := s.(interface{ Plan() Plan }); ok {
		return NewPlanned(s, d.Plan())
	}
	return NewPlanned(s, Choose(s.Mesh()))
}

// reserver is a device that would rather be asked for all memory of a hierarchy at once.
type reserver interface{ Reserve(plan Plan) }

// NewPlanned builds the hierarchy with given choices.
func NewPlanned(s ops.System, plan Plan) (*Cycle, error) {
	lines, err := On(s)
	if err != nil {
		return nil, err
	}
	if r, ok := lines.(reserver); ok {
		r.Reserve(plan)
	}
	c := &Cycle{sys: s, ops: lines, plan: plan}
	level, err := lines.Finest()
	if err != nil {
		return nil, err
	}
	if err := c.add(level); err != nil {
		return nil, err
	}
	for _, coarsening := range plan.Coarsenings {
		coarsening.Weighted = plan.Weighted
		if level, err = lines.Coarsen(level, coarsening); err != nil {
			return nil, err
		}
		if err := c.add(level); err != nil {
			return nil, err
		}
	}
	c.shorten(s.TimeStep())
	return c, c.prepareBottom()
}

// Columns alone solve a level on which heat hardly moves sideways within a time step: the error that they leave is at
// most the largest share of a cell's conductances that are lateral, and its square when they are solved twice.
const (
	onceLeaves  = 0.03
	twiceLeaves = 0.3
)

// shorten finds the last level for steps of dt. Devices that record operations keep all levels.
func (c *Cycle) shorten(dt float64) {
	c.last, c.leaves = len(c.levels)-1, 0
	if dt <= 0 || c.plan.Rates == nil || c.ops.BottomColumns() > 0 {
		return
	}
	for n, rate := range c.plan.Rates[:c.last] {
		if leaves := rate * dt / (1 + rate*dt); leaves < twiceLeaves {
			c.last, c.leaves = n, leaves
			return
		}
	}
}

// Refresh computes all levels again. The choices of the plan stay.
func (c *Cycle) Refresh() error {
	for n := range c.levels {
		if err := c.ops.RefreshLevel(c.levels[n].level); err != nil {
			return err
		}
	}
	c.shorten(c.sys.TimeStep())
	return nil
}

// prepareBottom hands the small levels to devices that cycle over them in one operation.
func (c *Cycle) prepareBottom() error {
	for n := 1; n < len(c.levels)-1; n++ {
		nx, ny, _ := c.levels[n].level.Shape()
		if nx*ny > c.ops.BottomColumns() {
			continue
		}
		var rungs []Rung
		for _, l := range c.levels[n:] {
			rungs = append(rungs, Rung{Level: l.level, B: l.b, Z: l.z, X: l.x})
		}
		var err error
		c.bottomLevel = n
		if c.bottom, err = c.ops.Bottom(rungs, c.plan.Smoother.coefficients()); err != nil || c.bottom != nil {
			return err
		}
	}
	return nil
}

// add appends a level with its vectors.
func (c *Cycle) add(level Level) error {
	r := rung{level: level}
	vectors := []*ops.Vector{&r.x}
	if len(c.levels) > 0 {
		vectors = append(vectors, &r.b, &r.z)
	}
	for _, v := range vectors {
		var err error
		if *v, err = c.ops.NewVector(level); err != nil {
			return err
		}
	}
	c.levels = append(c.levels, r)
	return nil
}

// Name is "multigrid".
func (c *Cycle) Name() string { return "multigrid" }

// Details of the hierarchy.
func (c *Cycle) Details() string {
	semi := 0
	for _, k := range c.plan.Coarsenings {
		if k.directions() == 1 {
			semi++
		}
	}
	return fmt.Sprintf("%d levels (%d coarsened in one direction only), %s smoothing, %d of %d planes with "+
		"conductance-weighted interpolation",
		len(c.levels), semi, c.plan.Smoother, c.plan.weighted(), len(c.plan.Weighted))
}

// Apply sets z to one V-cycle on A z = r, started from zero.
func (c *Cycle) Apply(z, r ops.Vector) {
	c.levels[0].b, c.levels[0].z = r, z
	c.cycle(0)
	c.levels[0].b, c.levels[0].z = nil, nil
}

// cycle improves level n from zero and leaves the result in its z.
func (c *Cycle) cycle(n int) {
	l := &c.levels[n]
	if n == c.last {
		if c.leaves <= onceLeaves { // the solve of a single column is exact
			c.ops.Start(l.level, l.z, l.b, 1)
			return
		}
		c.ops.Start(l.level, l.x, l.b, 1)
		c.ops.Step(l.level, l.z, l.x, nil, l.b, Relaxation{0, 1})
		return
	}
	if c.bottom != nil && n == c.bottomLevel {
		c.bottom()
		return
	}
	next := &c.levels[n+1]
	s := c.plan.Smoother.coefficients()
	if c.plan.Smoother == LineJacobi {
		c.ops.Start(l.level, l.x, l.b, s.First)
		c.ops.RestrictStart(l.level, next.level, next.b, l.b, l.x, s.First)
		c.cycle(n + 1)
		c.ops.Prolong(l.level, next.level, l.x, next.z)
		c.ops.Step(l.level, l.z, l.x, nil, l.b, Relaxation{0, s.First})
		return
	}
	smoothed := c.ops.Before(l.level, l.z, l.x, l.b, s)
	c.ops.Restrict(l.level, next.level, next.b, l.b, smoothed)
	c.cycle(n + 1)
	c.ops.Prolong(l.level, next.level, smoothed.At, next.z)
	c.ops.After(l.level, l.z, l.x, l.b, s)
}

// Smooth improves z on A z = r on the finest level alone, as a cycle for a stack with coolant ends.
func (c *Cycle) Smooth(z, r ops.Vector) {
	l := &c.levels[0]
	c.ops.After(l.level, z, l.x, r, c.plan.Smoother.coefficients())
}

// Plan holds the choices that fix a hierarchy.
type Plan struct {
	Coarsenings []Coarsening // from the finest level down to a single column
	Weighted    []bool       // per plane: conductance-weighted interpolation
	Smoother    Smoother
	Rates       []float64 // of lateral conduction by level, 1/s; nil where columns alone never do
}

// weighted is the number of planes with conductance-weighted interpolation.
func (plan Plan) weighted() (n int64) {
	for _, w := range plan.Weighted {
		if w {
			n++
		}
	}
	return n
}

// Smoother of every level.
type Smoother int

// The smoothers: both solve whole columns.
const (
	LineJacobi       Smoother = iota // damped by 0.8, once before and once after
	LineChebyshev2                   // degree 2 on [0.3, 2], once before and once after
	LineChebyshevGas                 // the same on [0.6, 2]
)

// coefficients of the smoother. Jacobi is damped by 0.8. Chebyshev of degree 2 works on the upper part of the spectrum
// of T^-1 A, which lies in (0, 2). Beside gas coarse grids correct badly, and the upper end must be damped more: on
// [0.3, 2] a package on 450 x 450 takes 62 iterations, on [0.5, 2] 30, on [0.6, 2] 24. Without gas 10M cells take 8
// iterations on [0.3, 2] and 9 on [0.5, 2]. Source: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed.,
// algorithm 12.1.
func (s Smoother) coefficients() Smoothing {
	const most = 2
	least := 0.3
	switch s {
	case LineJacobi:
		return Smoothing{First: 0.8}
	case LineChebyshevGas:
		least = 0.6
	}
	theta, delta := (most+least)/2, (most-least)/2
	sigma := theta / delta
	rho0 := 1 / sigma
	rho1 := 1 / (2*sigma - rho0)
	return Smoothing{First: float32(1 / theta), Momentum: float32(rho1 * rho0), Second: float32(2 * rho1 / delta)}
}

func (s Smoother) String() string {
	return [...]string{"line Jacobi", "line Chebyshev-2", "line Chebyshev-2 (gas)"}[s]
}

// gasContrast is the least |ln(k/k')| of neighbours of which one counts as gas: copper conducts 15,000 times as well as
// air, and 1,300 times as well as underfill.
var gasContrast = math.Log(3000)

// Choose fixes the hierarchy from the mesh.
func Choose(m *mesh.Mesh) Plan {
	found := edgesOf(m)
	p := Plan{Coarsenings: coarsenings(m, found), Weighted: make([]bool, m.NZ())}
	edges := false
	for k := range p.Weighted {
		share := m.InterfaceShare(k)
		edges = edges || share > 0 && share < scatteredShare
		if share > 0 {
			p.Smoother = LineChebyshev2
			if found.most > gasContrast {
				p.Smoother = LineChebyshevGas
			}
		}
	}
	// All planes or none: one that interpolates linearly between planes that do not would tear columns apart.
	for k := range p.Weighted {
		p.Weighted[k] = edges
	}
	if !m.Cooled() {
		p.Rates = lateralRates(m, p.Coarsenings)
	}
	return p
}

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "multigrid", Doc: "geometric multigrid for layered stacks", Keys: []precond.Key{method.SolverKey()},
		New: func(a ops.Operator, _ precond.Settings) (precond.Preconditioner, error) {
			return method.Made(onStack(a))
		},
		Memory: func(s precond.Shape, _ precond.Settings) precond.Need { return Memory(s) },
	}
}

// onStack refuses operators without geometry.
func onStack(a ops.Operator) (*Cycle, error) {
	s, ok := a.(ops.System)
	if !ok {
		return nil, fmt.Errorf("%w: multigrid needs the geometry of a stack, and a matrix has none; choose another "+
			"preconditioner", precond.ErrRefused)
	}
	return New(s)
}
