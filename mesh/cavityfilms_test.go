package mesh

import (
	"math"
	"testing"

	"thermsim/stack"
)

// Films of developing flow fall from the inlet on, are those of the mirrored flow turned around, and their mean over
// the cells is that of the whole channel.
func TestDevelopingFilmsFollowTheFlow(t *testing.T) {
	films := func(d stack.Direction) (side []float64, whole float64, m *Mesh) {
		s := cavities(5)
		s.Grid.Y.Cells = 8
		w := s.Layers[1].Coolant
		w.Direction, w.Developing = d, true
		w.Fluid.Density, w.Fluid.Viscosity, w.Flow = 1000, 1e-3, 2e-8
		w.HSide, w.HBottom, w.HTop = 0, 0, 0
		m = mustBuild(t, s)
		c := m.Cavities[0]
		for j := range m.NY() {
			side = append(side, c.WallH(1, j).Side)
			for i := range m.NX() {
				if c.Wet(i, j) && c.WallH(i, j) != c.WallH(1, j) {
					t.Errorf("channels of one flow have films of %+v and %+v", c.WallH(i, j), c.WallH(1, j))
				}
			}
		}
		velocity := w.Flow / 2 / (1e-3 * 100e-6)
		return side, s.WallH(&s.Layers[1], velocity, 0, s.Size[1]).Side, m
	}
	north, whole, m := films(stack.TowardsNorth)
	south, _, _ := films(stack.TowardsSouth)
	sum := 0.0
	for j, h := range north {
		sum += h * m.DY(j) / 4e-3
		if j > 0 && !(h < north[j-1]) {
			t.Errorf("cell %d from the inlet has a film of %g W/(m2 K), the one before it %g", j, h, north[j-1])
		}
		if o := south[len(south)-1-j]; math.Abs(o-h) > 1e-12*h {
			t.Errorf("cell %d from the inlet: %g towards the north, %g towards the south", j, h, o)
		}
	}
	if math.Abs(sum-whole) > 1e-3*whole {
		t.Errorf("cells have a mean of %g W/(m2 K), the channel %g", sum, whole)
	}
}

// In a porous cavity walls and coolant conduct along the flow in parallel, by their shares, and not across it, where
// channels alternate with walls.
func TestPorousCavityConductsAlongTheFlow(t *testing.T) {
	m := mustBuild(t, cavities(5))
	along, across := make([]float64, 5), make([]float64, 5)
	for k, want := range map[int]float64{m.Cavities[1].Wall: 0.5 * 110, m.Cavities[1].Fluid: 0.5 * 0.5} {
		m.CouplingY(k, 1, along)
		m.CouplingX(k, 1, across)
		near(t, "along", along[2], want*1e-3*100e-6/1e-3)
		if across[2] != 0 {
			t.Errorf("plane %d conducts %g W/K across the flow", k, across[2])
		}
	}
}
