package bench

import (
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// A user's stack: every method, named by its settings, the fastest first, within the tolerance of the stack; the direct
// solver cannot take lateral contrast, and says where it is.
func TestRankingOfOwnStack(t *testing.T) {
	s, err := loadExample(tsv.file, [2]int{12, 12})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Options{Executor: processor(t), Runs: 1, Own: &Own{"tsv", m}})
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Tables[0].Rows
	last := len(rows) - 1
	if r.Tables[0].Name != "ranking" || last != len(allMethods()) || rows[last].Variant != "reference" ||
		rows[last].Rank != 0 || !strings.Contains(r.About(), "tsv, TSV array, resolved: 12x12x10 cells, 1440 in all; "+
		"solves stop at an estimated error of 0.0001 K.") {
		t.Fatalf("%s: %+v", r.About(), rows)
	}
	names := map[string]bool{}
	for n, row := range rows[:last] {
		names[row.Method] = true
		if row.Rank != n+1 || n > 0 && row.TotalS < rows[n-1].TotalS || !(row.ErrorK <= 1e-4) || row.Solver != "pcg" ||
			row.Settings == "" {
			t.Errorf("%+v", row)
		}
		if direct := row.Method == directMethod; direct != (row.Note == "as preconditioner only: layer "+
			"lower_silicon has a region of sio2 in silicon") {
			t.Errorf("%s: %q", row.Method, row.Note)
		}
	}
	if len(names) != last {
		t.Errorf("%v", names)
	}
}

// Coolant: methods for symmetric matrices are refused. The others stop at one residual, as not all estimate an error.
func TestRankingWithCoolant(t *testing.T) {
	m, err := mesh.Build(cases.Tiers(9, 1, 1e-7, stack.PorousCavity))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Options{Executor: processor(t), Runs: 1, Own: &Own{"cold", m}})
	if err != nil || !strings.Contains(r.About(), "solves stop at ||b - A x||2 <= 1e-08 ||b||2") {
		t.Fatal(err, r.About())
	}
	var ranked []string
	for _, row := range r.Tables[0].Rows {
		if refused := strings.Contains(row.Note, "whose matrix is not symmetric"); row.Variant == "" &&
			refused == row.Converged {
			t.Errorf("%+v", row)
		}
		if row.Rank > 0 {
			ranked = append(ranked, row.Method)
		}
	}
	if slices.Sort(ranked); !slices.Equal(ranked, []string{"ddilu", "ilu:order=0", "ilu:order=1", "multigrid"}) {
		t.Errorf("%q", ranked)
	}
}

// Rows that did not converge come after those that did, then those that could not run.
func TestOrderOfRanking(t *testing.T) {
	row := func(name string, total Number, converged bool) Row {
		r := newRow()
		r.Method, r.SolveS, r.TotalS, r.Converged = name, total, total, converged
		return r
	}
	rows := []Row{row("refused", unknown, false), row("cut", 1, false), row("slow", 3, true), row("fast", 2, true)}
	sortByTime(rows)
	var got []string
	for _, r := range rows {
		got = append(got, r.Method+" "+columnRank.Text(&r))
	}
	if strings.Join(got, ", ") != "fast 1, slow 2, cut -, refused -" {
		t.Errorf("%q", got)
	}
}
