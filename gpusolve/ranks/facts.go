package ranks

import "fmt"

// Fact is something that all ranks of a run must have in common, such as the hash of an input.
type Fact struct {
	Name  string `json:"name"` // as in "the grid"
	Value string `json:"value"`
}

// longestShown is the length of values that a message shows: hashes tell nobody anything.
const longestShown = 60

// Difference says what theirs have that ours have not, in the order of ours; "" where there is none.
func Difference(ours, theirs []Fact) string {
	others := map[string]string{}
	for _, f := range theirs {
		others[f.Name] = f.Value
	}
	for _, f := range ours {
		value, known := others[f.Name]
		switch {
		case !known:
			return fmt.Sprintf("%s is not known there", f.Name)
		case value != f.Value && len(value) <= longestShown && len(f.Value) <= longestShown:
			return fmt.Sprintf("%s is %s there and %s on rank 0", f.Name, named(value), named(f.Value))
		case value != f.Value:
			return fmt.Sprintf("%s differs from that of rank 0", f.Name)
		}
		delete(others, f.Name)
	}
	for _, f := range theirs {
		if _, left := others[f.Name]; left {
			return fmt.Sprintf("%s is known there and not on rank 0", f.Name)
		}
	}
	return ""
}

func named(value string) string {
	if value == "" {
		return "not given"
	}
	return value
}
