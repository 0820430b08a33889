package reduction

import "thermsim/gpusolve/ops"

// Reducer is a System that reduces the planes of its vectors where they are, so that numbers are moved and not planes.
// offset is added to every value.
type Reducer interface {
	// NewReduction readies the device for regions. It is nil where the device has no memory left for it: planes can
	// still be read.
	NewReduction(r *Regions) (Reduction, error)
	// Quantise puts the counts of all planes into counts, one plane after the other. It says false, and has done
	// nothing, where the device has no memory left for it.
	Quantise(x ops.Vector, offset float64, q Quanta, counts []int32) (done bool)
}

// Reduction takes the statistics of regions. It lives as long as the system.
type Reduction interface {
	// Of takes those of an FP64 vector; after a failure they mean nothing.
	Of(x ops.Vector, offset float64) *Values
}

// Deferring is a Reduction that can leave numbers where they are until those of several vectors are read together.
type Deferring interface {
	Reduction
	// Series has room for the statistics of so many vectors. It is nil where the device has no memory left for it.
	Series(places int) (Series, error)
}

// Series are the statistics of several vectors, which may change as soon as theirs were taken.
type Series interface {
	// Leave takes those of a vector into a place, from 0.
	Leave(place int, x ops.Vector, offset float64)
	// Read waits for the first n places; after a failure they mean nothing.
	Read(n int) []*Values
}
