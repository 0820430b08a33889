package webpage

import (
	"encoding/base64"
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/report/field"
)

// counts are a frame's temperatures in quanta.
type counts struct {
	all    []int32 // of all planes; nil where planes stand apart
	planes [][]int32
}

func newCounts(planes, cells int) counts {
	c := counts{all: make([]int32, planes*cells)}
	for k := range planes {
		c.planes = append(c.planes, c.all[k*cells:(k+1)*cells])
	}
	return c
}

// packing is a frame that several goroutines pack.
type packing struct {
	frame  frame
	counts counts
	group  errgroup.Group
}

// Add adds the field at the end of a step (from 1, ascending; 0 is a steady state). The field quantizes its
// temperatures itself if it can; otherwise its planes are read in order. Packing runs in parallel and continues after
// Add returns: the next Add, or Write, returns its errors.
func (f *Fields) Add(step int, time float64, g *field.Grid, s field.Source) error {
	if err := f.settle(); err != nil {
		return err
	}
	if f.costly && !f.regular(step) && f.kept(step) {
		return f.hold(step, time, g, s)
	}
	if err := f.release(); err != nil {
		return err
	}
	p := f.start(step, time, f.spare)
	f.spare = counts{}
	counted, err := false, error(nil)
	if own := solution.ReducerOf(s); own != nil {
		counted, err = own.Quantise(f.quanta(), p.counts.all)
	}
	switch {
	case err != nil:
		return fmt.Errorf("reading the temperature field: %w", err)
	case counted:
		f.packAll(p)
	default:
		err = f.read(p, g, s)
	}
	if err != nil {
		_ = p.group.Wait() // reading failed before packing
		return err
	}
	f.packing = p
	return nil
}

// start prepares the packing of a step in a buffer of the right size.
func (f *Fields) start(step int, time float64, buffer counts) *packing {
	cells := (len(f.x) - 1) * (len(f.y) - 1)
	if len(buffer.all) != f.nz*cells {
		buffer = newCounts(f.nz, cells)
	}
	if f.desks == nil {
		workers := min(runtime.GOMAXPROCS(0), f.nz, mostPlanes/(f.nx*f.ny)+1)
		f.desks = make(chan *desk, workers)
		for range workers {
			f.desks <- new(desk)
		}
	}
	return &packing{frame: frame{step: step, time: time, planes: make([][]byte, f.nz)}, counts: buffer}
}

// packAll packs all planes, whose quanta are counted.
func (f *Fields) packAll(p *packing) {
	for k := range f.nz {
		p.group.Go(func() error {
			d := <-f.desks
			defer func() { f.desks <- d }()
			return f.pack(p, k, d)
		})
	}
}

// hold counts the quanta of the hottest step until now, to be packed once no hotter one has come.
func (f *Fields) hold(step int, time float64, g *field.Grid, s field.Source) error {
	if f.held == nil {
		f.held = &heldStep{counts: newCounts(f.nz, (len(f.x)-1)*(len(f.y)-1))}
	}
	f.held.step, f.held.time = step, time
	if own := solution.ReducerOf(s); own != nil {
		if counted, err := own.Quantise(f.quanta(), f.held.counts.all); counted || err != nil {
			return err
		}
	}
	plane := make([]float64, f.nx*f.ny)
	for k, counts := range f.held.counts.planes {
		if err := s.Plane(k, plane); err != nil {
			return fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		f.quanta().Plane(counts, plane, f.nx)
	}
	return nil
}

// release packs the step held if it is still the hottest.
func (f *Fields) release() error {
	h := f.held
	if f.held = nil; h == nil || !f.kept(h.step) {
		return nil
	}
	p := f.start(h.step, h.time, h.counts)
	f.packAll(p)
	f.packing = p
	return f.settle()
}

// read counts quanta plane by plane, and has each packed meanwhile.
func (f *Fields) read(p *packing, g *field.Grid, s field.Source) error {
	q := f.quanta()
	for k := range f.nz {
		d := <-f.desks
		if d.plane == nil {
			d.plane = make([]float64, g.NX()*g.NY())
		}
		if err := s.Plane(k, d.plane); err != nil {
			f.desks <- d
			return fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		p.group.Go(func() error {
			defer func() { f.desks <- d }()
			q.Plane(p.counts.planes[k], d.plane, g.NX())
			return f.pack(p, k, d)
		})
	}
	return nil
}

func (f *Fields) quanta() reduction.Quanta {
	return reduction.Quanta{Factor: f.factor, Base: f.base, Quantum: f.quantum}
}

// pack packs plane k.
func (f *Fields) pack(p *packing, k int, d *desk) (err error) {
	key := len(f.frames)%keyEvery == 0
	p.frame.planes[k], err = d.coder.encode(p.counts.planes[k], len(f.x)-1, f.before(k, key))
	return err
}

// settle waits for the frame that is being packed, and fits it into the budget.
func (f *Fields) settle() error {
	p := f.packing
	if p == nil || f.failed != nil {
		return f.failed
	}
	f.packing = nil
	if f.failed = p.group.Wait(); f.failed != nil {
		return f.failed
	}
	if cells := len(p.counts.planes[0]); cells*f.factor*f.factor > mostPlanes {
		f.desks = nil // more than is worth keeping until the next frame
	}
	f.spare = f.last
	f.push(p.frame, p.counts)
	f.failed = f.fit()
	return f.failed
}

// fit reduces planes, and then leaves out frames, until all is within its bounds.
func (f *Fields) fit() error {
	for f.size > f.budget && (len(f.x)-1)*(len(f.y)-1) > 1 {
		if err := f.reduce(); err != nil {
			return err
		}
	}
	if len(f.frames) > mostFrames && f.passing() > mostFrames {
		return f.thin()
	}
	return nil
}

// before is plane k of the last frame, nil for a frame that stands alone.
func (f *Fields) before(k int, key bool) []int32 {
	if key || f.last.planes == nil {
		return nil
	}
	return f.last.planes[k]
}

// push appends a packed frame.
func (f *Fields) push(fr frame, values counts) {
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
	var g errgroup.Group
	wide := make([]bool, f.nz)
	for k, q := range values.planes {
		g.Go(func() error {
			f.lo[k], f.hi[k], wide[k] = span(q, f.lo[k], f.hi[k])
			return nil
		})
	}
	_ = g.Wait() // none of them fails
	f.wide = f.wide || slices.Contains(wide, true)
}

// span widens the range from lo to hi by the counts of a plane, and says whether any of them needs more than 16 bits.
func span(q []int32, lo, hi int32) (_, _ int32, wide bool) {
	for _, v := range q {
		if v == missing {
			wide = true
			continue
		}
		wide = wide || v > math.MaxInt16 || v < math.MinInt16
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi, wide
}
