package flags

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"thermsim/gpusolve/methods"
	"thermsim/internal/inputfile"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// value is the value of a flag. A variable keeps its zero value where the flag is not given.
type value[T any] struct {
	into  *T
	text  string
	kind  string // placeholder in the help
	parse func(string) (T, error)
}

func (v *value[T]) Set(text string) error {
	x, err := v.parse(text)
	if err == nil {
		*v.into, v.text = x, text
	}
	return err
}

func (v *value[T]) String() string { return v.text }
func (v *value[T]) Type() string   { return v.kind }

// Var offers a flag whose value parse reads.
func Var[T any](f *pflag.FlagSet, into *T, name, kind, usage string, parse func(string) (T, error)) {
	f.Var(&value[T]{into: into, kind: kind, parse: parse}, name, usage)
}

// GridSize is --grid.
type GridSize struct{ NX, NY int }

// maxGridSide is the most cells along a side; larger numbers are likely typing errors.
const maxGridSide = 1 << 20

func (g *GridSize) Set(text string) error {
	x, y, ok := strings.Cut(strings.ToLower(text), "x")
	nx, errX := strconv.Atoi(x)
	ny, errY := strconv.Atoi(y)
	if !ok || errX != nil || errY != nil {
		return errors.New("write it as NXxNY, for example 256x256")
	}
	if nx < 1 || ny < 1 || nx > maxGridSide || ny > maxGridSide {
		return fmt.Errorf("each side takes 1 to %d cells", maxGridSide)
	}
	g.NX, g.NY = nx, ny
	return nil
}

func (g *GridSize) String() string {
	if g.NX == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", g.NX, g.NY)
}

func (g *GridSize) Type() string { return "NXxNY" }

// BoxSize is --grid of a matrix.
type BoxSize struct{ NX, NY, NZ int }

// ParseBoxSize reads NXxNYxNZ.
func ParseBoxSize(text string) (b BoxSize, err error) {
	sides := strings.Split(strings.ToLower(text), "x")
	if len(sides) != 3 {
		return b, errors.New("write it as NXxNYxNZ, for example 64x64x10")
	}
	for i, into := range []*int{&b.NX, &b.NY, &b.NZ} {
		n, err := strconv.Atoi(sides[i])
		if err != nil || n < 1 || n > math.MaxInt32 {
			return b, errors.New("write it as NXxNYxNZ, each a whole number of at least 1")
		}
		*into = n
	}
	return b, nil
}

// Quantity is a kind of positive numbers with a unit, in SI units once read.
type Quantity struct {
	Kind string // placeholder in the help
	Read func(string) (float64, error)
}

// Quantities of flags.
var (
	Temperature  = Quantity{"TEMP", stackfile.ParseTemperature}
	Rise         = Quantity{"K", stackfile.ParseTemperatureRise}
	Power        = Quantity{"W", stackfile.ParsePower}
	Duration     = Quantity{"TIME", stackfile.ParseTime}
	HeatTransfer = Quantity{"H", stackfile.ParseHeatTransfer}
	Ratio        = Quantity{"REL", ParseRatio}
	Norm         = Quantity{"NORM", ParseRatio}
)

// Var offers a flag of that kind.
func (q Quantity) Var(f *pflag.FlagSet, into *float64, name, usage string) {
	Var(f, into, name, q.Kind, usage, q.Parse)
}

// Parse reads a positive number with a unit.
func (q Quantity) Parse(text string) (float64, error) {
	v, err := q.Read(text)
	switch {
	case err != nil:
		return 0, err
	case !(v > 0) || math.IsInf(v, 0):
		return 0, errors.New("it must be positive and finite")
	case v > stack.MaxQuantity:
		return 0, fmt.Errorf("it must not exceed %g in SI units", stack.MaxQuantity)
	}
	return v, nil
}

func ParseRatio(text string) (float64, error) { return parseNumber(text, "1e-8") }
func parsePlain(text string) (float64, error) { return parseNumber(text, "12") }

func parseNumber(text, example string) (float64, error) {
	v, err := inputfile.Number(text)
	if err != nil {
		return 0, fmt.Errorf("expected a number such as %s", example)
	}
	return v, nil
}

// CountVar offers a flag of a positive whole number.
func CountVar(f *pflag.FlagSet, into *int, name, usage string) {
	Var(f, into, name, "N", usage, func(text string) (int, error) {
		v, err := strconv.Atoi(text)
		if err != nil || v < 1 || v > math.MaxInt32 {
			return 0, fmt.Errorf("it must be a whole number of at least 1, and at most %d", math.MaxInt32)
		}
		return v, nil
	})
}

// CellsVar offers a flag of a whole number that may be written as 4e7.
func CellsVar(f *pflag.FlagSet, into *int, name, usage string) {
	Var(f, into, name, "N", usage, func(text string) (int, error) {
		v, err := ParseRatio(text)
		if err != nil || v < 1 || v > 1e12 || v != float64(int(v)) {
			return 0, errors.New("it must be a whole number of at least 1, such as 5000000 or 5e6")
		}
		return int(v), nil
	})
}

// GridsVar offers a flag of several grids, which may be repeated.
func GridsVar(f *pflag.FlagSet, into *[][2]int, name, usage string) {
	const most = 100
	Var(f, into, name, "LIST", usage, func(text string) ([][2]int, error) {
		sizes := *into
		for part := range strings.SplitSeq(text, ",") {
			if len(sizes) == most {
				return nil, fmt.Errorf("at most %d grids at a time", most)
			}
			var g GridSize
			if err := g.Set(part); err != nil {
				return nil, err
			}
			sizes = append(sizes, [2]int{g.NX, g.NY})
		}
		return sizes, nil
	})
}

// PlacesVar offers a flag of a number of decimals, nil where it is not given.
func PlacesVar(f *pflag.FlagSet, into **int, name, usage string) {
	Var(f, into, name, "N", usage, func(text string) (*int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 15 {
			return nil, errors.New("give a whole number from 0 to 15")
		}
		return &n, nil
	})
}

// parseDevice reads --device.
func parseDevice(text string) (string, error) {
	number, numbered := strings.CutPrefix(text, "gpu:")
	if n, err := strconv.Atoi(number); numbered && (err != nil || n < 0) || !numbered &&
		!slices.Contains(DeviceNames(), text) {
		return "", errors.New("choose auto, cpu, gpu, or gpu:N for the N-th GPU from 0")
	}
	return text, nil
}

func DeviceNames() []string { return []string{"auto", "cpu", "gpu"} }

// parsePrecond reads --precond.
func parsePrecond(text string) (string, error) {
	if text == "" {
		return "", fmt.Errorf("choose one of %s", strings.Join(methods.Names(), ", "))
	}
	return text, methods.Check(text)
}

// JSON is --json, which takes no value.
type JSON bool

func (j *JSON) Set(text string) error {
	given, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("it takes no value; --json-lines prints a line per step as it ends and one for the summary")
	}
	*j = JSON(given)
	return nil
}

func (j *JSON) String() string { return strconv.FormatBool(bool(*j)) }
func (j *JSON) Type() string   { return "bool" } // which the help shows as no value

// IsBoolFlag lets pflag take the flag without a value.
func (j *JSON) IsBoolFlag() bool { return true }
