package gpusolve

import (
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/solution"
)

// hottest looks at the planes that heat enters. Elsewhere no cell is warmer than its neighbours, the temperatures of
// the faces and its own past: only where the powered planes stay below these, all planes are looked at.
func (s *direct) hottest() float64 {
	s.unseen = false
	top := s.planes.max(s.x, s.powered)
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
	rest := s.planes.max(s.x, others)
	s.ceiling = math.Max(rest, s.warmest)
	return math.Max(top, rest)
}

func (s *direct) outflow() [6]float64 { return s.faces.Heat(s.fourier, s.x.Modes) }

func (s *direct) stored() float64 {
	return s.faces.Content(s.fourier, s.x.Modes) - s.faces.Content(s.fourier, s.old.Modes)
}

func (s *direct) field() Field { return spectralField{s, s.x} }

// status tells how a direct solve ended.
func (s *direct) status(out krylov.Outcome) Status {
	st := Status{
		Method: solution.MethodDirect, Preconditioner: "fourier", Details: s.layered.String(),
		ResidualW: out.Norms.Residual, EstimatedErrorK: out.ErrorK, Converged: out.Converged,
		Reason: reasonText(out.Reason),
	}
	if out.Norms.Source > 0 {
		st.RelativeResidual = out.Norms.Residual / out.Norms.Source
	}
	return st
}
