package solution

import (
	"math"

	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// excused is the largest error in K that excuses an imbalance: the default tolerance.
const excused = 1e-4

// negligible is an error in K that is always acceptable, even if its estimate is 0: where powers cancel, the rounding
// of their sum is the only source of heat.
const negligible = 1e-10

// small is the relative imbalance that is always acceptable.
const small = 1e-6

// imbalanceLimit is the relative energy imbalance that a good solve stays below.
const imbalanceLimit = 1e-3

// ImbalanceLimit is the largest Energy.ImbalanceRel of s that its temperature error explains: 1e-3, or more where the
// flows of heat are so small that an error of EstimatedErrorK in every cell would move more. That many watts pass
// through the faces (conductance G, W/K) and, in a time step, into the heat capacity C (J/K): error (G + C/dt) over the
// largest flow, and twice that because the error is an estimate. Only errors up to 1e-4 K, the default tolerance,
// excuse an imbalance: a solve with a looser tolerance must meet the limit otherwise.
func ImbalanceLimit(m *mesh.Mesh, s *Solution) float64 {
	if s.Energy.ImbalanceRel <= imbalanceLimit { // avoids a pass over all columns
		return imbalanceLimit
	}
	watts := explained(m, s)
	if watts == 0 {
		return imbalanceLimit
	}
	return math.Max(imbalanceLimit, watts/s.Energy.Scale)
}

// LeastErrorK is a lower bound in K on the error of the field of s. Summed over all cells, A e = r means that the heat
// missing in the balance is the sum of g e. Here g are the conductances to the temperatures of the faces and, in a time
// step, C/dt. That sum is at most G + C/dt times the largest error.
func LeastErrorK(m *mesh.Mesh, s *Solution) float64 {
	conductance := m.GroundConductance()
	if s.Dt > 0 {
		conductance += m.HeatCapacity() / s.Dt
	}
	return math.Abs(s.Energy.In-s.Energy.Out-s.Energy.Stored) / conductance
}

// CheckBalance corrects the status by the heat balance: a result out of balance is not converged, and an error estimate
// below the least error that the balance implies is unknown.
func (s *Solution) CheckBalance(m *mesh.Mesh) {
	// avoids a pass over all cells
	if s.Energy.ImbalanceRel <= small || s.Dt > 0 && s.Energy.ImbalanceRel <= imbalanceLimit {
		return
	}
	limit := ImbalanceLimit(m, s)
	// With adaptive time steps the balance is the mean over the run, and says nothing about a single state.
	if least := LeastErrorK(m, s); s.Stepping == nil && least > excused && least > s.Status.EstimatedErrorK {
		s.Status.EstimatedErrorK = math.NaN()
	}
	if s.Status.Converged && !(s.Energy.ImbalanceRel <= limit) {
		s.Status.Converged, s.Status.Reason = false, ReasonImbalance
	}
}

// AtRest says that no power heats the stack and that every flow of heat is within what the temperature error explains.
// Then nothing flows, and the differences of what is left of the flows are no imbalance.
func AtRest(m *mesh.Mesh, s *Solution) bool {
	return s.Energy.In == 0 && s.Energy.Scale <= explained(m, s)
}

// explained is the heat in W that the estimated error of the last step moves, at least that of a negligible error; 0
// where the error is unknown.
func explained(m *mesh.Mesh, s *Solution) float64 {
	err := s.Status.EstimatedErrorK
	if math.IsNaN(err) {
		return 0
	}
	err = math.Min(math.Max(err, negligible), excused)
	conductance := m.GroundConductance()
	if s.Dt > 0 {
		// The estimate is the sum over the steps; the balance is that of the last one.
		err /= float64(max(1, len(s.Steps)))
		conductance += m.HeatCapacity() / s.Dt
	}
	return 2 * err * conductance
}

// Reducer is a Field that reduces its temperatures on their device, without transferring planes.
type Reducer interface {
	// Reduce takes the statistics of regions.
	Reduce(r *reduction.Regions) (*reduction.Values, error)
	// Quantise counts the quanta of all planes, one plane after the other. It returns false, and does nothing, where
	// planes have to be read.
	Quantise(q reduction.Quanta, counts []int32) (done bool, err error)
}

// Within is a Field that wraps another one without changes.
type Within interface{ Inner() Field }

// ReducerOf is the reducer of a field, nil where its planes have to be read.
func ReducerOf(f Field) Reducer {
	if w, ok := f.(Within); ok {
		return ReducerOf(w.Inner())
	}
	r, _ := f.(Reducer)
	return r
}

// Reduce takes the statistics of regions: the field does, or they are taken of its planes, each of which is read once.
// The result is the same, bit for bit.
func Reduce(f Field, r *reduction.Regions) (*reduction.Values, error) {
	if own := ReducerOf(f); own != nil {
		return own.Reduce(r)
	}
	return ReducePlanes(f, r)
}

// ReducePlanes takes the statistics of a field's planes.
func ReducePlanes(f Field, r *reduction.Regions) (*reduction.Values, error) {
	plane := make([]float64, r.NX*r.NY)
	return r.Reduce(func(k int) ([]float64, error) { return plane, f.Plane(k, plane) }, 0)
}

// Binner is a Field that reduces its planes to bins on their device.
type Binner interface {
	// Maxima fills dst with temperatures in K. It returns false, and does nothing, where planes have to be read.
	Maxima(m *reduction.Maxima, dst []float64) (done bool, err error)
}

// BinnerOf is that of a field, nil where its planes have to be read.
func BinnerOf(f Field) Binner {
	if w, ok := f.(Within); ok {
		return BinnerOf(w.Inner())
	}
	b, _ := f.(Binner)
	return b
}
