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
	"math"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Keys are the settings.
func Keys() []precond.Key {
	return []precond.Key{
		{Name: "order", Kind: precond.Word, Default: "auto", Words: []string{"auto", "amd", "nnz", "random"},
			Doc: "Order of elimination: amd (approximate minimum degree; auto on the CPU), nnz (fewest entries " +
				"first, ties at random; auto on a GPU) or random."},
		{Name: "seed", Kind: precond.Integer, Default: "1", Min: 0, Max: 1 << 53, Doc: "Seed of the samples; the " +
			"same seed gives the same factor."},
		{Name: "precision", Kind: precond.Word, Default: "fp32", Words: []string{"fp32", "fp64"},
			Doc: "Precision of the factor and its solves; fp64 on the CPU only."},
		{Name: "room", Kind: precond.Number, Default: "1", Min: 0.001, Max: 100,
			Doc: "Scale of the memory set aside for the elimination on a GPU; it grows by itself where it " +
				"is too small."},
	}
}

// Factor is the preconditioner. Its samples depend on the weights, so changed coefficients give another fill: a refresh
// eliminates again, where arrays of the same size are used again (precond.Instance) and others are made. On the
// processor it keeps the order of the elimination and its row of four bytes.
type Factor struct {
	f     factor
	dense bool
	how   choices
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
	how := choices{seed: uint64(set.Int("seed")), memoryFactor: set.Float("room"), former: former,
		double: set.Text("precision") == "fp64"}
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
	how.former = nil
	return &Factor{f, a.Entries() > denseDegree*int64(a.Len()), how, again}, nil
}

func (p *Factor) Name() string { return "parac" }

// Report describes the factor.
func (p *Factor) Report() Report { return p.f.report() }

// Details names the order, the size of the factor and the depth of its solves, and what is unusual.
func (p *Factor) Details() string {
	r := p.f.report()
	text := fmt.Sprintf("order %s, %d entries, fill %.2f, depth %d, tree %d", r.Order, r.Entries, r.Fill, r.Depth,
		r.Tree)
	if p.how.double {
		text += ", FP64"
	}
	if p.how.cover {
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

func (p *Factor) Timings() string {
	r := p.f.report()
	return fmt.Sprintf("factor %.3f s, sorting %.3f s", r.Factor, r.Sort)
}

func (p *Factor) Apply(z, r ops.Vector) { p.f.solve(z, r) }

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "parac", Doc: "randomised approximate Cholesky, for symmetric diagonally dominant matrices", Keys: Keys(),
		New: New, Memory: Memory, Most: method.Always32,
	}
}

// operations are those of the method on a device.
type operations interface {
	// eliminate builds the factor of a matrix. Its rows may be released afterwards. Order, seed and matrix alone decide
	// on the factor, not the device and not timing.
	eliminate(a ops.Rows, how choices) (factor, error)
}

// factor is G D G^T on a device: an approximate factor of a symmetric, diagonally dominant matrix whose off-diagonals
// are not positive, with the matrix as its expectation.
type factor interface {
	// solve sets z = (G D G^T)^-1 r for FP32 vectors; z = 0 for an unknown without a pivot.
	solve(z, r ops.Vector)
	report() Report
	// eliminated returns the order of the elimination, for the next one; nil where it costs little to find.
	eliminated() *elimOrder
}

// on has the operations of the device that an operator lives on.
func on(a ops.Operator) (operations, error) { return precond.On(a, "parac", onHost, onGPU) }

// errUnsuitable marks matrices that the elimination is not made for.
var errUnsuitable = errors.New("parac takes symmetric, diagonally dominant matrices without positive off-diagonals")

// errPositive marks those that choices.cover is for.
var errPositive = errors.New("off-diagonals must not be positive")

// Order says which unknown goes first.
type Order int

// The orders. ByEntries sorts by the number of entries in the row, with ties in random order.
const (
	AnyOrder      Order = iota // what suits the device: MinimumDegree on the processor, ByEntries on a GPU
	MinimumDegree              // approximate minimum degree
	ByEntries
	RandomOrder
)

