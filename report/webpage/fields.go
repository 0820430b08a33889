package webpage

import (
	"encoding/base64"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"thermsim/report/field"
)

// Budget says how much of a page its temperatures may take.
type Budget struct {
	ErrorK float64 // largest error of a temperature in the page; DefaultErrorK where 0
	Bytes  int64   // of text in the page; DefaultBytes where 0
}

// Defaults of a Budget.
const (
	DefaultErrorK = 0.01
	DefaultBytes  = 20 << 20
)

const (
	// largestSide of a plane in the page: a screen shows no more.
	largestSide = 1024
	// mostCells in all frames, which a browser unpacks into memory at two bytes each.
	mostCells = 64 << 20
	// mostFrameCells bounds one frame, and so what packing it takes, some 17 bytes a cell.
	mostFrameCells = 16 << 20
	// mostFrames are told apart on the time axis; of longer transients every other frame is left out, as often as needed.
	mostFrames = 400
	// mostRead bounds the cells that are read for all frames: a step on a GPU takes less than bringing its field over.
	mostRead = 1 << 28
	// mostPlanes bounds the cells of planes that are packed at once.
	mostPlanes = 16 << 20
	// keyEvery is how often a frame does not build on the one before, so that any of them is shown after a few.
	keyEvery = 8
)

// Fields are the temperatures of one run in a page: frames of planes, quantised, and reduced by maximum where they do not fit the budget.
type Fields struct {
	nz      int
	x, y    []float64 // faces of the cells as shown, m
	factor  int       // cells along x and y that one shown cell stands for
	base    float64   // K
	quantum float64   // K
	budget  int64
	wide    bool    // values need more than 16 bits
	lo, hi  []int32 // of every plane over all frames, in quanta
	frames  []frame
	size    int64     // of the text of all frames
	stride  int       // every how manieth step is a frame
	last    [][]int32 // planes of the last frame
	spare   [][]int32 // of the one before, to be written over
	desks   chan *desk
}

// desk is what packing one plane needs.
type desk struct {
	plane []float64
	coder coder
}

// frame is the field at one time.
type frame struct {
	step   int
	time   float64
	planes [][]byte
}

