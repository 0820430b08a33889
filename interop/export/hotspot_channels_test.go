package export

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/mesh"
)

// HotSpot's microchannels against its own executable, cell by cell. It discretises advection by central differences and
// counts the full height of layer 0; where both are done here too, its two decimals are left.
func TestMicrochannelsOfHotSpot(t *testing.T) {
	for _, name := range []string{"c", "v"} {
		for _, alike := range []bool{false, true} {
			dir := filepath.Join("..", "hotspot", "testdata", "microchannel")
			r, err := hotspot.Format.Import(importer.Request{Files: []string{filepath.Join(dir, name+".config")},
				Open: os.ReadFile, Named: map[string]string{
					"ptrace": filepath.Join(dir, "p.ptrace"), "materials_file": filepath.Join(dir, "p.materials"),
					"grid_layer_file": filepath.Join(dir, name+".lcf"), "detailed_3D": "on"}})
			if err != nil {
				t.Fatal(err)
			}
			within, cells := 0.15, 0.35 // K
			if alike {
				r.Stack.Layers[1].Coolant.Central = true
				r.Stack.Layers[0].ContactResistance = 50e-6 / 130
				within, cells = 0.011, 0.011
			}
			m, err := mesh.Build(r.Stack)
			if err != nil {
				t.Fatal(err)
			}
			sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu"})
			if err != nil {
				t.Fatal(err)
			}
			peer := temperatures(t, filepath.Join(dir, "peer_"+name+".steady"))
			plane := make([]float64, 225)
			mean := func(k, from, to int) (sum float64) {
				if err := sol.Field.Plane(k, plane); err != nil {
					t.Fatal(err)
				}
				for _, v := range plane[15*from : 15*to] {
					sum += v / float64(15*(to-from))
				}
				return sum
			}
			blocks := map[string]float64{"layer_0_base": mean(0, 0, 15), "layer_2_core": mean(2, 0, 7),
				"layer_2_rest": mean(2, 7, 15)}
			for block, got := range blocks {
				if d := got - peer[block]; math.Abs(d) > within {
					t.Errorf("%s: %s off by %.3f of %.2f K", name, block, d, peer[block])
				}
			}
			mean(1, 0, 15)
			most := 0.0
			for i := range 15 {
				for j := range 15 {
					most = math.Max(most,
						math.Abs(plane[(14-i)*15+j]-peer["layer_1_Cell_"+strconv.Itoa(i)+"_"+strconv.Itoa(j)]))
				}
			}
			if !(most < cells) {
				t.Errorf("%s, alike %v: cells off by %.3f K", name, alike, most)
			}
			sol.Close()
		}
	}
}

func temperatures(t *testing.T, file string) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for line := range strings.Lines(string(data)) {
		if w := strings.Fields(line); len(w) == 2 {
			all[w[0]], _ = strconv.ParseFloat(w[1], 64)
		}
	}
	return all
}
