package ptxgen

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// Constant is a member of an enumeration. Members whose value depends on a macro are omitted.
type Constant struct {
	Name  string
	Value int
	// First marks the first member of its enumeration, whose comment Doc is.
	First bool
	Doc   string
}

var enumeration = regexp.MustCompile(`(?m)^[ \t]*enum\s*\w*\s*\{([^{}]*)\}`)

// ParseConstants reads the enumerations of a C source; path is for messages.
func ParseConstants(path, text string) ([]Constant, error) {
	bare := blankComments(text)
	var all []Constant
	for _, at := range enumeration.FindAllStringSubmatchIndex(bare, -1) {
		next, known, first := 0, true, true
		for member := range strings.SplitSeq(bare[at[2]:at[3]], ",") {
			name, expression, given := strings.Cut(member, "=")
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			if !token.IsIdentifier(name) {
				return nil, fmt.Errorf("%s:%d: cannot read the enumeration member %q", path, line(text, at[0]), name)
			}
			if given {
				v, err := value(strings.TrimSpace(expression), all)
				next, known = v, err == nil
			}
			if known {
				c := Constant{Name: name, Value: next, First: first}
				if first {
					c.Doc = commentAbove(text, at[0])
				}
				all = append(all, c)
				first = false
			}
			next++
		}
	}
	return all, nil
}

// value evaluates an integer expression of numbers and constants. C and Go agree on such expressions.
func value(expression string, constants []Constant) (int, error) {
	scope := types.NewPackage("enum", "enum")
	for _, c := range constants {
		scope.Scope().Insert(types.NewConst(token.NoPos, scope, c.Name, types.Typ[types.UntypedInt],
			constant.MakeInt64(int64(c.Value))))
	}
	result, err := types.Eval(token.NewFileSet(), scope, token.NoPos, expression)
	if err != nil {
		return 0, fmt.Errorf("%s is not a known constant", expression)
	}
	if result.Value == nil || result.Value.Kind() != constant.Int {
		return 0, fmt.Errorf("%s is not an integer constant", expression)
	}
	return strconv.Atoi(result.Value.ExactString())
}
