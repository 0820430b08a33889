package report

import (
	"thermsim/gpusolve/solution"
	"thermsim/report/summary"
	"thermsim/stack"
)

// addJedec states the figures of the test that the stack stands for, by all its power: what leaks heats the package
// too.
func (s building) addJedec(j stack.Jedec) {
	watts := s.Power.MappedW + s.Power.LeakageW
	runaway := s.Solver.Reason == solution.ReasonRunaway // its field is not of this power
	if j == (stack.Jedec{}) || s.Steps > 0 || !(watts > 0) || runaway {
		return
	}
	at := func(probe string) (kelvin float64, found bool) {
		for _, p := range s.Probes {
			if p.Name == probe && probe != "" {
				return p.TemperatureK, true
			}
		}
		return 0, false
	}
	out := summary.Jedec{Environment: j.Environment, JunctionK: s.Temperature.MaxK, PowerW: watts}
	add := func(name, reference string, kelvin float64) {
		out.Figures = append(out.Figures, summary.JedecFigure{Name: name, KPerW: (out.JunctionK - kelvin) / out.PowerW,
			Reference: reference, ReferenceK: kelvin})
	}
	onCase, cased := at(j.Case)
	onBoard, boarded := at(j.Board)
	switch j.Environment {
	case "jesd51-8":
		if boarded {
			add("theta_JB", "board, 1 mm from the package", onBoard)
		}
	case "jesd51-14":
		if cased {
			add("theta_JC(top)", "middle of the top of the case", onCase)
		}
	default:
		add("theta_JA", "ambient", s.Temperature.AmbientK)
		if cased {
			add("psi_JT", "middle of the top of the case", onCase)
		}
		if boarded {
			add("psi_JB", "board, 1 mm from the package", onBoard)
		}
	}
	s.Jedec = out
}
