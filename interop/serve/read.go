package serve

import (
	"fmt"
	"math"
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
		return faultf(BadValue, "reduce is %d; it is how many cells by how many become one", q.Map.Reduce)
	}
	if nx, ny := s.reduced(q.Map); nx*ny > maxMap {
		return faultf(TooLarge, "the map has %d x %d cells; at most %d are sent: say reduce", nx, ny, maxMap)
	}
	return nil
}

// read takes what a query asks for of the state.
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

func (s *Simulation) readBlocks(q *query, to *readings) error {
	if !q.Blocks.any() {
		return nil
	}
	all, err := s.readings.Blocks(s.session.Field())
	if err != nil {
		return err
	}
	wanted, _ := s.blocks.selected(&q.Blocks)
	to.Blocks = make(map[string]extremes, len(wanted))
	for _, n := range wanted {
		to.Blocks[s.blocks.list[n]] = extremesOf(all[n])
	}
	return nil
}

func (s *Simulation) readLayers(q *query, to *readings) error {
	if !q.Layers.any() {
		return nil
	}
	all, err := s.readings.Layers(s.session.Field())
	if err != nil {
		return err
	}
	wanted, _ := s.layers.selected(&q.Layers)
	to.Layers = make(map[string]extremes, len(wanted))
	for _, n := range wanted {
		to.Layers[s.layers.list[n]] = extremesOf(all[n])
	}
	return nil
}

func (s *Simulation) readProbes(q *query, to *readings) error {
	if !q.Probes.any() {
		return nil
	}
	all, err := s.readings.Probes(s.session.Field())
	if err != nil {
		return err
	}
	wanted, _ := s.probes.selected(&q.Probes)
	to.Probes = make(map[string]Number, len(wanted))
	for _, n := range wanted {
		to.Probes[s.probes.list[n]] = Number(all[n])
	}
	return nil
}

// readPowers tells the powers of the next step.
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

// readMap takes the hottest of a layer's planes, or one of them, and of the cells that become one.
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
