// Package slabs solves on several ranks as on one device: it stands between the solvers and the executor of each rank,
// which holds a slab of the grid's rows (y) with ghost rows beside it. Solvers run on all ranks alike and ask the same
// of their slabs; sums come out with the same bits on all of them, so they decide alike. What passes between ranks
// beside sums are ghost rows, and they pass here and in package multigrid.
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

// On is the part of a rank that has a device of its own.
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
