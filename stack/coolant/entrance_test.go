package coolant

import (
	"math"
	"testing"
)

// duct is one quarter of a rectangular duct of half widths 1 and b in cells, with the velocity of developed flow.
type duct struct {
	n       [2]int
	d       [2]float64
	u       []float64
	hydraul float64 // diameter
}

// sweep solves div grad v - w v = -f by over-relaxation, with v = wall on the two walls and no flux through the axes.
func (q *duct) sweep(v, w, f []float64, wall float64) {
	gx, gy := q.d[1]/q.d[0], q.d[0]/q.d[1]
	for range 4000 {
		most := 0.0
		for j := range q.n[1] {
			for i := range q.n[0] {
				c := j*q.n[0] + i
				diag, sum := w[c]*q.d[0]*q.d[1], f[c]*q.d[0]*q.d[1]
				for _, o := range []struct {
					in   bool
					wall bool
					at   int
					g    float64
				}{{i > 0, false, c - 1, gx}, {i+1 < q.n[0], true, c + 1, gx}, {j > 0, false, c - q.n[0], gy},
					{j+1 < q.n[1], true, c + q.n[0], gy}} {
					switch {
					case o.in:
						diag, sum = diag+o.g, sum+o.g*v[o.at]
					case o.wall:
						diag, sum = diag+2*o.g, sum+2*o.g*wall
					}
				}
				change := 1.7 * (sum/diag - v[c])
				v[c] += change
				most = math.Max(most, math.Abs(change))
			}
		}
		if most < 1e-10 {
			return
		}
	}
}

func newDuct(b float64, nx, ny int) *duct {
	q := &duct{n: [2]int{nx, ny}, d: [2]float64{1 / float64(nx), b / float64(ny)}, hydraul: 4 * b / (1 + b)}
	q.u = make([]float64, nx*ny)
	ones := make([]float64, nx*ny)
	for c := range ones {
		ones[c] = 1
	}
	q.sweep(q.u, make([]float64, nx*ny), ones, 0)
	mean := 0.0
	for _, u := range q.u {
		mean += u / float64(nx*ny)
	}
	for c := range q.u {
		q.u[c] /= mean
	}
	return q
}

// march is the local Nusselt number under a heat flux that is even along and a wall temperature that is even around, of
// developed flow that enters with one temperature, at distances x/(D Re Pr), by implicit steps along the duct: u dT/dx
// = div grad T with lengths in half widths and x over Pe.
func (q *duct) march(until []float64) []float64 {
	n := len(q.u)
	b := q.d[1] * float64(q.n[1])
	temperature := make([]float64, n)
	var numbers []float64
	x, dx := 0.0, 2e-5
	// Two responses: of the profile before the step under a wall at zero, and of the wall at one.
	zero, one := make([]float64, n), make([]float64, n)
	w, f, none := make([]float64, n), make([]float64, n), make([]float64, n)
	energy := func(v []float64) float64 {
		sum := 0.0
		for c := range v {
			sum += q.u[c] * v[c]
		}
		return sum * q.d[0] * q.d[1]
	}
	for len(numbers) < len(until) {
		for c := range w {
			w[c], f[c] = q.u[c]/dx, q.u[c]/dx*temperature[c]
		}
		q.sweep(zero, w, f, 0)
		q.sweep(one, w, none, 1)
		heat := (1 + b) * dx // flux one on both walls
		wall := (energy(temperature) + heat - energy(zero)) / energy(one)
		for c := range temperature {
			temperature[c] = zero[c] + wall*one[c]
		}
		x += dx
		if x >= until[len(numbers)]*q.hydraul*q.hydraul {
			numbers = append(numbers, q.hydraul/(wall-energy(temperature)/b))
		}
		dx = math.Min(1.1*dx, 0.02)
	}
	return numbers
}

