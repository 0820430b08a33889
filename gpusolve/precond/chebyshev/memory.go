package chebyshev

import (
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Memory counts the copies of the matrix for the Krylov iteration and for the polynomial, and three vectors; while the bounds of the spectrum are
// looked for, an FP32 copy and FP32 vectors where there are none.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	mode, err := krylov.ModeOf(set.Text("precision"))
	if err != nil {
		return precond.Need{}
	}
	format, scaled := set.Text("format"), set.Text("form") == scaledForm
	inner := ops.Copies{Scaled: scaled}
	switch {
	case mode == krylov.FixedDouble:
		inner.Double = true
	case mode == krylov.FixedSingle || format == krylov.RowWise:
		inner.Single = true
	default:
		inner.Half = true
	}
	outer := mode.Copies()
	var n precond.Need
	if scaled {
		first, second := krylov.StoreMemory(s, format, outer), krylov.StoreMemory(s, format, inner)
		n = precond.Need{SetUp: max(first.SetUp, first.Held+second.SetUp), Held: first.Held + second.Held}
	} else {
		inner.Single = inner.Single || format == krylov.RowWise
		n = krylov.StoreMemory(s, format, ops.Copies{Double: outer.Double || inner.Double, Single: outer.Single || inner.Single, Half: outer.Half || inner.Half})
	}
	n.Held += krylov.MixedVector(s, 3*krylov.Width(s, mode.Inner()))
	if mode.Inner() != ops.Single { // Lanczos's own; they stay
		n.Held += krylov.MixedVector(s, 3*4)
	}
	seek := n.Held
	if set.Text("start") == "ones" {
		n.Held += s.Vector(8)
		seek = n.Held
	}
	if format == krylov.QuadDiag && (scaled && !inner.Single || !scaled && !outer.Single) {
		seek += krylov.StoreMemory(s, format, ops.Copies{Single: true, Scaled: scaled}).SetUp
	}
	n.SetUp = max(n.SetUp, seek)
	return n
}
