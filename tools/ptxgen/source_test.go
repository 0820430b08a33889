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
			{Name: "ONE", Value: 1, First: true}, {Name: "TWO", Value: 2}, {Name: "SAME", Value: 2},
			{Name: "NEXT", Value: 3},
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
	code, err := (&Folder{Package: "rooms", Sources: []*Source{s}}).Launcher()
	if err != nil || !strings.Contains(string(code), "Roomy launch.DynamicKernel[RoomRoomyArgs] `threads:\"64\"`") {
		t.Errorf("error %v in\n%s", err, code)
	}
}

func TestBuildsOfClasses(t *testing.T) {
	s, err := ParseSource("columns.cu", "// NZ is one of 0, 12\n#ifndef NZ\n#error NZ\n#endif\nKERNEL void "+
		"BOUNDS(32) run(int n) {}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Build{{"columns_0.ptx", []string{"NZ=0"}}, {"columns_12.ptx", []string{"NZ=12"}}}
	if diff := cmp.Diff(want, s.Builds()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	code, err := (&Folder{Package: "method", Sources: []*Source{s}}).Launcher()
	if err != nil || !strings.Contains(string(code), "func ColumnsClasses() []int { return []int{0, 12} }") {
		t.Errorf("error %v in\n%s", err, code)
	}
}

func TestParseSourceRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"struct", "KERNEL void BOUNDS(32) run(Mesh m) {}", "a.cu:1: kernel run: parameter m: type Mesh has no " +
			"Go launcher"},
		{"no bounds", "\nKERNEL void run(int n) {}", "a.cu:2: not of the form"},
		{"unknown bound", "KERNEL void BOUNDS(MANY) run(int n) {}", "BOUNDS(MANY): MANY is not a known constant"},
		{"bound too large", "enum { T = 2048 };\nKERNEL void BOUNDS(T) run(int n) {}",
			"2048 threads; a block has 1 to 1024"},
		{"no name", "KERNEL void BOUNDS(32) run(int) {}", `parameter "int" is not a type and a name`},
		{"empty", "// nothing\n", "no kernels"},
		{"no classes", "#ifndef NZ\n#endif\nKERNEL void BOUNDS(32) run(int n) {}", "uses NZ without values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ParseSource("a.cu", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// A launcher states what pointers point at, so that arrays of other types do not compile. Kernels with the same names
// of parameters share a type, with a type parameter where their types differ.
func TestLauncher(t *testing.T) {
	const text = `
// Pair is two.
struct Pair { int i, j; const double *at; };
struct Other { Pair p; }; // no kernel takes one
KERNEL void BOUNDS(32) first(i64 n, int keep, int more, const float *RESTRICT a, float *b, half *h, const Pair *list) {}
KERNEL void BOUNDS(32) second(i64 n, int keep, int more, const float *RESTRICT a, float *b, half *h, const Pair *list) {}
KERNEL void BOUNDS(32) sumDouble(i64 n, double scale, const double *a, const float *b) {}
KERNEL void BOUNDS(64) sumSingle(i64 n, float scale, const float *a, const float *b) {}
KERNEL void BOUNDS(64) sumMixed(i64 n, double scale, const double *a, const double *b) {}
KERNEL void BOUNDS(32) solve10(i64 n) {}
KERNEL void BOUNDS(32) solve16(i64 n) {}
KERNEL void BOUNDS(32) solve(i64 m) {}
`
	s, err := ParseSource("things.cu", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pkg  string
		want []string
	}{
		{"kernels", []string{
			"package kernels\n", "//go:embed ptx/*.ptx\nvar ptx embed.FS",
			"// ThingsPair is two.\ntype ThingsPair struct {\n\tI, J int32\n\tAt   cudriver.Ptr[float64]\n}",
			"type ThingsFirstArgs struct {\n\tN          int64\n\tKeep, More int32\n\tA, B       " +
				"cudriver.Ptr[float32]\n" +
				"\tH          cudriver.Ptr[cudriver.Half]\n\tList       cudriver.Ptr[ThingsPair]\n}",
			"type ThingsSumArgs[T, U any] struct {\n\tN     int64\n\tScale T\n\tA     cudriver.Ptr[T]\n" +
				"\tB     cudriver.Ptr[U]\n}",
			"Second    launch.Kernel[ThingsFirstArgs]                 `threads:\"32\"`",
			"SumSingle launch.Kernel[ThingsSumArgs[float32, float32]] `threads:\"64\"`",
			"Solve16   launch.Kernel[ThingsSolve10Args]", "Solve     launch.Kernel[ThingsSolveArgs]",
			"func LoadThings(d cudriver.Driver) (*Things, error) { return launch.Load[Things](d, ptx, \"things\") }",
		}},
		{"things", []string{"package things\n", "type Kernels struct", "func LoadKernels(d cudriver.Driver) " +
			"(*Kernels, error)", "type KernelsPair struct"}},
	} {
		code, err := (&Folder{Package: c.pkg, Sources: []*Source{s}}).Launcher()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(code), want) {
				t.Errorf("package %s: %q is missing in\n%s", c.pkg, want, code)
			}
		}
		if strings.Contains(string(code), "Other") {
			t.Errorf("package %s: a struct that no kernel takes is declared", c.pkg)
		}
	}
}

func TestLauncherRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"KERNEL void BOUNDS(32) run(int " +
			"x, int X) {}": "parameters x and X have one name in Go",
		"KERNEL void BOUNDS(32) run(int _n) {}":   "parameter _n must begin with a letter",
		"KERNEL void BOUNDS(32) unload(int n) {}": "cannot be named unload",
		"KERNEL void BOUNDS(32) type(int n) {}":   "cannot be named type",
		"KERNEL void BOUNDS(32) run(const Mesh *m) {}": "kernel run: parameter " +
			"m: type Mesh is unknown",
		"struct Mesh { int n[3]; };\nKERNEL void BOUNDS(32) run(const " +
			"Mesh *m) {}": `struct Mesh: "int n[3]" has no Go type`,
		"struct Mesh { Cell first; };\nKERNEL void BOUNDS(32) run(const " +
			"Mesh *m) {}": `struct Mesh: "Cell first" has no Go type`,
		"struct Mesh { const float **rows; };\nKERNEL void BOUNDS(32) run(const " +
			"Mesh *m) {}": `struct Mesh: "const float **rows" has no Go type`,
	} {
		s, err := ParseSource("a.cu", text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&Folder{Package: "kernels", Sources: []*Source{s}}).Launcher()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
