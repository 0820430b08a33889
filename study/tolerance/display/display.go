// Package display writes the results of a tolerance analysis as tables, JSON and a picture.
package display

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/study/tolerance"
)

// Sorted are the numbers of the parameters by descending total index.
func Sorted(r *tolerance.Result) []int {
	order := make([]int, len(r.Parameters))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.Parameters[b].Total, r.Parameters[a].Total)
	})
	return order
}

// Verdict is the answer in one sentence.
func Verdict(r *tolerance.Result) string {
	if y := r.Yield; y != nil {
		return fmt.Sprintf("%.4g %% of the runs meet all limits (95 %% confidence: %.4g to %.4g %%)", 100*y.Part,
			100*y.Low, 100*y.High)
	}
	q := r.At(0.95)
	return fmt.Sprintf("95 %% of the runs stay below %s degC (95 %% confidence: %s to %s)", Celsius(q.Kelvin),
		Celsius(q.Low), Celsius(q.High))
}

// Celsius is a temperature in text.
func Celsius(kelvin float64) string {
	if math.IsInf(kelvin, 0) {
		return "runaway"
	}
	return fmt.Sprintf("%.2f", kelvin-quantity.ZeroCelsius)
}

// CSV writes a row for each parameter.
func CSV(w io.Writer, r *tolerance.Result) error {
	rows := [][]string{{"parameter", "spread", "mean", "sigma", "unit", "S1", "S1_error", "ST", "ST_error",
		"first_order_K_per_unit", "first_order_sigma_K", "first_order_share"}}
	number := func(x float64) string {
		if !quantity.Finite(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 10, 64)
	}
	for _, i := range Sorted(r) {
		p := &r.Parameters[i]
		s := p.Vary.Spread
		row := []string{p.Vary.Label, s.Text, number(s.Mean), number(s.Sigma), s.Unit, number(p.Alone),
			number(p.AloneError), number(p.Total), number(p.TotalError), "", "", ""}
		if f := r.First; f != nil {
			row = append(row[:9], number(f.Derivatives[i]), number(f.Derivatives[i]*s.Sigma),
				number(f.Part(i, p.Vary)))
		}
		rows = append(rows, row)
	}
	return tables.WriteRows(w, rows)
}

type file struct {
	Output     string      `json:"output"`
	Samples    int         `json:"samples"`
	Runs       int         `json:"runs"`
	MeanK      float64     `json:"mean_K"`
	SigmaK     float64     `json:"sigma_K"`
	MinK       float64     `json:"min_K"`
	MaxK       float64     `json:"max_K"`
	Quantiles  []quantile  `json:"quantiles"`
	Yield      *share      `json:"yield,omitempty"`
	FirstOrder *firstOrder `json:"first_order,omitempty"`
	Parameters []parameter `json:"parameters"`
}

type quantile struct {
	Part  float64 `json:"part"`
	K     float64 `json:"K"`
	LowK  float64 `json:"low_K"`
	HighK float64 `json:"high_K"`
}

type share struct {
	Part float64 `json:"part"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type firstOrder struct {
	MeanK  float64 `json:"mean_K"`
	SigmaK float64 `json:"sigma_K"`
}

type parameter struct {
	Name     string   `json:"name"`
	Keys     []string `json:"keys"`
	Spread   string   `json:"spread"`
	Mean     float64  `json:"mean"`
	Sigma    float64  `json:"sigma"`
	Unit     string   `json:"unit"`
	S1       float64  `json:"S1"`
	S1Error  float64  `json:"S1_error"`
	ST       float64  `json:"ST"`
	STError  float64  `json:"ST_error"`
	KPerUnit *float64 `json:"first_order_K_per_unit,omitempty"`
	Share    *float64 `json:"first_order_share,omitempty"`
}

// JSON writes all results except the runs.
func JSON(w io.Writer, r *tolerance.Result) error {
	out := file{Output: r.Output, Samples: r.Samples, Runs: r.Runs, MeanK: r.Mean, SigmaK: r.Sigma, MinK: r.Low,
		MaxK: r.High}
	for _, q := range r.Quantiles {
		out.Quantiles = append(out.Quantiles, quantile{q.Part, q.Kelvin, q.Low, q.High})
	}
	if r.Yield != nil {
		out.Yield = &share{r.Yield.Part, r.Yield.Low, r.Yield.High}
	}
	f := r.First
	if f != nil {
		out.FirstOrder = &firstOrder{f.Kelvin, f.Sigma}
	}
	for _, i := range Sorted(r) {
		p := &r.Parameters[i]
		s := p.Vary.Spread
		row := parameter{Name: p.Vary.Label, Keys: p.Vary.Keys, Spread: s.Text, Mean: s.Mean, Sigma: s.Sigma,
			Unit: s.Unit, S1: p.Alone, S1Error: p.AloneError, ST: p.Total, STError: p.TotalError}
		if f != nil {
			part := f.Part(i, p.Vary)
			row.KPerUnit, row.Share = &f.Derivatives[i], &part
		}
		out.Parameters = append(out.Parameters, row)
	}
	return jsonfile.Write(w, out)
}

// Picture draws the distribution, its quantiles, and the normal distribution of the first order.
func Picture(title string, r *tolerance.Result) *picture.Histogram {
	h := &picture.Histogram{Title: title, Subtitle: Verdict(r), X: r.Output, Unit: "°C"}
	for _, v := range r.Values {
		h.Values = append(h.Values, v-quantity.ZeroCelsius)
	}
	for _, part := range []float64{0.5, 0.95, 0.99} {
		if q := r.At(part); quantity.Finite(q.Kelvin) {
			c := q.Kelvin - quantity.ZeroCelsius
			h.Marks = append(h.Marks, picture.MarkedValue{Name: fmt.Sprintf("P%.0f %.2f", 100*part, c), X: c})
		}
	}
	if f := r.First; f != nil && f.Sigma > 0 {
		const points = 200
		for n := range points + 1 {
			z := 8*float64(n)/points - 4
			h.Density.X = append(h.Density.X, f.Kelvin-quantity.ZeroCelsius+z*f.Sigma)
			h.Density.Y = append(h.Density.Y, math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)/f.Sigma)
		}
		h.Subtitle += "; curve: first order"
	}
	return h
}
