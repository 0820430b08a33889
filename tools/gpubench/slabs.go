package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/slabs"
	"thermsim/mesh"
)

// slabRow is an iteration of conjugate gradients with multigrid on one slab of several.
type slabRow struct {
	Case        string  `json:"case"`
	Cells       int     `json:"cells"` // of the whole grid
	Ranks       int     `json:"ranks"`
	Shared      int     `json:"shared_levels"`
	SetupMS     float64 `json:"setup_ms"`
	IterationMS float64 `json:"iteration_ms"`
	Exchanges   int     `json:"exchanges"` // of an iteration
	Gathers     int     `json:"gathers"`   // of an iteration
	Megabytes   float64 `json:"megabytes"` // sent by the slab in an iteration
	DeviceGB    float64 `json:"device_GB"`
}

// mirror emulates the other ranks: it returns what this slab sends. The resulting matrix is neither that of a stack nor
// symmetric, so nothing can be solved with it. The data has the size and kind of real exchanges.
type mirror struct {
	rank, size         int
	exchanges, gathers int
	bytes              int64
}

func (m *mirror) Exchange(s *cuda.Space, down, up cuda.Transfer) error {
	m.exchanges++
	if m.rank == 0 { // it sends nothing down, and receives from above what it sends up
		m.bytes += up.Bytes
		return copyHere(s, down.To, up.From, min(down.Bytes, up.Bytes))
	}
	m.bytes += down.Bytes + up.Bytes
	// As many bytes go up as come from below.
	return errors.Join(copyHere(s, down.To, down.From, down.Bytes), copyHere(s, up.To, up.From, up.Bytes))
}

func copyHere(s *cuda.Space, to, from cudriver.DevicePtr, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return s.Driver.MemcpyDtoDAsync(to, from, bytes, s.Stream)
}

func (m *mirror) AllGather(s *cuda.Space, from, to cudriver.DevicePtr, bytes int64) error {
	m.gathers++
	m.bytes += bytes
	for r := range m.size {
		if err := copyHere(s, to+cudriver.DevicePtr(int64(r)*bytes), from, bytes); err != nil {
			return err
		}
	}
	return nil
}

// errAllToAll is the error of an exchange that multigrid does not need.
var errAllToAll = errors.New("only the direct solver exchanges all to all")

func (m *mirror) AllToAll(*cuda.Space, cudriver.DevicePtr, cudriver.DevicePtr, []cuda.Portion) error {
	return errAllToAll
}

func (m *mirror) Recordable() bool { return true }
func (m *mirror) String() string   { return "copies in place" }
func (m *mirror) Err() error       { return nil }
func (m *mirror) Close() error     { return nil }

// echo is a group whose ranks all send what this one sends.
type echo struct{ rank, size int }

func (e echo) Rank() int { return e.rank }
func (e echo) Size() int { return e.size }

func (e echo) Gather(mine []byte) ([][]byte, error) {
	all := make([][]byte, e.size)
	for r := range all {
		all[r] = slices.Clone(mine)
	}
	return all, nil
}

var errAlone = errors.New("there are no other ranks")

func (e echo) Exchange(_, _, _, _ []byte) error { return errAlone }
func (e echo) Send(int, []byte) error           { return errAlone }
func (e echo) Receive(int) ([]byte, error)      { return nil, errAlone }
func (e echo) Fail(error)                       {}
func (e echo) Close() error                     { return nil }

var _ ranks.Group = echo{}

// runSlabs measures an iteration on one slab: the first of two, or the second of more, which has neighbors on both
// sides.
func (f *ranksFlags) runSlabs() error {
	r := rankResult{header: f.header()}
	if err := r.describe(f.device); err != nil {
		return err
	}
	for _, c := range rankCases() {
		if c.exact || c.steps > 0 || f.only != "" && f.only != c.name {
			continue
		}
		m, err := mesh.Build(c.stack())
		if err != nil {
			return err
		}
		for _, n := range *f.slabs {
			if m.Cells()/n > f.largest {
				continue
			}
			row, err := onSlab(m, c.name, n)
			if err != nil {
				fmt.Printf("%s, one of %d: %v\n", c.name, n, err)
				continue
			}
			fmt.Printf("%-24s one of %2d: %2d shared levels, setup %8.3f ms, an iteration %8.4f ms, %2d exchanges, "+
				"%d gathers, %7.3f MB, %.2f GB\n", row.Case, n, row.Shared,
				row.SetupMS, row.IterationMS, row.Exchanges, row.Gathers, row.Megabytes, row.DeviceGB)
			r.Slabs = append(r.Slabs, row)
		}
	}
	return f.write(r)
}

// onSlab opens the first GPU for measureSlab.
func onSlab(m *mesh.Mesh, name string, n int) (slabRow, error) {
	d, err := openGPU()
	if err != nil {
		return slabRow{}, err
	}
	defer d.Close()
	defer d.Bind()()
	return measureSlab(d, m, name, n, 5)
}

// measureSlab times iterations on one of n slabs, or on the whole grid if n is 1: the best of runs.
func measureSlab(d *cuda.Device, m *mesh.Mesh, name string, n, runs int) (slabRow, error) {
	row := slabRow{Case: name, Cells: m.Cells(), Ranks: n}
	assemble := d.Assemble
	link := &mirror{rank: min(1, n-1), size: n}
	if n == 2 {
		link.rank = 0
	}
	if n > 1 {
		d.JoinBy(link)
		assemble = slabs.On(d, echo{link.rank, n}).Assemble
		_, row.Shared, _ = multigrid.Share(m, n, d.ExchangeColumns())
	}
	start := time.Now()
	sys, err := assemble(m, 0)
	if err != nil {
		return row, err
	}
	defer sys.Free()
	cycle, err := multigrid.New(sys)
	if err != nil {
		return row, err
	}
	pcg, err := krylov.NewPCG(sys, cycle)
	if err != nil {
		return row, err
	}
	b, err := sys.NewSource(true)
	if err != nil {
		return row, err
	}
	b.SetPower(m.Power.Steady())
	x, err := sys.New64()
	if err != nil {
		return row, err
	}
	row.DeviceGB = float64(d.Allocated()) / 1e9
	rule := krylov.Rule{ATol: 1e-300}
	*link = mirror{rank: link.rank, size: n}
	pcg.Prepare(rule, x) // requests one iteration
	row.SetupMS = time.Since(start).Seconds() * 1e3
	row.Exchanges, row.Gathers, row.Megabytes = link.exchanges, link.gathers, float64(link.bytes)/1e6
	sys.Fill(x, 0)
	pcg.StartFromZero()
	rule.MaxIter = 1
	pcg.Solve(context.Background(), rule, b, x) // the result does not matter
	row.IterationMS, err = timeIterations(runs, func(n int) error {
		pcg.Iterate(rule, x, n)
		return sys.Err()
	})
	return row, err
}

// timeIterations returns the time of one iteration in ms, from the best runs of 4 and of 12.
func timeIterations(runs int, iterate func(n int) error) (float64, error) {
	best := map[int]float64{4: math.Inf(1), 12: math.Inf(1)}
	for range runs {
		for _, n := range []int{4, 12} {
			start := time.Now()
			if err := iterate(n); err != nil {
				return 0, err
			}
			best[n] = min(best[n], time.Since(start).Seconds()*1e3)
		}
	}
	return (best[12] - best[4]) / 8, nil
}
