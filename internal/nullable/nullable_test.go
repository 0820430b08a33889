package nullable_test

import (
	"math"
	"testing"

	"thermsim/internal/nullable"
)

func TestStructs(t *testing.T) {
	type values struct {
		A, B, C float64
		N       int
		List    []int64
	}
	text, err := nullable.Marshal(values{1.5, math.NaN(), math.Inf(1), 7, []int64{1, 2}})
	if want := `{"A":1.5,"B":null,"C":null,"List":[1,2],"N":7}`; err != nil || string(text) != want {
		t.Fatalf("%s, %v; want %s", text, err, want)
	}
	v := values{C: 3}
	if err := nullable.Unmarshal([]byte(`{"A":1.5,"B":null,"N":7,"List":[1,2]}`), &v); err != nil {
		t.Fatal(err)
	}
	if v.A != 1.5 || !math.IsNaN(v.B) || v.C != 3 || v.N != 7 || len(v.List) != 2 {
		t.Errorf("%+v", v)
	}
	if err := nullable.Unmarshal([]byte(`{"A":"x"}`), &v); err == nil {
		t.Error("a text was read as a number")
	}
}
