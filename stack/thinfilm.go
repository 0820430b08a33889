package stack

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// ThinFilm is the conductivity along x, y and z in W/(m K), and the volumetric heat capacity in J/(m3 K), of a film of
// a crystal with diffusely scattering surfaces. path is the mean free path of the carriers of heat in the bulk at 300
// K; lengths are in m.
//
// Along the film: K. Fuchs (1938) and E. H. Sondheimer, Adv. Phys. 1 (1952) 1; for phonons M. I. Flik and C. L. Tien,
// J. Heat Transfer 112 (1990) 872. Across it: A. Majumdar, J. Heat Transfer 115 (1993) 7. The mean free path at other
// temperatures follows from kinetic theory, k = C v path/3, with a constant velocity v.
func ThinFilm(bulk *Material, thickness, path float64) (k [3]float64, c float64) {
	const reference = 300 // K
	at := bulk.At(reference)
	for axis := range k {
		ratio := thickness / (path * (bulk.K[axis] / at.K[axis]) * (at.C / bulk.C))
		share := alongFilm(ratio)
		if axis == 2 {
			share = 1 / (1 + 4/(3*ratio))
		}
		k[axis] = bulk.K[axis] * share
	}
	return k, bulk.C
}

// alongFilm is the share of the bulk's conductivity that a film keeps in its plane, for its thickness in mean free
// paths: each direction, of cosine m with the normal, keeps 1 - (m/ratio) (1 - exp(-ratio/m)).
func alongFilm(ratio float64) float64 {
	return 1.5 * quad.Fixed(func(s float64) float64 {
		m := s * s // more nodes near 0, where a thin film's integrand is steep
		u := ratio / m
		return (1 - m*m) * (1 + math.Expm1(-u)/u) * 2 * s
	}, 0, 1, 100, nil, 0)
}
