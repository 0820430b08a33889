// Package spelling guesses the name meant by a misspelled one.
package spelling

import "fmt"

// Nearest returns the candidate with the smallest edit distance to name, if that is small enough for a typo.
func Nearest(name string, candidates []string) (string, bool) {
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

// Hint ends a message on an unknown name with the nearest candidate; "" if there is none.
func Hint(name string, candidates []string) string {
	if n, ok := Nearest(name, candidates); ok {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}
