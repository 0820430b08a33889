package report

import (
	"fmt"
	"math"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/stack"
)

// heat compares the watts asked for, those on the grid and those that leave.
func (p *page) heat(s *Summary) {
	p.heading("Heat", "W, leaving counts as positive")
	e := &s.Energy
	d := heatDecimals(s)
	onGrid := "on the grid " + fixed(s.Power.MappedW, d)
	if s.Power.RequestedW != 0 {
		onGrid += fmt.Sprintf(" (off by %s)", relative((s.Power.MappedW-s.Power.RequestedW)/s.Power.RequestedW))
	}
	power := []string{"requested " + fixed(s.Power.RequestedW, d), onGrid}
	if s.Power.LeakageW > 0 {
		power = append(power, "leaking "+fixed(s.Power.LeakageW, d))
	}
	if s.Steps > 0 {
		power[0] = "requested for a steady state " + fixed(s.Power.RequestedW, d)
		power = append(power, "in the last step "+fixed(s.StepMaxima[s.Steps-1].PowerW, d))
	}
	p.wrapped("power      ", power)
	p.wrapped("faces      ", facesText(e, d))
	faces, patches := patchesText(e.Patches, d)
	for i, face := range faces {
		p.wrapped(fmt.Sprintf("%-11s", "on "+face), patches[i])
	}
	for i := range e.Films {
		f := &e.Films[i]
		p.wrapped("film       ", f.parts())
		if f.Outside != "" {
			p.wrapped("           ", strings.Split(f.Face+": "+f.Outside, ", "))
		}
	}
	if len(s.Coolant) > 0 {
		p.wrapped("coolant    ", coolantText(s, d))
	}
	balance := []string{"in " + fixed(e.InW, d), "out " + fixed(e.OutW, d)}
	if s.Steps > 0 {
		balance = append(balance, "stored "+fixed(e.StoredW, d))
	}
	p.wrapped("balance    ", append(balance, "imbalance "+relative(e.ImbalanceRel)+" of the largest flow"))
}

// facesText lists the faces that heat passes, with their shares: of what leaves where heat leaves, and where it comes
// in of what enters the stack, the power included. A share of the net heat would say nothing where the two nearly
// cancel.
func facesText(e *EnergySummary, decimals int) []string {
	flows := e.ByFaceW.list()
	leaving, entering := 0.0, max(0, e.InW)
	both := false
	leaving += max(0, e.CoolantW)
	for _, w := range flows {
		leaving += max(0, w)
		entering += max(0, -w)
		both = both || w < 0
	}
	var parts []string
	for i, w := range flows {
		of := ""
		switch {
		case w == 0:
			continue
		case w < 0:
			of = fmt.Sprintf(" (%.1f %% of what enters)", -100*w/entering)
		case both:
			of = fmt.Sprintf(" (%.1f %% of what leaves)", 100*w/leaving)
		case w > 0:
			of = fmt.Sprintf(" (%.1f %%)", 100*w/leaving)
		}
		parts = append(parts, fmt.Sprintf("%v %s%s", stack.Face(i), fixed(w, decimals), of))
	}
	if parts == nil {
		return []string{"no heat passes any of them"}
	}
	return parts
}

// list is in the order of stack.Face.
func (f *FaceSummary) list() [stack.NumFaces]float64 {
	return [...]float64{f.Bottom, f.Top, f.West, f.East, f.South, f.North}
}

// heatDecimals show the largest flow of the balance with four digits or more.
func heatDecimals(s *Summary) int {
	most := max(math.Abs(s.Power.RequestedW), math.Abs(s.Energy.InW), math.Abs(s.Energy.OutW))
	for _, w := range s.Energy.ByFaceW.list() {
		most = max(most, math.Abs(w))
	}
	return wattDecimals(most)
}

// wrapped writes parts after a label, in as many lines as the page needs.
func (p *page) wrapped(label string, parts []string) {
	line := "  " + label
	indent := strings.Repeat(" ", len(line))
	for i, part := range parts {
		if i < len(parts)-1 {
			part += ","
		}
		if len(line)+1+len(part) > p.style.Width && len(line) > len(indent) {
			p.line("%s", strings.TrimRight(line, " "))
			line = indent
		}
		if len(line) > len(indent) {
			line += " "
		}
		line += part
	}
	p.line("%s", line)
}

func relative(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", math.Abs(v))
}

func (p *page) solver(s *Summary) {
	v := &s.Solver
	p.heading("Solver", "")
	ended := s.ended()
	if !v.Converged {
		ended = p.paint(red, ended)
	}
	p.line("  %s: %s, %s", solution.MethodText(v.Method, v.Preconditioner), s.iterations("iterations"), ended)
	if v.Fallback != "" {
		p.line("  %s", v.Fallback)
	}
	if v.Nonlinear != nil {
		p.line("  %s", v.Nonlinear)
		if v.Nonlinear.Leakage != nil {
			p.line("  %s", v.Nonlinear.Leakage)
		}
		if warning := v.Nonlinear.Warning(); warning != "" {
			p.line("  %s", p.paint(red, warning))
		}
	}
	p.line("  residual %s W, %s relative; estimated largest error %s",
		relative(v.ResidualNormW), relative(v.RelativeResidual), s.errorText())
	t := &s.Time
	p.wrapped("time     ", []string{
		"parse " + seconds(t.ParseS), "mesh " + seconds(t.MeshS), "device " + seconds(t.DeviceS),
		"setup " + seconds(t.SetupS),
		"solve " + seconds(t.SolveS), "report " + seconds(t.ReportS), "total " + seconds(t.TotalS),
	})
	p.line("  memory   device %s, host peak %s", byteCount(s.Memory.DeviceBytes), byteCount(s.Memory.HostPeakBytes))
}
