package chebyshev

import (
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/precond"
)

// Memory counts the copies of the matrix for the Krylov iteration and for the polynomial, and three vectors; while the
// bounds of the spectrum are looked for, an FP32 copy and FP32 vectors where there are none.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	mode, err := mixed.ModeOf(set.Text("precision"))
	if err != nil {
		return precond.Need{}
	}
	format, scaled := set.Text("format"), set.Text("form") == scaledForm
	inner := mixed.Copies{Scaled: scaled}
	switch {
	case mode == mixed.FixedDouble:
		inner.Double = true
	case mode == mixed.FixedSingle || format == mixed.RowWise:
		inner.Single = true
	default:
		inner.Half = true
	}
	outer := mode.Copies()
	var n precond.Need
	if scaled {
		first, second := mixed.StoreMemory(s, format, outer), mixed.StoreMemory(s, format, inner)
		n = precond.Need{SetUp: max(first.SetUp, first.Held+second.SetUp), Held: first.Held + second.Held}
	} else {
		inner.Single = inner.Single || format == mixed.RowWise
		n = mixed.StoreMemory(s, format, mixed.Copies{Double: outer.Double || inner.Double, Single: outer.Single ||
			inner.Single, Half: outer.Half || inner.Half})
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
	if format == mixed.QuadDiag && (scaled && !inner.Single || !scaled && !outer.Single) {
		seek += mixed.StoreMemory(s, format, mixed.Copies{Single: true, Scaled: scaled}).SetUp
	}
	n.SetUp = max(n.SetUp, seek)
	return n
}
