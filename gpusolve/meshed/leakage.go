package meshed

import (
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Leakage is the part of the iteration that follows powers. With K the conductances, and power q f(T) in the cells, it
// is Newton's method,
//
//	(K - D) x' = b + q f(x) - D x,   D = diag(q f'(x))
//
// Methods are made for K alone, which is positive definite whatever leaks: D has few eigenvalues of weight in K^-1 D,
// which conjugate gradients deal with.
//
// Where f is convex and the start is colder than the solution, the states rise towards it and never pass it. A state at
// which K - D is not positive definite, which conjugate gradients notice, then proves that there is no solution. With
// coolant K is an M-matrix that is not symmetric, and the proof is that K - D is none, which shows where a bound on the
// error is looked for (package downstream).
type Leakage struct {
	on       ops.System
	of       *mesh.Leakage
	drawn    []powermap.Drawing // the powers of a steady state
	Scale    float64            // on all powers
	cautious bool               // systems are solved far enough to keep the states below the solution

	mode, next, held, lost ops.Vector // eigenvector of the gain, and what it takes to find it
	stable                 ops.Vector // the last state with a solution
	plane                  []float64

	checkedAt float64 // largest rise in K when the gain was last looked at in a transient
	solution.Leakage
}

// cautiousCut is the part of the residual that a cautious solve leaves.
const cautiousCut = 1e-3

// newLeakage readies the iteration over powers.
func newLeakage(sys ops.System, transient bool) (*Leakage, error) {
	l := &Leakage{on: sys, of: sys.Mesh().Leakage, Scale: 1, checkedAt: math.Inf(-1)}
	l.From, l.To = l.of.Range()
	vectors := []*ops.Vector{&l.mode, &l.next, &l.held, &l.lost}
	if !transient {
		vectors = append(vectors, &l.stable)
	}
	for _, v := range vectors {
		var err error
		if *v, err = sys.New64(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// put makes the leakage that of a state.
func (l *Leakage) put(x ops.Vector) error {
	if l == nil {
		return nil
	}
	return l.on.Leak(x, l.Scale, false)
}

// Measure takes what leaks in a state.
func (s *System) Measure() {
	l := s.Outer.Leakage
	m := s.mesh
	if l.plane == nil {
		l.plane = make([]float64, m.NX()*m.NY())
	}
	state := l.of.State(m.NX(), func(n int) []float64 {
		s.plane(l.of.Planes[n].Plane, s.X, l.plane)
		for c := range l.plane {
			l.plane[c] += m.Stack.Ambient
		}
		return l.plane
	})
	l.Watts, l.Outside = l.Scale*state.Watts, state.Outside
}
