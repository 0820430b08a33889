package gpusolve

import (
	"math"

	"thermsim/mesh"
	"thermsim/stack"
)

// idleShare of the heat that the faces would exchange with a stack at ambient temperature counts as no flow.
const idleShare = 1e-6

// balance of heat in W. The imbalance refers to the largest flow, so that a stack heated by its boundaries alone has one too; and at least to
// a small share of what the faces would exchange with a stack at ambient temperature, so that a stack in which nothing flows has none.
// It is the sum of b - A x over all cells, as b and the heat of the faces are formed with the conductances that A holds.
func (e *engine) balance(power, stored float64) Energy {
	b := Energy{In: power, Stored: stored, ByFace: e.faceHeat()}
	b.Scale = math.Max(math.Abs(power), math.Abs(stored))
	for _, w := range b.ByFace {
		b.Out += w
		b.Scale = math.Max(b.Scale, math.Abs(w))
	}
	b.Scale = math.Max(b.Scale, idleShare*e.exchanged)
	if b.Scale > 0 {
		b.ImbalanceRel = math.Abs(b.In-b.Out-b.Stored) / b.Scale
	}
	return b
}

// imbalanceLimit is the relative energy imbalance that a good solve stays below.
const imbalanceLimit = 1e-3

// ImbalanceLimit is the largest Energy.ImbalanceRel of s that its temperature error explains: 1e-3, or more where the flows of heat are so
// small that an error of EstimatedErrorK in every cell would move more. That many watts pass through the faces (conductance G, W/K) and, in a time
// step, into the heat capacity C (J/K): error (G + C/dt) over the largest flow, and twice that because the error is an estimate. Only errors up to
// DefaultTol excuse an imbalance: a solve that was asked for less has to show that it is good enough.
func ImbalanceLimit(m *mesh.Mesh, s *Solution) float64 {
	err := s.Status.EstimatedErrorK
	if s.Energy.ImbalanceRel <= imbalanceLimit || !(err > 0) {
		return imbalanceLimit
	}
	err = math.Min(err, DefaultTol)
	conductance := faceConductance(m)
	if s.Dt > 0 {
		// The estimate is the sum over the steps; the balance is that of the last one.
		err /= float64(max(1, len(s.Steps)))
		conductance += heatCapacity(m) / s.Dt
	}
	return math.Max(imbalanceLimit, 2*err*conductance/s.Energy.Scale)
}

// faceConductance is the conductance in W/K between the outermost cells and the temperatures of the faces.
func faceConductance(m *mesh.Mesh) float64 {
	nx, ny, nz := m.NX(), m.NY(), m.NZ()
	g := 0.0
	for j := range ny {
		for i := range nx {
			g += m.FaceConductance(stack.Bottom, i, j, 0) + m.FaceConductance(stack.Top, i, j, nz-1)
		}
	}
	for k := range nz {
		for j := range ny {
			g += m.FaceConductance(stack.West, 0, j, k) + m.FaceConductance(stack.East, nx-1, j, k)
		}
		for i := range nx {
			g += m.FaceConductance(stack.South, i, 0, k) + m.FaceConductance(stack.North, i, ny-1, k)
		}
	}
	return g
}

// heatCapacity of the stack in J/K.
func heatCapacity(m *mesh.Mesh) float64 {
	capacity := 0.0
	row := make([]float64, m.NX())
	for k := range m.NZ() {
		for j := range m.NY() {
			m.Capacity(k, j, row)
			for _, c := range row {
				capacity += c
			}
		}
	}
	return capacity
}
