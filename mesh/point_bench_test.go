package mesh

import "testing"

// BenchmarkInPlane is what a comparison between grids costs per cell.
func BenchmarkInPlane(b *testing.B) {
	s := two()
	s.Grid.X.Cells, s.Grid.Y.Cells = 512, 512
	m, err := Build(s)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for n := range b.N {
		m.InPlane(1, 6e-3*float64(n%997)/997, 4e-3*float64(n%991)/991)
	}
}
