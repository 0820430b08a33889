package precond

import (
	"strings"
	"testing"
)

var keys = []Key{
	{Name: "degree", Kind: Integer, Default: "30", Min: 1, Max: 200},
	{Name: "margin", Kind: Number, Default: "0.05", Min: 0, Max: 1},
	{Name: "form", Kind: Word, Default: "plain", Words: []string{"plain", "scaled"}},
}

func TestSettings(t *testing.T) {
	s, err := Parse("margin=1e-2, degree=12", keys)
	if err != nil {
		t.Fatal(err)
	}
	if s.Int("degree") != 12 || s.Float("margin") != 0.01 || s.Text("form") != "plain" || s.Given("form") {
		t.Errorf("got %v", s.text)
	}
	none, err := Parse("", keys)
	if err != nil || none.Int("degree") != 30 {
		t.Errorf("defaults: %v, %v", none.text, err)
	}
}

func TestBadSettings(t *testing.T) {
	for text, want := range map[string]string{
		"degre=3":             `"degre" is unknown; it has degree (default 30)`,
		"degree":              "needs a value, as in degree=30",
		"degree=":             "needs a value",
		"degree=0":            "a whole number from 1 to 200",
		"degree=1.5":          "a whole number",
		"degree=9999999999":   "a whole number",
		"margin=NaN":          "a number from 0 to 1",
		"margin=2":            "a number from 0 to 1",
		"form=square":         "one of plain, scaled",
		"degree=3,degree=4":   "given twice",
		"degree=3,":           `"" is unknown`,
		"degree=3;form=plain": "a whole number",
	} {
		if _, err := Parse(text, keys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := Parse("a=1", nil); err == nil || !strings.Contains(err.Error(), "no settings") {
		t.Errorf("settings of a method without: %v", err)
	}
}