func (o Order) String() string {
	return [...]string{"auto", "amd", "nnz", "random"}[o]
}

// choices of a factorisation.
type choices struct {
	order Order
	seed  uint64
	// memoryFactor scales the first guess of the memory that sizes unknown in advance take, 1 when 0. What turns out
	// too small is taken larger, from the start.
	memoryFactor float64
	// cover eliminates the matrix's double cover (sparse.CSR.DoubleCover), which has no positive off-diagonals. Solves
	// are of the matrix's own size, report and entries of the cover.
	cover bool
	// double keeps the factor in FP64.
	double bool
	// former is the order of an earlier elimination with these choices; nil where there was none.
	former *elimOrder
}

// Report describes a factor.
type Report struct {
	Order    Order   // never AnyOrder
	Entries  int64   // of G below the diagonal
	Fill     float64 // 2 nnz(G) / nnz(A), both with their diagonals
	Depth    int     // levels of the triangular solves: their critical path
	Tree     int     // height of the elimination tree
	Longest  int     // entries of the longest column of G, where the processor counted them
	Retries  int     // how often memory had to grow
	Factor   float64 // s, ordering and elimination
	Ordering float64 // s, of Factor: the order, where the processor finds it
	Sort     float64 // s, from there to what the triangular solves read
}

// Ground is summed in fixed point, which makes the sum independent of the order: in units of 2^(exponent-63+headroom),
// where 2^exponent is above the diagonal of the matrix. headroom doublings of the diagonal fit, at first.
const headroom = 10

// What the GPU's elimination sets aside, as package cuda does: entries of G an edge of the matrix and a row, edges that
// wait, and scratch of a warp.
const (
	outputsPerEdge, outputsPerRow = 4.2, 2
	waiting                       = 1.5
	scratchOfWarp                 = 2048
	warps, verticesOfBlock        = 4, 32
	blocksOfMultiprocessor        = 8
	largeGPU                      = 160 // multiprocessors, where they are not known
	slotBytes, vertexBytes        = 4 + 16, 32
)

// fill is how many entries of G come of an edge of a grid's matrix, from experience: random samples, so it differs by a
// few percent.
const fill = 3.6

// Memory is that of the elimination, and then of the factor while it is sorted, beside the matrix by rows.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	edges, n := float64(s.Entries-s.Unknowns)/2, float64(s.Unknowns)
	rows := s.Rows()
	if !s.GPU {
		return onProcessor(s, edges, set.Text("precision") == "fp64")
	}
	factor := set.Float("room")
	slots := math.Ceil(max(1, factor*waiting*edges/n)) * n
	outputs := factor * (outputsPerEdge*edges + outputsPerRow*n)
	sms := float64(s.Multiprocessors)
	if sms == 0 {
		sms = largeGPU
	}
	scratch := factor * (scratchOfWarp*warps*max(1, min(n/verticesOfBlock+1, blocksOfMultiprocessor*sms)) + n)
	// orders; vertices, starts, counts and pivots of columns, and their entries
	lists := 12*n + (vertexBytes+8+4+8)*n + 8*outputs
	eliminating := lists + 8*n + slotBytes*slots + 32*scratch
	entries := fill * edges
	held := 48*n + 16*entries
	sorting := lists + held + 20*n + 16*entries
	setUp := float64(rows.Held) + max(eliminating, sorting)
	return precond.Need{SetUp: max(rows.SetUp, int64(setUp)), Held: int64(held)}
}

// onProcessor is the elimination on the processor: states of vertices, the order's lists, columns as they come and
// edges that wait, which the sorted factor joins before they are collected. Measured on layered stacks.
func onProcessor(s precond.Shape, edges float64, double bool) precond.Need {
	n, entries := float64(s.Unknowns), fill*edges
	held, columns := 40*n+16*entries, 11*entries
	if double {
		held, columns = held+8*n+8*entries, columns+4*entries
	}
	return precond.Need{SetUp: s.Rows().Held + int64(held+160*n+columns), Held: int64(held)}
}
