package gpusolve

import (
	"math"

	"thermsim/mesh"
	"thermsim/powermap"
)

// gather adds the blocks' temperatures in a field.
func (r *ManyResult) gather(m *mesh.Mesh, f Field, tiles [][]tile) error {
	mean, top := make([]float64, len(r.Blocks)), make([]float64, len(r.Blocks))
	for b := range top {
		top[b] = math.Inf(-1)
	}
	plane := make([]float64, m.NX()*m.NY())
	for l, planes := range m.LayerPlanes {
		if !r.has(l) {
			continue
		}
		for k := planes[0]; k < planes[1]; k++ {
			if err := f.Plane(k, plane); err != nil {
				return err
			}
			for b := range r.Blocks {
				if r.Blocks[b].Layer == l {
					t, hottest := over(tiles[b], plane, m.NX())
					mean[b] += t * m.DZ(k) / m.Stack.Layers[l].Thickness
					top[b] = max(top[b], hottest)
				}
			}
		}
	}
	r.Mean, r.Max = append(r.Mean, mean), append(r.Max, top)
	return nil
}

func (r *ManyResult) has(layer int) bool {
	for _, b := range r.Blocks {
		if b.Layer == layer {
			return true
		}
	}
	return false
}

// tile is a rectangle of a block: the shares of its area in cells from (i, j), and its own share of the block's.
type tile struct {
	i, j  int
	x, y  []float64
	share float64
}

// tilesOf lays every block on the grid.
func tilesOf(m *mesh.Mesh) [][]tile {
	var all [][]tile
	for l := range m.Stack.Layers {
		for p := range m.Stack.Layers[l].Powers {
			for b := range m.Stack.Layers[l].Powers[p].Blocks {
				block := &m.Stack.Layers[l].Powers[p].Blocks[b]
				var tiles []tile
				for _, r := range block.Rects {
					t := tile{share: r.Area() / block.Area()}
					t.i, t.x = powermap.Overlap(m.X, r.X, r.X+r.Width, nil)
					t.j, t.y = powermap.Overlap(m.Y, r.Y, r.Y+r.Height, nil)
					tiles = append(tiles, t)
				}
				all = append(all, tiles)
			}
		}
	}
	return all
}

// over is the mean and the largest value of a plane over tiles.
func over(tiles []tile, plane []float64, nx int) (mean, top float64) {
	top = math.Inf(-1)
	for _, t := range tiles {
		for j, wy := range t.y {
			sum := 0.0
			for i, v := range plane[(t.j+j)*nx+t.i:][:len(t.x)] {
				sum += t.x[i] * v
				top = max(top, v)
			}
			mean += t.share * wy * sum
		}
	}
	return mean, top
}
