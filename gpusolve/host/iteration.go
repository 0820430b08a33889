package host

import "thermsim/gpusolve/ops"

// Iteration holds the scalars of one solve. Two of them on one space are two solves.
type Iteration struct {
	*Space
	scalars ops.Scalars
	alpha   float64
	beta    float64
}

// IterationOf is the processor's part of a workspace, for methods that set its scalars by themselves. ok is false for
// what lives elsewhere.
func IterationOf(w ops.Workspace) (i *Iteration, ok bool) {
	on, ok := w.(interface{ hostIteration() *Iteration })
	if !ok {
		return nil, false
	}
	return on.hostIteration(), true
}

func (w *Iteration) hostIteration() *Iteration { return w }

// Close has nothing to give back that the collector would not take.
func (w *Iteration) Close() {}

// NewDirection makes an FP32 vector: the processor updates directions in place.
func (w *Iteration) NewDirection() (ops.Vector, error) { return w.New32() }

// Settle has nothing to do: every Update moves x.
func (w *Iteration) Settle(_, _ ops.Vector) {}

// Scalars of the last operations.
func (w *Iteration) Scalars() ops.Scalars { return w.scalars }

// SetPQ keeps the curvature along a direction and the step that follows from it, 0 where that means nothing.
func (w *Iteration) SetPQ(pq float64) {
	w.scalars.PQ = pq
	w.alpha = w.scalars.RZ / pq
	if !(pq > 0) || !finite(w.alpha) {
		w.alpha = 0
	}
}

// SetRZ keeps r.z and max|z|, and the weight of the former direction.
func (w *Iteration) SetRZ(rz, maxZ float64, first bool) {
	w.beta = 0
	if !first {
		w.beta = rz / w.scalars.RZ
	}
	w.scalars.RZ, w.scalars.MaxZ = rz, maxZ
}

// SetRR keeps r.r.
func (w *Iteration) SetRR(rr float64) { w.scalars.RR = rr }

// Alpha is the length of a step along the direction.
func (w *Iteration) Alpha() float64 { return w.alpha }

// Beta is the weight of the former direction in the new one.
func (w *Iteration) Beta() float64 { return w.beta }

func finite(v float64) bool { return v-v == 0 }
