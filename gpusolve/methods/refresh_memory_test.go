package methods_test

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
)

// refreshed are the methods in the forms that differ in what they hold. The larger inverse of cmg would take the
// interpreter minutes.
func refreshed() []string {
	all := slices.DeleteFunc(methods.Names(), func(name string) bool { return name == "cmg" || name == "chebyshev" })
	all = append(all, "cmg:direct=64", "ic:order=0", "jacobi:precision=adaptive", "none:precision=fixed-fp64")
	short := testtier.Pick("chebyshev:degree=6,steps=12", "chebyshev:degree=30,steps=80")
	return append(all, short+",form=scaled", short+",precision=fixed-fp64,format=csr")
}

// TestRefreshMakesNoArrays refreshes on the processor while the garbage collector stays away: once a refresh has found
// out what it takes in passing, the next allocate less than a single array of FP32 over the cells. Workers of parac
// share their work differently each time, so it may take a few.
func TestRefreshMakesNoArrays(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // every processor of parac has its own small buffers
	for _, method := range refreshed() {
		m, err := mesh.Build(cases.Stack10(cases.Options{NX: 40}))
		if err != nil {
			t.Fatal(err)
		}
		d := host.Open()
		h := hold(t, d, m, 0, method)
		first, least := heapOfRefreshes(t, h)
		t.Logf("%-32s %9d bytes of the heap at the first refresh, %6d later (%.2f a cell)", method, first, least,
			float64(least)/float64(m.Cells()))
		if least >= 4*uint64(m.Cells()) {
			t.Errorf("%s: every refresh takes %d bytes and more, %d cells", method, least, m.Cells())
		}
		d.Close()
	}
}

// heapOfRefreshes is what the first of some refreshes allocates, and the least that one does after it.
func heapOfRefreshes(t *testing.T, h *held) (first, least uint64) {
	t.Helper()
	runtime.GC() // what set-up took in passing is gone
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for n := range 8 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := h.refresh(0); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		switch n {
		case 0:
			first = took
		case 1:
			least = took
		}
		least = min(least, took)
	}
	return first, least
}

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

// TestRefreshOnDevice counts what a refresh asks of the driver: nothing where methods refresh in place, never as much
// as a new set-up, and where the arrays of a set-up in passing all live beside those that stay (ic, ddilu) these alone,
// which the stated needs tell. It holds no more afterwards, and never more in passing than a new set-up would.
func TestRefreshOnDevice(t *testing.T) {
	inPlace := []string{"multigrid", "jacobi", "none"}
	for _, method := range refreshed() {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			nx := testtier.Pick(7, 12)
			if method == "cmg:direct=64" {
				nx = testtier.Pick(7, 46) // more than 20,000 vertices: taken apart on the device
			}
			m, err := mesh.Build(cases.Stack10(cases.Options{NX: nx}))
			if err != nil {
				t.Fatal(err)
			}
			drv := &countingDriver{Driver: devices.Machine(interpreter.Options{NoRaces: true})}
			d, err := cuda.Open(drv, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			defer d.Bind()()
			sys, err := d.Assemble(m, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer sys.Free()
			before, calls, bytes := d.Allocated(), drv.calls, drv.bytes
			form, set, err := methods.Find(method)
			if err != nil {
				t.Fatal(err)
			}
			pre, err := precond.SetUp(sys, func() (precond.Preconditioner, error) { return form.New(sys, set) })
			if err != nil {
				t.Fatal(err)
			}
			held := d.Allocated() - before
			peak := d.Peak() - before
			calls, bytes = drv.calls-calls, drv.bytes-bytes
			refresh := func() (newCalls, newBytes int64) {
				c, b := drv.calls, drv.bytes
				if err := pre.Refresh(); err != nil {
					t.Fatal(err)
				}
				return drv.calls - c, drv.bytes - b
			}
			refresh()
			newCalls, newBytes := refresh()
			cells := float64(m.Cells())
			t.Logf("%d calls for %.1f bytes a cell at set-up, %d for %.1f at a refresh; %.1f held", calls,
				float64(bytes)/cells, newCalls, float64(newBytes)/cells, float64(held)/cells)
			if now := d.Allocated() - before; now != held {
				t.Errorf("%d bytes are held after refreshes, %d before", now, held)
			}
			if now := d.Peak() - before; now > peak {
				t.Errorf("a refresh takes %d bytes, set-up took %d", now, peak)
			}
			need := memory.Of(memory.ShapeOf(m, false, true), method, 0)
			switch {
			case slices.Contains(inPlace, method) && newCalls > 0:
				t.Errorf("%d bytes are taken in %d calls", newBytes, newCalls)
			case (method == "ic" || method == "ic:order=0" || method == "ddilu") && newBytes > need.SetUp-need.Method:
				t.Errorf("%d bytes are taken, more than the %d that set-up states beside the %d that stay", newBytes,
					need.SetUp-need.Method, need.Method)
			case calls > 0 && (newCalls >= calls || newBytes >= bytes):
				t.Errorf("a refresh takes %d bytes in %d calls, set-up took %d in %d", newBytes, newCalls, bytes, calls)
			}
			pre.Close()
			if now := d.Allocated(); now != before {
				t.Errorf("%d bytes are left", now-before)
			}
		})
	}
}
