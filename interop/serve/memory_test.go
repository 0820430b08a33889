package serve

import (
	"flag"
	"runtime"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

// 10000 requests on 128 cells along each side give the memory in docs/guides/serve.md.
var (
	stepRequests = flag.Int("step-requests", 60, "step requests of TestMemoryOfSteps")
	stepGrid     = flag.Int("step-grid", 32, "their cells along each side, in 10 planes")
)

// Thousands of requests leave no more memory behind than the first ones did.
func TestMemoryOfSteps(t *testing.T) {
	for name, s := range map[string]*gpusolve.Session{"direct": benchSession(t, ""),
		"multigrid": benchSession(t, "multigrid")} {
		sim, err := New(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		inputs := sim.inputs.list
		heap := func() (live, rss uint64) {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc, m.Sys - m.HeapReleased
		}
		send := func(n int) {
			for k := range n {
				if a := ask(t, sim, `{"id":%d,"op":"set","watts":{"%s":%d}}`, k, inputs[k%len(inputs)], k%3); !a.OK {
					t.Fatal(a.Error)
				}
				if a := ask(t, sim,
					`{"id":%d,"op":"step","read":{"max":true,"blocks":true,"layers":true,"probes":true,"powers":true}}`,
					k); !a.OK {
					t.Fatal(a.Error)
				}
				if k%10 == 0 {
					if a := ask(t, sim, `{"op":"save","name":"again"}`); !a.OK {
						t.Fatal(a.Error)
					}
				}
			}
		}
		send(30)
		live, held := heap()
		send(*stepRequests)
		after, heldAfter := heap()
		t.Logf("%s: %d requests: live %.2f MB before, %.2f MB after; held from the system %.1f MB before, "+
			"%.1f MB after",
			name, *stepRequests, float64(live)/1e6, float64(after)/1e6, float64(held)/1e6, float64(heldAfter)/1e6)
		const slack = 256 << 10 // buffers that grow to their size
		if after > live+slack {
			t.Errorf("%s: %d bytes live after %d requests, %d before", name, after, *stepRequests, live)
		}
	}
}

func benchSession(t *testing.T, method string) *gpusolve.Session {
	t.Helper()
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: *stepGrid}))
	if err != nil {
		t.Fatal(err)
	}
	s, err := gpusolve.OpenSession(m, gpusolve.Options{Device: "cpu", Preconditioner: method}, 1e-3, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
