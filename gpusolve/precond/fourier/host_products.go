package fourier

import "thermsim/gpusolve/host/simd"

// products transforms rows of a graded axis by multiplication with its vectors. A worker has its own.
type products struct {
	n                int
	widths           []float64
	toCells, toModes []float64 // V^T and V
	copied           []float64 // rows as they were
	part             [productDepth * productWidth]float64
}

const (
	// productRows is the number of rows that are transformed together.
	productRows = 64
	// productWidth and productDepth are the parts of the matrix that rows are multiplied with one after the other: they
	// lie together in the first-level cache.
	productWidth, productDepth = 128, 24
)

// newProducts makes those of a number of workers, which share the vectors.
func newProducts(a axis, workers int) ([]rowTransform, error) {
	b, err := a.eigenbasis()
	if err != nil {
		return nil, err
	}
	n, toModes := a.n, make([]float64, a.n*a.n)
	for k := range n {
		for i, v := range b.vectors[k*n : (k+1)*n] {
			toModes[i*n+k] = v
		}
	}
	all := make([]rowTransform, workers)
	for i := range all {
		all[i] = &products{n: n, widths: a.widths, toCells: b.vectors, toModes: toModes,
			copied: make([]float64, productRows*n)}
	}
	return all, nil
}

// productBytes is the memory of the axes' transforms for a number of workers.
func productBytes(x, y axis, workers int) int64 {
	bytes := int64(0)
	for _, a := range []axis{x, y} {
		if a.graded() {
			n := int64(a.n)
			bytes += 8 * (2*n*n + int64(workers)*(productRows*n+productDepth*productWidth))
		}
	}
	return bytes
}

func (d *products) together() int { return productRows }

func (d *products) heat(rows []float64, count, stride int) { d.times(d.toModes, rows, count, stride) }

func (d *products) field(rows []float64, count, stride int) {
	for r := range count {
		for i, w := range d.widths {
			rows[r*stride+i] *= w
		}
	}
	d.heat(rows, count, stride)
}

func (d *products) inverse(rows []float64, count, stride int) {
	d.times(d.toCells, rows, count, stride)
}

// times multiplies rows by a matrix from the right. Each value is a sum in the order of the row, whatever rows are
// together.
func (d *products) times(by, rows []float64, count, stride int) {
	n := d.n
	for r := range count {
		copy(d.copied[r*n:(r+1)*n], rows[r*stride:])
		clear(rows[r*stride : r*stride+n])
	}
	for first := 0; first < n; first += productWidth {
		width := min(productWidth, n-first)
		for k := 0; k < n; k += productDepth {
			depth := min(productDepth, n-k)
			for m := range depth {
				copy(d.part[m*productWidth:][:width], by[(k+m)*n+first:])
			}
			for r := range count {
				simd.AddRows(rows[r*stride+first:][:width], d.part[:], d.copied[r*n+k:][:depth], productWidth)
			}
		}
	}
}
