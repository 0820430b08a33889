package fieldfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "thermsim/internal/testtier" // fixes the seed of drawn tests

	"thermsim/report/field"
)

// formula is a temperature of the cells' centres.
type formula struct{ g *field.Grid }

func value(x, y, z float64) float64 {
	return 300 + 40*math.Sin(900*x)*math.Cos(700*y) + 2e4*z + math.Pi*1e-5
}

func (f formula) Plane(k int, dst []float64) error {
	xs, ys, zs := field.Centres(f.g.X), field.Centres(f.g.Y), field.Centres(f.g.Z)
	for j, y := range ys {
		for i, x := range xs {
			dst[j*len(xs)+i] = value(x, y, zs[k])
		}
	}
	return nil
}

func faces(n int, length, ratio float64) []float64 {
	f := make([]float64, n+1)
	for i := range f {
		f[i] = length * (math.Pow(ratio, float64(i)) - 1) / (math.Pow(ratio, float64(n)) - 1)
	}
	return f
}

// sample is a graded grid of three layers.
func sample(nx, ny int) *Data {
	g := &field.Grid{
		X: faces(nx, 10e-3, 1.01), Y: faces(ny, 8e-3, 0.99), Z: []float64{0, 1e-4, 2e-4, 2.02e-4, 2.5e-4, 12.5e-4},
		Layer: []int{0, 0, 1, 2, 2}, Layers: []string{"bulk", "feol", "µ, lid"},
	}
	return &Data{Grid: g, Box: g.Whole(), Source: formula{g}, Title: "a--b <c>", Time: math.NaN()}
}

// python finds an interpreter that has a module.
func python(t *testing.T, module string) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(path, "-c", "import "+module).Run() == nil {
			return path
		}
	}
	t.Skipf("no python3 with %s here; Debian has both", module)
	return ""
}

type peerView struct {
	Shape        []int
	DType        string
	TemperatureK []float64 `json:"temperature_K"`
	Layer        []float64
	LayerNames   []string  `json:"layer_names"`
	X            []float64 `json:"x_m"`
	Y            []float64 `json:"y_m"`
	Z            []float64 `json:"z_m"`
	XFaces       []float64 `json:"x_faces_m"`
	YFaces       []float64 `json:"y_faces_m"`
	ZFaces       []float64 `json:"z_faces_m"`
	Time         []float64 `json:"time_s"`
}

// readByPeers lets NumPy and VTK read files.
func readByPeers(t *testing.T, module string, paths ...string) []peerView {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(python(t, module), append([]string{"testdata/read.py"}, paths...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var views []peerView
	if err := json.Unmarshal(out, &views); err != nil {
		t.Fatal(err)
	}
	return views
}

func save(t *testing.T, path string, write func(*os.File) error) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// expect compares with the formula, cell by cell, within tol.
func expect(t *testing.T, what string, d *Data, got []float64, tol float64) {
	t.Helper()
	g := d.Grid.Cut(d.Box)
	xs, ys, zs := field.Centres(g.X), field.Centres(g.Y), field.Centres(g.Z)
	if len(got) != len(xs)*len(ys)*len(zs) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(xs)*len(ys)*len(zs))
	}
	for n, v := range got {
		want := value(xs[n%len(xs)], ys[n/len(xs)%len(ys)], zs[n/len(xs)/len(ys)])
		if !(math.Abs(v-want) <= tol) {
			t.Fatalf("%s: cell %d is %.17g, want %.17g", what, n, v, want)
		}
	}
}

