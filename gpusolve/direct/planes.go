package direct

import (
	"math"
	"sync"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/fourier"
)

// shownPlanes are the planes in space that were made of a state, so that each is made once.
type shownPlanes struct {
	sync.Mutex // readers may come from several goroutines
	ops.Vector
	on    fourier.Operations
	sheet int
	nz    int
	of    *state // that is shown, as it was after its solve number times; nil for none
	times int
	first int    // plane of the first slot
	valid []bool // slots that hold their plane
	all   []int  // every plane's number
}

func newShownPlanes(on fourier.Operations, l *fourier.Layered, capacity int) (*shownPlanes, error) {
	planes, err := on.NewPlanes(capacity)
	p := &shownPlanes{Vector: planes, on: on, sheet: l.NX * l.NY, nz: l.NZ, valid: make([]bool, capacity)}
	for k := range l.NZ {
		p.all = append(p.all, k)
	}
	return p, err
}

// capacity is the number of planes that are held at a time.
func (p *shownPlanes) capacity() int { return len(p.valid) }

// show has n planes of a state from plane k on, at most capacity(), and returns the slot of the first.
func (p *shownPlanes) show(of *state, k, n int) (at int) {
	if p.of != of || p.times != of.solved || k < p.first || k+n > p.first+p.capacity() {
		p.of, p.times, p.first = of, of.solved, k
		if p.capacity() == p.nz {
			p.first = 0
		}
		clear(p.valid)
	}
	at = k - p.first
	for i := at; i < at+n; i++ {
		if p.valid[i] {
			continue
		}
		end := i + 1
		for end < at+n && !p.valid[end] {
			end++
		}
		p.on.Inverse(p.Vector, i, of.Modes, p.first+i, end-i)
		for ; i < end; i++ {
			p.valid[i] = true
		}
	}
	return at
}

// whole is all planes of a state, nil where there is no room for them.
func (p *shownPlanes) whole(of *state) ops.Vector {
	p.Lock()
	defer p.Unlock()
	if p.capacity() < p.nz {
		return nil
	}
	p.show(of, 0, p.nz)
	return p.Vector
}

// Reduce has a reducer take planes of a state, which it shows before. It says false, and has done nothing, where there
// is no room for all planes.
func (p *shownPlanes) Reduce(of *state, wanted []int, take func(planes ops.Vector)) bool {
	p.Lock()
	defer p.Unlock()
	if p.capacity() < p.nz {
		return false
	}
	for n := 0; n < len(wanted); {
		end := n + 1
		for end < len(wanted) && wanted[end] == wanted[end-1]+1 {
			end++
		}
		p.show(of, wanted[n], end-n)
		n = end
	}
	take(p.Vector)
	return true
}

// read copies plane k of a state.
func (p *shownPlanes) read(of *state, k int, dst []float64) {
	p.Lock()
	defer p.Unlock()
	p.on.Read(p.Vector, p.show(of, k, 1), dst)
}

// write makes a state of its planes.
func (p *shownPlanes) write(of *state, fill func(k int, plane []float64) error) error {
	p.Lock()
	defer p.Unlock()
	p.of = nil
	plane := make([]float64, p.sheet)
	for first := 0; first < p.nz; first += p.capacity() {
		n := min(p.capacity(), p.nz-first)
		for i := range n {
			if err := fill(first+i, plane); err != nil {
				return err
			}
			p.on.Write(p.Vector, i, plane)
		}
		p.on.Forward(of.Modes, first, n, p.Vector)
	}
	return nil
}

// max is the largest rise in the planes asked for, taken in runs of neighbours; minus infinity where there are none.
// Ranks exchange their values once.
func (p *shownPlanes) max(of *state, wanted []bool) float64 {
	p.Lock()
	defer p.Unlock()
	top := math.Inf(-1)
	for k := 0; k < p.nz; k++ {
		n := 0
		for n < p.capacity() && k+n < p.nz && wanted[k+n] {
			n++
		}
		if n > 0 {
			top = math.Max(top, p.on.Max(p.Vector, p.show(of, k, n), n))
			k += n - 1
		}
	}
	return p.on.Largest(top)
}
