package serve

import (
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve/solution"
)

// checkQuery finds faults of a query before anything is stepped.
func (s *Simulation) checkQuery(q *query) *Fault {
	for _, of := range []struct {
		names *names
		what  *selection
	}{{&s.blocks, &q.Blocks}, {&s.layers, &q.Layers}, {&s.probes, &q.Probes}} {
		if _, fault := of.names.selected(of.what); fault != nil {
			return fault
		}
	}
	if q.Map == nil {
		return nil
	}
	l, fault := s.layers.find(q.Map.Layer)
	if fault != nil {
		return fault
	}
	planes := s.mesh.LayerPlanes[l]
	if p := q.Map.Plane; p != nil && (*p < 0 || *p >= planes[1]-planes[0]) {
		return faultf(BadValue, "layer %s has no plane %d; its %d planes count from 0 at the bottom", s.layers.list[l],
			*p, planes[1]-planes[0])
	}
	if q.Map.Reduce < 0 {
		return faultf(BadValue, "reduce: got %d; expected the number of cells along each side that become one",
			q.Map.Reduce)
	}
	if nx, ny := s.reduced(q.Map); nx*ny > maxMap {
		return faultf(TooLarge, "the map has %d x %d cells; at most %d are sent. Fix: set reduce", nx, ny, maxMap)
	}
	return nil
}

// read reads the values of a query.
func (s *Simulation) read(q *query, out *reply) *Fault {
	if fault := s.checkQuery(q); fault != nil {
		return fault
	}
	values, err := s.values(q)
	if err != nil {
		return s.faultOf(err)
	}
	out.readings = values
	return nil
}

// values reads the values of a query without faults.
func (s *Simulation) values(q *query) (to *readings, err error) {
	to = &readings{}
	f := s.session.Field()
	if q.Max {
		top, err := s.session.Hottest()
		if err != nil {
			return nil, err
		}
		n := Number(top)
		to.MaxK = &n
	}
	if to.Blocks, err = selectedOf(&s.blocks, &q.Blocks, f, s.readings.Blocks, extremesOf); err != nil {
		return nil, err
	}
	if to.Layers, err = selectedOf(&s.layers, &q.Layers, f, s.readings.Layers, extremesOf); err != nil {
		return nil, err
	}
	number := func(v float64) Number { return Number(v) }
	if to.Probes, err = selectedOf(&s.probes, &q.Probes, f, s.readings.Probes, number); err != nil {
		return nil, err
	}
	if q.Powers { // of the next step
		watts, err := s.session.Power().Watts(s.session.Time(), s.session.Time()+s.session.Dt())
		if err != nil {
			return nil, err
		}
		to.Powers = make(map[string]Number, len(watts))
		for n, w := range watts {
			to.Powers[s.inputs.list[n]] = Number(w)
		}
	}
	if q.Energy {
		if e, ok := s.session.Energy(); ok {
			to.Energy = energyOf(&e)
		}
	}
	if q.Status { // which evaluates the residual
		if st, ok := s.session.Status(); ok {
			to.Status = statusOf(&st)
		}
	}
	if q.Map != nil {
		to.Map, err = s.readMap(q.Map, f)
	}
	return to, err
}

// selectedOf reads the values of a field by name, nil if none are selected.
func selectedOf[V, R any](names *names, what *selection, f solution.Field, read func(solution.Field) ([]V, error),
	result func(V) R) (map[string]R, error) {
	if !what.any() {
		return nil, nil
	}
	all, err := read(f)
	if err != nil {
		return nil, err
	}
	wanted, _ := names.selected(what)
	values := make(map[string]R, len(wanted))
	for _, n := range wanted {
		values[names.list[n]] = result(all[n])
	}
	return values, nil
}

// reduced is the size of a map.
func (s *Simulation) reduced(q *mapQuery) (nx, ny int) {
	r := max(1, q.Reduce)
	cells := func(n int) int { return (n-1)/r + 1 } // no overflow, however large r is
	return cells(s.mesh.NX()), cells(s.mesh.NY())
}

// readMap reads the maximum over a layer's planes, or one of them, and over the cells that become one.
func (s *Simulation) readMap(q *mapQuery, f solution.Field) (*mapOf, error) {
	l, fault := s.layers.find(q.Layer)
	if fault != nil {
		return nil, fault
	}
	planes := s.mesh.LayerPlanes[l]
	first, last := planes[0], planes[1]
	if q.Plane != nil {
		first += *q.Plane
		last = first + 1
	}
	nx, ny := s.reduced(q)
	top := slices.Repeat([]Number{Number(math.Inf(-1))}, nx*ny)
	r, width := max(1, q.Reduce), s.mesh.NX()
	for k := first; k < last; k++ {
		if err := f.Plane(k, s.plane); err != nil {
			return nil, fmt.Errorf("reading plane %d: %w", k, err)
		}
		for c, v := range s.plane {
			at := c/width/r*nx + c%width/r
			top[at] = max(top[at], Number(v))
		}
	}
	return &mapOf{Layer: s.layers.list[l], NX: nx, NY: ny, K: slices.Collect(slices.Chunk(top, nx))}, nil
}
