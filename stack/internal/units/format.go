package units

import (
	"strconv"
	"strings"
)

// Format writes an SI value so that Parse returns the same bits: the shortest decimal that does, moved to a handy unit.
// Moving the decimal point is exact because Parse rounds once, after the prefix has been taken into account.
func (q Quantity) Format(x float64) string {
	digits := strconv.FormatFloat(x, 'e', -1, 64)
	mantissa, exponent, ok := strings.Cut(digits, "e")
	e, err := strconv.Atoi(exponent)
	if !ok || err != nil {
		return digits
	}
	for _, h := range q.handy() {
		if x != 0 && e >= h.pow10 && e < h.pow10+3 {
			return shortest(mantissa, e-h.pow10) + " " + h.unit
		}
	}
	number := strconv.FormatFloat(x, 'g', -1, 64)
	if q.Unit == "" {
		return number
	}
	return number + " " + q.Unit
}

type handyUnit struct {
	pow10 int
	unit  string
}

// handy lists units that read better than SI for values of their size.
func (q Quantity) handy() []handyUnit {
	switch q.Unit {
	case "m":
		return []handyUnit{{-3, "mm"}, {-6, "um"}, {-9, "nm"}}
	case "s":
		return []handyUnit{{-3, "ms"}, {-6, "us"}, {-9, "ns"}}
	case "W":
		return []handyUnit{{-3, "mW"}, {-6, "uW"}}
	}
	return nil
}

// shortest writes mantissa * 10^e for 0 <= e < 3 as a plain decimal.
func shortest(mantissa string, e int) string {
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	for ; e > 0; e-- {
		if fraction == "" {
			whole += "0"
			continue
		}
		whole, fraction = whole+fraction[:1], fraction[1:]
	}
	if fraction == "" {
		return sign + whole
	}
	return sign + whole + "." + fraction
}