// NewFields starts an empty set for a grid. Temperatures are counted from base (K), such as the ambient. steps is how many are expected, 1 in a
// steady state.
func NewFields(g *field.Grid, base float64, steps int, b Budget) *Fields {
	if !(b.ErrorK > 0) {
		b.ErrorK = DefaultErrorK
	}
	if b.Bytes <= 0 {
		b.Bytes = DefaultBytes
	}
	f := &Fields{nz: g.NZ(), base: base, quantum: 2 * b.ErrorK, budget: b.Bytes, stride: 1}
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

// Factor is how many cells along x and y one cell of the page stands for, by their maximum.
func (f *Fields) Factor() int { return f.factor }

// ErrorK is the largest error of a temperature in the page.
func (f *Fields) ErrorK() float64 { return f.quantum / 2 }

// Frames is the number of frames.
func (f *Fields) Frames() int { return len(f.frames) }

// Wants says whether a step is to be shown: long transients leave steps out.
func (f *Fields) Wants(step int) bool { return step < 1 || step%f.stride == 0 }

// Last is the step of the last frame, -1 without any.
func (f *Fields) Last() int {
	if len(f.frames) == 0 {
		return -1
	}
	return f.frames[len(f.frames)-1].step
}

// Add takes the field at the end of a step (from 1, ascending; 0 stands for a steady state), which holds nx cells a row. Planes are read one after
// the other, and packed on all cores.
func (f *Fields) Add(step int, time float64, g *field.Grid, s field.Source) error {
	w, h := len(f.x)-1, len(f.y)-1
	fr := frame{step: step, time: time, planes: make([][]byte, f.nz)}
	key := len(f.frames)%keyEvery == 0
	next := f.spare
	f.spare = nil
	if next == nil || len(next[0]) != w*h {
		next = make([][]int32, f.nz)
	}
	if f.desks == nil {
		workers := min(runtime.GOMAXPROCS(0), f.nz, mostPlanes/(g.NX()*g.NY())+1)
		f.desks = make(chan *desk, workers)
		for range workers {
			f.desks <- &desk{plane: make([]float64, g.NX()*g.NY())}
		}
	}
	var group errgroup.Group
	var failed error
	for k := range f.nz {
		d := <-f.desks
		if failed = s.Plane(k, d.plane); failed != nil {
			failed = fmt.Errorf("reading plane %d of the temperature field: %w", k, failed)
			f.desks <- d
			break
		}
		group.Go(func() error {
			defer func() { f.desks <- d }()
			if next[k] == nil {
				next[k] = make([]int32, w*h)
			}
			quantise(next[k], hottest(d.plane, g.NX(), f.factor), f.base, f.quantum)
			var err error
			fr.planes[k], err = d.coder.encode(next[k], w, f.before(k, key))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if g.NX()*g.NY() > mostPlanes {
		f.desks = nil // more than is worth keeping until the next frame
	}
	f.spare = f.last
	f.push(fr, next)
	for f.size > f.budget && w*h > 1 {
		if err := f.reduce(); err != nil {
			return err
		}
		w, h = len(f.x)-1, len(f.y)-1
	}
	if len(f.frames) > mostFrames {
		return f.thin()
	}
	return nil
}

// before is plane k of the last frame, nil for a frame that stands alone.
func (f *Fields) before(k int, key bool) []int32 {
	if key || f.last == nil {
		return nil
	}
	return f.last[k]
}

// push appends a packed frame.
func (f *Fields) push(fr frame, values [][]int32) {
	f.frames, f.last = append(f.frames, fr), values
	for _, p := range fr.planes {
		f.size += int64(base64.StdEncoding.EncodedLen(len(p))) + 1
	}
	if f.lo == nil {
		f.lo, f.hi = make([]int32, f.nz), make([]int32, f.nz)
		for k := range f.lo {
			f.lo[k], f.hi[k] = math.MaxInt32, math.MinInt32
		}
	}
	for k, q := range values {
		for _, v := range q {
			switch {
			case v == missing:
				f.wide = true
			case v > math.MaxInt16 || v < math.MinInt16:
				f.wide = true
				fallthrough
			default:
				f.lo[k], f.hi[k] = min(f.lo[k], v), max(f.hi[k], v)
			}
		}
	}
}

// hottest reduces a plane by maximum over squares of n by n cells.
func hottest(plane []float64, nx, n int) []float64 {
	if n == 1 {
		return plane
	}
	return reduced(plane, nx, n)
}

func reduced[T float64 | int32](plane []T, nx, n int) []T {
	ny := len(plane) / nx
	w, h := (nx+n-1)/n, (ny+n-1)/n
	out := make([]T, w*h)
	for j := range ny {
		line := out[j/n*w:][:w]
		row := plane[j*nx:][:nx]
		fresh := j%n == 0
		for p := range line {
			cells := row[p*n : min((p+1)*n, nx)]
			best := cells[0]
			for _, v := range cells[1:] {
				if v > best || best != best {
					best = v
				}
			}
			if fresh || best > line[p] || line[p] != line[p] {
				line[p] = best
			}
		}
	}
	return out
}

// reduce halves the planes by maximum and packs all frames anew.
func (f *Fields) reduce() error {
	w, h := len(f.x)-1, len(f.y)-1
	f.x, f.y, f.factor = coarser(f.x, 2), coarser(f.y, 2), 2*f.factor
	return f.repack(w, h, func(q []int32) []int32 { return reduced(q, w, 2) }, func(int) bool { return true })
}

// thin leaves out every other frame, but not the last.
func (f *Fields) thin() error {
	f.stride *= 2
	last := len(f.frames) - 1
	return f.repack(len(f.x)-1, len(f.y)-1, func(q []int32) []int32 { return q }, func(n int) bool { return f.frames[n].step%f.stride == 0 || n == last })
}

// repack unpacks all frames, of h rows of w cells, and packs those to keep after a change.
func (f *Fields) repack(w, h int, change func([]int32) []int32, keep func(n int) bool) error {
	old := f.frames
	kept := make([]bool, len(old))
	for n := range old {
		kept[n] = keep(n)
	}
	var unpacked [][]int32
	f.frames, f.last, f.size = nil, nil, 0
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
				var c coder
				packed.planes[k], err = c.encode(next[k], newW, f.before(k, key))
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		unpacked = values
		if kept[n] {
			f.push(packed, next)
		}
	}
	return nil
}

// Match reduces the finer of two sets on one grid until both show the same cells.
func (f *Fields) Match(o *Fields) error {
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
