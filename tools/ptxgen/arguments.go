package ptxgen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Arguments is the Go type of the arguments of one kernel or several: those with the same names of parameters share
// one, with a type parameter for each type in which they differ.
type Arguments struct {
	Name    string // without the module's name
	params  []Param
	fields  []string   // types of the parameters in Go
	differ  []string   // type parameters
	kernels []int      // of the source
	types   [][]string // for each of these kernels: its types for the type parameters
}

// arguments returns the types for all kernels of a source.
func (s *Source) arguments(types map[string]string) ([]Arguments, error) {
	var all []Arguments
	for n := range s.Kernels {
		k := &s.Kernels[n]
		at := slices.IndexFunc(all, func(a Arguments) bool { return slices.EqualFunc(a.params, k.Params, sameName) })
		if at < 0 {
			at = len(all)
			all = append(all, Arguments{params: k.Params})
		}
		all[at].kernels = append(all[at].kernels, n)
	}
	for n := range all {
		if err := all[n].findTypes(s, types); err != nil {
			return nil, err
		}
		all[n].Name = s.sharedName(all[:n], all[n].kernels) + "Args"
	}
	return all, nil
}

func sameName(a, b Param) bool {
	return a.Name == b.Name && (a.Type == "pointer") == (b.Type == "pointer")
}

// findTypes finds the types of the fields, and where they differ between kernels.
func (a *Arguments) findTypes(s *Source, types map[string]string) error {
	a.types = make([][]string, len(a.kernels))
	known := map[string]string{} // type parameters by what they are for each kernel
	for p := range a.params {
		row := make([]string, len(a.kernels))
		for i, n := range a.kernels {
			var err error
			if row[i], err = s.Kernels[n].Params[p].valueType(types); err != nil {
				return fmt.Errorf("kernel %s: %w", s.Kernels[n].Name, err)
			}
		}
		t := row[0]
		if slices.ContainsFunc(row, func(other string) bool { return other != t }) {
			key := strings.Join(row, " ")
			if t = known[key]; t == "" {
				t = string(rune('T' + len(known)))
				known[key] = t
				a.differ = append(a.differ, t)
				for i := range row {
					a.types[i] = append(a.types[i], row[i])
				}
			}
		}
		a.fields = append(a.fields, a.params[p].goType(t))
	}
	return nil
}

// sharedName is the beginning that the names of kernels share, in whole words, if it names no other arguments;
// otherwise the name of the first.
func (s *Source) sharedName(before []Arguments, kernels []int) string {
	first := s.Kernels[kernels[0]].Name
	shared := len(first)
	for _, n := range kernels {
		name := s.Kernels[n].Name
		for shared > 0 && (!strings.HasPrefix(name, first[:shared]) || !endsWord(first, shared) ||
			!endsWord(name, shared)) {
			shared--
		}
	}
	name := exported(first)[:shared]
	taken := name == "" || slices.ContainsFunc(before, func(a Arguments) bool { return a.Name == name+"Args" })
	for n := range s.Kernels {
		taken = taken || exported(s.Kernels[n].Name) == name && !slices.Contains(kernels, n)
	}
	if taken {
		return exported(first)
	}
	return name
}

// endsWord reports whether a word of a name ends before position n.
func endsWord(name string, n int) bool {
	if n == 0 || n >= len(name) {
		return n <= len(name)
	}
	next, last := rune(name[n]), rune(name[n-1])
	return unicode.IsUpper(next) || unicode.IsDigit(next) && !unicode.IsDigit(last)
}

// write writes the type.
func (a *Arguments) write(b *bytes.Buffer, module string) {
	parameters := ""
	if len(a.differ) > 0 {
		parameters = "[" + strings.Join(a.differ, ", ") + " any]"
	}
	fmt.Fprintf(b, "type %s%s%s struct {\n", module, a.Name, parameters)
	writeFields(b, a.params, a.fields)
	fmt.Fprint(b, "}\n\n")
}

// writeFields writes one line for adjacent fields of one type: "Nx, Ny int32".
func writeFields(b *bytes.Buffer, params []Param, types []string) {
	for i, p := range params {
		end := " " + types[i] + "\n"
		if i+1 < len(params) && types[i+1] == types[i] {
			end = ", "
		}
		fmt.Fprint(b, exported(p.Name), end)
	}
}

// typeOfKernel is the type of the arguments of kernel n, without the module's name.
func typeOfKernel(all []Arguments, n int) string {
	for _, a := range all {
		if i := slices.Index(a.kernels, n); i >= 0 && len(a.differ) > 0 {
			return a.Name + "[" + strings.Join(a.types[i], ", ") + "]"
		} else if i >= 0 {
			return a.Name
		}
	}
	return ""
}
