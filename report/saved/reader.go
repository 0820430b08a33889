package saved

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"thermsim/internal/inputfile"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Run is an open saved run. Its mesh is built again from the stack.
type Run struct {
	Path     string
	Manifest Manifest
	Mesh     *mesh.Mesh

	file *os.File
	zip  *zip.Reader
}

// Path returns the path of a saved run, given the file or its folder.
func Path(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, FileName)
	}
	return path
}

// Open reads a saved run, given the file or its folder. Errors name the path and a fix. fits, which may be nil, is
// called before the stack is meshed; its error is returned unchanged.
func Open(path string, fits func(*stack.Stack) error) (*Run, error) {
	path = Path(path)
	f, z, err := openArchive(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no saved run in %s: %s is missing; solve again with --save last, or select the "+
			"folder of another run", filepath.Dir(path), filepath.Base(path))
	case errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s is not a saved run, or was cut short; solve again with --save last", path)
	case err != nil:
		if at := (*fs.PathError)(nil); !errors.As(err, &at) {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return nil, fmt.Errorf("cannot open the saved run: %w", err)
	}
	r := &Run{Path: path, file: f, zip: z}
	if err := r.read(fits); err != nil {
		_ = f.Close() // read only
		if refused := (*unfit)(nil); errors.As(err, &refused) {
			return nil, refused.error
		}
		return nil, fmt.Errorf("%s is not a saved run that this thermsim reads: %w", path, err)
	}
	return r, nil
}

// Close closes the file. Its fields cannot be read afterwards.
func (r *Run) Close() error { return r.file.Close() }

// openArchive opens a ZIP file.
func openArchive(path string) (*os.File, *zip.Reader, error) {
	f, err := inputfile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		var z *zip.Reader
		if z, err = zip.NewReader(f, info.Size()); err == nil {
			return f, z, nil
		}
	}
	_ = f.Close() // nothing was read from it
	return nil, nil, err
}

// unfit is an error of the caller's fits.
type unfit struct{ error }

func (r *Run) read(fits func(*stack.Stack) error) error {
	if err := r.readManifest(); err != nil {
		return err
	}
	r.Manifest.clean()
	if r.Manifest.Schema != schema {
		return fmt.Errorf("its schema is %d, expected %d", r.Manifest.Schema, schema)
	}
	text, err := r.entry(stackName)
	if err != nil {
		return err
	}
	s, err := stackfile.Parse(filepath.Join(r.Path, stackName), text, func(path string) ([]byte, error) {
		return nil, fmt.Errorf("%s: a saved stack names no files", path)
	})
	if err != nil {
		return err
	}
	s.File, s.Inputs = r.Manifest.Stack, nil
	for _, in := range r.Manifest.Inputs {
		s.Inputs = append(s.Inputs, stack.Input{Path: in.Path, SHA256: in.SHA256})
	}
	if fits != nil {
		if err := fits(s); err != nil {
			return &unfit{err}
		}
	}
	if r.Mesh, err = mesh.Build(s); err != nil {
		return err
	}
	if err := r.checkTrace(); err != nil {
		return err
	}
	if len(r.Manifest.Saved) == 0 {
		return errors.New("it holds no field")
	}
	for i, n := range r.Manifest.Saved {
		if i > 0 && n <= r.Manifest.Saved[i-1] {
			return fmt.Errorf("its saved steps do not ascend: %d follows %d", n, r.Manifest.Saved[i-1])
		}
		if n < 0 || n > len(r.Manifest.Steps) || n == 0 && len(r.Manifest.Steps) > 0 {
			return fmt.Errorf("it holds step %d of %d", n, len(r.Manifest.Steps))
		}
	}
	return nil
}

// readManifest reads run.json.
func (r *Run) readManifest() error {
	f, size, err := r.openEntry(manifestName)
	if err != nil {
		return err
	}
	defer f.Close()
	whole := io.LimitReader(f, size+1) // to the end, which checks the checksum
	if err := decodeManifest(inputfile.Uncrowded(whole, bytesPerTable), &r.Manifest); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	return nil
}

// Entries are stored uncompressed. Compressed archives are accepted if entries that are read whole expand to at most
// mostRatio times their size, beyond the first freeBytes: tables of numbers compress by a factor of ten at most.
const (
	mostRatio = 20
	freeBytes = 1 << 20
)

// bytesPerTable is the smallest size of a step, or of other repeated objects, in a manifest.
const bytesPerTable = 40

