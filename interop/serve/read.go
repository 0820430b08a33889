package serve

import (
	"fmt"
	"math"

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
	out.readings = &readings{}
	for _, part := range []func(*query, *readings) error{s.readMax, s.readBlocks, s.readLayers, s.readProbes,
		s.readPowers, s.readBalance, s.readMap} {
		if err := part(q, out.readings); err != nil {
			out.readings = nil
			return s.faultOf(err)
		}
	}
	return nil
}

func (s *Simulation) readMax(q *query, to *readings) error {
	if !q.Max {
		return nil
	}
	top, err := s.session.Hottest()
	n := Number(top)
	to.MaxK = &n
	return err
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

func (s *Simulation) readBlocks(q *query, to *readings) (err error) {
	to.Blocks, err = selectedOf(&s.blocks, &q.Blocks, s.session.Field(), s.readings.Blocks, extremesOf)
	return err
}

func (s *Simulation) readLayers(q *query, to *readings) (err error) {
	to.Layers, err = selectedOf(&s.layers, &q.Layers, s.session.Field(), s.readings.Layers, extremesOf)
	return err
}

func (s *Simulation) readProbes(q *query, to *readings) (err error) {
	number := func(v float64) Number { return Number(v) }
	to.Probes, err = selectedOf(&s.probes, &q.Probes, s.session.Field(), s.readings.Probes, number)
	return err
}

// readPowers reads the powers of the next step.
func (s *Simulation) readPowers(q *query, to *readings) error {
	if !q.Powers {
		return nil
	}
	watts, err := s.session.Power().Watts(s.session.Time(), s.session.Time()+s.session.Dt())
	to.Powers = make(map[string]Number, len(watts))
	for n, w := range watts {
		to.Powers[s.inputs.list[n]] = Number(w)
	}
	return err
}

func (s *Simulation) readBalance(q *query, to *readings) error {
	if q.Energy {
		if e, ok := s.session.Energy(); ok {
			to.Energy = energyOf(&e)
		}
	}
	if q.Status {
		if st, ok := s.session.Status(); ok {
			to.Status = statusOf(&st)
		}
	}
	return nil
}

// reduced is the size of a map.
func (s *Simulation) reduced(q *mapQuery) (nx, ny int) {
	r := max(1, q.Reduce)
	cells := func(n int) int { return (n-1)/r + 1 } // no overflow, however large r is
	return cells(s.mesh.NX()), cells(s.mesh.NY())
}

// readMap reads the maximum over a layer's planes, or one of them, and over the cells that become one.
func (s *Simulation) readMap(q *query, to *readings) error {
	if q.Map == nil {
		return nil
	}
	l, fault := s.layers.find(q.Map.Layer)
	if fault != nil {
		return fault
	}
	planes := s.mesh.LayerPlanes[l]
	first, last := planes[0], planes[1]
	if q.Map.Plane != nil {
		first += *q.Map.Plane
		last = first + 1
	}
	nx, ny := s.reduced(q.Map)
	top := make([]Number, nx*ny)
	for n := range top {
		top[n] = Number(math.Inf(-1))
	}
	r, width := max(1, q.Map.Reduce), s.mesh.NX()
	f := s.session.Field()
	for k := first; k < last; k++ {
		if err := f.Plane(k, s.plane); err != nil {
			return fmt.Errorf("reading plane %d: %w", k, err)
		}
		for c, v := range s.plane {
			at := c/width/r*nx + c%width/r
			top[at] = max(top[at], Number(v))
		}
	}
	m := &mapOf{Layer: s.layers.list[l], NX: nx, NY: ny}
	for j := range ny {
		m.K = append(m.K, top[j*nx:(j+1)*nx])
	}
	to.Map = m
	return nil
}
