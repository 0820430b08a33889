package stack

import (
	"math"
	"slices"
	"testing"

	"thermsim/stack/internal/keys"
)

func isotropic(k, c float64) *Material { return &Material{K: [3]float64{k, k, k}, C: c} }

func TestRulesAreThoseOfTheFormat(t *testing.T) {
	k := keys.StackKey("mix", "rule")
	var names []string
	for _, r := range Rules() {
		names = append(names, string(r))
	}
	if !slices.Equal(names, k.Enum) {
		t.Errorf("the format lists %v, the model %v", k.Enum, names)
	}
}

// The formulas for arrays are truncations of Rayleigh's method; against it with 16 multipoles they hold to 0.1 % up to
// the fraction given, for any pair of materials.
func TestLatticeFormulas(t *testing.T) {
	for _, tt := range []struct {
		rule    Rule
		contact bool // perfect conductors; otherwise copper in an underfill of 0.5 W/(m K)
		up      float64
	}{{Square, true, 0.6}, {Hexagonal, true, 0.7}, {Square, false, 0.6}, {Hexagonal, false, 0.7}} {
		ki, km := 400.0, 0.5
		if tt.contact {
			ki, km = 1e9, 1
		}
		for _, part := range []float64{0.1, 0.3, 0.5, 0.7, 0.85, 1} {
			f := part * tt.up
			for _, pair := range [][2]float64{{ki, km}, {km, ki}, {3 * km, km}} {
				k, _ := tt.rule.Mix(isotropic(pair[0], 1), isotropic(pair[1], 1), f)
				want := pair[1] * multipoles(tt.rule, pair[0]/pair[1], f)
				if math.Abs(k[0]-want) > 1e-3*want {
					t.Errorf("%s, %g in %g at %.2f: %.6g, want %.6g", tt.rule, pair[0], pair[1], f, k[0], want)
				}
			}
		}
	}
}

// multipoles is k/km of an array of cylinders by Rayleigh's method: for a cell of area 1 and cylinders of radius a the
// multipoles B of odd order 2n-1 obey
//
//	T B_n / a^(4n-2) + sum over m of C(2n+2m-3, 2n-1) S_(2n+2m-2) B_m = 1 for n = 1, else 0,   k/km = 1 - 2 pi B_1
//
// with T = (1 + s)/(1 - s), s = ki/km, and the lattice sums S_j of 1/z^j, of which S_2 is pi.
func multipoles(r Rule, s, f float64) float64 {
	const order = 16
	sums := latticeSums(r, 4*order)
	a2 := f / math.Pi
	contrast := (1 + s) / (1 - s)
	m := make([][]float64, order)
	for n := 1; n <= order; n++ {
		row := make([]float64, order+1)
		scale := math.Pow(a2, float64(2*n-1)) // rows times a^(4n-2), columns too: B is of that size
		for k := 1; k <= order; k++ {
			row[k-1] = binomial(2*n+2*k-3, 2*n-1) * sums[2*n+2*k-2] * scale
		}
		row[n-1] += contrast
		if n == 1 {
			row[order] = scale
		}
		m[n-1] = row
	}
	return 1 - 2*math.Pi*eliminate(m)[0]
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := 1; i <= k; i++ {
		b *= float64(n-k+i) / float64(i)
	}
	return b
}

// latticeSums adds 1/z^j over the points of a lattice of unit cells of area 1, but for the origin.
func latticeSums(r Rule, most int) []float64 {
	u, v := complex(1, 0), complex(0, 1)
	if r == Hexagonal {
		pitch := math.Sqrt(2 / math.Sqrt(3))
		u, v = complex(pitch, 0), complex(pitch/2, pitch*math.Sqrt(3)/2)
	}
	const far = 150
	sums := make([]float64, most+1)
	for i := -2 * far; i <= 2*far; i++ {
		for j := -2 * far; j <= 2*far; j++ {
			z := complex(float64(i), 0)*u + complex(float64(j), 0)*v
			d := real(z)*real(z) + imag(z)*imag(z)
			if d == 0 || d > far*far {
				continue
			}
			inverse := 1 / (z * z)
			power := inverse
			for n := 4; n <= most; n += 2 {
				power *= inverse
				sums[n] += real(power)
			}
		}
	}
	sums[2] = math.Pi
	return sums
}

// eliminate solves a dense system with its right side in the last column.
func eliminate(m [][]float64) []float64 {
	n := len(m)
	for c := range n {
		best := c
		for r := c; r < n; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[best][c]) {
				best = r
			}
		}
		m[c], m[best] = m[best], m[c]
		for r := range n {
			if r == c {
				continue
			}
			factor := m[r][c] / m[c][c]
			for k := c; k <= n; k++ {
				m[r][k] -= factor * m[c][k]
			}
		}
	}
	x := make([]float64, n)
	for r := range n {
		x[r] = m[r][n] / m[r][r]
	}
	return x
}

// Keller's theorem (J. Math. Phys. 5, 548, 1964): in two dimensions the mixture with its parts exchanged conducts the
// inverse. It holds for every rule of isotropic patterns at a fixed geometry, and changes Upper into Lower.
func TestKellersTheorem(t *testing.T) {
	for _, f := range []float64{0.01, 0.2, 0.5, 0.7} {
		for _, r := range []Rule{Cylinders, Square, Hexagonal, Pattern, Upper} {
			dual := r
			if r == Upper {
				dual = Lower
			}
			a, _ := r.Mix(isotropic(400, 1), isotropic(1.4, 1), f)
			b, _ := dual.Mix(isotropic(1.4, 1), isotropic(400, 1), f)
			if got := a[0] * b[0] / (400 * 1.4); math.Abs(got-1) > 1e-12 {
				t.Errorf("%s at %g: product %.15g", r, f, got)
			}
		}
	}
}

// Every rule lies between Wiener's bounds, gives the constituents at its ends, and the common conductivity where both
// conduct alike.
func TestRulesWithinBounds(t *testing.T) {
	in, out := isotropic(400, 3e6), isotropic(0.5, 1e6)
	for _, r := range Rules() {
		for i := range 100 {
			f := float64(i) / 99 * r.Most()
			k, c := r.Mix(in, out, f)
			lo, hi := 1/(f/400+(1-f)/0.5), f*400+(1-f)*0.5
			for axis, v := range k {
				if v < lo*(1-1e-12) || v > hi*(1+1e-12) {
					t.Errorf("%s at %g: k%c = %g outside %g to %g", r, f, "xyz"[axis], v, lo, hi)
				}
			}
			if want := 1e6 + 2e6*f; math.Abs(c-want) > 1e-9*want {
				t.Errorf("%s: c = %g, want %g", r, c, want)
			}
			if k, _ := r.Mix(out, out, f); math.Abs(k[0]-0.5) > 1e-12 {
				t.Errorf("%s: a mixture of like parts conducts %g", r, k[0])
			}
		}
	}
}

// By hand: 2 um of k = 3 on 1 um of k = 6.
func TestLaminateByHand(t *testing.T) {
	k, c := Laminate([]Ply{{isotropic(3, 1), 2e-6}, {isotropic(6, 4), 1e-6}})
	for axis, want := range [3]float64{4, 4, 3.6} {
		if math.Abs(k[axis]-want) > 1e-14 {
			t.Errorf("k%c = %g, want %g", "xyz"[axis], k[axis], want)
		}
	}
	if math.Abs(c-2) > 1e-14 {
		t.Errorf("c = %g, want 2", c)
	}
}
