package cmg

import "thermsim/gpusolve/sparse"

// What tests of the operations see of the package.
type (
	Executor    = operations
	Coarsener   = coarsener
	Level       = graphLevel
	DeviceGraph = deviceGraph
)

var (
	On    = on
	NewOn = build
)

func Defaults() Options {
	return Options{Kappa: DefaultKappa, Damping: DefaultDamping, Repeats: DefaultRepeats}
}

func FromMatrix(a *sparse.CSR) (*Graph, bool, error) { return fromMatrix(nil, a) }
