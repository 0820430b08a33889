package ptxgen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Source is what a .cu file declares.
type Source struct {
	Name      string // file name without .cu
	Classes   []int  // values of NZ, for each of which it is compiled; none if it does not use NZ
	Constants []Constant
	Structs   []Struct
	Kernels   []Kernel
}

// Kernel is one declaration KERNEL void BOUNDS(threads) name(params), with DYNAMIC before the name if its
// launch specifies shared memory.
type Kernel struct {
	Name    string
	Dynamic bool
	Doc     string // the comment above, one line per element of the source
	Bound   string // threads as written: a constant's name or a number
	Threads int
	Params  []Param
}

// Param is a parameter of a kernel. Type is a key of the table of types, "pointer" for any pointer; Element is what a
// pointer points at.
type Param struct {
	Name, Type, Element string
}

// paramType has the names of a parameter type in Go and PTX. Parameters are aligned to their size.
type paramType struct {
	Go   string
	PTX  string
	Size int
}

func typeOf(name string) (paramType, bool) {
	t, ok := map[string]paramType{
		"int":     {"int32", "u32", 4},
		"u32":     {"uint32", "u32", 4},
		"i64":     {"int64", "u64", 8},
		"u64":     {"uint64", "u64", 8},
		"float":   {"float32", "f32", 4},
		"double":  {"float64", "f64", 8},
		"pointer": {"cudriver.Ptr", "u64", 8},
	}[name]
	return t, ok
}

var (
	kernelWord  = regexp.MustCompile(`(?m)^[ \t]*KERNEL\b`)
	declaration = regexp.MustCompile(`(?m)^[ \t]*KERNEL\s+void\s+BOUNDS\(\s*(\w+)\s*(?:,\s*\w+\s*)?\)\s+(DYNAMIC\s+)?(\w+)\s*\(([^()]*)\)\s*\{`)
	demandsNZ   = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*ifndef[ \t]+NZ\b`)
	classes     = regexp.MustCompile(`(?m)^// NZ is one of ([0-9]+(?:, [0-9]+)*)$`)
)

// ReadSource reads the declarations of a .cu file.
func ReadSource(path string) (*Source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseSource(path, string(text))
}

// ParseSource reads the declarations in the text of a .cu file; path is for names and messages.
func ParseSource(path, text string) (*Source, error) {
	bare := blankComments(text)
	s := &Source{Name: strings.TrimSuffix(filepath.Base(path), ".cu")}
	if demandsNZ.MatchString(bare) {
		if s.Classes = parseClasses(text); s.Classes == nil {
			return nil, fmt.Errorf("%s: uses NZ without values. Fix: list them in a line as // NZ is one of 0, 4, "+
				"10", path)
		}
	}
	constants, err := ParseConstants(path, text)
	if err != nil {
		return nil, err
	}
	s.Constants = constants
	s.Structs = parseStructs(text)
	found := declaration.FindAllStringSubmatchIndex(bare, -1)
	starts := map[int]bool{}
	for _, at := range found {
		starts[at[0]] = true
	}
	for _, at := range kernelWord.FindAllStringIndex(bare, -1) {
		if !starts[at[0]] {
			return nil, fmt.Errorf("%s:%d: not of the form KERNEL void BOUNDS(threads) name(parameters) {", path,
				line(text, at[0]))
		}
	}
	for _, at := range found {
		k := Kernel{Bound: bare[at[2]:at[3]], Name: bare[at[6]:at[7]], Dynamic: at[4] >= 0,
			Doc: commentAbove(text, at[0])}
		location := fmt.Sprintf("%s:%d: kernel %s", path, line(text, at[0]), k.Name)
		if k.Threads, err = value(k.Bound, constants); err != nil {
			return nil, fmt.Errorf("%s: BOUNDS(%s): %w; define it in an enum of this file", location, k.Bound, err)
		}
		if k.Threads < 1 || k.Threads > 1024 {
			return nil, fmt.Errorf("%s: %d threads; a block has 1 to 1024", location, k.Threads)
		}
		if k.Params, err = parseParams(bare[at[8]:at[9]]); err != nil {
			return nil, fmt.Errorf("%s: %w", location, err)
		}
		s.Kernels = append(s.Kernels, k)
	}
	if len(s.Kernels) == 0 {
		return nil, fmt.Errorf("%s: no kernels", path)
	}
	return s, nil
}

// parseClasses reads the values of NZ, nil if no line lists them.
func parseClasses(text string) (all []int) {
	found := classes.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	for number := range strings.SplitSeq(found[1], ", ") {
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// parseParams reads the parameters of a kernel; bare has no comments.
func parseParams(bare string) ([]Param, error) {
	if strings.TrimSpace(bare) == "" {
		return nil, nil
	}
	var params []Param
	for text := range strings.SplitSeq(bare, ",") {
		pointer := strings.Contains(text, "*")
		var words []string
		for _, word := range strings.Fields(strings.ReplaceAll(text, "*", " ")) {
			if word != "const" && word != "volatile" && word != "RESTRICT" {
				words = append(words, word)
			}
		}
		if len(words) != 2 || strings.Count(text, "*") > 1 {
			return nil, fmt.Errorf("parameter %q is not a type and a name", strings.TrimSpace(text))
		}
		p := Param{Name: words[1], Type: words[0]}
		if pointer {
			p.Type, p.Element = "pointer", words[0]
		}
		if _, ok := typeOf(p.Type); !ok {
			return nil, fmt.Errorf("parameter %s: type %s has no Go launcher; use int, u32, i64, u64, float, double "+
				"or a pointer", p.Name, p.Type)
		}
		params = append(params, p)
	}
	return params, nil
}

// blankComments replaces comments by spaces, which keeps offsets.
func blankComments(text string) string {
	out := []byte(text)
	for i := 0; i+1 < len(out); i++ {
		end := 0
		switch text[i : i+2] {
		case "//":
			end = strings.IndexByte(text[i:], '\n')
		case "/*":
			if end = strings.Index(text[i:], "*/"); end >= 0 {
				end += 2
			}
		default:
			continue
		}
		if end < 0 {
			end = len(text) - i
		}
		for j := i; j < i+end; j++ {
			if out[j] != '\n' {
				out[j] = ' '
			}
		}
		i += end - 1
	}
	return string(out)
}

// commentAbove returns the // lines directly above an offset, without their marks.
func commentAbove(text string, at int) string {
	lines := strings.Split(text[:at], "\n")
	lines = lines[:len(lines)-1]
	first := len(lines)
	for first > 0 && strings.HasPrefix(strings.TrimSpace(lines[first-1]), "//") {
		first--
	}
	var doc []string
	for _, l := range lines[first:] {
		doc = append(doc, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(l), "//")))
	}
	return strings.Join(doc, "\n")
}

func line(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }
