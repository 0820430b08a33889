package statistics

import (
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// Readings computes the temperatures of blocks, layers and probes during a transient, for controllers.
type Readings struct {
	BlockNames, LayerNames, ProbeNames []string

	m              *mesh.Mesh
	blocks, layers *reduction.Regions // of the planes, layer by layer
	points         *reduction.Regions // of the probes
	probes         *Probes
}

// Extremes holds the temperatures of a block or a layer in K; NaN without a finite temperature.
type Extremes struct {
	MinK, MeanK, MaxK float64
}

// NewReadings prepares readings of fields on a mesh.
func NewReadings(m *mesh.Mesh) (*Readings, error) {
	r := &Readings{m: m}
	for _, in := range ports.InputsOf(m.Stack) {
		if in.Kind == ports.Block {
			r.BlockNames = append(r.BlockNames, in.Name)
		}
	}
	for l := range m.Stack.Layers {
		r.LayerNames = append(r.LayerNames, m.Stack.Layers[l].Name)
	}
	for n := range m.Stack.Probes {
		r.ProbeNames = append(r.ProbeNames, m.Stack.Probes[n].Name)
	}
	var planes [][]reduction.Rect
	for _, bands := range bandsOf(m, 1) {
		planes = append(planes, bands...)
	}
	var points []mesh.Sample
	r.probes, points = NewProbes(m)
	var err error
	for _, of := range []struct {
		regions **reduction.Regions
		groups  [][]reduction.Rect
		points  []mesh.Sample
	}{{&r.blocks, rectsOf(m, NewBlocks(m)), nil}, {&r.layers, planes, nil}, {&r.points, nil, points}} {
		*of.regions, err = reduction.New(reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Groups: of.groups,
			Points: of.points})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Blocks are the temperatures of all blocks of floorplans, in the order of BlockNames.
func (r *Readings) Blocks(f solution.Field) ([]Extremes, error) {
	if len(r.BlockNames) == 0 {
		return nil, nil
	}
	v, err := solution.Reduce(f, r.blocks)
	if err != nil {
		return nil, err
	}
	all := make([]Extremes, len(v.Extents))
	for n := range all {
		all[n] = extremesOf(&v.Extents[n])
	}
	return all, nil
}

// Layers are the temperatures of all layers, from the bottom.
func (r *Readings) Layers(f solution.Field) ([]Extremes, error) {
	v, err := solution.Reduce(f, r.layers)
	if err != nil {
		return nil, err
	}
	all := make([]Extremes, len(r.LayerNames))
	for l, planes := range r.m.LayerPlanes {
		e := reduction.NewExtent()
		for k := planes[0]; k < planes[1]; k++ {
			e.Merge(&v.Extents[k], r.m.Z[k+1]-r.m.Z[k])
		}
		all[l] = extremesOf(&e)
	}
	return all, nil
}

// Probes are the temperatures of all probes in K, in the order of the stack.
func (r *Readings) Probes(f solution.Field) ([]float64, error) {
	if len(r.ProbeNames) == 0 {
		return nil, nil
	}
	v, err := solution.Reduce(f, r.points)
	if err != nil {
		return nil, err
	}
	return r.probes.Kelvin(v.Points), nil
}

func extremesOf(e *reduction.Extent) Extremes {
	lo, mean, hi := e.Result()
	return Extremes{lo, mean, hi}
}
