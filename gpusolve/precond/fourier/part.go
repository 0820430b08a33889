package fourier

import (
	"encoding/binary"
	"fmt"
	"math"

	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/ranks"
)

// part is what one of several ranks has of a grid: in space the rows (y) that it owns and a pair of its neighbours' on
// either side, in modes all wave numbers along y of those along x that it owns. On the way between the two every rank
// sends every other a block. Both are divided between pairs of rows, which transforms take together: each pair is
// rounded as it is in the whole. A run alone has a part too, the whole.
type part struct {
	group       ranks.Group // nil where one has all
	rank        int
	rows, waves []int // borders: rank r owns rows[r] <= j < rows[r+1]
	failures    interface {
		Err() error
		note(err error)
	}
}

// pairRows is the number of rows that are transformed together, and that a rank holds beside its own on either side.
const pairRows = 2

// CheckRanks refuses grids that have too few rows or columns for size ranks.
func CheckRanks(nx, ny, size int) error {
	if size > 1 && min(nx, ny) <= pairRows*(size-1) {
		return fmt.Errorf("%w: a grid of %d x %d cells is too small for %d ranks to solve it directly: each needs "+
			"two rows and two columns; take fewer ranks",
			precond.ErrRefused, nx, ny, size)
	}
	return nil
}

// Borders divide n rows between ranks, as evenly as pairs allow: rank r owns those from [r] to [r+1]-1.
func Borders(n, size int) []int {
	pairs := (n + pairRows - 1) / pairRows
	b := make([]int, size+1)
	for r := range b {
		b[r] = min(n, pairs*r/size*pairRows)
	}
	return b
}

func newPart(l *Layered, g ranks.Group) (part, error) {
	size := 1
	p := part{group: g}
	if g != nil {
		size, p.rank = g.Size(), g.Rank()
	}
	p.rows, p.waves = Borders(l.NY, size), Borders(l.NX, size)
	return p, CheckRanks(l.NX, l.NY, size)
}

// whole is the part of a run alone.
func whole(l *Layered) part {
	return part{rows: Borders(l.NY, 1), waves: Borders(l.NX, 1)}
}

func (p *part) size() int { return len(p.rows) - 1 }

// alone says that this rank has all.
func (p *part) alone() bool { return p.size() == 1 }

// own is the half-open range of the rank's own rows.
func (p *part) own() (first, end int) { return p.rows[p.rank], p.rows[p.rank+1] }

// held is that of the rows that a rank holds.
func (p *part) held(rank int) (from, to int) {
	return max(0, p.rows[rank]-pairRows), min(p.rows[p.size()], p.rows[rank+1]+pairRows)
}

// extent is the size of what a rank has.
type extent struct {
	width    int // wave numbers along x of a row of modes
	sheet    int // modes of a plane
	from, to int // rows of planes in space
	space    int // values of a plane in space
}

func (p *part) extent(l *Layered) extent {
	e := extent{width: p.partWidth(p.rank)}
	e.from, e.to = p.held(p.rank)
	e.sheet, e.space = e.width*l.NY, (e.to-e.from)*l.NX
	return e
}

// partWidth is the number of a rank's own wave numbers along x.
func (p *part) partWidth(rank int) int { return p.waves[rank+1] - p.waves[rank] }

// HeldRows are those that a rank of size ranks holds of ny rows: its own, and a pair of its neighbours' on either side.
func HeldRows(ny, size, rank int) (from, to int) {
	p := part{rows: Borders(ny, size)}
	return p.held(rank)
}

// numbers are those of all ranks, in the order of these; nil after a failure.
func (p *part) numbers(mine ...float64) [][]float64 {
	if p.failures.Err() != nil {
		return nil
	}
	all, err := p.group.Gather(appendDoubles(make([]byte, 0, 8*len(mine)), mine))
	if err != nil {
		p.failures.note(err)
		return nil
	}
	numbers := make([][]float64, len(all))
	for r, data := range all {
		numbers[r] = make([]float64, len(data)/8)
		takeDoubles(numbers[r], data)
	}
	return numbers
}

// total adds up numbers of all ranks, in their order; NaN after a failure.
func (p *part) total(v []float64) {
	if p.alone() {
		return
	}
	all := p.numbers(v...)
	for n := range v {
		v[n] = math.NaN()
		if all != nil {
			v[n] = 0
		}
		for _, of := range all {
			v[n] += of[n]
		}
	}
}

// Largest is that of the numbers of all ranks, NaN where any is NaN.
func (p *part) Largest(mine float64) float64 {
	if p.alone() {
		return mine
	}
	all := p.numbers(mine)
	if all == nil {
		return math.NaN()
	}
	for _, of := range all {
		mine = max(mine, of[0])
	}
	return mine
}

func appendDoubles(to []byte, values []float64) []byte {
	to, _ = binary.Append(to, binary.LittleEndian, values) // numbers of fixed size
	return to
}

// takeDoubles fills dst and gives what follows.
func takeDoubles(dst []float64, from []byte) []byte {
	n, _ := binary.Decode(from, binary.LittleEndian, dst) // as many as the sender counted
	return from[n:]
}

// largestPart is that of a rank that has most of the modes.
func largestPart(s precond.Shape, size int) part {
	p := part{rows: Borders(s.NY, size), waves: Borders(s.NX, size)}
	for r := range size {
		if p.partWidth(r) > p.partWidth(p.rank) {
			p.rank = r
		}
	}
	return p
}

// partCells is the most that any rank has of a plane, in modes and in space.
func partCells(s precond.Shape, size int) (modes, space int64) {
	waves, rows := Borders(s.NX, size), Borders(s.NY, size)
	for r := range size {
		from, to := HeldRows(s.NY, size, r)
		modes, space = max(modes, int64(waves[r+1]-waves[r])*int64(rows[size])), max(space, int64(to-from)*int64(s.NX))
	}
	return modes, space
}
