package flags

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
	"thermsim/stack/stackfile"
)

// The values of flags. Each implements pflag.Value; its zero value means not given.

// GridSize is --grid.
type GridSize struct{ NX, NY int }

// maxGridSide is the most cells along a side; beyond it a typing slip is likelier than a wish.
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

func (b *BoxSize) Set(text string) error {
	sides := strings.Split(strings.ToLower(text), "x")
	if len(sides) != 3 {
		return errors.New("write it as NXxNYxNZ, for example 64x64x10")
	}
	for i, into := range []*int{&b.NX, &b.NY, &b.NZ} {
		n, err := strconv.Atoi(sides[i])
		if err != nil || n < 1 || n > math.MaxInt32 {
			return errors.New("write it as NXxNYxNZ, each a whole number of at least 1")
		}
		*into = n
	}
	return nil
}

func (b *BoxSize) String() string {
	if b.NX == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%dx%d", b.NX, b.NY, b.NZ)
}

func (b *BoxSize) Type() string { return "NXxNYxNZ" }

// Quantity is a positive number with a unit, in SI units once read.
type Quantity struct {
	Value float64
	Text  string
	Kind  string // placeholder in the help
	Parse func(string) (float64, error)
}

func Temperature() Quantity     { return Quantity{Kind: "TEMP", Parse: stackfile.ParseTemperature} }
func TemperatureRise() Quantity { return Quantity{Kind: "K", Parse: stackfile.ParseTemperatureRise} }
func Power() Quantity           { return Quantity{Kind: "W", Parse: stackfile.ParsePower} }
func Duration() Quantity        { return Quantity{Kind: "TIME", Parse: stackfile.ParseTime} }
func HeatTransfer() Quantity    { return Quantity{Kind: "H", Parse: stackfile.ParseHeatTransfer} }
func Ratio() Quantity           { return Quantity{Kind: "REL", Parse: ParseRatio} }

func ParseRatio(text string) (float64, error) { return parseNumber(text, "1e-8") }
func parsePlain(text string) (float64, error) { return parseNumber(text, "12") }

func parseNumber(text, example string) (float64, error) {
	v, err := inputfile.Number(text)
	if err != nil {
		return 0, fmt.Errorf("expected a number such as %s", example)
	}
	return v, nil
}

func (q *Quantity) Set(text string) error {
	v, err := q.Parse(text)
	if err != nil {
		return err
	}
	if !(v > 0) || math.IsInf(v, 0) {
		return errors.New("it must be positive and finite")
	}
	if v > stack.MaxQuantity {
		return fmt.Errorf("it must not exceed %g in SI units", stack.MaxQuantity)
	}
	q.Value, q.Text = v, text
	return nil
}

func (q *Quantity) String() string { return q.Text }
func (q *Quantity) Type() string   { return q.Kind }

// Count is a positive whole number.
type Count int

func (n *Count) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 || v > math.MaxInt32 {
		return fmt.Errorf("it must be a whole number of at least 1, and at most %d", math.MaxInt32)
	}
	*n = Count(v)
	return nil
}

func (n *Count) String() string {
	if *n == 0 {
		return ""
	}
	return strconv.Itoa(int(*n))
}

func (n *Count) Type() string { return "N" }

// Device is --device.
type Device string

func (d *Device) Set(text string) error {
	number, numbered := strings.CutPrefix(text, "gpu:")
	if n, err := strconv.Atoi(number); numbered && (err != nil || n < 0) || !numbered &&
		!slices.Contains(DeviceNames(), text) {
		return errors.New("choose auto, cpu, gpu, or gpu:N for the N-th GPU from 0")
	}
	*d = Device(text)
	return nil
}

func (d *Device) String() string { return string(*d) }
func (d *Device) Type() string   { return "NAME" }

func DeviceNames() []string { return []string{"auto", "cpu", "gpu"} }

// Preconditioner is --precond.
type Preconditioner string

func (p *Preconditioner) Set(text string) error {
	if text == "" {
		return fmt.Errorf("choose one of %s", strings.Join(methods.Names(), ", "))
	}
	if err := methods.Check(text); err != nil {
		return err
	}
	*p = Preconditioner(text)
	return nil
}

func (p *Preconditioner) String() string { return string(*p) }
func (p *Preconditioner) Type() string   { return "NAME" }

// Places is a number of decimals.
type Places struct {
	n     int
	Given bool
}

func (p *Places) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 15 {
		return errors.New("give a whole number from 0 to 15")
	}
	p.n, p.Given = n, true
	return nil
}

func (p *Places) String() string {
	if !p.Given {
		return ""
	}
	return strconv.Itoa(p.n)
}

func (p *Places) Type() string { return "N" }

// Count is the number, or -1 where none was given.
func (p *Places) Count() int {
	if !p.Given {
		return -1
	}
	return p.n
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
