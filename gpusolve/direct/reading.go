package direct

import (
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
)

// Hottest looks at the planes that heat enters. Elsewhere no cell is warmer than its neighbours, the temperatures of
// the faces and its own past: only where the powered planes stay below these, all planes are looked at.
func (s *System) Hottest() float64 {
	s.unseen = false
	top := s.Planes.max(s.X, s.powered)
	if top >= s.ceiling {
		if s.dt > 0 {
			// in the next step no cell without power rises above what is here, unless a powered one does
			s.ceiling = top
		}
		return top
	}
	others := make([]bool, len(s.powered))
	for k, p := range s.powered {
		others[k] = !p
	}
	rest := s.Planes.max(s.X, others)
	s.ceiling = math.Max(rest, s.warmest)
	return math.Max(top, rest)
}

func (s *System) Outflow() [6]float64 { return s.faces.Heat(s.fourier, s.X.Modes) }

func (s *System) Stored() float64 {
	return s.faces.Content(s.fourier, s.X.Modes) - s.faces.Content(s.fourier, s.old.Modes)
}

func (s *System) Field() solution.Field { return spectralField{s, s.X} }

// Status tells how a direct solve ended.
func (s *System) Status(out krylov.Outcome) solution.Status {
	st := solution.Status{
		Method: solution.MethodDirect, Preconditioner: "fourier", Details: s.layered.String(),
		ResidualW: out.Norms.Residual, EstimatedErrorK: out.ErrorK, Converged: out.Converged,
		Reason: methods.ReasonText(out.Reason),
	}
	if out.Norms.Source > 0 {
		st.RelativeResidual = out.Norms.Residual / out.Norms.Source
	}
	return st
}
