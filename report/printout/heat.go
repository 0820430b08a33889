package printout

import (
	"fmt"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// patchesText lists the patches of each face with the heat that leaves through them.
func patchesText(rows []summary.Patch, decimals int) (faces []string, parts [][]string) {
	for i := range rows {
		r := &rows[i]
		if len(faces) == 0 || faces[len(faces)-1] != r.Face {
			faces, parts = append(faces, r.Face), append(parts, nil)
		}
		name := r.Name
		if name == "" {
			name = "the rest"
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], fmt.Sprintf("%s %s (%.4g mm2)", name, quantity.Fixed(r.HeatW, decimals),
			r.AreaM2*1e6))
	}
	return faces, parts
}

// heat compares the watts asked for, those on the grid and those that leave.
func (p *Page) heat(s *summary.Summary) {
	p.Heading("Heat", "W, leaving counts as positive")
	e := &s.Energy
	d := summary.HeatDecimals(s)
	onGrid := "on the grid " + quantity.Fixed(s.Power.MappedW, d)
	if s.Power.RequestedW != 0 {
		onGrid += fmt.Sprintf(" (off by %s)",
			quantity.Relative((s.Power.MappedW-s.Power.RequestedW)/s.Power.RequestedW))
	}
	power := []string{"requested " + quantity.Fixed(s.Power.RequestedW, d), onGrid}
	if s.Power.LeakageW > 0 {
		power = append(power, "leaking "+quantity.Fixed(s.Power.LeakageW, d))
	}
	if s.Steps > 0 {
		power[0] = "requested for a steady state " + quantity.Fixed(s.Power.RequestedW, d)
		power = append(power, "in the last step "+quantity.Fixed(s.StepMaxima[s.Steps-1].PowerW, d))
	}
	p.wrapped("power      ", power)
	p.wrapped("faces      ", summary.FacesText(e, d))
	faces, patches := patchesText(e.Patches, d)
	for i, face := range faces {
		p.wrapped(fmt.Sprintf("%-11s", "on "+face), patches[i])
	}
	for i := range e.Films {
		f := &e.Films[i]
		p.wrapped("film       ", f.Parts())
		if f.Outside != "" {
			p.wrapped("           ", strings.Split(f.Face+": "+f.Outside, ", "))
		}
	}
	if len(s.Coolant) > 0 {
		p.wrapped("coolant    ", coolantText(s, d))
	}
	balance := []string{"in " + quantity.Fixed(e.InW, d), "out " + quantity.Fixed(e.OutW, d)}
	if s.Steps > 0 {
		balance = append(balance, "stored "+quantity.Fixed(e.StoredW, d))
	}
	p.wrapped("balance    ", append(balance, "imbalance "+quantity.Relative(e.ImbalanceRel)+" of the largest flow"))
}

// wrapped writes parts after a label, in as many lines as the page needs.
func (p *Page) wrapped(label string, parts []string) {
	line := "  " + label
	indent := strings.Repeat(" ", len(line))
	for i, part := range parts {
		if i < len(parts)-1 {
			part += ","
		}
		if len(line)+1+len(part) > p.style.Width && len(line) > len(indent) {
			p.Line("%s", strings.TrimRight(line, " "))
			line = indent
		}
		if len(line) > len(indent) {
			line += " "
		}
		line += part
	}
	p.Line("%s", line)
}

func (p *Page) solver(s *summary.Summary) {
	v := &s.Solver
	p.Heading("Solver", "")
	ended := s.Ended()
	if !v.Converged {
		ended = p.Paint(Red, ended)
	}
	p.Line("  %s: %s, %s", solution.MethodText(v.Method, v.Preconditioner), s.Iterations("iterations"), ended)
	if v.Fallback != "" {
		p.Line("  %s", v.Fallback)
	}
	if v.Nonlinear != nil {
		p.Line("  %s", v.Nonlinear)
		if v.Nonlinear.Leakage != nil {
			p.Line("  %s", v.Nonlinear.Leakage)
		}
		if warning := v.Nonlinear.Warning(); warning != "" {
			p.Line("  %s", p.Paint(Red, warning))
		}
	}
	p.Line("  residual %s W, %s relative; estimated largest error %s",
		quantity.Relative(v.ResidualNormW), quantity.Relative(v.RelativeResidual), s.ErrorText())
	t := &s.Time
	p.wrapped("time     ", []string{
		"parse " + quantity.Seconds(t.ParseS), "mesh " + quantity.Seconds(t.MeshS),
		"device " + quantity.Seconds(t.DeviceS),
		"setup " + quantity.Seconds(t.SetupS),
		"solve " + quantity.Seconds(t.SolveS), "report " + quantity.Seconds(t.ReportS),
		"total " + quantity.Seconds(t.TotalS),
	})
	p.Line("  memory   device %s, host peak %s", quantity.Bytes(s.Memory.DeviceBytes),
		quantity.Bytes(s.Memory.HostPeakBytes))
}

// coolantText is the coolant's share of the heat that leaves.
func coolantText(s *summary.Summary, decimals int) []string {
	var parts []string
	for i := range s.Coolant {
		c := &s.Coolant[i]
		parts = append(parts, c.Layer+" "+quantity.Fixed(c.HeatW, decimals))
	}
	return parts
}
