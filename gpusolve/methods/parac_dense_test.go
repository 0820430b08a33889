package methods_test

import (
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/internal/testtier"
)

// Graphs with small cuts, and grids, are not called dense in either order, though minimum degree gives them high trees;
// what is left of expanders is.
func TestWhatIsDense(t *testing.T) {
	for _, f := range graphs.All() {
		want, known := map[string]bool{"powergrid": false, "road": false, "geometric": false, "cloud": false,
			"expander": true}[f.Name]
		if !known {
			continue
		}
		n := 40_000
		if !want {
			n = testtier.Pick(10_000, n) // sparse at any size
		}
		m, err := matrix.New(f.Build(n, 1), matrix.Shape{})
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []string{"amd", "nnz"} {
			s, err := matrix.Solve(t.Context(), m, graphs.Source(m.N(), 1),
				gpusolve.Options{Device: "cpu", Preconditioner: "parac:order=" + order, MaxIter: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(s.Status.Details, "dense"); got != want {
				t.Errorf("%s: %s", f.Name, s.Status.Details)
			}
		}
	}
}
