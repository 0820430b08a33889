package report

import (
	"fmt"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// NonlinearSummary tells how the iteration over properties that follow the temperature went; in a transient over all
// steps, and the residual of the last.
type NonlinearSummary struct {
	OuterIterations int     `json:"outer_iterations"` // linear systems of the steady state, or of all steps
	ResidualNormW   float64 `json:"residual_norm_W"`  // Euclidean norm of b(x) - A(x) x
	// of the error from one linear system to the next, 0 where not seen
	Contraction float64 `json:"contraction"`
	// Cells whose temperature lies outside the range of their material's properties; absent without any.
	OutOfRange []OutOfRange `json:"out_of_range,omitempty"`
	// Absent where no power follows the temperature.
	Leakage *LeakageSummary `json:"leakage,omitempty"`
}

// OutOfRange is a material whose properties were asked for temperatures outside their range; there the values at the
// range's ends were used.
type OutOfRange struct {
	Material string  `json:"material"` // its name
	FromK    float64 `json:"from_K"`   // lower end of its range
	ToK      float64 `json:"to_K"`     // upper end of its range
	Cells    int64   `json:"cells"`    // how many
}

func summariseNonlinear(m *mesh.Mesh, n *solution.Nonlinear) *NonlinearSummary {
	if n == nil {
		return nil
	}
	s := &NonlinearSummary{OuterIterations: n.OuterTotal, ResidualNormW: n.ResidualW, Contraction: n.Contraction,
		Leakage: summariseLeakage(m, n.Leakage)}
	for i, cells := range n.Outside {
		if cells > 0 {
			material := &m.Stack.Materials[i]
			from, to, _ := material.Range()
			s.OutOfRange = append(s.OutOfRange, OutOfRange{material.Name, from, to, cells})
		}
	}
	return s
}

// String is the course of the iteration in a line.
func (n *NonlinearSummary) String() string {
	what := "properties follow"
	if n.Leakage != nil {
		what = "power follows"
	}
	text := fmt.Sprintf("%s the temperature: %d linear systems, nonlinear residual %s W", what, n.OuterIterations,
		relative(n.ResidualNormW))
	if n.Contraction > 0 {
		text += fmt.Sprintf(", contraction %.2g", n.Contraction)
	}
	return text
}

// Warning says which materials were asked for temperatures outside their range; empty where none was.
func (n *NonlinearSummary) Warning() string {
	if n == nil {
		return ""
	}
	var all []string
	for _, o := range n.OutOfRange {
		all = append(all, fmt.Sprintf("%d cells of %s lie outside %.4g to %.4g K", o.Cells, o.Material, o.FromK, o.ToK))
	}
	text := ""
	if len(all) > 0 {
		text = strings.Join(all, "; ") + ": there the properties at the ends of the range were used"
	}
	if l := n.Leakage; l != nil && l.OutOfRange > 0 {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%d leaking cells lie outside %.4g to %.4g K: there the leakage at the ends of the "+
			"range was used", l.OutOfRange, l.FromK, l.ToK)
	}
	return text
}
