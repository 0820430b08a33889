package bench

import (
	"fmt"
	"math"

	"thermsim/gpusolve/solution"
)

// Column of a printed table.
type Column struct {
	Head  string
	Width int  // characters, that rows can be printed as they come
	Left  bool // texts are set left, numbers right
	Text  func(r *Row) string
}

var (
	columnCase       = Column{"case", 13, true, func(r *Row) string { return r.Case }}
	columnGrid       = Column{"grid", 12, true, func(r *Row) string { return r.Grid }}
	columnMethod     = Column{"method", 26, true, func(r *Row) string { return r.Method }}
	columnIterations = Column{"it", 6, false, func(r *Row) string { return iterations(r) }}
	columnSetup      = Column{"set-up", 8, false, func(r *Row) string { return duration(r.SetupS) }}
	columnSolve      = Column{"solve", 8, false, func(r *Row) string { return duration(r.SolveS) }}
	columnSteps      = Column{"steps", 5, false, func(r *Row) string { return fmt.Sprint(r.Steps) }}
	columnStep       = Column{"a step", 8, false, func(r *Row) string { return duration(r.StepS) }}
	columnTotal      = Column{"total", 8, false, func(r *Row) string { return duration(r.TotalS) }}
	columnVariant    = Column{"what", 30, true, func(r *Row) string { return r.Variant }}
	columnProduct    = Column{"product", 8, false, func(r *Row) string { return duration(r.ProductS) }}
	columnLeast      = Column{"least", 6, false, func(r *Row) string { return known("%.0f", r.LeastBytes) }}
	columnCopy       = Column{"as copy", 7, false, func(r *Row) string { return known("%.0f", r.CopyBytes) }}
	columnShare      = Column{"share", 6, false, func(r *Row) string { return known("%.0f %%", 100*(r.LeastBytes/r.CopyBytes)) }}
	columnToBase     = Column{"x base", 6, false, func(r *Row) string { return figures(r.ToBase) }}
	columnResidual   = Column{"||r|| W", 7, false, func(r *Row) string { return exponent(r.ResidualW) }}
	columnToDefault  = Column{"x MG", 6, false, func(r *Row) string { return figures(r.ToDefault) }}
	columnToDirect   = Column{"x fourier", 9, false, func(r *Row) string { return ratio(r.ToDirect) }}
	columnError      = Column{"||e|| K", 7, false, func(r *Row) string { return exponent(r.ErrorK) }}
	columnMaxAE      = Column{"MaxAE K", 7, false, func(r *Row) string { return known("%.3f", r.MaxAEK) }}
	columnMAE        = Column{"MAE K", 6, false, func(r *Row) string { return known("%.3f", r.MAEK) }}
	columnTopMaxAE   = Column{"top MaxAE K", 11, false, func(r *Row) string { return known("%.3f", r.TopMaxAEK) }}
	columnTopMAE     = Column{"top MAE K", 9, false, func(r *Row) string { return known("%.3f", r.TopMAEK) }}
	columnBytes      = Column{"B/cell", 6, false, func(r *Row) string { return known("%.0f", r.BytesPerCell) }}
	columnNote       = Column{"", 0, true, func(r *Row) string { return r.Note }}
)

// iterations of a row; the direct solver has none.
func iterations(r *Row) string {
	switch {
	case r.Iterations > 0:
		return fmt.Sprint(r.Iterations)
	case r.Reason == solution.ReasonDirect:
		return "direct"
	}
	return "-"
}

// ratio writes one to three figures; files of older builds have none.
func ratio(n Number) string {
	if n == 0 {
		return "-"
	}
	return figures(n)
}

// duration in s, to three figures.
func duration(n Number) string {
	switch s := float64(n); {
	case !n.Known():
		return "-"
	case s >= 1:
		return figures(n) + " s"
	case s >= 1e-3:
		return figures(n*1e3) + " ms"
	}
	return figures(n*1e6) + " us"
}

// figures writes three of them, without an exponent.
func figures(n Number) string {
	switch v := float64(n); {
	case !n.Known():
		return "-"
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

func exponent(n Number) string {
	if math.IsInf(float64(n), 0) {
		return "inf"
	}
	return known("%.1e", n)
}

// known writes a number that is known.
func known(format string, n Number) string {
	if !n.Known() {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}
