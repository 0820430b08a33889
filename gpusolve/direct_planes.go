package gpusolve

import (
	"fmt"
	"math"
	"sync"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/mesh"
)

// shownPlanes are the planes of a state that were made last, so that reading one after the other costs one transform of all.
type shownPlanes struct {
	sync.Mutex // readers may come from several goroutines
	fourier.Planes
	on    fourier.Executor
	sheet int
	nz    int
	of    *state // planes first to first+n-1 show it as it was when it had been solved for so many times; nil where they show none
	times int
	first int
	n     int
}

func newShownPlanes(on fourier.Executor, l *fourier.Layered, dev ops.Device) (*shownPlanes, error) {
	planes, err := on.NewPlanes(roomForPlanes(l, dev))
	return &shownPlanes{Planes: planes, on: on, sheet: l.NX * l.NY, nz: l.NZ}, err
}

// shows says whether plane k of a state is there.
func (p *shownPlanes) shows(of *state, k int) bool {
	return p.of == of && p.times == of.solved && k >= p.first && k < p.first+p.n
}

// show makes n planes of a state, as many as there is room for, unless they are there from the first place on.
func (p *shownPlanes) show(of *state, first, n int) {
	if p.first == first && p.n >= n && p.shows(of, first) {
		return
	}
	p.on.Inverse(p.Planes, of.Modes, first, n)
	p.of, p.times, p.first, p.n = of, of.solved, first, n
}

// whole is all planes of a state, nil where there is no room for them.
func (p *shownPlanes) whole(of *state) fourier.Planes {
	p.Lock()
	defer p.Unlock()
	if p.Count() < p.nz {
		return nil
	}
	p.show(of, 0, p.nz)
	return p.Planes
}

// read copies plane k of a state. The planes behind it are made with it.
func (p *shownPlanes) read(of *state, k int, dst []float64) {
	p.Lock()
	defer p.Unlock()
	if !p.shows(of, k) {
		p.show(of, k, min(p.Count(), p.nz-k))
	}
	p.on.Read(p.Planes, k-p.first, dst)
}

// write makes a state of its planes.
func (p *shownPlanes) write(of *state, fill func(k int, plane []float64) error) error {
	p.Lock()
	defer p.Unlock()
	p.of = nil
	plane := make([]float64, p.sheet)
	for first := 0; first < p.nz; first += p.Count() {
		n := min(p.Count(), p.nz-first)
		for i := range n {
			if err := fill(first+i, plane); err != nil {
				return err
			}
			p.on.Write(p.Planes, i, plane)
		}
		p.on.Forward(of.Modes, first, n, p.Planes)
	}
	return nil
}

// max is the largest rise in the planes asked for, taken in runs of neighbours; minus infinity where there are none.
func (p *shownPlanes) max(of *state, wanted []bool) float64 {
	p.Lock()
	defer p.Unlock()
	top := math.Inf(-1)
	for k := 0; k < p.nz; {
		if !wanted[k] {
			k++
			continue
		}
		n := 1
		for n < p.Count() && k+n < p.nz && wanted[k+n] {
			n++
		}
		top = math.Max(top, p.largest(of, k, n))
		k += n
	}
	return top
}

// largest of n planes.
func (p *shownPlanes) largest(of *state, first, n int) float64 {
	if p.n == p.nz && p.shows(of, first) {
		first, n = 0, p.nz // all are there: the largest of all does as well
	}
	p.show(of, first, n)
	return p.on.Max(p.Planes, n)
}

// checkPlane refuses what is no plane of a mesh.
func checkPlane(m *mesh.Mesh, k int, dst []float64) error {
	if k < 0 || k >= m.NZ() || len(dst) != m.NX()*m.NY() {
		return fmt.Errorf("plane %d into %d values; the field has %d planes of %d x %d", k, len(dst), m.NZ(), m.NX(), m.NY())
	}
	return nil
}
