package solution

import "thermsim/gpusolve/reduction"

// Reducer is a Field that reduces its temperatures where they are: numbers are moved then, and not planes.
type Reducer interface {
	// Reduce takes the statistics of regions.
	Reduce(r *reduction.Regions) (*reduction.Values, error)
	// Quantise counts the quanta of all planes, one plane after the other. It says false, and has done nothing, where
	// planes have to be read.
	Quantise(q reduction.Quanta, counts []int32) (done bool, err error)
}

// Within is a Field that shows another one as it is.
type Within interface{ Inner() Field }

// ReducerOf is the reducer of a field, nil where its planes have to be read.
func ReducerOf(f Field) Reducer {
	if w, ok := f.(Within); ok {
		return ReducerOf(w.Inner())
	}
	r, _ := f.(Reducer)
	return r
}

// Reduce takes the statistics of regions: the field does, or they are taken of its planes, each of which is read once.
// The result is the same, bit for bit.
func Reduce(f Field, r *reduction.Regions) (*reduction.Values, error) {
	if own := ReducerOf(f); own != nil {
		return own.Reduce(r)
	}
	return ReducePlanes(f, r)
}

// ReducePlanes takes the statistics of a field's planes.
func ReducePlanes(f Field, r *reduction.Regions) (*reduction.Values, error) {
	plane := make([]float64, r.NX*r.NY)
	return r.Reduce(func(k int) ([]float64, error) { return plane, f.Plane(k, plane) }, 0)
}

// Binner is a Field that shows its planes in bins where they are.
type Binner interface {
	// Maxima fills dst with temperatures in K. It says false, and has done nothing, where planes have to be read.
	Maxima(m *reduction.Maxima, dst []float64) (done bool, err error)
}

// BinnerOf is that of a field, nil where its planes have to be read.
func BinnerOf(f Field) Binner {
	if w, ok := f.(Within); ok {
		return BinnerOf(w.Inner())
	}
	b, _ := f.(Binner)
	return b
}
