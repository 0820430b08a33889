package reuse

import (
	"runtime"
	"testing"
	"unsafe"
)

// TestReuse makes arrays twice: the second time in the memory of the first, zeroed, and by type and length.
func TestReuse(t *testing.T) {
	l := new(List)
	a, b := Make[float64](l, 1000), Make[float64](l, 1000)
	c := Make[int64](l, 1000)
	if &a[0] == &b[0] {
		t.Fatal("two arrays in use share their memory")
	}
	a[7], b[999], c[0] = 1, 2, 3
	l.Renew()
	again := [][]float64{Make[float64](l, 1000), Make[float64](l, 1000)}
	for _, v := range again {
		if &v[0] != &a[0] && &v[0] != &b[0] || len(v) != 1000 || cap(v) != 1000 {
			t.Error("memory was not used again")
		}
		for i, x := range v {
			if x != 0 {
				t.Errorf("value %d is %g", i, x)
			}
		}
	}
	if &again[0][0] == &again[1][0] {
		t.Error("an array was given out twice")
	}
	if third := Make[float64](l, 1000); &third[0] == &a[0] || &third[0] == &b[0] ||
		unsafe.Pointer(&third[0]) == unsafe.Pointer(&c[0]) {
		t.Error("an array in use, or one of another type, was given out")
	}
	if v := Make[int64](l, 999); &v[0] == &c[0] {
		t.Error("an array of another length was given out")
	}
	if v := Make[int64](l, 0); len(v) != 0 {
		t.Error("no elements were asked for")
	}
	if v := Make[int64](nil, 3); len(v) != 3 {
		t.Error("without a list there are arrays too")
	}
	runtime.KeepAlive(c)
}

// TestAppend grows an array as append does.
func TestAppend(t *testing.T) {
	l := new(List)
	var v []int
	for i := range 5000 {
		v = Append(l, v, i)
	}
	for i, x := range v {
		if x != i {
			t.Fatalf("value %d is %d", i, x)
		}
	}
	if len(v) != 5000 || cap(v) != 8192 {
		t.Errorf("%d values in room for %d", len(v), cap(v))
	}
}

// TestNothingIsHeld lets the collector take what nobody refers to, and asks for it after.
func TestNothingIsHeld(t *testing.T) {
	l := new(List)
	const n = 1 << 20
	Make[float64](l, n)[0] = 1
	l.Renew()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 4*n {
		t.Errorf("%d bytes are in use, an array of %d was dropped", m.HeapAlloc, 8*n)
	}
	if v := Make[float64](l, n); v[0] != 0 || len(v) != n {
		t.Error("the array is not a new one")
	}
	l.Renew()
	l.Renew()
	runtime.GC()
	l.Renew()
	if len(l.shared.free) != 0 {
		t.Errorf("%d lengths are listed of arrays that are gone", len(l.shared.free))
	}
}

// TestMakeAllocatesNothing goes round a hundred times.
func TestMakeAllocatesNothing(t *testing.T) {
	l := new(List)
	var kept [3][]float32
	round := func() {
		l.Renew()
		for i := range kept {
			kept[i] = Make[float32](l, 500*(1+i%2))
		}
	}
	round()
	round()
	if n := testing.AllocsPerRun(100, round); n > 0 {
		t.Errorf("%g allocations a round", n)
	}
}