func equal(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Fatalf("%s: %d is %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}

// NumPy reads what was written, bit for bit in FP64: the whole field and a box.
func TestNumPyReadsNPZRawAndCSV(t *testing.T) {
	python(t, "numpy")
	dir := t.TempDir()
	whole, box := sample(61, 47), sample(61, 47)
	box.Box = field.Box{I0: 3, I1: 20, J0: 40, J1: 47, K0: 1, K1: 3}
	box.Single, box.Time = true, 0.125
	views := readByPeers(t, "numpy",
		save(t, filepath.Join(dir, "whole.npz"), func(f *os.File) error { return WriteNPZ(f, whole) }),
		save(t, filepath.Join(dir, "box.npz"), func(f *os.File) error { return WriteNPZ(f, box) }),
		save(t, filepath.Join(dir, "box.json"), func(f *os.File) error {
			save(t, filepath.Join(dir, "box.bin"), func(b *os.File) error { return WriteRaw(b, box) })
			return WriteRawHeader(f, box, "box.bin")
		}),
		save(t, filepath.Join(dir, "box.csv"), func(f *os.File) error { return WriteCSVLong(f, box) }),
		save(t, filepath.Join(dir, "plane.matrix"), func(f *os.File) error {
			plane := *box
			plane.Box.K1 = plane.Box.K0 + 1
			return WriteCSVMatrix(f, &plane)
		}))
	npz := views[0]
	expect(t, "NPZ", whole, npz.TemperatureK, 0)
	equal(t, "x faces", npz.XFaces, whole.Grid.X, 0)
	equal(t, "z", npz.Z, field.Centres(whole.Grid.Z), 0)
	equal(t, "layer", npz.Layer, []float64{0, 0, 1, 2, 2}, 0)
	if npz.LayerNames[2] != "µ, lid" || npz.DType != "float64" || npz.Shape[0] != 5 || npz.Shape[1] != 47 ||
		npz.Shape[2] != 61 || npz.Time != nil {
		t.Errorf("NPZ: %q, %s, %v, %v", npz.LayerNames, npz.DType, npz.Shape, npz.Time)
	}
	const single = 340 * 0x1p-24
	expect(t, "NPZ of a box", box, views[1].TemperatureK, single)
	equal(t, "x of a box", views[1].X, field.Centres(box.Grid.X[3:21]), 0)
	equal(t, "time", views[1].Time, []float64{0.125}, 0)
	expect(t, "raw", box, views[2].TemperatureK, single)
	equal(t, "z faces of raw", views[2].ZFaces, box.Grid.Z[1:4], 0)
	expect(t, "long CSV", box, views[3].TemperatureK, 0.5000001e-6)
	equal(t, "y of the last row", views[3].Y[len(views[3].Y)-1:], field.Centres(box.Grid.Y)[46:], 1e-11)
	if names := views[3].LayerNames; names[0] != "bulk" || names[len(names)-1] != "feol" {
		t.Errorf("layers of the rows: %q, %q", names[0], names[len(names)-1])
	}
	plane := *box
	plane.Box.K1 = plane.Box.K0 + 1
	expect(t, "matrix CSV", &plane, views[4].TemperatureK, 0.5000001e-6)
}

// The matrices of a box name the heights of its planes, not of the first planes of the grid.
func TestMatrixHeights(t *testing.T) {
	d := sample(5, 4)
	d.Box.K0, d.Box.K1 = 1, 3
	var text bytes.Buffer
	if err := WriteCSVMatrix(&text, d); err != nil {
		t.Fatal(err)
	}
	k := d.Box.K0
	for line := range strings.Lines(text.String()) {
		_, heights, found := strings.Cut(line, ", z ")
		if !found {
			continue
		}
		var lo, hi float64
		if _, err := fmt.Sscanf(heights, "%g to %g m;", &lo, &hi); err != nil {
			t.Fatal(line, err)
		}
		equal(t, fmt.Sprint("heights of plane ", k), []float64{lo, hi}, d.Grid.Z[k:k+2], 1e-12)
		k++
	}
	if k != d.Box.K1 {
		t.Errorf("%d planes, want %d", k-d.Box.K0, d.Box.K1-d.Box.K0)
	}
}

// VTK's reader gives back what was written: several compressed blocks, the last one partial, and a box.
func TestVTKReadsVTR(t *testing.T) {
	python(t, "vtkmodules.vtkIOXML")
	dir := t.TempDir()
	whole, box := sample(210, 190), sample(210, 190)
	box.Box, box.Single, box.Time = field.Box{I0: 7, I1: 9, J0: 0, J1: 190, K0: 4, K1: 5}, true, 2.5e-3
	exact := sample(128, 64) // 5 planes of 64 KiB: whole blocks only with 16 planes
	views := readByPeers(t, "vtkmodules.vtkIOXML",
		save(t, filepath.Join(dir, "whole.vtr"), func(f *os.File) error { return WriteVTR(f, whole) }),
		save(t, filepath.Join(dir, "box.vtr"), func(f *os.File) error { return WriteVTR(f, box) }),
		save(t, filepath.Join(dir, "exact.vtr"), func(f *os.File) error { return WriteVTR(f, exact) }))
	expect(t, "vtr", whole, views[0].TemperatureK, 0)
	equal(t, "x faces", views[0].XFaces, whole.Grid.X, 0)
	equal(t, "y faces", views[0].YFaces, whole.Grid.Y, 0)
	equal(t, "z faces", views[0].ZFaces, whole.Grid.Z, 0)
	if l := views[0].Layer; len(l) != 5*210*190 || l[0] != 0 || l[2*210*190] != 1 || l[len(l)-1] != 2 {
		t.Error("layers are wrong")
	}
	expect(t, "vtr of a box", box, views[1].TemperatureK, 340*0x1p-24)
	if views[1].DType != "float" || views[1].Time[0] != 2.5e-3 {
		t.Errorf("%s, %v", views[1].DType, views[1].Time)
	}
	expect(t, "small vtr", exact, views[2].TemperatureK, 0)
}

// A file whose length is a whole number of blocks has no partial one.
func TestVTKBlockHeader(t *testing.T) {
	for total, want := range map[int64][3]byte{2 * vtkBlock: {2, 0, 0}, 2*vtkBlock + 5: {3, 0, 5}, 7: {1, 0, 7}} {
		h := newVTKBlocks(nil, total).header()
		if h[0] != want[0] || h[16] != want[2] || len(h) != 24+8*int(want[0]) {
			t.Errorf("%d bytes: %v", total, h)
		}
	}
}

// The fast decimals are those of strconv, whatever the value.
func TestAppendKelvin(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, v float64) {
		if got, want := string(AppendKelvin(nil, v)), strconv.FormatFloat(v, 'f', Decimals, 64); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	for _, v := range []float64{0, -1, 0.5e-6, 1.5e-6, 2.5e-6, 299.9999995, 300.0000005, 999999.9999999, 1e9, 1e15,
		1e300, math.NaN(), math.Inf(1), math.MaxFloat64, 5e-324, math.Copysign(0, -1)} {
		check(t, v)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Float64().Draw(t, "any"))
		n := rapid.Int64Range(0, 4e12).Draw(t, "half microkelvins")
		check(t, float64(n)*0.5e-6)
		check(t, math.Nextafter(float64(n)*0.5e-6, rapid.SampledFrom([]float64{-1, 1e9}).Draw(t, "towards")))
		check(t, rapid.Float64Range(200, 500).Draw(t, "kelvin"))
	})
}

