// Package chebyshev preconditions with a polynomial of A: some steps of the Chebyshev iteration from zero, over bounds
// that a Lanczos process finds. With mixed.Solver it makes the solver of Wang et al., "CUTh-Solver: GPU-Accelerated
// Sparse Matrix Solver for High-Resolution Thermal Simulation of 3D ICs" (2026); numbers of equations and sections in
// this package are that paper's.
//
// A may be taken as it stands, as in the paper, or scaled symmetrically by its diagonal. PCG on the scaled matrix S A S
// with the polynomial p(S A S) gives the same iterates as PCG on A with S p(S A S) S, so the outer iteration and its
// residual are the unscaled ones in both cases.
//
// Kernels is the GPU side, made of chebyshev.cu.
package chebyshev

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"fmt"

	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/solution"
)

// Keys are the method's settings.
func Keys() []precond.Key {
	return append(mixed.Keys(mixed.Adaptive.String()),
		precond.Key{Name: "degree", Kind: precond.Integer, Default: "30", Min: 2, Max: 1000,
			Doc: "Steps of the Chebyshev iteration in each application."},
		precond.Key{Name: "form", Kind: precond.Word, Default: plainForm, Words: []string{plainForm, scaledForm},
			Doc: "The matrix as it stands, or scaled by its diagonal on both sides."},
		precond.Key{Name: "promote", Kind: precond.Word, Default: "plane", Words: []string{"plane", "paper"},
			Doc: "Which FP16 couplings are multiplied in FP32: the large ones of each plane, or those between planes."},
		precond.Key{Name: "steps", Kind: precond.Integer, Default: "80", Min: 2, Max: 1000,
			Doc: "Lanczos steps for the bounds of the spectrum."},
		precond.Key{Name: "seed", Kind: precond.Integer, Default: "1", Min: 0, Max: 1 << 31,
			Doc: "Seed of the Lanczos process's random first vector."},
		precond.Key{Name: "start", Kind: precond.Word, Default: "noise", Words: []string{"noise", "ones"},
			Doc: "The Lanczos process's first vector: random, or all ones."},
		precond.Key{Name: "margin", Kind: precond.Number, Default: "0.05", Min: 0, Max: 10,
			Doc: "Share by which the largest Lanczos value is raised."},
	)
}

const plainForm, scaledForm = "plain", "scaled"

// Preconditioner is the Chebyshev iteration on a system.
type Preconditioner struct {
	operator ops.Operator
	work     ops.Workspace
	sys      Operations // on work
	mode     mixed.Mode
	format   string
	form     string
	bounds   solution.Spectrum
	steps    []Recurrence
	theta    float64
	outer    mixed.Stored // for the Krylov iteration
	inner    mixed.Stored // for the polynomial; outer in the plain form
	entries  mixed.Precision
	d, rest  ops.Vector
	next     ops.Vector // by rows: the product
}

var _ precond.Preconditioner = (*Preconditioner)(nil)

// New stores the matrix, finds the bounds and readies the iteration.
func New(s ops.Operator, set precond.Settings) (*Preconditioner, error) {
	w, err := s.NewWorkspace()
	if err != nil {
		return nil, err
	}
	sys, err := On(w)
	if err != nil {
		return nil, err
	}
	mode, err := mixed.ModeOf(set.Text("precision"))
	if err != nil {
		return nil, err
	}
	c := &Preconditioner{operator: s, work: w, sys: sys, mode: mode, format: set.Text("format"), form: set.Text("form")}
	if c.format == mixed.RowWise && (c.form == scaledForm || mode == mixed.FixedHalf) {
		return nil, fmt.Errorf("%w: format=csr has neither FP16 nor the scaled form; take format=quaddiag",
			precond.ErrRefused)
	}
	if err := c.store(set.Text("promote") == "plane"); err != nil {
		return nil, err
	}
	for _, v := range []*ops.Vector{&c.d, &c.rest, &c.next} {
		if *v, err = sys.NewVector(c.inner, mode.Inner()); err != nil {
			return nil, err
		}
	}
	if err := c.findBounds(set); err != nil {
		return nil, err
	}
	c.theta, c.steps = recurrence(c.bounds.Low, c.bounds.High, set.Int("degree"))
	return c, nil
}

