package host

import "thermsim/gpusolve/ops"

// Cover sets dst = (r, -r): the right side of a double cover, for methods that solve one.
func (s *Space) Cover(dst, r ops.Vector) {
	d, from := Singles(dst), Singles(r)
	n := len(from)
	copy(d, from)
	for i, v := range from {
		d[n+i] = -v
	}
}

// Fold sets z to half the difference of src's halves.
func (s *Space) Fold(z, src ops.Vector) {
	d, from := Singles(z), Singles(src)
	for i := range d {
		d[i] = (from[i] - from[len(d)+i]) / 2
	}
}
