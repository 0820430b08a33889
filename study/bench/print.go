package bench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"thermsim/gpusolve/solution"
)

// Heading is the title of a table and its explanations.
func (t *Table) Heading() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", t.label("%s (Table %s of the paper)"), t.Title)
	for _, a := range t.About {
		fmt.Fprintf(&b, "  %s\n", a)
	}
	return b.String()
}

// Head is the line of column headings.
func (t *Table) Head() string {
	return t.line(func(c *Column) string { return c.Head })
}

// Line is a row as text.
func (t *Table) Line(r *Row) string {
	return t.line(func(c *Column) string { return c.Text(r) })
}

func (t *Table) line(text func(c *Column) string) string {
	var b strings.Builder
	for i := range t.Columns {
		c := &t.Columns[i]
		cell := text(c)
		pad := strings.Repeat(" ", max(0, c.Width-utf8.RuneCountInString(cell)))
		if c.Left {
			cell += pad
		} else {
			cell = pad + cell
		}
		b.WriteString("  " + cell)
	}
	return strings.TrimRight(b.String(), " ")
}

// About describes the device and the problems.
func (r *Result) About() string {
	var b strings.Builder
	d := &r.Device
	fmt.Fprintf(&b, "%s", d.Name)
	if d.Driver != "" {
		fmt.Fprintf(&b, ", driver %s", d.Driver)
	}
	if d.Threads > 0 {
		fmt.Fprintf(&b, ", %d threads", d.Threads)
	}
	copies := fmt.Sprintf("%.2f TB/s", float64(d.CopyTBperS))
	if d.CopyTBperS < 0.1 {
		copies = fmt.Sprintf("%.1f GB/s", float64(d.CopyTBperS)*1e3)
	}
	fmt.Fprintf(&b, "; memory copy bandwidth %s (read and write); opened in %s.\n", copies, duration(d.OpenS))
	for i := range r.Problems {
		p := &r.Problems[i]
		if len(p.LayersUM) == 0 {
			fmt.Fprintf(&b, "%s, %s.\n", p.Name, p.About)
			continue
		}
		fmt.Fprintf(&b, "%s, %s: %d layers of %s um, k = %s W/(m K), C = %s MJ/(m3 K), one cell each;\n", p.Name,
			p.About, len(p.LayersUM),
			list(p.LayersUM, 1), list(p.ConductWmK, 1), list(p.CapacityJm3K, 1e-6))
		fmt.Fprintf(&b, "die %g x %g mm, h = %g W/(m2 K) on top, %g W in two layers; steps of %g s.\n", p.DieMM,
			p.DieMM, p.HWm2K, p.PowerW, p.StepS)
	}
	return b.String()
}

func list(values []float64, unit float64) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, fmt.Sprintf("%.4g", v*unit))
	}
	return strings.Join(texts, "/")
}

