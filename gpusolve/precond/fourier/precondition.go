package fourier

import (
	"fmt"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/mesh"
	"thermsim/stack"
)

// Preconditioner solves with the mean of the conductances in every plane and between planes.
type Preconditioner struct {
	sys ops.System
	l   *Layered
	e   Operations
}

var _ precond.Refresher = (*Preconditioner)(nil)

// NewPreconditioner makes that of a mesh's system, of which the sides must be adiabatic or at a temperature.
func NewPreconditioner(s ops.Operator) (*Preconditioner, error) {
	sys, ok := s.(ops.System)
	if !ok {
		return nil, fmt.Errorf("%w: fourier needs the geometry of a stack, and a matrix has none; choose another "+
			"preconditioner", precond.ErrRefused)
	}
	if err := Refusal(sys.Mesh().Stack); err != nil {
		return nil, err
	}
	l := layeredLike(sys.Mesh(), sys.TimeStep() > 0)
	l.average(sys.Mesh(), sys.TimeStep())
	e, err := onOperator(s, l)
	if err != nil {
		return nil, err
	}
	return &Preconditioner{sys, l, e}, nil
}

// Refresh takes the means again.
func (p *Preconditioner) Refresh() error {
	p.l.average(p.sys.Mesh(), p.sys.TimeStep())
	p.e.Refresh()
	return p.e.Err()
}

// Name is "fourier".
func (p *Preconditioner) Name() string { return "fourier" }

// Details say what the axes are transformed by.
func (p *Preconditioner) Details() string {
	return p.l.String() + ", with the mean conductances of planes"
}

// Apply sets z = M^-1 r.
func (p *Preconditioner) Apply(z, r ops.Vector) { p.e.Precondition(z, r) }

// String names the transforms.
func (l *Layered) String() string {
	names := [...]string{Adiabatic: "cosines", Held: "sines", HeldLow: "sines from the held side",
		HeldHigh: "cosines to the held side"}
	x, y := l.axes()
	of := func(a axis) string {
		if a.graded() {
			return "eigenvectors"
		}
		return names[a.ends]
	}
	if of(x) == of(y) {
		return of(x) + " along x and y"
	}
	return of(x) + " along x, " + of(y) + " along y"
}

// layeredLike is an operator for a mesh, with nothing in it.
func layeredLike(m *mesh.Mesh, inTime bool) *Layered {
	l := &Layered{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), GX: make([]float64, m.NZ()), GY: make([]float64, m.NZ()),
		GZ: make([]float64, m.NZ()+1)}
	l.setAxes(m)
	if inTime {
		l.Capacity = make([]float64, l.NZ)
	}
	return l
}

// average sets the means of the conductances of the cells of every plane: of all operators that the transforms
// diagonalise it is, on equal cells, the closest in the Frobenius norm (T. Chan 1988 for circulants). Others count by
// their areas. Planes of a layer are alike.
func (l *Layered) average(m *mesh.Mesh, dt float64) {
	x, y := l.axes()
	for k := range l.NZ {
		l.GX[k], l.GY[k] = lateral(m, k)
		switch {
		case m.Planes[k].Index == nil:
		case k > 0 && m.Planes[k-1].Layer == m.Planes[k].Layer:
			l.GX[k], l.GY[k] = l.GX[k-1], l.GY[k-1]
		default:
			if l.NX > 1 {
				l.GX[k] = mean(m, k, m.CouplingX) * float64(l.NX) / x.inner()
			}
			if l.NY > 1 {
				l.GY[k] = mean(m, k, m.CouplingY) * float64(l.NY) / y.inner()
			}
		}
		if k+1 < l.NZ {
			l.GZ[k+1] = mean(m, k, m.CouplingZ)
		}
		if dt > 0 {
			l.Capacity[k] = mean(m, k, m.Capacity) / dt
		}
	}
	l.GZ[0] = meanFace(m, stack.Bottom, 0)
	l.GZ[l.NZ] = meanFace(m, stack.Top, l.NZ-1)
}

// inner is the sum of the couplings between cells.
func (a axis) inner() float64 { return total(a.couplings()[1:a.n]) }

// mean of the values that row gives for the cells of plane k.
func mean(m *mesh.Mesh, k int, row func(k, j int, dst []float64)) float64 {
	dst := make([]float64, m.NX())
	sum, rows := 0.0, m.NY()
	above := k+1 < m.NZ() && m.Planes[k+1].Index != nil
	if m.Planes[k].Index == nil && !above && widthsOf(m, 1) == nil {
		rows = 1 // all alike
	}
	for j := range rows {
		row(k, j, dst)
		sum += total(dst)
	}
	return sum / float64(rows*m.NX())
}

func meanFace(m *mesh.Mesh, f stack.Face, k int) float64 {
	sum, conductance := 0.0, m.FaceConductances(f, k)
	for j := range m.NY() {
		for i := range m.NX() {
			sum += conductance(i, j)
		}
	}
	return sum / float64(m.NX()*m.NY())
}

// Definition of the method as a preconditioner. Where it solves alone, package gpusolve runs it without one.
func Definition() method.Definition {
	return method.Definition{
		Name: "fourier", Doc: "a direct solver for uniform layers, and for others a preconditioner of their means",
		Keys: []precond.Key{method.SolverKey()},
		New: func(a ops.Operator, _ precond.Settings) (precond.Preconditioner, error) {
			return method.Made(NewPreconditioner(a))
		},
		Memory: Memory,
	}
}
