package report

import (
	"context"
	"fmt"
	"math"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/quantity"
	"thermsim/report/statistics"
	"thermsim/report/summary"
)

// Comparison is what two fields have in common and where they differ: first minus second, on the grid of the first.
// Differences are in K.
type Comparison struct {
	First    string       `json:"first"`
	Second   string       `json:"second"`
	SameGrid bool         `json:"same_grid"` // else the second was interpolated
	PeakK    [2]float64   `json:"peak_K"`
	Runs     [2]Judgement `json:"runs"`
	// why the differences cannot be relied on; empty where nothing speaks against them
	Doubts  []string          `json:"doubts"`
	Layers  []LayerDifference `json:"layers"` // those of one name in both, bottom to top
	Missing []string          `json:"missing"`
	Blocks  []BlockDifference `json:"blocks"`
	All     Difference        `json:"all"`
}

// Difference sums up the differences of a set of cells.
type Difference struct {
	MaxK  float64       `json:"max_K"`
	MinK  float64       `json:"min_K"`
	MeanK float64       `json:"mean_K"` // by volume
	RMSK  float64       `json:"rms_K"`  // by volume
	At    summary.Place `json:"at"`     // where it is largest, whatever its sign
	// Skipped counts cells where one of the fields has no finite temperature; nothing above tells of them.
	Skipped int `json:"cells_not_compared"`
}

// differences gathers a Difference.
type differences struct {
	Difference
	largest, sum, square, volume float64
	cells                        int
}

// LayerDifference is that of one layer.
type LayerDifference struct {
	Name string `json:"name"`
	Difference
}

// BlockDifference compares the maximum and the mean of a block.
type BlockDifference struct {
	Layer string  `json:"layer"`
	Name  string  `json:"name"`
	MaxK  float64 `json:"max_K"`
	AvgK  float64 `json:"avg_K"`
}

// Compare finds the differences between the fields of two runs, plane by plane. The stacks have the same size along x
// and y; layers are compared by name, at the same share of their thickness.
func Compare(ctx context.Context, a, b *Run, names [2]string) (*Comparison, error) {
	on, err := newOverlay(a, b)
	if err != nil {
		return nil, err
	}
	var sums [2]*summary.Summary
	for n, r := range []*Run{a, b} {
		if sums[n], err = Summarise(r); err != nil {
			return nil, err
		}
	}
	c := &Comparison{First: names[0], Second: names[1], SameGrid: on.same,
		PeakK: [2]float64{sums[0].Temperature.MaxK, sums[1].Temperature.MaxK}, Missing: on.missing}
	all := newDifferences()
	m := a.Mesh
	first, second := make([]float64, m.NX()*m.NY()), make([]float64, m.NX()*m.NY())
	for l := range m.Stack.Layers {
		if !on.has(l) {
			continue
		}
		d := newDifferences()
		for k := m.LayerPlanes[l][0]; k < m.LayerPlanes[l][1]; k++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := a.Solution.Field.Plane(k, first); err != nil {
				return nil, err
			}
			if err := on.Plane(k, second); err != nil {
				return nil, err
			}
			d.plane(m, k, first, second)
		}
		all.merge(&d)
		c.Layers = append(c.Layers, LayerDifference{m.Stack.Layers[l].Name, d.result()})
	}
	c.All = all.result()
	c.judge([2]*Run{a, b}, sums, all.cells)
	c.Blocks = blockDifferences(sums[0].Blocks, sums[1].Blocks)
	return c, nil
}

// blockDifferences compares the blocks of one name in the same layer. A stack has each name once in a layer.
func blockDifferences(first, second []summary.Block) []BlockDifference {
	type place struct{ layer, name string }
	theirs := make(map[place]*summary.Block, len(second))
	for i := range second {
		theirs[place{second[i].Layer, second[i].Name}] = &second[i]
	}
	var all []BlockDifference
	for _, x := range first {
		if y := theirs[place{x.Layer, x.Name}]; y != nil {
			all = append(all, BlockDifference{x.Layer, x.Name, x.MaxK - y.MaxK, x.AvgK - y.AvgK})
		}
	}
	return all
}

