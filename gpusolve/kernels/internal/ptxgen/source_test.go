package ptxgen

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const example = `// A file.
#include "device.h"

enum { TX = 32, TY = 8, THREADS = TX * TY }; // a tile
/* The order of things. */
enum Things { ONE = 1, TWO, SAME = TWO, NEXT, ODD = sizeof(int), AFTER };

// helper is no kernel: KERNEL void BOUNDS(1) fake(int n) {}
DEVICE float helper(float v) { return v; }

// add sums
// two fields.
KERNEL void BOUNDS(THREADS) add(i64 n, int first, const float *RESTRICT a, // the first
                                const volatile double *b, float scale, double *RESTRICT out, u32 *ticket) {
  out[n] = helper(scale);
}
KERNEL void BOUNDS(64) none() {}
`

func TestParseSource(t *testing.T) {
	s, err := ParseSource("dir/example.cu", example)
	if err != nil {
		t.Fatal(err)
	}
	want := &Source{
		Name: "example",
		Constants: []Constant{
			{Name: "TX", Value: 32, First: true}, {Name: "TY", Value: 8}, {Name: "THREADS", Value: 256},
			{Name: "ONE", Value: 1, First: true}, {Name: "TWO", Value: 2}, {Name: "SAME", Value: 2}, {Name: "NEXT", Value: 3},
		},
		Kernels: []Kernel{
			{Name: "add", Doc: "add sums\ntwo fields.", Bound: "THREADS", Threads: 256, Params: []Param{
				{"n", "i64", ""}, {"first", "int", ""}, {"a", "pointer", "float"}, {"b", "pointer", "double"},
				{"scale", "float", ""}, {"out", "pointer", "double"}, {"ticket", "pointer", "u32"},
			}},
			{Name: "none", Bound: "64", Threads: 64},
		},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if b := s.Builds(); len(b) != 1 || b[0].PTX != "example.ptx" {
		t.Errorf("builds %v, want example.ptx alone", b)
	}
}

func TestDynamicSharedMemory(t *testing.T) {
	s, err := ParseSource("room.cu", "KERNEL void BOUNDS(64) DYNAMIC roomy(int n) {}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Kernel{{Name: "roomy", Dynamic: true, Bound: "64", Threads: 64, Params: []Param{{"n", "int", ""}}}}
	if diff := cmp.Diff(want, s.Kernels); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	code, err := s.Launcher()
	if err != nil || !strings.Contains(string(code), "Roomy(s cu.Stream, grid [3]uint32, shared uint32, n int32)") {
		t.Errorf("error %v in\n%s", err, code)
	}
}

func TestBuildsOfClasses(t *testing.T) {
	s, err := ParseSource("columns.cu", "#ifndef NZ\n#error NZ\n#endif\nKERNEL void BOUNDS(32) run(int n) {}\n")
	if err != nil {
		t.Fatal(err)
	}
	builds := s.Builds()
	if first := builds[0]; first.PTX != "columns_0.ptx" || !cmp.Equal(first.Defines, []string{"NZ=0"}) {
		t.Errorf("first build %v, want columns_0.ptx with NZ=0", first)
	}
}

func TestParseSourceRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"struct", "KERNEL void BOUNDS(32) run(Mesh m) {}", "a.cu:1: kernel run: parameter m: type Mesh has no Go launcher"},
		{"no bounds", "\nKERNEL void run(int n) {}", "a.cu:2: not of the form"},
		{"unknown bound", "KERNEL void BOUNDS(MANY) run(int n) {}", "BOUNDS(MANY): MANY is not a known constant"},
		{"bound too large", "enum { T = 2048 };\nKERNEL void BOUNDS(T) run(int n) {}", "2048 threads; a block has 1 to 1024"},
		{"no name", "KERNEL void BOUNDS(32) run(int) {}", `parameter "int" is not a type and a name`},
		{"empty", "// nothing\n", "no kernels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ParseSource("a.cu", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestLauncherRefusesNames(t *testing.T) {
	for _, text := range []string{
		"KERNEL void BOUNDS(32) run(int type) {}", "KERNEL void BOUNDS(32) run(int grid) {}", "KERNEL void BOUNDS(32) DYNAMIC run(int shared) {}", "KERNEL void BOUNDS(32) unload(int n) {}",
	} {
		s, err := ParseSource("a.cu", text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Launcher(); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
