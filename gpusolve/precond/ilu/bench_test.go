package ilu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
)

// BenchmarkTriangles is one application on the processor: factors of a matrix that is not symmetric beside those of one
// that is.
func BenchmarkTriangles(b *testing.B) {
	shape := [3]int{128, 128, 64}
	for kind, a := range map[string]*sparse.Diagonals{
		"symmetric": opstest.RandomDiagonals(rand.New(rand.NewPCG(1, 2)), shape, true),
		"upwind":    opstest.Upwind(shape, [3]float64{1, 0.5, 0.1}),
	} {
		for n := range 4 {
			how := ilu.Options{Order: n % 2, Double: n >= 2}
			b.Run(fmt.Sprintf("%s,order=%d,double=%t", kind, how.Order, how.Double), func(b *testing.B) {
				d := host.Open()
				defer d.Close()
				s, err := d.LoadDiagonals(a)
				if err != nil {
					b.Fatal(err)
				}
				form, _, err := ops.NearDiagonals(s)
				if err != nil {
					b.Fatal(err)
				}
				f, err := ilu.Factorise(s, form, how)
				if err != nil {
					b.Fatal(err)
				}
				t, err := f.Triangles()
				if err != nil {
					b.Fatal(err)
				}
				z, _ := s.New32()
				r, _ := s.New32()
				v := make([]float64, a.N())
				for c := range v {
					v[c] = math.Sin(float64(c * c))
				}
				s.Write(r, v)
				for b.Loop() {
					t.Solve(z, r)
				}
			})
		}
	}
}
