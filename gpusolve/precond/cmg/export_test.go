package cmg

// What tests of the operations see of the package.
type (
	Executor    = executor
	Coarsener   = coarsener
	Level       = graphLevel
	DeviceGraph = deviceGraph
)

var (
	On    = on
	NewOn = build
)
