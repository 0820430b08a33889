package webpage

import (
	"fmt"
	"math"

	"thermsim/gpusolve/reduction"
)

// powerSteps is in how many quanta the largest power density of a layer is told.
const powerSteps = 4000

// power is the power density of a layer in the page, packed as planes are, on the cells of the temperatures.
type power struct {
	Layer   int     `json:"layer"`
	Quantum float64 `json:"quantum"` // W/cm2
	Lo      float64 `json:"lo"`      // W/cm2
	Hi      float64 `json:"hi"`
	Packed  []byte  `json:"packed"`
}

// power packs the densities of the layers that have any. Where cells of the page stand for several, they show the maximum.
func (d *Document) power() ([]power, error) {
	f := d.Runs[0].Fields
	out := []power{}
	var c coder
	for l := range d.Layers {
		density := d.Layers[l].Density
		if density == nil {
			continue
		}
		w := f.nx
		if w == 0 || len(density)%w != 0 {
			return nil, fmt.Errorf("the power of layer %d is of %d cells, which are no rows of %d", l, len(density), w)
		}
		p := power{Layer: l, Lo: math.Inf(1), Hi: math.Inf(-1)}
		for _, v := range density {
			p.Lo, p.Hi = min(p.Lo, v), max(p.Hi, v)
		}
		p.Quantum = max(math.Abs(p.Lo), math.Abs(p.Hi)) / powerSteps
		if !(p.Quantum > 0) || math.IsInf(p.Quantum, 0) {
			continue // no power, or none that can be drawn
		}
		q := make([]int32, len(density))
		for n, v := range density {
			q[n] = int32(math.Round(v / p.Quantum))
		}
		if f.factor > 1 {
			q = reduction.Squares(q, w, f.factor)
		}
		var err error
		if p.Packed, err = c.encode(q, len(f.x)-1, nil); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
