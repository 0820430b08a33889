package bench

import "math"

// Ratio compares a row with the same row of an earlier result.
type Ratio struct {
	Table    string
	Row, Old *Row
	Times    float64 // the row's time over the old one
}

// Against compares the rows of r with those of an earlier result of the same device name that have a time in both: the
// total time, or in tables of products that of one product.
func (r *Result) Against(old *Result) (ratios []Ratio) {
	if r.Device.Name != old.Device.Name {
		return nil
	}
	for _, t := range r.Tables {
		for _, before := range old.Tables {
			if before.Name != t.Name {
				continue
			}
			for i := range t.Rows {
				for n := range before.Rows {
					row, was := &t.Rows[i], &before.Rows[n]
					if !row.repeats(was, r.Device.Kind) || row.External != nil {
						continue
					}
					if times := row.Seconds() / was.Seconds(); !math.IsNaN(times) {
						ratios = append(ratios, Ratio{t.Name, row, was, times})
					}
				}
			}
		}
	}
	return ratios
}

// Seconds is the time by which rows are compared; NaN if unknown.
func (r *Row) Seconds() float64 {
	for _, v := range []Number{r.TotalS, r.SolveS, r.ProductS} {
		if v.Known() {
			return float64(v)
		}
	}
	return math.NaN()
}