// entry reads an entry whole.
func (r *Run) entry(name string) ([]byte, error) {
	f, size, err := r.openEntry(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	archive, err := r.file.Stat()
	if err != nil {
		return nil, err
	}
	// Most entries are uncompressed. Sizes beyond that of the archive are allocated as data arrives.
	data := bytes.NewBuffer(make([]byte, 0, min(size, archive.Size())+bytes.MinRead))
	if err := copyEntry(data, f, name, size); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

// openEntry opens an entry and returns its size according to the archive.
func (r *Run) openEntry(name string) (f fs.File, size int64, err error) {
	if f, err = r.zip.Open(name); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, 0, err
	}
	size = info.Size()
	if h, ok := info.Sys().(*zip.FileHeader); !ok || size < 0 || uint64(size) > freeBytes+mostRatio*h.CompressedSize64 {
		_ = f.Close() // nothing was read
		return nil, 0, fmt.Errorf("%s opens to %d bytes, more than %d times its size; unzip it and zip it again with "+
			"zip -0 if it is meant so", name, size, mostRatio)
	}
	return f, size, nil
}

// copyEntry copies an entry to the end, which checks the checksum.
func copyEntry(to io.Writer, f io.Reader, name string, size int64) error {
	n, err := io.Copy(to, io.LimitReader(f, size+1))
	if err == nil && n > size {
		err = fmt.Errorf("%s is longer than the archive says", name)
	}
	return err
}

// HasTrace reports whether the run has a trace.csv, as transients do.
func (r *Run) HasTrace() bool {
	return slices.ContainsFunc(r.zip.File, func(f *zip.File) bool { return f.Name == traceName })
}

// Trace opens trace.csv, which may be larger than the memory.
func (r *Run) Trace() (io.ReadCloser, error) {
	f, _, err := r.openEntry(traceName)
	return f, err
}

// checkTrace reads the trace once, so that damage is reported before anything is drawn.
func (r *Run) checkTrace() error {
	if !r.HasTrace() {
		return nil
	}
	f, size, err := r.openEntry(traceName)
	if err != nil {
		return err
	}
	defer f.Close()
	return copyEntry(io.Discard, f, traceName, size)
}

// Last is the number of the last saved step; 0 for a steady state.
func (r *Run) Last() int { return r.Manifest.Saved[len(r.Manifest.Saved)-1] }

// TimeOf is the end of a step in s; NaN for a steady state.
func (r *Run) TimeOf(step int) float64 {
	if step < 1 || step > len(r.Manifest.Steps) {
		return math.NaN()
	}
	return r.Manifest.Steps[step-1].TimeS
}

// Field is the field of a saved step. Planes are read from the file on demand, and their checksums are checked.
func (r *Run) Field(step int) (*Field, error) {
	if !slices.Contains(r.Manifest.Saved, step) {
		return nil, fmt.Errorf("step %d is not in %s, which holds %s", step, r.Path, listed(r.Manifest.Saved))
	}
	return &Field{run: r, step: step}, nil
}

// State is the field of a saved step as an initial state: Plane fails for cells without a finite temperature, which a
// solve that broke down leaves.
func (r *Run) State(step int) (*Field, error) {
	f, err := r.Field(step)
	if err == nil {
		f.state = true
	}
	return f, err
}

// listed formats a list of steps and abbreviates a long one.
func listed(steps []int) string {
	if len(steps) > 12 {
		return fmt.Sprintf("%d steps from %d to %d", len(steps), steps[0], steps[len(steps)-1])
	}
	return fmt.Sprint("steps ", steps)
}

// Field is a temperature field in a saved run; it is a solution.Field.
type Field struct {
	run   *Run
	step  int
	buf   []byte
	state bool // as an initial state
}

// Plane copies the temperatures in K of plane k into dst.
func (f *Field) Plane(k int, dst []float64) error {
	m, plane := f.run.Mesh, dst
	if k < 0 || k >= m.NZ() || len(dst) != m.NX()*m.NY() {
		return fmt.Errorf("plane %d into %d values; the field has %d planes of %d x %d", k, len(dst), m.NZ(), m.NX(),
			m.NY())
	}
	in, err := f.run.zip.Open(planeName(f.step, k))
	if err != nil {
		return f.damaged(err)
	}
	defer in.Close()
	if f.buf == nil {
		f.buf = make([]byte, 8*packed)
	}
	for len(dst) > 0 {
		n := min(packed, len(dst))
		if _, err := io.ReadFull(in, f.buf[:8*n]); err != nil {
			return f.damaged(err)
		}
		for i := range n {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(f.buf[8*i:]))
		}
		dst = dst[n:]
	}
	// Reading to the end checks the checksum.
	if n, err := in.Read(f.buf[:1]); n > 0 || err != io.EOF {
		return f.damaged(tooLong(err))
	}
	if f.state {
		return f.whole(k, plane)
	}
	return nil
}

// whole rejects a plane with a cell without a finite temperature.
func (f *Field) whole(k int, plane []float64) error {
	for c, v := range plane {
		if v-v != 0 {
			m := f.run.Mesh
			layer := m.Stack.Layers[m.Planes[k].Layer].Name
			return fmt.Errorf("%s, step %d: %w: the temperature of cell (%d, %d, %d), in layer %q, is %v; nothing "+
				"can start from it", f.run.Path, f.step, ErrBroken, c%m.NX(), c/m.NX(), k, layer, v)
		}
	}
	return nil
}

func tooLong(err error) error {
	if err == nil {
		return errors.New("it has more values than a plane of the grid has cells")
	}
	return err
}

// ErrDamaged reports a saved run that was modified after it was written.
var ErrDamaged = errors.New("is damaged")

// ErrBroken reports a saved run of a solve that broke down.
var ErrBroken = errors.New("the solve broke down")

func (f *Field) damaged(err error) error {
	return fmt.Errorf("%s %w, step %d: %w; solve again with --save last", f.run.Path, ErrDamaged, f.step, err)
}
