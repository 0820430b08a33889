package stack

import "fmt"

// nearest returns the candidate with the smallest edit distance to name, if that is small enough to be a slip.
func nearest(name string, candidates []string) (string, bool) {
	best, at := len(name)/3+2, ""
	for _, c := range candidates {
		if d := editDistance(name, c, best); d < best {
			best, at = d, c
		}
	}
	return at, at != ""
}

// editDistance is Levenshtein's, by Wagner and Fischer's recurrence (J. ACM 21, 1974); it gives up at limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], limit)
}

// didYouMean is a remedy that names the nearest candidate, or all where they are few.
func didYouMean(name string, candidates []string) string {
	if n, ok := nearest(name, candidates); ok {
		return fmt.Sprintf("did you mean %q?", n)
	}
	const few = 12
	if len(candidates) == 0 || len(candidates) > few {
		return ""
	}
	short := make([]string, len(candidates))
	for i, c := range candidates {
		short[i] = shorten(c)
	}
	return "known: " + joinWords(short)
}

// suggest is didYouMean for names that a file may have thousands of: only the faults that are told get one.
func (d *decoder) suggest(name string, candidates func() []string) string {
	if len(d.faults.list) >= maxFaults {
		return ""
	}
	return didYouMean(name, candidates())
}

// these are candidates that are at hand.
func these(names []string) func() []string { return func() []string { return names } }
