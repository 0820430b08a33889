package interpreter_test

import (
	"testing"

	"thermsim/gpusolve/testing/interpreter"
)

// How many instructions per second and thread, with and without the search for races.
func BenchmarkColumnSolve(b *testing.B) {
	for name, o := range map[string]interpreter.Options{"checked": {}, "noraces": {NoRaces: true}} {
		b.Run(name, func(b *testing.B) {
			m := interpreter.New(o)
			k := newBench(b, m, computePTX)
			const n, nz = 4096, 12
			d := make([]float32, n*nz)
			for i := range d {
				d[i] = 3
			}
			pd, rhs, x := upload(k, d), upload(k, d), zeros[float32](k, n*nz)
			before := m.Instructions()
			for b.Loop() {
				k.must(k.launch("column", n/128, 128, int64(n), pd, rhs, x))
			}
			b.ReportMetric(32*float64(m.Instructions()-before)/b.Elapsed().Seconds()/1e6, "Minstr/s")
		})
	}
}
