package capacity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse"
)

// refusedForRoom wants exit status 4 and a message that names need, free memory and a remedy.
func refusedForRoom(t *testing.T, err error, parts ...string) {
	t.Helper()
	if exit.Status(err) != exit.Device {
		t.Fatalf("status %d: %v", exit.Status(err), err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q is not in: %v", p, err)
		}
	}
}

// Methods differ: a grid that multigrid solves in the free memory may be too large for parac, which takes more than 600
// bytes a cell.
func TestPlaceKnowsTheMethod(t *testing.T) {
	s := square(1000, "cpu")
	on := withGPUs(2e9)
	if _, err := on.Place(s, false); err != nil {
		t.Errorf("multigrid: %v", err)
	}
	s.Solver.Preconditioner = "parac"
	_, err := on.Place(s, false)
	refusedForRoom(t, err, "1000 x 1000 x 10 cells need about 6.", "2 GB is free", "a grid that fits is --grid")
}

// A symmetric file lists half of the entries: 30,000 rows with 89,998 entries take 28 bytes an entry and 24 a row, 3.24
// MB.
func TestRoomToRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.mtx")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("%%MatrixMarket matrix coordinate real symmetric\n% a chain\n30000 30000 59999\n" +
		strings.Repeat("1 1 2.0\n", 59999))
	if err := ToRead(file, 3.25e6); err != nil {
		t.Error(err)
	}
	refusedForRoom(t, ToRead(file, 3.2e6), "30000 rows with 89998 entries need about 3.24 MB", "3.2 MB is free",
		"a machine with more memory")
	for name, text := range map[string]string{
		"more announced than the file holds": "%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 " +
			"2000000000\n1 1 1\n",
		"no matrix": "hello\n", "an array": "%%MatrixMarket matrix array real " +
			"general\n1 1\n1\n",
	} {
		write(text)
		if err := ToRead(file, 1000); err != nil {
			t.Errorf("%s is for the reader to tell: %v", name, err)
		}
	}
}

// 100 unknowns by rows: two vectors in FP64 and 28 bytes of conjugate gradients at least.
func TestRoomToSolve(t *testing.T) {
	triplets := &sparse.Triplets{}
	for i := range int32(100) {
		triplets.Add(i, i, 2)
	}
	rows, _, err := sparse.FromTriplets(100, triplets)
	if err != nil {
		t.Fatal(err)
	}
	a, err := matrix.New(rows, matrix.Shape{})
	if err != nil {
		t.Fatal(err)
	}
	refusedForRoom(t, ToSolve(a, "cpu", "none", 44*100), "100 unknowns need about", "is free", "--precond")
	for _, err := range []error{ToSolve(a, "cpu", "none", 1e6), ToSolve(a, "cpu", "none", 0),
		ToSolve(a, "gpu", "none", 1)} {
		if err != nil {
			t.Error(err)
		}
	}
}

// 74 bytes a column of the report's and the layers' planes.
func TestRoomToRender(t *testing.T) {
	s := square(1000, "")
	if err := ToRender(74e6)(s); err != nil {
		t.Error(err)
	}
	refusedForRoom(t, ToRender(73e6)(s), "1000 x 1000 cells of 2 layers needs about 74 MB", "73 MB is free")
}
