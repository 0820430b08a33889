package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"thermsim/internal/nullable"
	"thermsim/internal/printable"
)

// Result contains all measurements of one benchmark.
type Result struct {
	Schema   int       `json:"schema"` // 2
	Date     string    `json:"date"`
	Version  string    `json:"version"`
	Device   Device    `json:"device"`
	Problems []Problem `json:"problems"`
	Tables   []Sheet   `json:"tables"`
}

// Device describes the measured device.
type Device struct {
	Kind        string `json:"kind"` // cpu or gpu
	Name        string `json:"name"`
	Driver      string `json:"driver,omitempty"`
	Threads     int    `json:"threads,omitempty"`      // cpu
	CopyTBperS  Number `json:"copy_TB_per_s"`          // device memory, read and write.
	OpenS       Number `json:"open_s"`                 // for opening, not included in other times.
	MemoryBytes int64  `json:"memory_bytes,omitempty"` // gpu
}

// Problem is the stack of a family of systems, or a user's. Stacks that are not layers of one cell have no lists here.
type Problem struct {
	Name         string    `json:"name"`
	About        string    `json:"about"`
	DieMM        float64   `json:"die_mm"` // side of the square.
	LayersUM     []float64 `json:"layers_um"`
	ConductWmK   []float64 `json:"k_W_per_mK"`
	CapacityJm3K []float64 `json:"c_J_per_m3K"`
	HWm2K        float64   `json:"h_W_per_m2K"` // top face; the others are adiabatic.
	PowerW       float64   `json:"power_W"`
	StepS        float64   `json:"dt_s"`
	Steps        int       `json:"steps"`
	StopW        float64   `json:"stop_W"` // ||b - A x||2
}

// Sheet is a table of the paper with its rows.
type Sheet struct {
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
}

// Row is one measurement. Fields that do not apply to the table are zero or null.
type Row struct {
	Case     string `json:"case"`
	Grid     string `json:"grid"`
	Cells    int    `json:"cells"`
	Method   string `json:"method"`             // with settings, as for --precond.
	Variant  string `json:"variant"`            // the variant in tables of variants.
	Rank     int    `json:"rank,omitempty"`     // by total time, in the ranking of a user's stack.
	Solver   string `json:"solver,omitempty"`   // that ran, such as pcg.
	Settings string `json:"settings,omitempty"` // all settings of the method, in that ranking.

	Steps      int    `json:"steps,omitempty"` // done
	Iterations int    `json:"iterations"`
	SetupS     Number `json:"setup_s"`
	SolveS     Number `json:"solve_s"`
	TotalS     Number `json:"total_s"`
	StepS      Number `json:"step_s"`           // mean solve time of the completed steps.
	ProductS   Number `json:"product_s"`        // one product with A
	ToBase     Number `json:"time_to_base"`     // relative to the base row of the table.
	ToDefault  Number `json:"solve_to_default"` // relative to the default method on the same system.
	ToDirect   Number `json:"solve_to_direct"`  // relative to the direct solver, if applicable.

	ResidualW    Number `json:"residual_W"`
	ErrorK       Number `json:"error_inf_K"`
	MaxAEK       Number `json:"max_ae_K"`
	MAEK         Number `json:"mae_K"`
	TopMaxAEK    Number `json:"top_max_ae_K"` // in the heated layer of the upper die.
	TopMAEK      Number `json:"top_mae_K"`
	PeakK        Number `json:"max_K"`
	BytesPerCell Number `json:"device_bytes_per_cell"`
	// CopyBytes is the number of bytes that the device could copy in the time, per cell and iteration or product.
	CopyBytes Number `json:"copy_bytes_per_cell"`
	// LeastBytes is the minimum number of bytes that a product reads and writes, per cell.
	LeastBytes Number `json:"least_bytes_per_cell"`

	Build     string `json:"build"`   // version that measured the row.
	LimitS    Number `json:"limit_s"` // time limit of the row.
	Runs      int    `json:"runs"`    // number of runs for the median.
	Converged bool   `json:"converged"`
	Reason    string `json:"reason"`
	Details   string `json:"details,omitempty"`
	Note      string `json:"note,omitempty"` // why the row is incomplete.
	// External is the source of the row if another program or device measured it.
	External *External `json:"external,omitempty"`

	cutOff bool // time limit exceeded
}

// Number is a measured value, NaN if unknown.
type Number = nullable.Number

// newRow is a row without numbers.
func newRow() Row {
	none := Number(math.NaN())
	return Row{
		SetupS: none, SolveS: none, TotalS: none, ProductS: none, ToBase: none, ToDefault: none, ToDirect: none,
		ResidualW: none, ErrorK: none, MaxAEK: none, MAEK: none, TopMaxAEK: none, TopMAEK: none, PeakK: none,
		BytesPerCell: none, CopyBytes: none, LeastBytes: none, LimitS: none, StepS: none,
	}
}

// WriteJSON writes the whole result.
func (r *Result) WriteJSON(w io.Writer) error {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ReadResult reads the output of WriteJSON; unknown fields are an error.
func ReadResult(r io.Reader) (*Result, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var result Result
	if err := d.Decode(&result); err != nil {
		return nil, fmt.Errorf("not a result file of thermsim bench: %w", err)
	}
	if result.Schema != 2 {
		return nil, fmt.Errorf("result file of thermsim bench: got schema %d; expected 2", result.Schema)
	}
	return &result, nil
}

// WriteCSV writes a line for every row of every table, with the column names of the JSON.
func (r *Result) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	kind := reflect.TypeFor[Row]()
	head := []string{"table", "device"}
	for i := range kind.NumField() {
		if !kind.Field(i).IsExported() {
			continue
		}
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		head = append(head, name)
	}
	if err := c.Write(head); err != nil {
		return err
	}
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			line := []string{printable.Cell(t.Name), printable.Cell(r.Device.Name)}
			v := reflect.ValueOf(row)
			for i := range v.NumField() {
				if !kind.Field(i).IsExported() {
					continue
				}
				line = append(line, csvText(v.Field(i)))
			}
			if err := c.Write(line); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

func csvText(v reflect.Value) string {
	if n, ok := v.Interface().(Number); ok {
		if !n.Known() {
			return ""
		}
		return strconv.FormatFloat(float64(n), 'g', -1, 64)
	}
	if e, ok := v.Interface().(*External); ok {
		if e == nil {
			return ""
		}
		return printable.Cell(e.String())
	}
	if v.Kind() == reflect.String {
		return printable.Cell(v.String())
	}
	return fmt.Sprint(v.Interface())
}
