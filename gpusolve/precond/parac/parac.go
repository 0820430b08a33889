// Package parac preconditions with a randomised approximate Cholesky factor (Gao, Kyng and Spielman 2023), built in
// parallel in the manner of ParAC (Liang et al. 2025). It needs no geometry: any symmetric, diagonally dominant matrix
// without positive off-diagonals will do. See docs/explanation/parac.md.
//
// The elimination and the solves stand here for the processor (host*.go) and for GPUs (cuda*.go, with the kernels of
// parac.cu, sort.cu and levels.cu); both make the same factor, to the last bit.
package parac

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"errors"
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Keys are the settings.
func Keys() []precond.Key {
	return []precond.Key{
		{Name: "order", Kind: precond.Word, Default: "auto", Words: []string{"auto", "amd", "nnz", "random"},
			Doc: "Order of elimination: amd (approximate minimum degree; auto on the processor), nnz (fewest entries " +
				"first, ties at random; auto on a GPU) or random."},
		{Name: "seed", Kind: precond.Integer, Default: "1", Min: 0, Max: 1 << 53, Doc: "Seed of the samples; the " +
			"same seed gives the same factor."},
		{Name: "room", Kind: precond.Number, Default: "1", Min: 0.001, Max: 100,
			Doc: "Scale of the memory set aside for the elimination on a GPU; it grows by itself where it " +
				"is too small."},
	}
}

// Factor is the preconditioner. Its samples depend on the weights, so changed coefficients give another fill: a refresh
// eliminates anew, where arrays of the same size are used again (precond.Instance) and others are made. On the
// processor it keeps the order of the elimination and its row of four bytes.
type Factor struct {
	f     factor
	dense bool
	cover bool
	again func(former *elimOrder) (precond.Preconditioner, error)
}

var _ precond.Renewer = (*Factor)(nil)

// A matrix is called dense where its mean row has more than denseDegree entries; a factor, where a dense triangle of
// the size of what is left in the end would hold a twentieth of its entries.
const denseDegree, denseTree = 64, 300

// endsDense says so of a factor. The size of its end is the height of its tree, but in the order of minimum degree,
// whose trees are high everywhere: there it is the longest column.
func (r *Report) endsDense() bool {
	size := int64(r.Tree)
	if r.Order == MinimumDegree {
		size = int64(r.Longest)
	}
	return size > denseTree && size*size/2 > r.Entries/20
}

// New factorises the matrix of a system.
func New(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	device, err := on(s)
	if err != nil {
		return nil, err
	}
	return newFactor(device, s, set, nil)
}

// Renewal keeps the order of the elimination, which depends on the pattern of the matrix alone.
func (p *Factor) Renewal() func() (precond.Preconditioner, error) {
	again, former := p.again, p.f.eliminated()
	return func() (precond.Preconditioner, error) { return again(former) }
}

func newFactor(device operations, s ops.Operator, set precond.Settings, former *elimOrder) (precond.Preconditioner,
	error) {
	forms, err := ops.FormsOf(s)
	if err != nil {
		return nil, err
	}
	a, err := forms.Rows()
	if err != nil {
		return nil, err
	}
	defer a.Release()
	how := choices{seed: uint64(set.Int("seed")), room: set.Float("room"), former: former}
	for o := AnyOrder; o <= RandomOrder; o++ {
		if o.String() == set.Text("order") {
			how.order = o
		}
	}
	f, err := device.eliminate(a, how)
	if errors.Is(err, errPositive) {
		how.cover = true
		f, err = device.eliminate(a, how)
	}
	if errors.Is(err, errUnsuitable) {
		return nil, fmt.Errorf("%w: %w", precond.ErrRefused, err)
	}
	if err != nil {
		return nil, err
	}
	again := func(former *elimOrder) (precond.Preconditioner, error) { return newFactor(device, s, set, former) }
	return &Factor{f, a.Entries() > denseDegree*int64(a.Len()), how.cover, again}, nil
}

// Name of the method.
func (p *Factor) Name() string { return "parac" }

// Report describes the factor.
func (p *Factor) Report() Report { return p.f.report() }

// Details names the order, the size of the factor and the depth of its solves, and what is unusual.
func (p *Factor) Details() string {
	r := p.f.report()
	text := fmt.Sprintf("order %s, %d entries, fill %.2f, depth %d, tree %d", r.Order, r.Entries, r.Fill, r.Depth,
		r.Tree)
	if p.cover {
		text += ", of the double cover"
	}
	if r.Retries > 0 {
		text += fmt.Sprintf(", memory of the elimination too small and grown %d times", r.Retries)
	}
	if p.dense || r.endsDense() {
		text += ", dense: the elimination has little to do in parallel and is slow"
	}
	return text
}

// Timings says how long the parts of the set-up took.
func (p *Factor) Timings() string {
	r := p.f.report()
	return fmt.Sprintf("factor %.3f s, sorting %.3f s", r.Factor, r.Sort)
}

// Apply sets z = (G D G^T)^-1 r.
func (p *Factor) Apply(z, r ops.Vector) { p.f.solve(z, r) }
