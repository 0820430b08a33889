// Package chebyshev preconditions with a polynomial of A: some steps of the Chebyshev iteration from zero, over bounds
// that a Lanczos process finds. With mixed.Solver it makes the solver of Wang et al., "CUTh-Solver: GPU-Accelerated
// Sparse Matrix Solver for High-Resolution Thermal Simulation of 3D ICs" (2026); numbers of equations and sections in
// this package are that paper's.
//
// A is unmodified, as in the paper, or scaled symmetrically by its diagonal. Conjugate gradients on the scaled matrix S
// A S with the polynomial p(S A S) give the same iterates as on A with S p(S A S) S, so the outer iteration and its
// residual are the unscaled ones in both cases.
//
// Kernels is the GPU side, made of chebyshev.cu.
package chebyshev

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"fmt"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/solution"
)

// Keys are the method's settings.
func Keys() []precond.Key {
	return append(mixed.Keys(mixed.Auto, mixed.Auto),
		precond.Key{Name: "degree", Kind: precond.Integer, Default: "30", Min: 2, Max: 1000,
			Doc: "Steps of the Chebyshev iteration in each application."},
		precond.Key{Name: "form", Kind: precond.Word, Default: plainForm, Words: []string{plainForm, scaledForm},
			Doc: "The matrix as it stands, or scaled by its diagonal on both sides."},
		precond.Key{Name: "promote", Kind: precond.Word, Default: "plane", Words: []string{"plane", "paper"},
			Doc: "Which FP16 couplings are multiplied in FP32: the large ones of each plane, or those between planes."},
		precond.Key{Name: "entries", Kind: precond.Word, Default: "fp16", Words: []string{"fp16", "fp32"},
			Doc: "Entries of the polynomial's matrix with precision=adaptive; fp32 is for comparison."},
		precond.Key{Name: "bounds", Kind: precond.Word, Default: "raised", Words: []string{"raised", "found"},
			Doc: "Lower bound of the spectrum: raised to what the degree can use, or as found, as in the paper."},
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
	_, onHost := sys.(*hostOperations)
	mode, err := mixed.ModeOf(set.Text("precision"), !onHost)
	if err != nil {
		return nil, err
	}
	c := &Preconditioner{operator: s, work: w, sys: sys, mode: mode, format: set.Text("format"), form: set.Text("form")}
	if c.format == mixed.RowWise && (c.form == scaledForm || mode == mixed.FixedHalf) {
		return nil, fmt.Errorf("%w: format=csr has neither FP16 nor the scaled form; take format=quaddiag",
			precond.ErrRefused)
	}
	outer, inner, seek := copies(mode, set)
	c.entries = entriesOf(mode, set)
	if c.outer, err = mixed.Store(s, sys, c.format, outer); err != nil {
		return nil, err
	}
	if c.inner = c.outer; c.form == scaledForm {
		if c.inner, err = mixed.Store(s, sys, c.format, inner); err != nil {
			return nil, err
		}
	}
	for _, v := range []*ops.Vector{&c.d, &c.rest, &c.next} {
		if *v, err = sys.NewVector(c.inner, mode.Inner()); err != nil {
			return nil, err
		}
	}
	if err := c.findBounds(set, seek); err != nil {
		return nil, err
	}
	c.theta, c.steps = recurrence(c.bounds.Low, c.bounds.High, set.Int("degree"))
	return c, nil
}

// copies are those of the matrix that the Krylov iteration and the polynomial multiply with; in the plain form, both
// are the same. seek are those that Lanczos needs besides, where FP32 is missing.
func copies(mode mixed.Mode, set precond.Settings) (outer, inner, seek mixed.Copies) {
	outer, scaled, byPlane := mode.Copies(), set.Text("form") == scaledForm, set.Text("promote") == "plane"
	inner = mixed.Copies{Scaled: scaled, PromotePlanes: byPlane}
	switch entriesOf(mode, set) {
	case mixed.Double:
		inner.Double = true
	case mixed.Single:
		inner.Single = true
	case mixed.Half:
		inner.Half = true
	}
	if !scaled {
		outer = mixed.Copies{Double: outer.Double || inner.Double, Single: outer.Single || inner.Single ||
			set.Text("format") == mixed.RowWise, Half: outer.Half || inner.Half, PromotePlanes: byPlane}
		inner = outer
	}
	if !inner.Single {
		seek = mixed.Copies{Single: true, Scaled: scaled}
	}
	return outer, inner, seek
}

// entriesOf is the precision of the matrix in the polynomial.
func entriesOf(mode mixed.Mode, set precond.Settings) mixed.Precision {
	switch {
	case mode == mixed.FixedDouble:
		return mixed.Double
	case mode == mixed.FixedSingle || set.Text("format") == mixed.RowWise,
		mode == mixed.Adaptive && set.Text("entries") == "fp32":
		return mixed.Single
	}
	return mixed.Half
}

// findBounds runs Lanczos on FP32 copies of the polynomial's matrix, which are made where they are missing.
func (c *Preconditioner) findBounds(set precond.Settings, seek mixed.Copies) (err error) {
	single := c.inner
	if seek.Single {
		if single, err = mixed.Store(c.operator, c.sys, c.format, seek); err != nil {
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

// recurrence gives the coefficients of the Chebyshev iteration over [low, high] (algorithm 3). The first correction is
// d = r/theta, and a step is z += d, r -= A d, d = keep d + gain r. The polynomial takes degree - 1 steps and the
// correction of the last one; of a further step only z += d would matter.
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

func (c *Preconditioner) Mode() mixed.Mode { return c.mode }

func (c *Preconditioner) Name() string { return "chebyshev" }

// Bounds of the spectrum that the polynomial is made for.
func (c *Preconditioner) Bounds() solution.Spectrum { return c.bounds }

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

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "chebyshev", Doc: "a polynomial of the matrix, in mixed precision (CUTh-Solver)", Keys: Keys(),
		Memory: Memory, Most: mixed.Most,
		New: func(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
			return method.Made(New(a, set))
		},
		Solver: mixed.MethodSolver(),
	}
}

// Operations are those of the Chebyshev iteration and of the Lanczos method that finds its bounds, beside the products
// in mixed precision. The iteration's vectors all have the precision of the matrix product's.
type Operations interface {
	mixed.Operations
	// Start sets rest = c S r and d = rest/theta. c is 1, or with lift a power of two that brings max|d| to [4, 8), as
	// products in FP16 need; it stays on the device for Step. S is 1 in the plain form.
	Start(a mixed.Stored, rest, d, r ops.Vector, theta float64, lift bool)
	// Step does, in one pass,
	//
	//	z += d, rest -= A d, next = Keep d + Gain rest
	//
	// In the first step z counts as zero. The last sets z = S (z + d + next)/c and leaves rest and next undefined.
	Step(a mixed.Stored, entries mixed.Precision, s Recurrence, v Iterate, next ops.Vector)
	// Relax is Step where y = A d has been formed before; d becomes next.
	Relax(a mixed.Stored, s Recurrence, v Iterate, y ops.Vector)

	// Seed fills an FP32 vector with numbers from -1 to 1 that depend on seed and position alone, and sets RR = v.v.
	Seed(v ops.Vector, seed uint32)
	// Purge sets w -= alpha v + beta u and RR = w.w. A nil u counts as zero.
	Purge(w, v, u ops.Vector, alpha, beta float64)
}

// Iterate holds the vectors of an iteration: the sum of the corrections, what is left of the right-hand side, and the
// next correction.
type Iterate struct{ Z, Rest, D ops.Vector }

// Recurrence is a step of the Chebyshev iteration.
type Recurrence struct {
	Keep, Gain  float64
	First, Last bool
}

// On gives the operations of a workspace.
func On(w ops.Workspace) (Operations, error) { return precond.On(w, "chebyshev", onHost, onGPU) }

// Memory counts the copies of the matrix for the Krylov iteration and for the polynomial, and three vectors; while the
// bounds of the spectrum are looked for, an FP32 copy and FP32 vectors where there are none.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	mode, err := mixed.ModeOf(set.Text("precision"), s.GPU)
	if err != nil {
		return precond.Need{}
	}
	format, form := set.Text("format"), set.Text("form")
	outer, inner, extra := copies(mode, set)
	n := mixed.StoreMemory(s, format, outer)
	if form == scaledForm {
		second := mixed.StoreMemory(s, format, inner)
		n = precond.Need{SetUp: max(n.SetUp, n.Held+second.SetUp), Held: n.Held + second.Held}
	}
	n.Held += mixed.VectorMemory(s, 3*mixed.Width(s, mode.Inner()))
	if mode.Inner() != mixed.Single { // Lanczos's own; they stay
		n.Held += mixed.VectorMemory(s, 3*4)
	}
	seek := n.Held
	if set.Text("start") == "ones" {
		n.Held += s.Vector(8)
		seek = n.Held
	}
	if extra.Single {
		seek += mixed.StoreMemory(s, format, extra).SetUp
	}
	n.SetUp = max(n.SetUp, seek)
	return n
}
