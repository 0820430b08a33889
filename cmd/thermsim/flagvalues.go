package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/gpusolve/methods"
	"thermsim/internal/inputfile"
	"thermsim/stack"
)

// The values of flags. Each implements pflag.Value; its zero value means not given.

// gridSize is --grid.
type gridSize struct{ nx, ny int }

// maxGridSide is the most cells along a side; beyond it a typing slip is likelier than a wish.
const maxGridSide = 1 << 20

func (g *gridSize) Set(text string) error {
	x, y, ok := strings.Cut(strings.ToLower(text), "x")
	nx, errX := strconv.Atoi(x)
	ny, errY := strconv.Atoi(y)
	if !ok || errX != nil || errY != nil {
		return errors.New("write it as NXxNY, for example 256x256")
	}
	if nx < 1 || ny < 1 || nx > maxGridSide || ny > maxGridSide {
		return fmt.Errorf("each side takes 1 to %d cells", maxGridSide)
	}
	g.nx, g.ny = nx, ny
	return nil
}

func (g *gridSize) String() string {
	if g.nx == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", g.nx, g.ny)
}

func (g *gridSize) Type() string { return "NXxNY" }

// boxSize is --grid of a matrix.
type boxSize struct{ nx, ny, nz int }

func (b *boxSize) Set(text string) error {
	sides := strings.Split(strings.ToLower(text), "x")
	if len(sides) != 3 {
		return errors.New("write it as NXxNYxNZ, for example 64x64x10")
	}
	for i, into := range []*int{&b.nx, &b.ny, &b.nz} {
		n, err := strconv.Atoi(sides[i])
		if err != nil || n < 1 || n > math.MaxInt32 {
			return errors.New("write it as NXxNYxNZ, each a whole number of at least 1")
		}
		*into = n
	}
	return nil
}

func (b *boxSize) String() string {
	if b.nx == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%dx%d", b.nx, b.ny, b.nz)
}

func (b *boxSize) Type() string { return "NXxNYxNZ" }

// quantity is a positive number with a unit, in SI units once read.
type quantity struct {
	value float64
	text  string
	kind  string // placeholder in the help
	parse func(string) (float64, error)
}

func temperature() quantity     { return quantity{kind: "TEMP", parse: stack.ParseTemperature} }
func temperatureRise() quantity { return quantity{kind: "K", parse: stack.ParseTemperatureRise} }
func power() quantity           { return quantity{kind: "W", parse: stack.ParsePower} }
func duration() quantity        { return quantity{kind: "TIME", parse: stack.ParseTime} }
func heatTransfer() quantity    { return quantity{kind: "H", parse: stack.ParseHeatTransfer} }
func ratio() quantity           { return quantity{kind: "REL", parse: parseRatio} }

func parseRatio(text string) (float64, error) { return parseNumber(text, "1e-8") }
func parsePlain(text string) (float64, error) { return parseNumber(text, "12") }

func parseNumber(text, example string) (float64, error) {
	v, err := inputfile.Number(text)
	if err != nil {
		return 0, fmt.Errorf("expected a number such as %s", example)
	}
	return v, nil
}

func (q *quantity) Set(text string) error {
	v, err := q.parse(text)
	if err != nil {
		return err
	}
	if !(v > 0) || math.IsInf(v, 0) {
		return errors.New("it must be positive and finite")
	}
	if v > stack.MaxQuantity {
		return fmt.Errorf("it must not exceed %g in SI units", stack.MaxQuantity)
	}
	q.value, q.text = v, text
	return nil
}

func (q *quantity) String() string { return q.text }
func (q *quantity) Type() string   { return q.kind }

// count is a positive whole number.
type count int

func (n *count) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 || v > math.MaxInt32 {
		return fmt.Errorf("it must be a whole number of at least 1, and at most %d", math.MaxInt32)
	}
	*n = count(v)
	return nil
}

func (n *count) String() string {
	if *n == 0 {
		return ""
	}
	return strconv.Itoa(int(*n))
}

func (n *count) Type() string { return "N" }

// deviceName is --device.
type deviceName string

func (d *deviceName) Set(text string) error {
	number, numbered := strings.CutPrefix(text, "gpu:")
	if n, err := strconv.Atoi(number); numbered && (err != nil || n < 0) || !numbered &&
		!slices.Contains(deviceNames(), text) {
		return errors.New("choose auto, cpu, gpu, or gpu:N for the N-th GPU from 0")
	}
	*d = deviceName(text)
	return nil
}

func (d *deviceName) String() string { return string(*d) }
func (d *deviceName) Type() string   { return "NAME" }

func deviceNames() []string { return []string{"auto", "cpu", "gpu"} }

// preconditioner is --precond.
type preconditioner string

func (p *preconditioner) Set(text string) error {
	if text == "" {
		return fmt.Errorf("choose one of %s", strings.Join(methods.Names(), ", "))
	}
	if err := methods.Check(text); err != nil {
		return err
	}
	*p = preconditioner(text)
	return nil
}

func (p *preconditioner) String() string { return string(*p) }
func (p *preconditioner) Type() string   { return "NAME" }

// places is a number of decimals.
type places struct {
	n     int
	given bool
}

func (p *places) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 15 {
		return errors.New("give a whole number from 0 to 15")
	}
	p.n, p.given = n, true
	return nil
}

func (p *places) String() string {
	if !p.given {
		return ""
	}
	return strconv.Itoa(p.n)
}

func (p *places) Type() string { return "N" }

// count is the number, or -1 where none was given.
func (p *places) count() int {
	if !p.given {
		return -1
	}
	return p.n
}

// jsonFlag is --json, which takes no value.
type jsonFlag bool

func (j *jsonFlag) Set(text string) error {
	given, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("it takes no value; --json-lines prints a line per step as it ends and one for the summary")
	}
	*j = jsonFlag(given)
	return nil
}

func (j *jsonFlag) String() string { return strconv.FormatBool(bool(*j)) }
func (j *jsonFlag) Type() string   { return "bool" } // which the help shows as no value

// IsBoolFlag lets pflag take the flag without a value.
func (j *jsonFlag) IsBoolFlag() bool { return true }
