package gpusolve

import (
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// regionsOfBlocks has a group for every block of BlocksOf.
func regionsOfBlocks(m *mesh.Mesh) (*reduction.Regions, error) {
	r := reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ()}
	for l := range m.Stack.Layers {
		for p := range m.Stack.Layers[l].Powers {
			for b := range m.Stack.Layers[l].Powers[p].Blocks {
				block := &m.Stack.Layers[l].Powers[p].Blocks[b]
				r.Groups = append(r.Groups, reduction.Cover(m, l, block.Rects, block.Shapes))
			}
		}
	}
	return reduction.New(r)
}

// gather adds the blocks' temperatures in a field.
func (r *ManyResult) gather(f Field, regions *reduction.Regions) error {
	values, err := solution.Reduce(f, regions)
	if err != nil {
		return err
	}
	mean, top := make([]float64, len(r.Blocks)), make([]float64, len(r.Blocks))
	for b, e := range values.Extents {
		mean[b], top[b] = e.Sum/e.Weight, e.Max
	}
	r.Mean, r.Max = append(r.Mean, mean), append(r.Max, top)
	return nil
}
