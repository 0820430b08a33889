package solution

import (
	"math"

	"thermsim/mesh"
)

// excused is the largest error in K that excuses an imbalance: the default tolerance.
const excused = 1e-4

// negligible is an error in K that no solve is blamed for, though its estimate may be 0: powers that cancel leave a
// rounding of their sum as the only source of heat.
const negligible = 1e-10

// small is the relative imbalance below which nothing is wrong.
const small = 1e-6

// imbalanceLimit is the relative energy imbalance that a good solve stays below.
const imbalanceLimit = 1e-3

// ImbalanceLimit is the largest Energy.ImbalanceRel of s that its temperature error explains: 1e-3, or more where the
// flows of heat are so small that an error of EstimatedErrorK in every cell would move more. That many watts pass
// through the faces (conductance G, W/K) and, in a time step, into the heat capacity C (J/K): error (G + C/dt) over the
// largest flow, and twice that because the error is an estimate. Only errors up to 1e-4 K, the default tolerance,
// excuse an imbalance: a solve that was asked for less has to show that it is good enough.
func ImbalanceLimit(m *mesh.Mesh, s *Solution) float64 {
	if s.Energy.ImbalanceRel <= imbalanceLimit { // spares a look at every column
		return imbalanceLimit
	}
	watts := explained(m, s)
	if watts == 0 {
		return imbalanceLimit
	}
	return math.Max(imbalanceLimit, watts/s.Energy.Scale)
}

// LeastErrorK is how far in K the field of s is at least from the solution of the discrete equations. Summed over all
// cells, A e = r says that the heat which the balance misses is the sum of g e, g the conductances to the temperatures
// of the faces and, in a time step, C/dt. That sum is at most G + C/dt times the largest error.
func LeastErrorK(m *mesh.Mesh, s *Solution) float64 {
	conductance := m.GroundConductance()
	if s.Dt > 0 {
		conductance += m.HeatCapacity() / s.Dt
	}
	return math.Abs(s.Energy.In-s.Energy.Out-s.Energy.Stored) / conductance
}

// Heed takes back what the heat balance does not bear out: a result out of balance is not converged, and an estimate
// below what the balance shows the error to be at least is unknown.
func (s *Solution) Heed(m *mesh.Mesh) {
	// spares a look at every cell
	if s.Energy.ImbalanceRel <= small || s.Dt > 0 && s.Energy.ImbalanceRel <= imbalanceLimit {
		return
	}
	limit := ImbalanceLimit(m, s)
	// Where steps follow the temperatures the balance is the mean over the run, and says nothing of a single state.
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
