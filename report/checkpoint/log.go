package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/snapshot"
	"thermsim/gpusolve/solution"
)

// Entries of the log: a step, followed by the readings of its field in their order.
const (
	entryStep = iota + 1
	entryPlane
	entryReduction
	entryQuanta
	entryHistory
)

// mostValues bounds a list in a log.
const mostValues = 1 << 40

// journal writes the log.
type journal struct {
	file   *os.File
	buffer *bufio.Writer
	hash   hash.Hash
	length int64
	coder  *snapshot.Coder
}

// newJournal continues a log of the given length and hash.
func newJournal(f *os.File, h hash.Hash, length int64) *journal {
	j := &journal{file: f, buffer: bufio.NewWriterSize(f, 1<<16), hash: h, length: length}
	j.coder = snapshot.NewWriter(j)
	return j
}

// Write appends to the log, its length and its hash.
func (j *journal) Write(p []byte) (int, error) {
	j.hash.Write(p)
	j.length += int64(len(p))
	return j.buffer.Write(p)
}

// sync flushes the log to the disk.
func (j *journal) sync() error {
	return errors.Join(j.coder.Err(), j.buffer.Flush(), j.file.Sync())
}

func (j *journal) sum() string { return hex.EncodeToString(j.hash.Sum(nil)) }

func codeStep(c *snapshot.Coder, s *solution.Step) {
	c.Float(&s.Time, &s.MaxK, &s.PowerW, &s.LeakageW)
	c.Int(&s.Iterations)
	c.Bool(&s.Converged)
}

func codeHistory(c *snapshot.Coder, all *[]Point) {
	n := c.Length(len(*all), mostValues)
	for i := 0; i < n && c.Err() == nil; i++ {
		var p Point
		if !c.Reading() {
			p = (*all)[i]
		}
		c.Int(&p.Step, &p.Iteration)
		if c.Float(&p.ErrorK); c.Reading() {
			*all = append(*all, p)
		}
	}
}

func codeValues(c *snapshot.Coder, v *reduction.Values) {
	extents, peaks, planes := c.Length(len(v.Extents), mostValues), c.Length(len(v.Peaks), mostValues),
		c.Length(len(v.PlanePeaks), mostValues)
	flat := v.PlanePeaks != nil
	c.Bool(&flat)
	if c.Reading() && c.Err() == nil {
		v.Extents, v.Peaks = make([]reduction.Extent, extents), make([]reduction.Peak, peaks)
		if flat {
			v.PlanePeaks = make([]reduction.Peak, planes)
		}
	}
	c.Floats(&v.Points, mostValues)
	for n := range v.Extents {
		e := &v.Extents[n]
		c.Float(&e.Sum, &e.Weight, &e.Min, &e.Max)
		c.Int32(&e.Rect, &e.Cell)
		bad := int(e.NonFinite)
		c.Int(&bad)
		e.NonFinite = int64(bad)
	}
	for _, list := range [][]reduction.Peak{v.Peaks, v.PlanePeaks} {
		for n := range list {
			c.Float(&list[n].Max)
			c.Int32(&list[n].Plane, &list[n].Cell)
		}
	}
}

// heard is a field whose readings are logged.
type heard struct {
	solution.Field
	c *snapshot.Coder
}

var _ solution.Reducer = (*heard)(nil)

func entry(c *snapshot.Coder, kind int) { c.Int(&kind) }

// Plane reads the field.
func (h *heard) Plane(k int, dst []float64) error {
	if err := h.Field.Plane(k, dst); err != nil {
		return err
	}
	entry(h.c, entryPlane)
	h.c.Int(&k)
	h.c.Values(dst)
	return h.c.Err()
}

// Reduce has the field reduced.
func (h *heard) Reduce(r *reduction.Regions) (*reduction.Values, error) {
	v, err := solution.Reduce(h.Field, r)
	if err != nil {
		return nil, err
	}
	entry(h.c, entryReduction)
	codeValues(h.c, v)
	return v, h.c.Err()
}

// Quantise has the field counted.
func (h *heard) Quantise(q reduction.Quanta, counts []int32) (done bool, err error) {
	if own := solution.ReducerOf(h.Field); own != nil {
		if done, err = own.Quantise(q, counts); err != nil {
			return false, err
		}
	}
	entry(h.c, entryQuanta)
	h.c.Bool(&done)
	for n := range counts {
		h.c.Int32(&counts[n])
	}
	return done, h.c.Err()
}

// replayed is a field whose readings come from the log, in the order in which they were logged.
type replayed struct{ c *snapshot.Coder }

var _ solution.Reducer = (*replayed)(nil)

// ErrOrder reports that a run reads its steps in a different order than the run that wrote the log.
var ErrOrder = errors.New("the checkpoint's log does not have what this run reads of its steps")

func (r *replayed) expect(kind int) error {
	var is int
	r.c.Int(&is)
	if err := r.c.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrOrder, err)
	}
	if is != kind {
		r.c.Fail(ErrOrder)
	}
	return r.c.Err()
}

func (r *replayed) Plane(k int, dst []float64) error {
	if err := r.expect(entryPlane); err != nil {
		return err
	}
	was := k
	if r.c.Int(&was); was != k {
		return ErrOrder
	}
	r.c.Values(dst)
	return r.c.Err()
}

func (r *replayed) Reduce(*reduction.Regions) (*reduction.Values, error) {
	if err := r.expect(entryReduction); err != nil {
		return nil, err
	}
	v := &reduction.Values{}
	codeValues(r.c, v)
	return v, r.c.Err()
}

func (r *replayed) Quantise(_ reduction.Quanta, counts []int32) (done bool, err error) {
	if err := r.expect(entryQuanta); err != nil {
		return false, err
	}
	r.c.Bool(&done)
	for n := range counts {
		r.c.Int32(&counts[n])
	}
	return done, r.c.Err()
}

// replay reads a log of the given length. It passes each step to show, with a field that returns the logged readings.
func replay(in io.Reader, length int64, show func(solution.Step, solution.Field) error) (steps []solution.Step,
	history []Point, err error) {
	rest := &io.LimitedReader{R: bufio.NewReaderSize(in, 1<<16), N: length}
	c := snapshot.NewReader(rest)
	for rest.N > 0 {
		var kind int
		switch c.Int(&kind); kind {
		case entryStep:
			var step solution.Step
			if codeStep(c, &step); c.Err() != nil {
				return nil, nil, c.Err()
			}
			steps = append(steps, step)
			if err := show(step, &replayed{c}); err != nil {
				return nil, nil, err
			}
		case entryHistory:
			codeHistory(c, &history)
		default:
			return nil, nil, ErrOrder
		}
		if c.Err() != nil {
			return nil, nil, c.Err()
		}
	}
	return steps, history, nil
}

// hashed is the hash of the first length bytes of a file.
func hashed(f *os.File, length int64) (hash.Hash, error) {
	h := sha256.New()
	n, err := io.CopyN(h, f, length)
	if err != nil {
		return nil, fmt.Errorf("it ends after %d of %d bytes: %w", n, length, err)
	}
	return h, nil
}

// sameSum compares a hash with its text.
func sameSum(h hash.Hash, text string) bool {
	want, err := hex.DecodeString(text)
	return err == nil && bytes.Equal(h.Sum(nil), want)
}