func newDifferences() differences {
	return differences{Difference: Difference{MaxK: math.Inf(-1), MinK: math.Inf(1)}, largest: -1}
}

func (d *differences) plane(m *mesh.Mesh, k int, first, second []float64) {
	nx := m.NX()
	dz, best := m.DZ(k), -1
	for j := range m.NY() {
		for i := range nx {
			v := first[j*nx+i] - second[j*nx+i]
			d.cells++
			if !quantity.Finite(v) {
				d.Skipped++
				continue
			}
			volume := m.DX(i) * m.DY(j) * dz
			d.sum += v * volume
			d.square += v * v * volume
			d.volume += volume
			d.MaxK, d.MinK = max(d.MaxK, v), min(d.MinK, v)
			if math.Abs(v) > d.largest {
				d.largest, best = math.Abs(v), j*nx+i
			}
		}
	}
	if best >= 0 {
		d.At = statistics.PlaceOf(m, best%nx, best/nx, k)
	}
}

func (d *differences) merge(o *differences) {
	d.sum += o.sum
	d.square += o.square
	d.volume += o.volume
	d.cells += o.cells
	d.Skipped += o.Skipped
	d.MaxK, d.MinK = max(d.MaxK, o.MaxK), min(d.MinK, o.MinK)
	if o.largest > d.largest {
		d.largest, d.At = o.largest, o.At
	}
}

// result is what was gathered; NaN where no cell has a difference.
func (d *differences) result() Difference {
	r := d.Difference
	r.MeanK, r.RMSK = d.sum/d.volume, math.Sqrt(d.square/d.volume)
	if d.volume == 0 {
		r.MaxK, r.MinK = math.NaN(), math.NaN()
	}
	return r
}

// Judgement is how far the field of a run that is compared can be relied on.
type Judgement struct {
	Converged      bool   `json:"converged"`
	Reason         string `json:"reason"`
	NonFiniteCells int    `json:"non_finite_cells"`
	caveat         string
}

// judge lists what speaks against the runs, and against their differences, over so many cells in all.
func (c *Comparison) judge(runs [2]*Run, sums [2]*summary.Summary, cells int) {
	c.Doubts = []string{}
	for n, s := range sums {
		c.Runs[n] = Judgement{s.Solver.Converged, s.Solver.Reason, s.Temperature.NonFiniteCells, s.Caveat()}
		name := [2]string{c.First, c.Second}[n]
		how, why := strings.ToLower(s.Caveat()), s.Doubt()
		switch e, limit := &s.Energy, solution.ImbalanceLimit(runs[n].Mesh, runs[n].Solution); {
		case s.Solver.Reason == solution.ReasonImbalance || why == "" && !(e.ImbalanceRel <= limit):
			c.Runs[n].caveat = "NOT CONVERGED"
			c.Doubts = append(c.Doubts,
				fmt.Sprintf("%s: the energy balance is off by %.2g of the heat flow, above the limit of %.2g", name,
					e.ImbalanceRel, limit))
		case why == how && why != "":
			c.Doubts = append(c.Doubts, fmt.Sprintf("%s was %s", name, how))
		case why != "":
			c.Doubts = append(c.Doubts, fmt.Sprintf("%s: %s (%s)", name, how, why))
		}
	}
	if n := c.All.Skipped; n > 0 {
		c.Doubts = append(c.Doubts,
			fmt.Sprintf("%d of %d cells are not compared: one of the fields has no finite temperature there", n, cells))
	}
}

// Caveat is what a reader must know before the differences, in capitals; empty where nothing speaks against them. What
// did not converge counts more than what was interrupted.
func (c *Comparison) Caveat() string {
	worst := ""
	for _, r := range c.Runs {
		if worst == "" || worst == "INTERRUPTED" && r.caveat != "" {
			worst = r.caveat
		}
	}
	if worst == "" && c.All.Skipped > 0 {
		return "NOT ALL COMPARED"
	}
	return worst
}
