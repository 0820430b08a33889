// Package slabs solves on several ranks as on one device: it stands between the solvers and the executor of each rank,
// which holds a slab of the grid's rows (y) with ghost rows on either side. Solvers run on all ranks alike and ask the
// same of their slabs; sums come out with the same bits on all of them, so they decide alike. In addition to sums,
// ghost rows pass between ranks, and they pass here and in package multigrid.
package slabs

import (
	"errors"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Device is one rank's part of the devices of a group.
type Device struct {
	ops.SlabDevice
	group ranks.Group
}

var _ ops.Device = (*Device)(nil)

// On is the part of a rank on its device.
func On(d ops.SlabDevice, g ranks.Group) *Device { return &Device{d, g} }

// Unwrap is the rank's own device.
func (d *Device) Unwrap() ops.Device { return d.SlabDevice }

// ErrMatrix refuses what has no rows of a grid.
var ErrMatrix = errors.New("ranks share the rows of a grid, and a matrix has none")

// Assemble discretises this rank's part of the mesh, which is that of all rows.
func (d *Device) Assemble(m *mesh.Mesh, dt float64) (ops.System, error) {
	plan := multigrid.Choose(m)
	rows, levels, err := plan.Share(m.NX(), m.NY(), d.group.Size(), d.ExchangeColumns())
	if err != nil {
		return nil, err
	}
	from, to := rows.Held(d.group.Rank())
	slab := ops.Slab{Rows: rows, Group: d.group}
	local, err := d.AssembleSlab(m.Slab(from, to), dt, slab)
	if local == nil || err != nil {
		return nil, err
	}
	s := &system{SlabSystem: local, mesh: m, slab: slab, plan: plan, levels: levels,
		power: powermap.Slab{NX: m.NX(), First: from, End: to}}
	s.plane = make([]float64, (to-from)*m.NX())
	return s, local.Err()
}

// LoadDiagonals refuses matrices.
func (d *Device) LoadDiagonals(*sparse.Diagonals) (ops.Operator, error) { return nil, ErrMatrix }

// LoadCSR refuses matrices.
func (d *Device) LoadCSR(*sparse.CSR) (ops.Operator, error) { return nil, ErrMatrix }

// system is this rank's part of a mesh's system. Of every vector it has the rows that it holds.
type system struct {
	ops.SlabSystem
	mesh   *mesh.Mesh // all rows
	slab   ops.Slab
	plan   multigrid.Plan
	levels int
	power  powermap.Slab
	plane  []float64 // of the slab
}

var _ ops.Distributed = (*system)(nil)

func (s *system) Mesh() *mesh.Mesh { return s.mesh }

func (s *system) Slab() (ops.SlabSystem, ops.Slab) { return s.SlabSystem, s.slab }

// Plan is that of the hierarchy.
func (s *system) Plan() multigrid.Plan { return s.plan }

func (s *system) SharedLevels() int { return s.levels }

// errRecord says that each operation must be asked for.
var errRecord = errors.New("this device records nothing")

// Record is that of the rank's device: all ranks repeat the same.
func (s *system) Record(body func()) (replay, forget func(), err error) {
	on, ok := s.SlabSystem.(interface {
		Record(func()) (replay, forget func(), err error)
	})
	if !ok {
		return nil, nil, errRecord
	}
	return on.Record(body)
}

// exchange fills the nearest ghost rows of vectors on the finest grid.
func (s *system) exchange(rows int, vectors ...ops.Vector) {
	s.Exchange(s.slab.Rows, rows, rows, vectors...)
}

// Residual computes r = b - A x. A cycle needs all ghost rows of r.
func (s *system) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	if x != nil {
		s.exchange(1, x)
	}
	if own, ok := b.(*source); ok {
		b = own.HeatSource
	}
	n := s.SlabSystem.Residual(r, r32, b, x)
	s.exchange(ops.Ghosts, r32)
	return n
}

func (s *system) Apply(y, x ops.Vector) {
	s.exchange(1, x)
	s.SlabSystem.Apply(y, x)
}

func (s *system) RefreshAt(x, old ops.Vector) error {
	s.exchange(ops.Ghosts, x)
	if old != nil {
		s.exchange(ops.Ghosts, old)
	}
	return s.SlabSystem.RefreshAt(x, old)
}

// Plane copies the own rows of plane k to their place in dst, which has room for all rows.
func (s *system) Plane(k int, x ops.Vector, dst []float64) {
	s.SlabSystem.Plane(k, x, s.plane)
	rank, nx := s.slab.Group.Rank(), s.slab.Rows.NX
	first, last := s.slab.Rows.Own(rank)
	copy(dst[s.slab.Rows.Borders[rank]*nx:], s.plane[first*nx:last*nx])
}

// source is a right-hand side whose power is drawn on the slab.
type source struct {
	ops.HeatSource
	power *powermap.Slab
}

func (s *system) NewSource(driven bool) (ops.HeatSource, error) {
	b, err := s.SlabSystem.NewSource(driven)
	if err != nil {
		return nil, err
	}
	return &source{b, &s.power}, nil
}

func (b *source) SetPower(layers []powermap.Drawing) { b.HeatSource.SetPower(b.power.Cut(layers)) }

// workspace is that of the slab.
type workspace struct {
	ops.Workspace
	s *system
}

func (s *system) NewWorkspace() (ops.Workspace, error) {
	w, err := s.SlabSystem.NewWorkspace()
	if err != nil {
		return nil, err
	}
	return &workspace{w, s}, nil
}

// updating is a workspace that fills ghost rows of r while the other rows are updated.
type updating interface {
	UpdateExchanged(x, r, r32, p, z, q ops.Vector)
}

// Update advances x and r. The cycle after it needs all ghost rows of r.
func (w *workspace) Update(x, r, r32, p, z, q ops.Vector) {
	if on, ok := w.Workspace.(updating); ok {
		on.UpdateExchanged(x, r, r32, p, z, q)
		return
	}
	w.Workspace.Update(x, r, r32, p, z, q)
	w.s.exchange(ops.Ghosts, r32)
}

// Leak puts the leakage of a state into the operator and driven sources. Ghost rows take part, for a cycle's smoother
// works on them too.
func (s *system) Leak(x ops.Vector, scale float64, ends bool) error {
	s.exchange(ops.Ghosts, x)
	return s.SlabSystem.Leak(x, scale, ends)
}
