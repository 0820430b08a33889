package webpage

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/reduction"
	"thermsim/report/field"
)

// Budget limits the size and the error of the temperatures in a page.
type Budget struct {
	ErrorK float64 // largest error of a temperature in the page; DefaultErrorK if 0
	Bytes  int64   // size of the packed text; DefaultBytes if 0
}

// Defaults of a Budget.
const (
	DefaultErrorK = 0.01
	DefaultBytes  = 20 << 20
)

const (
	// largestSide is the largest number of cells along a side of a plane in the page.
	largestSide = 1024
	// mostCells in all frames, which a browser unpacks into memory at two bytes each.
	mostCells = 64 << 20
	// mostFrameCells bounds one frame, and so what packing it takes, some 17 bytes a cell.
	mostFrameCells = 16 << 20
	// mostFrames is the number of frames on the time axis; longer transients drop every other frame repeatedly.
	mostFrames = 400
	// mostRead bounds the cells that are read for all frames: a step on a GPU takes less than bringing its field over.
	mostRead = 1 << 28
	// mostPlanes bounds the cells of planes that are packed at once.
	mostPlanes = 16 << 20
	// keyEvery is the interval of frames that do not depend on the previous one, so that any frame is decoded quickly.
	keyEvery = 8
)

// Fields are the temperatures of one run in a page: frames of planes, quantised, and reduced by maximum where they do
// not fit the budget.
type Fields struct {
	nx, ny  int // of the grid
	nz      int
	x, y    []float64 // faces of the cells as shown, m
	factor  int       // grid cells along x and y per shown cell
	base    float64   // K
	quantum float64   // K
	budget  int64
	wide    bool    // values need more than 16 bits
	lo, hi  []int32 // of every plane over all frames, in quanta
	frames  []frame
	size    int64               // of the text of all frames
	stride  int                 // steps that are multiples of it become frames
	keeps   func(step int) bool // reports further steps that become frames; nil for none
	costly  bool                // packing every step that keeps asks for would take too long
	held    *heldStep           // the hottest step since the last frame, if costly
	last    counts              // of the last frame
	spare   counts              // buffer of the previous frame, for reuse
	desks   chan *desk
	packing *packing // the frame that is being packed, nil for none
	failed  error    // of one that was
}

// desk holds the buffers for packing one plane.
type desk struct {
	plane []float64
	coder coder
}

// heldStep becomes a frame if no later step is hotter.
type heldStep struct {
	step   int
	time   float64
	counts counts
}

// frame is the field at one time.
type frame struct {
	step   int
	time   float64
	planes [][]byte
}

// NewFields starts an empty set for a grid. Temperatures are counted from base (K), such as the ambient. steps is how
// many are expected, 1 in a steady state.
func NewFields(g *field.Grid, base float64, steps int, b Budget) *Fields {
	if !(b.ErrorK > 0) {
		b.ErrorK = DefaultErrorK
	}
	if b.Bytes <= 0 {
		b.Bytes = DefaultBytes
	}
	f := &Fields{nx: g.NX(), ny: g.NY(), nz: g.NZ(), base: base, quantum: 2 * b.ErrorK, budget: b.Bytes, stride: 1}
	cells := g.NX() * g.NY() * g.NZ()
	for steps/f.stride > mostFrames || f.stride < steps && steps/f.stride*cells > mostRead {
		f.stride *= 2
	}
	longest := max(g.NX(), g.NY())
	f.factor = (longest + largestSide - 1) / largestSide
	frames := max(1, min(steps/f.stride, mostFrames))
	for (f.cells(g)*frames > mostCells || f.cells(g) > mostFrameCells) && f.factor < longest {
		f.factor++
	}
	f.x, f.y = coarser(g.X, f.factor), coarser(g.Y, f.factor)
	return f
}

// cells of a frame.
func (f *Fields) cells(g *field.Grid) int {
	side := func(n int) int { return (n + f.factor - 1) / f.factor }
	return side(g.NX()) * side(g.NY()) * f.nz
}

// coarser keeps every n-th face, and the last.
func coarser(faces []float64, n int) []float64 {
	if n == 1 {
		return faces
	}
	var out []float64
	for i := 0; i < len(faces)-1; i += n {
		out = append(out, faces[i])
	}
	return append(out, faces[len(faces)-1])
}

// Factor is the number of grid cells along x and y per cell of the page, which shows their maximum.
func (f *Fields) Factor() int {
	_ = f.settle() // kept for the next Add, or for Write
	return f.factor
}

// ErrorK is the largest error of a temperature in the page.
func (f *Fields) ErrorK() float64 { return f.quantum / 2 }

// Frames is the number of frames.
func (f *Fields) Frames() int {
	_ = f.settle()
	return len(f.frames)
}

// Wants reports whether a step becomes a frame: long transients drop steps.
func (f *Fields) Wants(step int) bool {
	if !f.regular(step) {
		return f.kept(step)
	}
	_ = f.settle() // which may leave out more of them
	return f.regular(step) || f.kept(step)
}

// MayWant reports whether a step may become a frame once it is known.
func (f *Fields) MayWant(step int) bool { return f.keeps != nil || f.Wants(step) }

