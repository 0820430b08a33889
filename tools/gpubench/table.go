package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

const pageHead = `# Performance

The ten-layer memory-on-logic stack (10 x 10 mm, h = 1000 W/(m2 K) on top), with its two powered layers, from ambient to the answer.

* *method*: ` + "`auto`" + ` takes [fourier](fourier.md) where layers hold one material each and multigrid elsewhere. The direct solver has no iterations and no rule: it is exact to rounding.
* *rule*: solved until ||b - A x||2 is below so many W, or until the estimated largest error is below so many K (the default is 1e-4 K). *||b - A x||* is the true residual, evaluated in FP64 at the end.
* *set-up*: assembly, coarsening and factorisation, from the mesh in the host's memory; *solve*: the iteration, or the transforms of all planes with the residual's. Medians of the runs, after one that does not count. Opening the
  GPU (about 0.3 s, and once a second or so while the driver compiles the kernels) and writing the report are apart.
* *memory*: bytes per cell that the solve holds on the device.
* *as a copy*: bytes per cell and iteration that the GPU would have copied in the time of the solve. The least that an iteration has to move on a stack of homogeneous layers is 136 B
  (52 B for conjugate gradients in two kernels, 84 B for the cycle), so 136 over this figure is the share of the copy bandwidth that the solver makes use of.
  Small systems do not fill a GPU: there the time goes into starting kernels. Stacks with regions inside layers take a smoother of degree 2, which moves more.
* *cavities* are three dies of three planes with coolant between ([liquid-cooling.md](liquid-cooling.md)), 2e-6 m3/s each against the other, solved by BiCGSTAB, whose iterations have two cycles each.
* *steps* is a transient by backward Euler with dt = 1 ms; iterations and solve are those of all steps.

Made from the files in [measurements](measurements) by ` + "`make performance`" + `; [gpu.md](gpu.md) says how to measure another GPU.
`

// writePage makes docs/performance.md of measurements.
func writePage(w io.Writer, files []string) error {
	results, err := readResults(files)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(pageHead)
	for i := range results {
		results[i].section(&b)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// Between these lines stand the figures of the GPUs in README.md.
const (
	readmeBegin = "<!-- measured on GPUs: make performance -->\n"
	readmeEnd   = "<!-- end of measured -->\n"
)

// readme puts the GPUs' figures at the default rule into the text of README.md.
func readme(text string, files []string) (string, error) {
	before, rest, begun := strings.Cut(text, readmeBegin)
	_, after, ended := strings.Cut(rest, readmeEnd)
	if !begun || !ended {
		return "", fmt.Errorf("the lines %q and %q are missing", readmeBegin, readmeEnd)
	}
	results, err := readResults(files)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range results {
		if r.GPU == "" {
			continue
		}
		fmt.Fprintf(&b, "\n| on one %s | method | iterations | set-up | solve | memory |\n|---|---|---|---|---|---|\n", r.GPU)
		for _, m := range r.Rows {
			if m.Rule == defaultRule {
				fmt.Fprintf(&b, "| %s, %s million cells | %s | %d | %s | %s | %s GB |\n", m.Case, figures(float64(m.Cells)*1e-6), m.Method, m.Iterations, milliseconds(m.SetupMS),
					milliseconds(m.SolveMS), figures(m.BytesCell*float64(m.Cells)*1e-9))
			}
		}
	}
	b.WriteString("\n")
	return before + readmeBegin + b.String() + readmeEnd + after, nil
}

// rewriteReadme does so in place.
func rewriteReadme(path string, files []string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	renewed, err := readme(string(text), files)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(renewed), 0o644)
}

// readResults reads measurements and sorts them, GPUs first.
func readResults(files []string) ([]result, error) {
	var results []result
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		var r result
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		results = append(results, r)
	}
	slices.SortStableFunc(results, func(a, b result) int {
		switch {
		case a.GPU != "" && b.GPU == "":
			return -1
		case a.GPU == "" && b.GPU != "":
			return 1
		}
		return cmp.Compare(a.GPU+a.CPU, b.GPU+b.CPU)
	})
	return results, nil
}

// section is the table of one device.
func (r *result) section(b *strings.Builder) {
	asCopy := r.Copy > 0
	at := ""
	if r.Commit != "" {
		at = " at commit " + r.Commit
	}
	fmt.Fprintf(b, "\n## %s\n\nMeasured on %s%s.", r.heading(), r.Date, at)
	if asCopy {
		fmt.Fprintf(b, " This GPU copies its own memory at %.2f TB/s, read and written.", r.Copy)
	}
	b.WriteString("\n\n")
	header, rule := "| case | cells | method | rule | iterations | \\|\\|b - A x\\|\\| | set-up | solve | memory |", "|---|---|---|---|---|---|---|---|---|"
	if asCopy {
		header, rule = header+" as a copy |", rule+"---|"
	}
	fmt.Fprintf(b, "%s\n%s\n", header, rule)
	for _, m := range r.Rows {
		iterations := fmt.Sprint(m.Iterations)
		if !m.Converged {
			iterations += " (not converged)"
		}
		fmt.Fprintf(b, "| %s | %s M | %s | %s | %s | %.1e W | %s | %s | %.1f B |", m.Case, figures(float64(m.Cells)*1e-6), m.Method, m.rule(), iterations, m.ResidualW,
			milliseconds(m.SetupMS), milliseconds(m.SolveMS), m.BytesCell)
		switch {
		case asCopy && m.Iterations == 0:
			b.WriteString(" |")
		case asCopy:
			fmt.Fprintf(b, " %.0f B |", m.SolveMS*1e-3*r.Copy*1e12/(float64(m.Cells)*float64(m.Iterations)))
		}
		b.WriteString("\n")
	}
}

// rule is what the solve ended by.
func (m *row) rule() string {
	if m.Iterations == 0 {
		return "direct"
	}
	return m.Rule
}

func milliseconds(ms float64) string {
	if ms >= 1000 {
		return figures(ms*1e-3) + " s"
	}
	return figures(ms) + " ms"
}

// figures writes three of them, without an exponent.
func figures(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