// store makes the copies that the Krylov iteration and the polynomial need.
func (c *Preconditioner) store(byPlane bool) (err error) {
	outer := c.mode.Copies()
	inner := mixed.Copies{PromotePlanes: byPlane}
	switch {
	case c.mode == mixed.FixedDouble:
		c.entries, inner.Double = mixed.Double, true
	case c.mode == mixed.FixedSingle || c.format == mixed.RowWise:
		c.entries, inner.Single = mixed.Single, true
	default:
		c.entries, inner.Half = mixed.Half, true
	}
	if c.form == plainForm {
		both := mixed.Copies{Double: outer.Double || inner.Double, Single: outer.Single || inner.Single,
			Half: outer.Half || inner.Half, PromotePlanes: byPlane}
		both.Single = both.Single || c.format == mixed.RowWise // for Lanczos
		c.outer, err = mixed.Store(c.operator, c.sys, c.format, both)
		c.inner = c.outer
		return err
	}
	if c.outer, err = mixed.Store(c.operator, c.sys, c.format, outer); err != nil {
		return err
	}
	inner.Scaled = true
	c.inner, err = mixed.Store(c.operator, c.sys, c.format, inner)
	return err
}

// findBounds runs Lanczos on FP32 copies of the polynomial's matrix, for which they are made where they are missing.
func (c *Preconditioner) findBounds(set precond.Settings) (err error) {
	single := c.inner
	if c.format == mixed.QuadDiag && (c.form == scaledForm && c.entries != mixed.Single || c.form == plainForm &&
		!c.mode.Copies().Single) {
		if single, err = mixed.Store(c.operator, c.sys, c.format,
			mixed.Copies{Single: true, Scaled: c.form == scaledForm}); err != nil {
			return err
		}
		defer single.Release()
	}
	vectors := [3]ops.Vector{c.d, c.rest, c.next}
	if c.mode.Inner() != mixed.Single {
		for i := range vectors {
			if vectors[i], err = c.sys.NewVector(single, mixed.Single); err != nil {
				return err
			}
		}
	}
	c.bounds, err = lanczos(c.sys, single, set, vectors)
	return err
}

// recurrence gives the coefficients of the Chebyshev iteration over [low, high] (algorithm 3): theta for the first
// correction d = r/theta, and those of the steps z += d, r -= A d, d = keep d + gain r. degree - 1 steps and the
// correction of the last one make the polynomial: of the degree-th step only z += d would count.
func recurrence(low, high float64, degree int) (theta float64, steps []Recurrence) {
	theta, delta := (high+low)/2, (high-low)/2
	if delta <= 0 {
		delta = theta * 1e-6 // all eigenvalues are one
	}
	sigma := theta / delta
	rho := 1 / sigma
	for i := range degree - 1 {
		next := 1 / (2*sigma - rho)
		steps = append(steps, Recurrence{Keep: next * rho, Gain: 2 * next / delta, First: i == 0, Last: i == degree-2})
		rho = next
	}
	return theta, steps
}

// Matrix is what the Krylov iteration that the method belongs to multiplies with, Mode its precisions.
func (c *Preconditioner) Matrix() mixed.Stored { return c.outer }

// Mode is the Krylov iteration's.
func (c *Preconditioner) Mode() mixed.Mode { return c.mode }

// Name is "chebyshev".
func (c *Preconditioner) Name() string { return "chebyshev" }

// Bounds of the spectrum that the polynomial is made for.
func (c *Preconditioner) Bounds() solution.Spectrum { return c.bounds }

// Details says what was found and how.
func (c *Preconditioner) Details() string {
	text := fmt.Sprintf("degree %d on %s in the %s form, %v entries; %s", len(c.steps)+1, c.format, c.form, c.entries,
		c.bounds)
	if c.entries == mixed.Half {
		p := c.inner.Promoted()
		text += fmt.Sprintf("; multiplied in fp32 beside the main diagonal: x in %d planes, y in %d, z in %d", p[0],
			p[1], p[2])
	}
	return text
}

// Apply sets z = S p(S A S) S r. Vectors have the precision that the mode gives the preconditioner.
func (c *Preconditioner) Apply(z, r ops.Vector) {
	c.sys.Start(c.inner, c.rest, c.d, r, c.theta, c.entries == mixed.Half)
	d, next := c.d, c.next
	for _, u := range c.steps {
		if c.format == mixed.RowWise {
			c.sys.Multiply(c.inner, c.entries, next, d)
			c.sys.Relax(c.inner, u, Iterate{z, c.rest, d}, next)
			continue
		}
		c.sys.Step(c.inner, c.entries, u, Iterate{z, c.rest, d}, next)
		d, next = next, d
	}
}
