package export

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/interop/importer"
	"thermsim/interop/network/netsolve"
	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/report"
)

// With --compat the probe of an inspection point shows what 3D-ICE 4.0 wrote for it, also where the point lies between
// cells.
func TestProbesAre3DICEs(t *testing.T) {
	for name, points := range map[string][]string{"steady": {"T_LOGIC_PLL", "T_MEM_centre"},
		"nonuniform": {"T_point"}} {
		folder := filepath.Join("..", "threedice", "testdata", name)
		r, err := threedice.Format.Import(importer.Request{Files: []string{filepath.Join(folder, "case.stk")},
			Compat: true, Direct: true})
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.Build(r.Stack)
		if err != nil {
			t.Fatal(err)
		}
		solve := func() (*solution.Solution, error) {
			if r.Network != nil {
				return netsolve.Steady(t.Context(), r.Network, m, gpusolve.Options{Device: "cpu"})
			}
			return gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-7})
		}
		sol, err := solve()
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		s, err := report.Summarise(&report.Run{Mesh: m, Solution: sol})
		if err != nil {
			t.Fatal(err)
		}
		for _, point := range points {
			want := lines(t, filepath.Join(folder, "want", point+".txt"))
			fields := strings.Fields(want[len(want)-1])
			kelvin, err := strconv.ParseFloat(fields[len(fields)-1], 64)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, p := range s.Probes {
				if p.Name == point {
					found = true
					if math.Abs(p.TemperatureK-kelvin) > 1e-5 {
						t.Errorf("%s: %s is %.9f K, 3D-ICE wrote %.9f", name, point, p.TemperatureK, kelvin)
					}
				}
			}
			if !found {
				t.Errorf("%s: no probe %s", name, point)
			}
		}
	}
}
