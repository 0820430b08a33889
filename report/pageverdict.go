package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/mesh"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/tables"
	"thermsim/report/webpage"
)

// byline names the date, the author and the revision of a run, as far as they are known.
func byline(r *Run) (list []string) {
	s := r.Mesh.Stack
	for _, part := range [][2]string{{"", r.date()}, {"Author: ", s.Author}, {"Revision: ", s.Revision}} {
		if part[1] != "" {
			list = append(list, part[0]+part[1])
		}
	}
	return append(list, "thermsim "+r.Version)
}

// mostVerdicts is the number of limits listed with the verdict; the table of limits has all.
const mostVerdicts = 5

// verdict judges the limits.
func (b *pageBuilder) verdict() webpage.Verdict {
	v := b.limits()
	if m := b.s.Measured; m != nil && b.s.Caveat() == "" {
		return withMeasured(v, m)
	}
	return v
}

// withMeasured adds the limits of measured data to a verdict.
func withMeasured(v webpage.Verdict, m *summary.Measured) webpage.Verdict {
	if v.Kind == "none" && len(m.Limits) > 0 {
		v = judged(true)
	}
	for i := range m.Limits {
		l := judged(m.Limits[i].OK)
		l.Text = m.Limits[i].Text()
		if !m.Limits[i].OK {
			v.Kind, v.Mark, v.Word = l.Kind, l.Mark, l.Word
		}
		v.Limits = append(v.Limits, l)
	}
	v.Text = strings.TrimSpace(v.Text + " Measured data: " + m.Text() + ".")
	return v
}

// limits judges the highest temperatures.
func (b *pageBuilder) limits() webpage.Verdict {
	s := b.s
	bad := len(s.Exceeded())
	v := judged(bad == 0)
	switch n := len(s.Limits); {
	case s.Caveat() != "":
		return webpage.Verdict{Kind: "fail", Mark: "?", Word: "NO VERDICT", Text: "The temperatures are unreliable: " +
			s.Doubt() + "."}
	case n == 0:
		return webpage.Verdict{Kind: "none", Word: "NO LIMITS", Text: "The stack has no maximum temperature to " +
			"compare with: see tmax."}
	case n == 1:
		v.Text = s.Limits[0].TextIn(b.unit) + "."
		return v
	case bad > 0:
		v.Text = fmt.Sprintf("%d of %d limits exceeded, by up to %s.", bad, n, b.difference(-s.Limits[0].MarginK))
	default:
		v.Text = fmt.Sprintf("%d of %d limits met, with a smallest margin of %s.", n, n,
			b.difference(s.Limits[0].MarginK))
	}
	for i := range s.Limits[:min(len(s.Limits), mostVerdicts)] {
		l := judged(s.Limits[i].OK)
		l.Text = s.Limits[i].TextIn(b.unit)
		v.Limits = append(v.Limits, l)
	}
	return v
}

func judged(ok bool) webpage.Verdict {
	if ok {
		return webpage.Verdict{Kind: "pass", Mark: "✓", Word: "PASS"}
	}
	return webpage.Verdict{Kind: "fail", Mark: "✗", Word: "FAIL"}
}

// mostParts is the number of regions in a drawing of a report, which has a few hundred bytes for each.
const mostParts = 1000

// outlineSection is the cross-section of the stack, without regions if they are many.
func outlineSection(m *mesh.Mesh, unit *quantity.Scale) *picture.CrossSection {
	c, parts := crossSection(m, unit), 0
	for i := range c.Slabs {
		parts += len(c.Slabs[i].Parts)
	}
	if parts > mostParts {
		for i := range c.Slabs {
			c.Slabs[i].Parts = nil
		}
		c.Notes = append(c.Notes, fmt.Sprintf("Without the %d regions.", parts))
	}
	return c
}

// drawing is the cross-section of the stack and its mesh as SVG inside of HTML, which needs no namespace.
func drawing(m *mesh.Mesh, unit *quantity.Scale) (template.HTML, error) {
	var all string
	for _, p := range []interface {
		Write(io.Writer, picture.Format) error
	}{outlineSection(m, unit), meshLines(m)} {
		var b bytes.Buffer
		if err := p.Write(&b, picture.SVG); err != nil {
			return "", err
		}
		_, svg, _ := strings.Cut(b.String(), "?>\n")
		all += strings.Replace(svg, ` xmlns="http://www.w3.org/2000/svg"`, "", 1)
	}
	return template.HTML(all), nil
}

// instants reads the table of the peak and the end from a trace, and what a reader may choose in addition; both are
// empty without a trace.
func instants(trace TraceReader) (*tables.Table, *webpage.Instants, error) {
	if trace == nil {
		return &tables.Table{}, nil, nil
	}
	const maxColumn = 2
	var head, peak, end []string
	top, count, peakRow := math.Inf(-1), 0, 0
	figures := &Figures{Options: Options{Trace: trace}}
	err := figures.eachTraceRow(func(row []string) error {
		if head == nil {
			head = slices.Clone(row)
			return nil
		}
		end = append(end[:0], row...)
		if v, err := strconv.ParseFloat(row[maxColumn], 64); err == nil && v > top {
			top, peak, peakRow = v, append(peak[:0], row...), count
		}
		count++
		return nil
	})
	if err != nil || peak == nil {
		return &tables.Table{}, nil, err
	}
	var rows []tables.Instant
	curves := curvesOf(head)
	for _, c := range curves {
		i := tables.Instant{Name: c.name, PeakMax: traceNumber(peak, c.at), EndMax: traceNumber(end, c.at),
			PeakMean: math.NaN(), EndMean: math.NaN()}
		if head[c.at-1] == c.name+"_mean_K" {
			i.PeakMean, i.EndMean = traceNumber(peak, c.at-1), traceNumber(end, c.at-1)
		}
		rows = append(rows, i)
	}
	chosen, err := figures.chosenInstants(head, curves, count, peakRow)
	return tables.Instants(rows, traceNumber(peak, 0), traceNumber(end, 0)), chosen, err
}

// mostChosen is the number of temperatures for the instants that a reader may choose.
const mostChosen = 20_000

// chosenInstants reads instants from a trace of count rows, always that of the peak; nil for very many curves.
func (f *Figures) chosenInstants(head []string, curves []traceColumn, count, peak int) (*webpage.Instants, error) {
	if 20*len(curves) > mostChosen {
		return nil, nil
	}
	every := 1 + 2*len(curves)*count/mostChosen
	all, n := &webpage.Instants{Parts: map[string][2][]webpage.Milli{}}, -2
	err := f.eachTraceRow(func(row []string) error {
		if n++; n < 0 || n%every != 0 && n != peak && n != count-1 {
			return nil
		}
		all.Times = append(all.Times, traceNumber(row, 0))
		for _, c := range curves {
			part := all.Parts[c.name]
			part[0] = append(part[0], webpage.Milli(traceNumber(row, c.at)))
			if head[c.at-1] == c.name+"_mean_K" {
				part[1] = append(part[1], webpage.Milli(traceNumber(row, c.at-1)))
			}
			all.Parts[c.name] = part
		}
		return nil
	})
	return all, err
}

// traceNumber is a number in a row of a trace, or NaN.
func traceNumber(row []string, column int) float64 {
	v, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
