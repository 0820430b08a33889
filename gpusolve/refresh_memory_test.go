package gpusolve

import (
	"runtime"
	"runtime/debug"
	"testing"

	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/interpreter"
	"thermsim/mesh"
)

// countingDriver counts what is asked of a driver's memory.
type countingDriver struct {
	cudriver.Driver
	calls, bytes int64
}

func (d *countingDriver) MemAlloc(bytes int64) (cudriver.DevicePtr, error) {
	d.calls++
	d.bytes += bytes
	return d.Driver.MemAlloc(bytes)
}

var refreshed = append(Preconditioners(), "cmg:direct=64", "chebyshev:form=scaled", "chebyshev:precision=fixed-fp64", "chebyshev:format=csr", "jacobi:precision=adaptive", "none:precision=fixed-fp32")

func TestRefreshHost(t *testing.T) {
	for _, method := range refreshed {
		m, err := mesh.Build(cases.Stack10(cases.Options{NX: 33}))
		if err != nil {
			t.Fatal(err)
		}
		d := host.Open()
		h := hold(t, d, m, 0, method)
		runtime.GC()
		debug.SetGCPercent(-1)
		h.refresh(0)
		h.refresh(0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const times = 5
		for range times {
			if err := h.refresh(0); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		debug.SetGCPercent(100)
		n := uint64(times)
		t.Logf("%-28s %9d bytes (%.1f a cell), %6d allocations", method, (after.TotalAlloc-before.TotalAlloc)/n, float64((after.TotalAlloc-before.TotalAlloc)/n)/float64(m.Cells()), (after.Mallocs-before.Mallocs)/n)
		d.Close()
	}
}

func TestRefreshDevice(t *testing.T) {
	cache := new(interpreter.Cache)
	for _, method := range refreshed {
		if method == "cmg" {
			continue
		}
		nx := 12
		if method == "cmg:direct=64" {
			nx = 46
		}
		m, err := mesh.Build(cases.Stack10(cases.Options{NX: nx}))
		if err != nil {
			t.Fatal(err)
		}
		drv := &countingDriver{Driver: interpreter.New(interpreter.Options{NoRaces: true, Cache: cache})}
		d, err := cuda.Open(drv, 0)
		if err != nil {
			t.Fatal(err)
		}
		unbind := d.Bind()
		h := hold(t, d, m, 0, method)
		held, peak := d.Allocated(), d.Peak()
		h.refresh(0)
		calls, bytes := drv.calls, drv.bytes
		if err := h.refresh(0); err != nil {
			t.Fatal(err)
		}
		t.Logf("%-28s %d calls, %d bytes (%.1f a cell); held %.1f, peak %.1f, later %.1f", method, drv.calls-calls, drv.bytes-bytes, float64(drv.bytes-bytes)/float64(m.Cells()), float64(held)/float64(m.Cells()), float64(peak)/float64(m.Cells()), float64(d.Peak())/float64(m.Cells()))
		h.solver.Close()
		h.method.Close()
		h.sys.Free()
		unbind()
		d.Close()
	}
}
