package verify

import "testing"

// Every case of `thermsim verify` must pass.
func TestCases(t *testing.T) {
	for _, c := range CasesOn("cpu") {
		t.Run(c.Name, func(t *testing.T) {
			r, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r)
			if !r.Pass {
				t.Error(c.What)
			}
		})
	}
}
