package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// scope has the values of a template: the file, the rows of a line, those among which conditions in brackets choose,
// and the rows of all lines, for the least and the greatest value.
type scope struct {
	file   any
	rows   []any
	choice []any
	lines  [][]any
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// fill puts values into a template. The text around them is left out if all of them are missing.
func fill(template string, s scope) (string, error) {
	var failed error
	asked, found := false, false
	text := placeholder.ReplaceAllStringFunc(template, func(p string) string {
		inside := p[1 : len(p)-1]
		conditions := strings.LastIndexByte(inside, ']') + 1 // which may contain colons
		rest, format, _ := strings.Cut(inside[conditions:], ":")
		expression := inside[:conditions] + rest
		value, err := s.extreme(expression, format)
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", p, err)
		}
		asked, found = true, found || value != ""
		return value
	})
	if asked && !found {
		return "", failed
	}
	return text, failed
}

// extreme is the least or greatest value of an expression in all lines that have it, the range, or its value.
func (s scope) extreme(expression, format string) (string, error) {
	word, rest, _ := strings.Cut(expression, " ")
	if word == "each" {
		return s.each(rest, format)
	}
	if word != "least" && word != "most" && word != "range" {
		return s.value(expression, format)
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, line := range s.lines {
		text, err := scope{file: s.file, rows: line, choice: line}.value(rest, "exact")
		if err != nil {
			return "", err
		}
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			least, most = min(least, v), max(most, v)
		}
	}
	if least > most {
		return "", fmt.Errorf("no line has %s", rest)
	}
	low, err := form(least, format)
	high, failed := form(most, format)
	switch {
	case word == "most", low == high:
		return high, failed
	case word == "least":
		return low, err
	}
	return low + " to " + high, errors.Join(err, failed)
}

// each lists the different values of an expression. The format hash shortens commits.
func (s scope) each(expression, format string) (string, error) {
	var all []string
	for _, line := range s.lines {
		text, err := scope{file: s.file, rows: line, choice: line}.value(expression, strings.TrimSuffix(format, "hash"))
		if err != nil {
			return "", err
		}
		if format == "hash" {
			text = text[:min(len(text), 8)]
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", "), nil
}

var term = regexp.MustCompile(`^([.\w]+)(\[[^\]]*\])?(\?0?)?`)

// value formats an expression. It is empty if an optional term is missing.
func (s scope) value(expression, format string) (string, error) {
	rest, operator := strings.TrimSpace(expression), byte(0)
	total, text := 0.0, ""
	for {
		m := term.FindStringSubmatch(rest)
		if m == nil {
			return "", fmt.Errorf("got %q; expected a number or a field", rest)
		}
		v, err := s.term(m[1], m[2])
		switch {
		case err != nil && m[3] == "":
			return "", fmt.Errorf("%s: %w", m[0], err)
		case v == nil && m[3] == "":
			return "", fmt.Errorf("%s has no value", m[0])
		case v == nil && m[3] == "?":
			return "", nil
		case v == nil:
			v = json.Number("0")
		}
		text = fmt.Sprint(v)
		rest = strings.TrimSpace(rest[len(m[0]):])
		if operator == 0 && rest == "" && format == "" {
			return text, nil
		}
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return "", fmt.Errorf("%s is %q, not a number", m[0], text)
		}
		if operator == '/' && number == 0 && m[3] == "?" {
			return "", nil
		}
		total = apply(total, operator, number)
		if rest == "" {
			return form(total, format)
		}
		operator, rest = rest[0], strings.TrimSpace(rest[1:])
		if !strings.ContainsRune("+-*/", rune(operator)) {
			return "", fmt.Errorf("got %q; expected + - * or /", operator)
		}
	}
}

func apply(a float64, operator byte, b float64) float64 {
	switch operator {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	case '/':
		return a / b
	}
	return b
}

// term is a number, or the value of a field; nil if there is none.
func (s scope) term(name, condition string) (any, error) {
	if _, err := strconv.ParseFloat(name, 64); err == nil {
		return json.Number(name), nil
	}
	if path, found := strings.CutPrefix(name, "."); found {
		return field(s.file, path), nil
	}
	wanted, err := filters(strings.Trim(condition, "[]"), ",")
	if err != nil {
		return nil, err
	}
	if condition == "" {
		return field(s.rows[0], name), nil
	}
	var found []any
	for _, row := range s.choice {
		if matches(row, wanted) {
			found = append(found, row)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d rows of %d match; expected one", len(found), len(s.choice))
	}
	return field(found[0], name), nil
}