// regular reports whether a step is a multiple of the stride.
func (f *Fields) regular(step int) bool { return step < 1 || step%f.stride == 0 }

// mostKept bounds the cells of all steps that are read to find those that Keep asks for.
const mostKept = 16 * mostRead

// Keep also shows the steps for which keeps is true if reading and packing each of the given number of steps is
// affordable, and otherwise the one for which hottest is true. Their answers for a step may change until the next step
// is added, as for a running maximum: a frame that is no longer kept may be left out later.
func (f *Fields) Keep(steps int, keeps, hottest func(step int) bool) {
	f.keeps = keeps
	if f.costly = steps > mostKept/(f.nx*f.ny*f.nz); f.costly {
		f.keeps = hottest
	}
}

// Last is the step of the last frame, -1 without any.
func (f *Fields) Last() int {
	_ = f.settle()
	_ = f.release()
	if len(f.frames) == 0 {
		return -1
	}
	return f.frames[len(f.frames)-1].step
}

// At returns the planes of a step in K, with the number of cells in a row; nil if the step is not a frame.
func (f *Fields) At(step int) (planes [][]float64, w int, err error) {
	if err := f.settle(); err != nil {
		return nil, 0, err
	}
	at := slices.IndexFunc(f.frames, func(fr frame) bool { return fr.step == step })
	if at < 0 {
		return nil, 0, nil
	}
	w = len(f.x) - 1
	for k := range f.nz {
		var counts []int32
		for _, fr := range f.frames[at-at%keyEvery : at+1] {
			if counts, err = decode(fr.planes[k], w*(len(f.y)-1), w, counts); err != nil {
				return nil, 0, err
			}
		}
		plane := make([]float64, len(counts))
		for n, q := range counts {
			if plane[n] = f.base + float64(q)*f.quantum; q == missing {
				plane[n] = math.NaN()
			}
		}
		planes = append(planes, plane)
	}
	return planes, w, nil
}

// reduce halves the resolution of the planes by maximum and packs all frames again.
func (f *Fields) reduce() error {
	w, h := len(f.x)-1, len(f.y)-1
	f.x, f.y, f.factor = coarser(f.x, 2), coarser(f.y, 2), 2*f.factor
	return f.repack(w, h, func(q []int32) []int32 { return reduction.Squares(q, w, 2) }, func(int) bool { return true })
}

// thin drops the frames that are no longer kept, and every other regular frame if there are many. The last frame stays.
func (f *Fields) thin() error {
	regular := 0
	for n := range f.frames {
		if f.regular(f.frames[n].step) {
			regular++
		}
	}
	if regular > mostFrames/2 {
		f.stride *= 2
	}
	frames, last := f.frames, len(f.frames)-1
	return f.repack(len(f.x)-1, len(f.y)-1, func(q []int32) []int32 { return q }, func(n int) bool {
		return n == last || f.regular(frames[n].step) || f.kept(frames[n].step)
	})
}

func (f *Fields) kept(step int) bool { return f.keeps != nil && f.keeps(step) }

// passing counts the frames that thin may leave out.
func (f *Fields) passing() int {
	n := 0
	for i := range f.frames {
		if !f.kept(f.frames[i].step) {
			n++
		}
	}
	return n
}

// repack unpacks all frames, of h rows of w cells, and packs those to keep after a change.
func (f *Fields) repack(w, h int, change func([]int32) []int32, keep func(n int) bool) error {
	old := f.frames
	kept := make([]bool, len(old))
	for n := range old {
		kept[n] = keep(n)
	}
	var unpacked [][]int32
	f.frames, f.last, f.spare, f.size = nil, counts{}, counts{}, 0
	f.lo, f.hi = nil, nil
	newW := len(f.x) - 1
	for n, fr := range old {
		values, next := make([][]int32, f.nz), make([][]int32, f.nz)
		packed := frame{step: fr.step, time: fr.time, planes: make([][]byte, f.nz)}
		key := len(f.frames)%keyEvery == 0
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		for k := range f.nz {
			g.Go(func() error {
				var before []int32
				if unpacked != nil {
					before = unpacked[k]
				}
				var err error
				if values[k], err = decode(fr.planes[k], w*h, w, before); err != nil || !kept[n] {
					return err
				}
				next[k] = change(values[k])
				c := coders.Get().(*coder)
				defer coders.Put(c)
				packed.planes[k], err = c.encode(next[k], newW, f.before(k, key))
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		unpacked = values
		if kept[n] {
			f.push(packed, counts{planes: next})
		}
	}
	return nil
}

// Match reduces the finer of two sets on one grid until both have the same cells.
func (f *Fields) Match(o *Fields) error {
	if err := errors.Join(f.settle(), o.settle()); err != nil {
		return err
	}
	for f.factor != o.factor {
		finer := f
		if o.factor < f.factor {
			finer = o
		}
		if err := finer.reduce(); err != nil {
			return err
		}
		if max(f.factor, o.factor) > 1<<30 {
			return fmt.Errorf("one page cannot hold cells of %d and of %d", f.factor, o.factor)
		}
	}
	return nil
}
