package powermap

import (
	"testing"

	"thermsim/stack"
)

func BenchmarkBlocks60On1871(b *testing.B) {
	p := stack.Power{}
	for i := range 60 {
		p.Blocks = append(p.Blocks,
			block("b", 1, stack.Rect{X: float64(i%10) * 1e-3, Y: float64(i/10) * 1e-2 / 6, Width: 1e-3,
				Height: 1e-2 / 6}))
	}
	benchmarkNew(b, p, 1871)
}

func BenchmarkMap2000On2000(b *testing.B) {
	values := make([]float64, 2000*2000)
	for i := range values {
		values[i] = float64(i % 97)
	}
	benchmarkNew(b, stack.Power{Map: &stack.PowerMap{NX: 2000, NY: 2000, Values: values}}, 2000)
}

func benchmarkNew(b *testing.B, p stack.Power, cells int) {
	s := oneLayer(1e-2, p)
	g := Grid{uniformFaces(cells, 1e-2), uniformFaces(cells, 1e-2)}
	for b.Loop() {
		mustMap(b, s, g)
	}
}
