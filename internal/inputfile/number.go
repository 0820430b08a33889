package inputfile

import "strconv"

// Number reads a decimal number, as strconv.ParseFloat does, but none of the other forms that ParseFloat takes:
// hexadecimal numbers, underscores between digits, infinities and NaN are errors of syntax.
func Number(text string) (float64, error) {
	for i := range len(text) {
		switch text[i] {
		case 'x', 'X', 'p', 'P', 'n', 'N', '_':
			return 0, &strconv.NumError{Func: "Number", Num: text, Err: strconv.ErrSyntax}
		}
	}
	return strconv.ParseFloat(text, 64)
}