// WriteText prints the result for a terminal.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(r.About())
	for _, s := range r.Tables {
		t, err := tableOf(s.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", t.Heading(), t.Head())
		for i := range s.Rows {
			b.WriteString(t.Line(&s.Rows[i]) + "\n")
		}
		for _, note := range s.notes() {
			b.WriteString("  " + note + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown prints the tables as a Markdown page.
func (r *Result) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmark: %s\n\n%s\nMeasured on %s by `thermsim bench` (version %s); "+
		"[bench.md](../reference/bench.md) explains the tables.\n", r.Device.Name, r.About(), r.Date, r.Version)
	for _, s := range r.Tables {
		t, err := tableOf(s.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## %s: %s\n\n", t.label("%s (Table %s)"), t.Title)
		for _, a := range t.About {
			fmt.Fprintf(&b, "* %s\n", escape(a))
		}
		b.WriteString(escape(s.builds(r.Version)))
		row := func(cell func(c *Column) string) {
			b.WriteString("|")
			for i := range t.Columns {
				b.WriteString(cell(&t.Columns[i]))
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
		row(func(c *Column) string { return " " + escape(c.Head) + " |" })
		row(func(c *Column) string {
			if c.Left {
				return "---|"
			}
			return "---:|"
		})
		for i := range s.Rows {
			row(func(c *Column) string { return " " + escape(c.Text(&s.Rows[i])) + " |" })
		}
		for n, note := range s.notes() {
			if n == 0 {
				b.WriteString("\n")
			}
			b.WriteString("* " + escape(note) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// builds lists which version measured which systems, unless all rows were measured by the version of the page. For
// systems measured by several versions it names the methods.
func (s *Sheet) builds(version string) string {
	var names []string
	cases := map[string][]string{}      // of a build
	methods := map[[2]string][]string{} // of a build and a case
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.External != nil {
			continue
		}
		if !slices.Contains(names, r.Build) {
			names = append(names, r.Build)
		}
		if !slices.Contains(cases[r.Build], r.Case) {
			cases[r.Build] = append(cases[r.Build], r.Case)
		}
		of := [2]string{r.Build, r.Case}
		if name := cmp.Or(r.Variant, r.Method); !slices.Contains(methods[of], name) {
			methods[of] = append(methods[of], name)
		}
	}
	if len(names) == 0 || len(names) == 1 && names[0] == version {
		return ""
	}
	var b strings.Builder
	for _, n := range names {
		for i, c := range cases[n] {
			if slices.ContainsFunc(names, func(other string) bool {
				return other != n && methods[[2]string{other, c}] != nil
			}) {
				cases[n][i] = fmt.Sprintf("%s (%s)", c, strings.Join(methods[[2]string{n, c}], ", "))
			}
		}
		fmt.Fprintf(&b, "* Measured by version %s: %s.\n", n, strings.Join(cases[n], ", "))
	}
	return b.String()
}

func escape(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func tableOf(name string) (*Table, error) {
	if t := ranking(); t.Name == name {
		return &t, nil
	}
	all, err := chooseTables([]string{name})
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// Column of a printed table.
type Column struct {
	Head  string
	Width int  // characters, so that rows can be printed one by one.
	Left  bool // texts are left-aligned, numbers right-aligned.
	Text  func(r *Row) string
}

var (
	columnCase       = Column{"case", 13, true, func(r *Row) string { return r.Case }}
	columnGrid       = Column{"grid", 12, true, func(r *Row) string { return r.Grid }}
	columnMethod     = Column{"method", 26, true, func(r *Row) string { return r.Method }}
	columnIterations = Column{"it", 6, false, func(r *Row) string { return iterations(r) }}
	columnSetup      = Column{"setup", 8, false, func(r *Row) string { return duration(r.SetupS) }}
	columnSolve      = Column{"solve", 8, false, func(r *Row) string { return duration(r.SolveS) }}
	columnSteps      = Column{"steps", 5, false, func(r *Row) string { return fmt.Sprint(r.Steps) }}
	columnStep       = Column{"a step", 8, false, func(r *Row) string { return duration(r.StepS) }}
	columnTotal      = Column{"total", 8, false, func(r *Row) string { return duration(r.TotalS) }}
	columnVariant    = Column{"what", 30, true, func(r *Row) string { return r.Variant }}
	columnProduct    = Column{"product", 8, false, func(r *Row) string { return duration(r.ProductS) }}
	columnLeast      = Column{"least", 6, false, func(r *Row) string { return known("%.0f", r.LeastBytes) }}
	columnCopy       = Column{"as copy", 7, false, func(r *Row) string { return known("%.0f", r.CopyBytes) }}
	columnShare      = Column{"share", 6, false, func(r *Row) string { return known("%.0f %%", 100*r.share()) }}
	columnToBase     = Column{"x base", 6, false, func(r *Row) string { return figures(r.ToBase) }}
	columnResidual   = Column{"||r|| W", 7, false, func(r *Row) string { return exponent(r.ResidualW) }}
	columnToDefault  = Column{"x MG", 6, false, func(r *Row) string { return figures(r.ToDefault) }}
	columnToDirect   = Column{"x fourier", 9, false, func(r *Row) string { return ratio(r.ToDirect) }}
	columnError      = Column{"||e|| K", 7, false, func(r *Row) string { return exponent(r.ErrorK) }}
	// Largest and mean absolute error (MAE), of all layers and of the top.
	columnMaxAE    = Column{"MaxAE K", 7, false, func(r *Row) string { return known("%.3f", r.MaxAEK) }}
	columnMAE      = Column{"MAE K", 6, false, func(r *Row) string { return known("%.3f", r.MAEK) }}
	columnTopMaxAE = Column{"top MaxAE K", 11, false, func(r *Row) string { return known("%.3f", r.TopMaxAEK) }}
	columnTopMAE   = Column{"top MAE K", 9, false, func(r *Row) string { return known("%.3f", r.TopMAEK) }}
	columnBytes    = Column{"B/cell", 6, false, func(r *Row) string { return known("%.0f", r.BytesPerCell) }}
	columnRank     = Column{"rank", 4, false, func(r *Row) string {
		if r.Rank == 0 {
			return "-"
		}
		return fmt.Sprint(r.Rank)
	}}
	columnSolver = Column{"solver", 8, true, func(r *Row) string { return r.Solver }}
	columnReason = Column{"ended", 24, true, func(r *Row) string { return r.Reason }}
	columnNote   = Column{"", 0, true, func(r *Row) string { return r.Note }}
)

// share is the minimum memory traffic relative to that of a copy in the same time.
func (r *Row) share() Number { return r.LeastBytes / r.CopyBytes }

// iterations formats the number of iterations; the direct solver has none.
func iterations(r *Row) string {
	switch {
	case r.Iterations > 0:
		return fmt.Sprint(r.Iterations)
	case r.Reason == solution.ReasonDirect:
		return "direct"
	}
	return "-"
}

// ratio formats a ratio to three digits; files of older builds lack it.
func ratio(n Number) string {
	if n == 0 {
		return "-"
	}
	return figures(n)
}

// duration formats seconds to three digits.
func duration(n Number) string {
	switch s := float64(n); {
	case !n.Known():
		return "-"
	case s >= 1:
		return figures(n) + " s"
	case s >= 1e-3:
		return figures(n*1e3) + " ms"
	}
	return figures(n*1e6) + " us"
}

// figures formats three digits without an exponent.
func figures(n Number) string {
	switch v := float64(n); {
	case !n.Known():
		return "-"
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

func exponent(n Number) string {
	if math.IsInf(float64(n), 0) {
		return "inf"
	}
	return known("%.1e", n)
}

// known formats a number, or a hyphen if it is unknown.
func known(format string, n Number) string {
	if !n.Known() {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}
