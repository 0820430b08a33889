package report

import (
	"io"

	"thermsim/gpusolve/solution"
	"thermsim/report/webpage"
	"thermsim/stack"
)

// JedecSummary are figures of JEDEC's standards: empty where the stack asks for none, in transients, without power and
// after a runaway. The junction is the hottest cell. Resistances theta are those of JESD51-12 between the junction and
// a point that all the heat passes; parameters psi divide by the same power, though only some of the heat goes that
// way.
type JedecSummary struct {
	Environment string        `json:"environment"` // the standard, such as jesd51-2a
	JunctionK   float64       `json:"junction_K"`  // hottest cell
	PowerW      float64       `json:"power_W"`     // of the package
	Figures     []JedecFigure `json:"figures"`     // those of the environment
}

// JedecFigure is (junction - reference) / power.
type JedecFigure struct {
	Name       string  `json:"name"`        // theta_JA, theta_JB, theta_JC(top), psi_JT or psi_JB
	KPerW      float64 `json:"K_per_W"`     // (junction - reference) / power
	Reference  string  `json:"reference"`   // in words
	ReferenceK float64 `json:"reference_K"` // its temperature
}

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
	out := JedecSummary{Environment: j.Environment, JunctionK: s.Temperature.MaxK, PowerW: watts}
	add := func(name, reference string, kelvin float64) {
		out.Figures = append(out.Figures, JedecFigure{name, (out.JunctionK - kelvin) / out.PowerW, reference, kelvin})
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

// writeJedecCSV lists the figures.
func writeJedecCSV(w io.Writer, s *Summary) error {
	rows := [][]string{{"environment", "figure", "K_per_W", "junction_K", "reference", "reference_K", "power_W"}}
	for _, f := range s.Jedec.Figures {
		rows = append(rows, []string{s.Jedec.Environment, f.Name, csvNumber(f.KPerW), csvNumber(s.Jedec.JunctionK),
			f.Reference, csvNumber(f.ReferenceK), csvNumber(s.Jedec.PowerW)})
	}
	return writeRows(w, rows)
}

func (p *page) jedec(s *Summary) {
	if len(s.Jedec.Figures) == 0 {
		return
	}
	t := table{columns: []column{name("figure"), number("K/W"), name("from the junction to"), number("degC")}}
	for _, f := range s.Jedec.Figures {
		t.add(f.Name, significant(f.KPerW, 4), f.Reference, p.deg.celsius(f.ReferenceK))
	}
	p.heading("JEDEC", s.Jedec.Environment+", junction "+p.deg.celsius(s.Jedec.JunctionK)+" degC, "+significant(
		s.Jedec.PowerW, 4)+" W")
	p.table(&t)
}

func (b *pageBuilder) jedec() webpage.Table {
	t := webpage.Table{
		ID: "jedec", Title: "JEDEC figures", Note: b.s.Jedec.Environment + ". Theta: a resistance, psi: a parameter " +
			"(JESD51-12), from the hottest cell.",
		Columns: []webpage.Column{{Name: "figure"}, numberColumn("K/W"), {Name: "from the junction to"},
			temperatureColumn("temperature")},
	}
	for _, f := range b.s.Jedec.Figures {
		t.Rows = append(t.Rows, []webpage.Cell{webpage.Text(f.Name), webpage.Number(f.KPerW, significant(f.KPerW, 4)),
			webpage.Text(f.Reference), b.temperature(f.ReferenceK)})
	}
	return t
}
