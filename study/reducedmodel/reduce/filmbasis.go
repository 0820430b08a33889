package reduce

import (
	"math"
	"slices"

	"thermsim/study/reducedmodel"
)

// add adds a snapshot: its products with the others, and to the basis its part that is orthogonal to the basis in the
// energy at the middle of the films. A basis that is orthogonalized in FP64 keeps small differences between snapshots,
// which their products alone would lose to rounding.
func (q *filmModel) add(x augmented) {
	q.rises.cells, q.rises.surfaces = append(q.rises.cells, x.cells), append(q.rises.surfaces, x.surfaces)
	n := len(q.rises.cells)
	_, c := q.multiply(x)
	last := products(q.rises.cells, [][]float64{c})
	for f := range q.products {
		q.products[f] = q.products[f].Grown(n, n)
	}
	for j, v := range last {
		q.products[len(q.films)].SetBoth(n-1, j, v)
		for f, area := range q.surfaceProducts(x.surfaces, q.rises.surfaces[j]) {
			q.products[f].SetBoth(n-1, j, area)
		}
	}
	q.orthogonalize(x)
}

// surfaceProducts are x'F y by film, of the temperatures of surfaces.
func (q *filmModel) surfaceProducts(x, y []float64) []float64 {
	all := make([]float64, len(q.films))
	for v, p := range q.surfaces {
		all[p.film] += p.area * x[v] * y[v]
	}
	return all
}

// leastPart is the smallest part of a snapshot, in the norm of the energy, that is kept; less is rounding of its field.
const leastPart = 1e-6

// orthogonalize adds the part of a snapshot that is new to the basis.
func (q *filmModel) orthogonalize(x augmented) {
	rest, edge := make([]float64, len(x.cells)), append([]float64(nil), x.surfaces...)
	for n, v := range x.cells {
		rest[n] = float64(v)
	}
	h, before := reducedmodel.Middle(q.films), 0.0
	cells := q.basis.fields
	for pass := range 3 {
		single := augmented{make([]float32, len(rest)), edge}
		for n, v := range rest {
			single.cells[n] = float32(v)
		}
		g, _ := q.multiply(single)
		surface := make([]float64, len(edge)) // rows of the surfaces
		energy := 0.0
		for v, p := range q.surfaces {
			surface[v] = p.area/p.half*(edge[v]-float64(single.cells[p.cell])) + h[p.film]*p.area*edge[v]
			energy += surface[v] * edge[v]
		}
		for n, v := range g {
			energy += v * float64(single.cells[n])
		}
		if pass == 0 {
			before = energy
		}
		if !(energy > leastPart*leastPart*before) {
			return
		}
		scale := 1 / math.Sqrt(energy)
		dots := make([]float64, len(cells))
		if len(cells) > 0 {
			dots = products(cells, [][]float64{g})
		}
		for k := range dots {
			for v, w := range q.edges[k] {
				dots[k] += w * surface[v]
			}
		}
		if pass == 2 {
			q.extend(single, scale)
			return
		}
		for k, d := range dots {
			for n, w := range cells[k] {
				rest[n] -= d * float64(w)
			}
			for v, w := range q.edges[k] {
				edge[v] -= d * w
			}
		}
	}
}

// extend adds a field times scale to the basis.
func (q *filmModel) extend(x augmented, scale float64) {
	w := augmented{make([]float32, len(x.cells)), make([]float64, len(x.surfaces))}
	for n, v := range x.cells {
		w.cells[n] = float32(scale * float64(v))
	}
	for v, t := range x.surfaces {
		w.surfaces[v] = scale * t
	}
	q.edges = append(q.edges, w.surfaces)
	b := &q.basis
	b.add([][]float32{w.cells})
	n := len(q.edges)
	for f := range q.areas {
		q.areas[f] = q.areas[f].Grown(n, n)
	}
	for j, edge := range q.edges {
		for f, area := range q.surfaceProducts(w.surfaces, edge) {
			q.areas[f].SetBoth(n-1, j, area)
		}
		energy := b.g.At(n-1, j)
		for v, p := range q.surfaces {
			energy += p.area / p.half * (float64(w.cells[p.cell]) - w.surfaces[v]) *
				(float64(b.fields[j][p.cell]) - edge[v])
		}
		b.g.SetBoth(n-1, j, energy)
	}
}

// project implements fullModel.
func (q *filmModel) project() *reducedmodel.Parametric {
	b, n := &q.basis, len(q.edges)
	p := &reducedmodel.Parametric{Title: q.like.Title, Ambient: q.like.Ambient, Inputs: q.model.Inputs,
		Outputs: q.model.Outputs, Films: q.films, G: b.g, C: b.c, F: slices.Clone(q.areas), B: b.heats(),
		L: b.readings(), Surfaces: reducedmodel.NewMatrix(len(q.films), n), One: make([]float64, n),
		Floating: q.floating, Snapshots: q.snapshots, SnapshotF: q.products[:len(q.films)],
		SnapshotC: q.products[len(q.films)]}
	for o := range p.Outputs {
		p.Outputs[o].Rest = q.like.Ambient
	}
	for r := range n {
		for v, s := range q.surfaces {
			p.Surfaces.Data[s.film*n+r] += s.area / q.films[s.film].Area * q.edges[r][v]
		}
	}
	p.One[0] = 1 / float64(b.fields[0][0])
	return p
}
