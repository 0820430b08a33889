package webpage

import (
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/reduction"
)

// powerSteps is the number of quanta of the largest power density of a layer.
const powerSteps = 4000

// Rows fills dst with the power density in W/cm2 of the grid's cells in rows [lo, hi), x fastest. Several goroutines
// may call it.
type Rows func(lo, hi int, dst []float64)

// Power is the power density of a layer in the page, packed as planes are, on the cells of the temperatures.
type Power struct {
	Layer   int     `json:"layer"`
	Quantum float64 `json:"quantum"` // W/cm2
	Lo      float64 `json:"lo"`      // W/cm2
	Hi      float64 `json:"hi"`
	Packed  []byte  `json:"packed"`

	factor int // of the cells that it was packed for
}

// power packs the densities of the layers that have any.
func (d *Document) power() ([]Power, error) {
	f := d.Runs[0].Fields
	out := []Power{}
	for l := range d.Layers {
		layer := &d.Layers[l]
		if layer.Density == nil {
			continue
		}
		p := layer.Power
		if p == nil || p.factor != f.factor {
			var err error
			if p, err = f.PackPower(layer.Density); err != nil {
				return nil, err
			}
		}
		if p.Packed != nil {
			p.Layer = l
			out = append(out, *p)
		}
	}
	return out, nil
}

// PackPower packs a density. Cells of the page show the maximum over their grid cells. Without power, or with power
// that cannot be drawn, Packed is nil.
func (f *Fields) PackPower(rows Rows) (*Power, error) {
	shown, lo, hi := f.densest(rows)
	p := &Power{Lo: lo, Hi: hi, Quantum: max(math.Abs(lo), math.Abs(hi)) / powerSteps, factor: f.factor}
	if !(p.Quantum > 0) || math.IsInf(p.Quantum, 0) {
		return p, nil
	}
	q := make([]int32, len(shown))
	for n, v := range shown {
		q[n] = int32(math.Round(v / p.Quantum))
	}
	var c coder
	var err error
	p.Packed, err = c.encode(q, len(f.x)-1, nil)
	return p, err
}

// drawnAtOnce is how many rows of the page's cells are drawn at a time.
const drawnAtOnce = 16

// densest reduces a density by maximum to the cells of the page, a few rows at a time on all cores, and finds its
// range.
func (f *Fields) densest(rows Rows) (shown []float64, lo, hi float64) {
	w, h := len(f.x)-1, len(f.y)-1
	shown = make([]float64, w*h)
	parts := (h + drawnAtOnce - 1) / drawnAtOnce
	los, his := make([]float64, parts), make([]float64, parts)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for part := range parts {
		g.Go(func() error {
			first, end := part*drawnAtOnce, min((part+1)*drawnAtOnce, h)
			from, to := first*f.factor, min(end*f.factor, f.ny)
			cells := make([]float64, (to-from)*f.nx)
			rows(from, to, cells)
			least, most := math.Inf(1), math.Inf(-1)
			for _, v := range cells {
				if v < least {
					least = v
				}
				if v > most {
					most = v
				}
			}
			los[part], his[part] = least, most
			copy(shown[first*w:end*w], reduction.Squares(cells, f.nx, f.factor))
			return nil
		})
	}
	_ = g.Wait() // none of them fails
	lo, hi = math.Inf(1), math.Inf(-1)
	for part := range parts {
		lo, hi = min(lo, los[part]), max(hi, his[part])
	}
	return shown, lo, hi
}