// Heat transfer behind the inlet against the energy equation of developed flow in the duct, solved by finite volumes;
// the correlation is that of simultaneously developing flow, which at a large Prandtl number is the same.
func TestDevelopingNusselt(t *testing.T) {
	for _, b := range []float64{1, 0.5, 0.2} {
		ny := 24
		if b < 0.3 {
			ny = 16
		}
		at := []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.2}
		c := Channel{Width: 2e-4, Height: 2e-4 * b, Length: 1, Developing: true}
		const re, pr = 100, 1e4
		for n, want := range newDuct(b, 24, ny).march(at) {
			got := c.NusseltAt(at[n]*c.Diameter()*re*pr, re, pr)
			if math.Abs(got/want-1) > 0.07 {
				t.Errorf("1:%g at %g: %.4g, the energy equation says %.4g", 1/b, at[n], got, want)
			}
		}
	}
}

// Far from the inlet flow is developed; the mean of the numbers is their integral; and a longer stretch has a smaller
// one.
func TestDevelopingTurnsDeveloped(t *testing.T) {
	w, _ := Find("water").At(300)
	c := Channel{Width: 1e-4, Height: 2e-4, Length: 1e-2, Developing: true}
	near(t, "far", c.HeatTransferBetween(w, 1, 10, 10.1), c.HeatTransfer(w, 1), 1e-3)
	const parts = 4000
	sum := 0.0
	for n := range parts {
		// The middle of a stretch in the square root, where the singularity of the inlet is none.
		a, b := float64(n)/parts, float64(n+1)/parts
		m := (a + b) / 2
		sum += c.NusseltAt(m*m*1e-2, 300, 6) * (b*b - a*a)
	}
	near(t, "mean", c.meanNusselt(0, 1e-2, 300, 6), sum, 1e-4)
	if a, b, d := c.HeatTransferBetween(w, 1, 0, 1e-3), c.HeatTransferBetween(w, 1, 1e-3, 2e-3),
		c.HeatTransfer(w, 1); !(a > b && b > d) {
		t.Errorf("%g, %g, developed %g", a, b, d)
	}
	for _, v := range []float64{LeastTurbulent, FullyTurbulent} {
		v *= w.Viscosity / (w.Density * c.Diameter())
		near(t, "no jump", c.HeatTransferBetween(w, v*(1+1e-9), 0, 1e-3), c.HeatTransferBetween(w, v*(1-1e-9), 0, 1e-3),
			1e-6)
	}
}

// The pressure of developing flow between plates against R. K. Shah and A. L. London's figures: f Re = 3.44/sqrt(z) +
// (24 + 0.674/(4 z) - 3.44/sqrt(z)) / (1 + 0.000029/z^2), z = L/(D Re), of which the correlation is within 10 %.
func TestDevelopingFriction(t *testing.T) {
	for _, z := range []float64{1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 1} {
		const re = 500
		c := Channel{Width: 1e-7, Height: 1e-1, Developing: true}
		c.Length = z * re * c.Diameter()
		root := 3.44 / math.Sqrt(z)
		near(t, "friction", c.Friction(re)*re/4, root+(24+0.674/(4*z)-root)/(1+0.000029/(z*z)), 0.10)
	}
	w, _ := Find("water").At(300)
	for _, v := range []float64{0.01, 1, 12, 25, 100} {
		c := Channel{Width: 2e-4, Height: 3e-4, Length: 1e-2, Developing: true}
		near(t, "velocity", c.Velocity(w, c.Drop(w, v)), v, 1e-9)
		if c.Drop(w, v) < (Channel{Width: 2e-4, Height: 3e-4, Length: 1e-2}).Drop(w, v)*(1-1e-12) {
			t.Errorf("developing flow takes less pressure at %g m/s", v)
		}
	}
}

// A medium of slots between plates of a gap s has the permeability e s^2/12.
func TestDarcy(t *testing.T) {
	w, _ := Find("water").At(300)
	slot := Channel{Width: 20e-6, Height: 1, Length: 1e-2}
	near(t, "slots", DarcyDrop(w, 0.5*0.3, 0.5*20e-6*20e-6/12, 1e-2), slot.Drop(w, 0.3), 1e-3)
	near(t, "back", DarcyVelocity(w, DarcyDrop(w, 0.3, 1e-10, 2e-3), 1e-10, 2e-3), 0.3, 1e-12)
}
