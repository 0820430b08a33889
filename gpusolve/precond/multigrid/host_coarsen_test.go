package multigrid

import (
	"math"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

func pairs(n int) Pairing {
	var p Pairing
	for i := range n {
		p.Parent = append(p.Parent, int32(i/2))
		p.Far = append(p.Far, 0.25)
	}
	p.Far[0], p.Far[n-1] = 0, 0
	return p
}

// Merging the cells of homogeneous layers two by two must give the couplings of the grid with half as many cells, where
// they do not touch the ends: there, too, as conductances run from centre to centre.
func TestCoarseLevelEqualsCoarseGrid(t *testing.T) {
	assemble := func(nx, ny int) *hostOperations {
		m, err := mesh.Build(cases.Stack10(cases.Options{NX: nx, NY: ny, Width: 8e-3, Depth: 5e-3}))
		if err != nil {
			t.Fatal(err)
		}
		d := host.Open()
		t.Cleanup(func() { d.Close() })
		sys, err := d.Assemble(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := host.ConductancesOf(sys)
		return &hostOperations{Conductances: c}
	}
	fine, want := assemble(16, 12), assemble(8, 6)
	f, _ := fine.Finest()
	c, err := fine.Coarsen(f, Coarsening{X: pairs(16), Y: pairs(12), Weighted: make([]bool, 10)})
	if err != nil {
		t.Fatal(err)
	}
	got := c.(*hostLevel)
	for name, v := range map[string][2][]float32{
		"gx": {got.gx, want.GX}, "gy": {got.gy, want.GY}, "gz": {got.gz, want.GZ},
		"ground": {got.ground[9], want.Ground[9]},
	} {
		for i := range v[1] {
			if math.Abs(float64(v[0][i]-v[1][i])) > 1e-6*math.Abs(float64(v[1][i])) {
				t.Fatalf("%s: value %d is %g on the coarse level, %g on the coarse grid", name, i, v[0][i], v[1][i])
			}
		}
	}
}

// Across a region edge, the weights interpolate along resistances: in a bar of k = 1 | 9 whose jump lies in the link
// between two pairs, the cell left of it is 0.5 from its centre, and the far centre another 0.5 + 1/18 + 1/18 away, in
// units of dx/k.
func TestFarWeightAcrossAJump(t *testing.T) {
	// Couplings of the line 1 1 | 9 9: 1, 1/(1/2 + 1/18), 9.
	g := []float32{1, 1 / (0.5 + 1./18), 9, 0}
	d := newHostDirection(pairs(4), 4)
	want := 0.5 / (0.5 + 0.5 + 1./18 + 1./18)
	pull := func(cell int) (product, sum float32) {
		link, own, far := d.pulls[cell].of(g)
		var p, s [1]float32
		simd.Pull(p[:], s[:], []float32{link}, []float32{own}, []float32{far})
		return p[0], s[0]
	}
	product, sum := pull(1)
	if got := product / sum; math.Abs(float64(got)-want) > 1e-6 {
		t.Errorf("weight %g, want %g", got, want)
	}
	if product, sum := pull(0); product != 0 || sum != 0 {
		t.Errorf("the outermost cell is pulled to a far neighbour by %g of %g", product, sum)
	}
}
