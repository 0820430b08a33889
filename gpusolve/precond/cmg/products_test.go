package cmg_test

import (
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/sparse/graphs"
)

// counting counts the products with each graph.
type counting struct {
	cmg.Executor
	products map[cmg.Level]int
}

func (c counting) Residual(l cmg.Level, r, x, b ops.Vector) {
	c.products[l]++
	c.Executor.Residual(l, r, x, b)
}

func (c counting) Relax(l cmg.Level, dst, x, b ops.Vector) {
	c.products[l]++
	c.Executor.Relax(l, dst, x, b)
}

// An application of the cycle has as many products with each graph as Products says, and bytes for each entry and
// vector.
func TestProductsOfACycle(t *testing.T) {
	d := host.Open()
	defer d.Close()
	for _, repeats := range []int{1, 2, 3} {
		a, err := d.LoadDiagonals(graphs.Poisson(17, graphs.RandomCubes))
		if err != nil {
			t.Fatal(err)
		}
		on, _ := cmg.On(a)
		c := counting{on, map[cmg.Level]int{}}
		o := cmg.Defaults()
		o.Repeats, o.Direct = repeats, 20
		m, err := cmg.NewOn(c, a.(ops.Forms), o)
		if err != nil {
			t.Fatal(err)
		}
		z, _ := a.New32()
		r, _ := a.New32()
		m.Apply(z, r)
		byVertices := map[int]int{}
		for l, count := range c.products {
			byVertices[l.Len()] += count
		}
		all := m.Products()
		if len(all) < 3 || len(byVertices) != len(all) {
			t.Fatalf("repeats=%d: %d levels, products on %d", repeats, len(all), len(byVertices))
		}
		for n, p := range all {
			if got := byVertices[p.Vertices]; got != p.PerCycle {
				t.Errorf("repeats=%d, level %d: %d products, %d are told", repeats, n, got, p.PerCycle)
			}
			before := len(c.products)
			p.Run()
			if len(c.products) != before {
				t.Errorf("level %d: its product is with another graph", n)
			}
		}
		// 17^3 rows with 6 neighbours but on the faces, 8 bytes each; 24 bytes of row, ground and vectors.
		if got, want := all[0].Bytes, int64(8*(6*17*17*17-6*17*17)+24*17*17*17); got != want {
			t.Errorf("%d bytes, want %d", got, want)
		}
		a.Free()
	}
}
