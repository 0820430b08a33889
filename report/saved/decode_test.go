package saved

import (
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever order a manifest has, it is what encoding/json makes of it as one text.
func TestDecodeManifest(t *testing.T) {
	const step = `{"time_s":0.5,"iterations":3,"max_K":301.5,"power_W":null,"converged":true}`
	for _, text := range []string{
		`{}`, `{"schema":1,"steps":null,"saved_steps":[1]}`, `{"steps":[]}`, ` {"steps" : [` + step + `,` + step +
			`] , "schema":1,"peak_K":310,"inputs":[{"path":"a","sha256":"b"}]} ` + "\n",
		`{"saved_steps":[2],"steps":[` + step + `],"unknown":{"steps":[1]}}`,
	} {
		var got, want Manifest
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if err := decodeManifest(strings.NewReader(text), &got); err != nil || len(got.Steps) != len(want.Steps) {
			t.Errorf("%s: %v, %d steps", text, err, len(got.Steps))
		}
		if len(want.Steps) == 0 {
			got.Steps, want.Steps = nil, nil
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b Number) bool {
			return a == b || a != a && b != b
		})); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for _, text := range []string{``, `[]`, `{`, `{"schema":1`, `{"schema":"1"}`, `{"steps":{}}`, `{"steps":[`,
		`{"steps":[1]}`, `{"steps":[` + step, `{} {}`, `{}]`, `{"steps":[{"max_K":"1"}]}`, `null`} {
		if err := decodeManifest(strings.NewReader(text), new(Manifest)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

// What is read of a manifest is not held.
func TestManifestIsRead(t *testing.T) {
	const steps = 100_000
	padded := `{"time_s":1,"iterations":1,"max_K":300,"power_W":5,"converged":true` + strings.Repeat(" ", 400) + `},`
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	in := io.MultiReader(strings.NewReader(`{"steps":[`), &repeated{text: padded, n: steps},
		strings.NewReader(padded[:len(padded)-1]), readerFunc(func([]byte) (int, error) {
			runtime.GC()
			runtime.ReadMemStats(&after)
			return 0, io.EOF
		}), strings.NewReader(`]}`))
	var m Manifest
	if err := decodeManifest(in, &m); err != nil || len(m.Steps) != steps+1 || m.Steps[steps].MaxK != 300 {
		t.Fatalf("%d steps, %v", len(m.Steps), err)
	}
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 20<<20 {
		t.Errorf("of %d MB, %d MB are held", steps*len(padded)>>20, held>>20)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// repeated gives a text n times.
type repeated struct {
	text string
	n    int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	if len(p) < len(r.text) {
		return 0, io.ErrShortBuffer
	}
	r.n--
	return copy(p, r.text), nil
}