// Ten times the planes take no more memory: what is allocated does not grow with the field.
func TestWritersHoldOnePlane(t *testing.T) {
	for name, write := range writers {
		few := allocated(t, func() error { return write(io.Discard, tall(100)) })
		many := allocated(t, func() error { return write(io.Discard, tall(500)) })
		if field := int64(400 * 128 * 128 * 8); many-few > field/10 {
			t.Errorf("%s: %d bytes allocated for 100 planes, %d for 500", name, few, many)
		}
	}
}

// writers are those of all formats.
var writers = map[string]func(io.Writer, *Data) error{
	"npz": WriteNPZ, "raw": WriteRaw, "csv-long": WriteCSVLong, "csv": WriteCSVMatrix,
	"header of raw": func(w io.Writer, d *Data) error { return WriteRawHeader(w, d, "f") },
	"vtr":           func(w io.Writer, d *Data) error { return WriteVTR(&discardSeeker{w: w}, d) },
}

func TestBadBoxes(t *testing.T) {
	d := sample(5, 5)
	d.Box.I1 = 6
	for name, write := range writers {
		if write(io.Discard, d) == nil {
			t.Errorf("%s: a box outside the grid was written", name)
		}
	}
}

// Errors of the field and of the disk come through.
func TestErrorsComeThrough(t *testing.T) {
	broken := errors.New("broken")
	for name, write := range writers {
		d := sample(200, 200)
		if err := write(bufio.NewWriterSize(failing{broken}, 16), d); !errors.Is(err, broken) {
			t.Errorf("%s on a full disk: %v", name, err)
		}
		d.Source = brokenSource{broken}
		if err := write(io.Discard, d); name != "header of raw" && !errors.Is(err, broken) {
			t.Errorf("%s of a broken field: %v", name, err)
		}
	}
}

// tall is a field of a constant with many planes.
func tall(planes int) *Data {
	d := sample(128, 128)
	d.Grid.Z, d.Grid.Layer = faces(planes, 1e-3, 1.001), make([]int, planes)
	d.Box, d.Source = d.Grid.Whole(), constant{}
	return d
}

type constant struct{}

func (constant) Plane(_ int, dst []float64) error {
	for i := range dst {
		dst[i] = 321.5
	}
	return nil
}

func allocated(t *testing.T, f func() error) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := f(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

type discardSeeker struct{ w io.Writer }

func (d *discardSeeker) Write(p []byte) (int, error) {
	if d.w != nil {
		return d.w.Write(p)
	}
	return len(p), nil
}

func (*discardSeeker) Seek(int64, int) (int64, error) { return 0, nil }

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

type brokenSource struct{ err error }

func (b brokenSource) Plane(int, []float64) error { return b.err }

func BenchmarkCSVLong(b *testing.B) { benchmark(b, WriteCSVLong) }

func BenchmarkCSVMatrix(b *testing.B) { benchmark(b, WriteCSVMatrix) }

func BenchmarkNPZ(b *testing.B) { benchmark(b, WriteNPZ) }

func BenchmarkVTR(b *testing.B) {
	benchmark(b, func(w io.Writer, d *Data) error { return WriteVTR(&discardSeeker{w: w}, d) })
}

// benchmark counts the bytes that a writer makes of a million cells.
func benchmark(b *testing.B, write func(io.Writer, *Data) error) {
	d := sample(1000, 200)
	planes := remembered{}
	for k := range d.Grid.NZ() {
		plane := make([]float64, 1000*200)
		if err := d.Source.Plane(k, plane); err != nil {
			b.Fatal(err)
		}
		planes = append(planes, plane)
	}
	d.Source = planes
	for b.Loop() {
		var n counted
		if err := write(&n, d); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(n))
	}
}

type remembered [][]float64

func (r remembered) Plane(k int, dst []float64) error {
	copy(dst, r[k])
	return nil
}

type counted int64

func (c *counted) Write(p []byte) (int, error) {
	*c += counted(len(p))
	return len(p), nil
}
