package memory_test

import (
	"testing"

	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/solves"
	"thermsim/mesh"
	"thermsim/stack"
)

// The needs of docs/reference/memory.md, in bytes a cell (go test ./gpusolve/memory -run TestNeedTable -v). What is
// stated before there is a mesh is never more than what is stated with it, and no less than three quarters: a grid is
// not refused that fits.
func TestNeedTable(t *testing.T) {
	for _, c := range []struct {
		name  string
		stack *stack.Stack
	}{
		{"homogeneous", cases.Stack10(cases.Options{NX: 512})},
		{"2.5D", cases.Interposer(cases.Stack10(cases.Options{NX: 512}))},
	} {
		m, err := mesh.Build(c.stack)
		if err != nil {
			t.Fatal(err)
		}
		perCell := func(bytes int64) float64 { return float64(bytes) / float64(m.Cells()) }
		for _, method := range methods.Names() {
			for _, gpu := range []bool{false, true} {
				var row [4]float64
				for i, inTime := range []bool{false, true} {
					need, least := memory.OfSystem(m, method, inTime, gpu), memory.OfStack(c.stack, method, inTime, gpu)
					row[2*i], row[2*i+1] = perCell(need.Peak()), perCell(solves.Held(need))
					if least.Peak() > need.Peak() || least.Peak() < need.Peak()*3/4 {
						t.Errorf("%s by %s: %d bytes before meshing, %d after", c.name, method, least.Peak(),
							need.Peak())
					}
				}
				t.Logf("%-11s %-9s gpu %-5v steady %5.0f (%.0f held), in time %5.0f (%.0f held)", c.name, method, gpu,
					row[0], row[1], row[2], row[3])
			}
		}
	}
}
