package tree

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"

	"thermsim/internal/timeline/cputime"
)

// What the tree takes for TOML is what the decoder of go-toml takes for it, and the other way round: random lines about
// few keys, which define them twice in all ways there are.
func TestTreeAgreesWithDecoder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{"a", "b", "a.b", "b.a", "a.b.a", "a.a", "b.b"}
	values := []string{"1", "-0.5", "1e3", "01", "1__0", "0x1G", "0xff", "9223372036854775808", "nan", "\"x\"", "[]",
		"[1, 2]", "{}", "{ a = 1 }", "{ a.b = 1, a.a = 2 }",
		"{ a = 1, a = 2 }", "{ a.b = 1, a = 2 }", "[{ a = 1 }, { a = 1 }]", "[{ a = 1, a = 1 }]", "1979-05-27",
		"1979-13-27", "07:32:00", "true", "+1", "1.", ".5", "1_000"}
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	sound := 0
	for range 60_000 {
		var text strings.Builder
		for range 1 + random.IntN(5) {
			switch random.IntN(4) {
			case 0:
				fmt.Fprintf(&text, "[%s]\n", pick(keys))
			case 1:
				fmt.Fprintf(&text, "[[%s]]\n", pick(keys))
			default:
				fmt.Fprintf(&text, "%s = %s\n", pick(keys), pick(values))
			}
		}
		var discard map[string]any
		want := toml.Unmarshal([]byte(text.String()), &discard)
		_, got := Parse("f", []byte(text.String()))
		if (want == nil) != (got == nil) {
			t.Fatalf("%s\ndecoder: %v\ntree: %v", text.String(), want, got)
		}
		if want == nil {
			sound++
		}
	}
	if sound < 1000 {
		t.Errorf("only %d of the documents are TOML", sound)
	}
}

// Reading takes time in proportion to the number of keys: 200,000 in one table take a second where each is looked for
// among all others.
func TestManyKeys(t *testing.T) {
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "k%d = 1\n", i)
	}
	start := cputime.Used()
	root, err := Parse("f", []byte(text.String()))
	if err != nil || len(root.Entries) != 200_000 {
		t.Fatalf("%v", err)
	}
	if spent := cputime.Used() - start; spent > 20*time.Second {
		t.Errorf("took %v", spent)
	}
}
