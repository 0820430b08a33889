package meshed_test

import (
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/ops"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/heatsink"
)

// TestRefreshAtFilms forms systems with faces that follow the temperature of their surface at random states: processor
// and GPU must agree to the bit, with constant materials and with others.
func TestRefreshAtFilms(t *testing.T) {
	steep := &stack.Curve{Law: stack.TableLaw, Temperatures: []float64{280, 330, 350, 420},
		Values: []float64{400, 900, 3e4, 4e6}, Range: [2]float64{280, 420}}
	for _, kelvin := range []float64{0, 300} {
		formed := map[string]assembled{}
		for name, open := range solves.Executors(t) {
			s := followed(kelvin)
			s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 12, Temperature: 310,
				Film: stack.Film{Natural: heatsink.Up, Length: 0.01, Emissivity: 0.9}}
			s.Boundary[stack.South] = stack.Boundary{Kind: stack.Convective, Temperature: 300,
				Film: stack.Film{Emissivity: 0.2}}
			s.Boundary[stack.East] = stack.Boundary{Kind: stack.Convective, Temperature: 305,
				Film: stack.Film{Law: steep}}
			dev := open()
			defer dev.Close()
			defer dev.Bind()()
			m, err := mesh.Build(s)
			if err != nil {
				t.Fatal(err)
			}
			sys, err := dev.Assemble(m, 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			defer sys.Free()
			var x, old ops.Vector
			x, _ = sys.New64()
			old, _ = sys.New64()
			rng := rand.New(rand.NewPCG(3, 9))
			rises := make([]float64, x.Len())
			for c := range rises {
				rises[c] = -40 + 200*rng.Float64()
			}
			rises[len(rises)-1], rises[len(rises)-2] = 10, 5 // at the ambient of the top and of the east
			sys.Write(x, rises)
			if err := sys.RefreshAt(x, nil); err != nil {
				t.Fatal(err)
			}
			formed[name] = assembledOf(t, sys, x, old)
		}
		host, device := formed["host"], formed["interpreter"]
		host.same(t, "host and GPU", &device, 1e-13)
	}
}
