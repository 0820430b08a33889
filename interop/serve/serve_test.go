package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// lump is a single cell with one block and one uniform power: rise P R (1 - (1 + dt/tau)^-n) in steps of dt.
func lump() (s *stack.Stack, tau, resistance float64) {
	const c, k, h, thickness = 2e6, 100.0, 1e4, 1e-3
	s = &stack.Stack{
		Schema: 1, Ambient: 310, Size: [2]float64{2e-3, 3e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{k, k, k}, C: c}},
		Probes:    []stack.Probe{{Name: "middle", X: 1e-3, Y: 1.5e-3, Z: thickness / 2}},
	}
	block := stack.Power{Blocks: []stack.Block{{Name: "core", Watts: 5, Rects: []stack.Rect{s.Domain()}}},
		Area: s.Domain()}
	s.Layers =
		[]stack.Layer{{Name: "die", Thickness: thickness, Cells: 1,
			Powers: []stack.Power{block, {Name: "rest", Uniform: 1, Area: s.Domain()}}}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: h, Temperature: 310}
	area := s.Size[0] * s.Size[1]
	g := area / (1/h + thickness/(2*k))
	return s, c * area * thickness / g, 1 / g
}

// simulation serves the lump in steps of a fifth of its time constant.
func simulation(t testing.TB) (sim *Simulation, tau, resistance float64) {
	t.Helper()
	s, tau, resistance := lump()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	session, err := gpusolve.OpenSession(m, gpusolve.Options{Device: "cpu"}, tau/5, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	if sim, err = New(session, Options{Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return sim, tau, resistance
}

// answer is what a test reads of a reply.
type answer struct {
	ID    any
	OK    bool
	Error *Fault
	TimeS float64 `json:"time_s"`
	Steps int
	Taken int
	Power float64 `json:"power_W"`
	MaxK  float64 `json:"max_K"`

	Blocks, Layers map[string]struct {
		Mean float64 `json:"mean_K"`
		Max  float64 `json:"max_K"`
	}
	Probes map[string]float64
	Powers map[string]float64
	Energy *struct {
		Imbalance float64 `json:"imbalance_rel"`
		In        float64 `json:"in_W"`
	}
	Map *struct {
		NX, NY int
		K      [][]float64
	}
	Hello *struct{ Saved []string }
}

func ask(t testing.TB, sim *Simulation, format string, args ...any) *answer {
	t.Helper()
	request := fmt.Appendf(nil, format, args...)
	text, _ := sim.Do(context.Background(), request)
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || text[len(text)-1] != '\n' ||
		bytes.Count(text, []byte("\n")) != 1 {
		t.Fatalf("no line of JSON: %q: %v", text, err)
	}
	if a.OK != (a.Error == nil) || !a.OK && (a.Error.Code == "" || a.Error.Text == "") {
		t.Fatalf("neither ok nor an error: %s", text)
	}
	validate(t, "reply", text)
	if a.OK {
		validate(t, "request", request)
	}
	return &a
}

// schemas are those that docs/guides/serve.md points to.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	all := map[string]*jsonschema.Schema{}
	for _, part := range []string{"request", "reply"} {
		s, err := jsonschema.NewCompiler().Compile("../../configs/serve.schema.json#/$defs/" + part)
		if err != nil {
			return nil, err
		}
		all[part] = s
	}
	return all, nil
})

func validate(t testing.TB, part string, text []byte) {
	t.Helper()
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = all[part].Validate(v)
	}
	if err != nil {
		t.Fatalf("%s %s: %v", part, text, err)
	}
}

func TestRequests(t *testing.T) {
	sim, tau, r := simulation(t)
	for _, op := range []string{"hello", "describe"} {
		if a := ask(t, sim, `{"op":"%s"}`, op); !a.OK {
			t.Fatal(a.Error)
		}
	}
	a := ask(t, sim,
		`{"id":7,"op":"step","n":3,"read":{"max":true,"blocks":true,"layers":["die"],"probes":["middle"],"powers":true,"energy":true,"status":true,"map":{"layer":"die"}}}`)
	want := 310 + 6*r*(1-math.Pow(1.2, -3))
	for name, got := range map[string]float64{"max": a.MaxK, "block": a.Blocks["die/core"].Mean,
		"layer": a.Layers["die"].Max, "map": a.Map.K[0][0]} {
		if math.Abs(got-want) > 1e-5 {
			t.Errorf("%s %.7f K, want %.7f", name, got, want)
		}
	}
	if !a.OK || a.ID != 7.0 || a.Taken != 3 || a.Steps != 3 || math.Abs(a.TimeS-0.6*tau) > 1e-12*tau ||
		math.Abs(a.Power-6) > 1e-12 || math.Abs(a.Powers["die/core"]-5) > 1e-12 {
		t.Errorf("%+v", a)
	}
	if a.Energy == nil || a.Energy.Imbalance > 1e-9 || math.Abs(a.Energy.In-6) > 1e-12 || len(a.Probes) != 1 {
		t.Errorf("energy %+v, probes %v", a.Energy, a.Probes)
	}
	if a := ask(t, sim, `{"op":"step","watts":{"core":2,"none":0}}`); a.OK || a.Taken != 0 || a.Steps != 3 {
		t.Errorf("a step with an unknown power: %+v", a)
	}
	if a := ask(t, sim, `{"op":"step","watts":{"core":2,"die/rest":0},"factors":{"core":1}}`); a.Power != 2 {
		t.Errorf("a step with powers: %+v", a)
	}
	if a := ask(t, sim, `{"op":"run","until_s":%g,"factors":{"core":0.5},"read":{"max":true}}`,
		60*tau); math.Abs(a.MaxK-310-r) > 1e-5 ||
		a.Power != 1 {
		t.Errorf("at rest under 1 W: %+v", a)
	}
	if a := ask(t, sim, `{"op":"set","watts":{"core":null}}`); !a.OK {
		t.Error(a.Error)
	}
	if a := ask(t, sim, `{"op":"read","read":{"powers":true}}`); a.Powers["die/core"] != 2.5 ||
		a.Powers["die/rest"] != 0 {
		t.Errorf("powers %v", a.Powers)
	}
	if a := ask(t, sim, `{"op":"reset"}`); !a.OK || a.TimeS != 0 || a.Steps != 0 {
		t.Errorf("reset %+v", a)
	}
}

// States in memory take no more than their limit, however they are named and however often they are saved again.
func TestStatesKeepTheirLimit(t *testing.T) {
	sim, _, _ := simulation(t)
	one := sim.session.StateBytes()
	sim.options.StateBytes = 3*one + one/2
	rng := rand.New(rand.NewPCG(4, 2))
	kept := map[int]bool{}
	for range 200 {
		name := rng.IntN(5)
		if rng.IntN(3) == 0 {
			if a := ask(t, sim, `{"op":"drop","name":"s%d"}`, name); a.OK != kept[name] {
				t.Fatalf("dropping s%d, kept %v: %+v", name, kept, a.Error)
			}
			delete(kept, name)
			continue
		}
		a := ask(t, sim, `{"op":"save","name":"s%d"}`, name)
		if fits := kept[name] || len(kept) < 3; a.OK != fits {
			t.Fatalf("saving s%d, kept %v: %+v", name, kept, a.Error)
		}
		if a.OK {
			kept[name] = true
		}
	}
}

// A map over the protocol is the field of a run of the solver, cell by cell: the southern row first, the western cell
// first, the planes of a layer from the bottom or the hottest of them, and the hottest of the cells that become one. A
// block warms the north-west corner of a grid that is not square; probes and blocks agree with the map.
func TestMapIsTheField(t *testing.T) {
	const nx, ny, planes, dt, steps = 5, 4, 3, 0.02, 2
	st, err := stackfile.Parse("stack.toml", []byte(`schema = 1
ambient = "300 K"
size = ["5 mm", "8 mm"]
grid = { nx = 5, ny = 4 }
boundary.bottom = { h = 3000 }
boundary.east = { h = 9000 }
probe = [{ name = "p", layer = "cold", x = "3.5 mm", y = "1 mm" }]
[[layer]]
name = "cold"
material = "silicon"
thickness = "500 um"
[[layer]]
name = "die"
material = "sio2"
thickness = "300 um"
cells = 3
block = [{ name = "core", x = 0, y = "6 mm", width = "1 mm", height = "2 mm", power = 3 },
	{ name = "other", x = "3 mm", y = "2 mm", width = "2 mm", height = "2 mm", power = 1 }]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(st)
	if err != nil {
		t.Fatal(err)
	}
	o := gpusolve.Options{Device: "cpu", Tol: 1e-8}
	session, err := gpusolve.OpenSession(m, o, dt, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	sim, err := New(session, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Transient(t.Context(), m, o, gpusolve.TransientOptions{Steps: steps, Dt: dt})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	var want [1 + planes][nx * ny]float64
	for k := range want {
		if err := sol.Field.Plane(k, want[k][:]); err != nil {
			t.Fatal(err)
		}
	}
	if a := ask(t, sim, `{"op":"step","n":%d}`, steps); !a.OK {
		t.Fatal(a.Error)
	}
	read := func(layer, keys string, reduce, first, last int) [][]float64 {
		t.Helper()
		a := ask(t, sim, `{"op":"read","read":{"map":{"layer":"%s"%s}}}`, layer, keys)
		if !a.OK || a.Map.NX != (nx+reduce-1)/reduce || a.Map.NY != (ny+reduce-1)/reduce || len(a.Map.K) != a.Map.NY {
			t.Fatalf("%s%s: %+v", layer, keys, a)
		}
		for j, row := range a.Map.K {
			if len(row) != a.Map.NX {
				t.Fatalf("%s%s: %d cells in row %d", layer, keys, len(row), j)
			}
			for i, got := range row {
				top := 0.0
				for k := first; k < last; k++ {
					for y := j * reduce; y < min(ny, (j+1)*reduce); y++ {
						for x := i * reduce; x < min(nx, (i+1)*reduce); x++ {
							top = max(top, want[k][y*nx+x])
						}
					}
				}
				if math.Abs(got-top) > 1e-7 {
					t.Errorf("%s%s: cell %d, %d has %.9g K, want %.9g", layer, keys, i, j, got, top)
				}
			}
		}
		return a.Map.K
	}
	cold := read("cold", "", 1, 0, 1)
	for plane := range planes {
		read("die", fmt.Sprintf(`,"plane":%d`, plane), 1, 1+plane, 2+plane)
	}
	die := read("die", "", 1, 1, 1+planes)
	read("die", `,"reduce":2`, 2, 1, 1+planes)
	read("die", `,"reduce":3,"plane":1`, 3, 2, 3)
	a := ask(t, sim, `{"op":"read","read":{"max":true,"blocks":true,"layers":true,"probes":true}}`)
	if corner := die[ny-1][0]; math.Abs(a.MaxK-corner) > 1e-6 || math.Abs(a.Blocks["die/core"].Max-corner) > 1e-6 ||
		math.Abs(a.Layers["die"].Max-corner) > 1e-6 || corner < 301 {
		t.Errorf("the north-western corner has %.9g K: %+v", corner, a)
	}
	if pair := math.Max(die[1][3], die[1][4]); math.Abs(a.Blocks["die/other"].Max-pair) > 1e-6 {
		t.Errorf("%.9g K on the map, %+v", pair, a.Blocks["die/other"])
	}
	mean := 0.0
	for _, row := range cold {
		for _, v := range row {
			mean += v / (nx * ny)
		}
	}
	if math.Abs(a.Layers["cold"].Mean-mean) > 1e-6 || math.Abs(a.Probes["p"]-cold[0][3]) > 1e-6 {
		t.Errorf("mean %.9g K, under the probe %.9g: %+v", mean, cold[0][3], a)
	}
}

func TestRefusals(t *testing.T) {
	sim, _, _ := simulation(t)
	for request, code := range map[string]string{
		``: BadJSON, `{`: BadJSON, `[]`: BadJSON, `7`: BadJSON, `{"op":"hello"} {"op":"hello"}`: BadRequest,
		`{"op":"hello"`: BadJSON, "{\"op\":\"hel\x00lo\"}": BadJSON,
		`null`: BadRequest, `{}`: BadRequest, `{"op":"dance"}`: BadRequest, `{"op":5}`: BadRequest,
		`{"op":"step","m":3}`: BadRequest, `{"op":"hello","n":3}`: BadRequest,
		`{"op":"step","N":3}`: BadRequest, `{"op":"hello","id":{}}`: BadRequest, `{"op":"hello","id":"` +
			strings.Repeat("x", 200) + `"}`: BadRequest,
		`{"op":"step","n":0}`: BadValue, `{"op":"step","n":-1}`: BadValue, `{"op":"step","n":1000001}`: BadValue,
		`{"op":"step","n":1.5}`: BadRequest, `{"op":"step","n":1e99}`: BadRequest,
		`{"op":"step","dt_s":0}`: BadValue, `{"op":"step","dt_s":-1}`: BadValue,
		`{"op":"step","dt_s":1e999}`: BadRequest,
		`{"op":"run"}`:               BadRequest, `{"op":"run","until_s":-1}`: BadValue,
		`{"op":"run","until_s":1e300}`:           BadValue,
		`{"op":"run","until_s":1,"dt_s":1e-300}`: BadValue,
		`{"op":"set"}`:                           BadRequest, `{"op":"set","watts":{"x":1}}`: UnknownName,
		`{"op":"set","watts":{"core":1,"die/core":2}}`: BadRequest, `{"op":"set","factors":{"core":-1}}`: BadValue,
		`{"op":"set","watts":{"core":1e300}}`: BadValue,
		`{"op":"set","watts":{"core":"1"}}`:   BadRequest, `{"op":"read"}`: BadRequest,
		`{"op":"read","read":{"blocks":["x"]}}`: UnknownName, `{"op":"read","read":{"blocks":7}}`: BadRequest,
		`{"op":"read","read":{"map":{"layer":"x"}}}`:               UnknownName,
		`{"op":"read","read":{"map":{"layer":"die","plane":1}}}`:   BadValue,
		`{"op":"read","read":{"map":{"layer":"die","reduce":-1}}}`: BadValue,
		`{"op":"save"}`: BadRequest, `{"op":"save","name":"a","file":"b"}`: BadRequest,
		`{"op":"save","name":"../a"}`: BadValue, `{"op":"save","file":"a"}`: FileFault,
		`{"op":"restore","name":"a"}`: UnknownName, `{"op":"drop","name":"a"}`: UnknownName,
		`{"op":"drop"}`: BadRequest,
		`{"op":"step","n":2,"read":{"layers":["x"]}}`:    UnknownName,
		`{"op":"set","factors":{"core":null}}`:           BadValue,
		`{"op":"set","watts":{"core":1},"factors":null}`: BadValue,
		`{"op":"set","watts":null,"factors":{"core":0}}`: BadValue,
		`{"op":"step","n":null}`:                         BadValue, `{"op":"step","dt_s":null}`: BadValue,
		`{"op":"step","read":null}`: BadValue, `{"op":"run","until_s":null}`: BadValue,
		`{"op":null}`: BadRequest, `{"op":"save","name":"a","file":null}`: BadValue,
		`{"op":"hello","token":null}`:       BadValue,
		`{"op":"step","read":{"max":null}}`: BadValue, `{"op":"step","read":{"blocks":null}}`: BadValue,
		`{"op":"step","read":{"map":null}}`:                         BadValue,
		`{"op":"step","read":{"map":{"layer":null}}}`:               BadValue,
		`{"op":"step","read":{"map":{"layer":"die","plane":null}}}`: BadValue,
		`{"op":"step","read":{"MAX":true}}`:                         BadRequest,
		`{"op":"step","read":{"map":{"layer":"die","Reduce":2}}}`:   BadRequest,
	} {
		a := ask(t, sim, "%s", request)
		if a.OK || a.Error.Code != code {
			t.Errorf("%.80s: %+v, want %s", request, a.Error, code)
		}
		if a.Steps != 0 || a.TimeS != 0 {
			t.Fatalf("%.80s moved the state to step %d", request, a.Steps)
		}
	}
	if a := ask(t, sim, `{"op":"read","read":{"powers":true}}`); a.Powers["die/core"] != 5 {
		t.Errorf("a refusal set a power: %v", a.Powers)
	}
}

// Any sequence of requests leads where the arithmetic of a single cell does.
func TestSequencesAgainstTheory(t *testing.T) {
	sim, tau, r := simulation(t)
	type state struct{ rise, core, rest, factor, time float64 }
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		start := state{0, 5, 1, 1, 0}
		now, kept := start, map[string]state{}
		ask(t, sim, `{"op":"reset"}`)
		for range 40 {
			name := string(rune('a' + rng.IntN(3)))
			switch rng.IntN(7) {
			case 0:
				now.core = math.Round(100*rng.Float64()) / 10
				ask(t, sim, `{"op":"set","watts":{"die/core":%g}}`, now.core)
			case 1:
				now.factor = rng.Float64()
				ask(t, sim, `{"op":"set","factors":{"core":%g}}`, now.factor)
			case 2:
				ask(t, sim, `{"op":"save","name":"%s"}`, name)
				kept[name] = now
			case 3:
				if k, ok := kept[name]; ok {
					ask(t, sim, `{"op":"restore","name":"%s"}`, name)
					now = k
				}
			case 4:
				now = start
				ask(t, sim, `{"op":"reset"}`)
			default:
				n, dt := 1+rng.IntN(5), tau/float64(2+rng.IntN(3))
				for range n {
					now.rise = (now.rise + dt/tau*r*(now.core*now.factor+now.rest)) / (1 + dt/tau)
					now.time += dt
				}
				ask(t, sim, `{"op":"step","n":%d,"dt_s":%g}`, n, dt)
			}
			a := ask(t, sim, `{"op":"read","read":{"max":true}}`)
			if math.Abs(a.MaxK-310-now.rise) > 3e-5 || math.Abs(a.TimeS-now.time) > 1e-9*tau {
				t.Fatalf("seed %d: %.7f K at %g s, want %.7f at %g", seed, a.MaxK-310, a.TimeS, now.rise, now.time)
			}
		}
	}
}

// serveText answers a text on a stream that knows no deadlines.
func serveText(t *testing.T, in io.Reader) (answers []*answer, err error) {
	t.Helper()
	sim, _, _ := simulation(t)
	var out bytes.Buffer
	_, err = Serve(context.Background(), sim, Stream{In: in, Out: &out})
	d := json.NewDecoder(&out)
	for d.More() {
		var a answer
		if err := d.Decode(&a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, &a)
	}
	return answers, err
}

func TestStreams(t *testing.T) {
	long := `{"op":"hello","id":"` + strings.Repeat("x", 3*MaxMessage) + "\"}\n"
	answers, err := serveText(t,
		strings.NewReader("nonsense\n\n"+long+`{"id":1,"op":"step"}`+"\r\n"+`{"id":2,"op":"st`))
	var codes []string
	for _, a := range answers {
		if a.Error != nil {
			codes = append(codes, a.Error.Code)
		} else {
			codes = append(codes, "ok")
		}
	}
	if got := strings.Join(codes, " "); err != nil || got != "bad-json bad-json too-large ok truncated" {
		t.Errorf("%s, %v", got, err)
	}
	answers, err = serveText(t, strings.NewReader("{\"op\":\"quit\"}\n{\"op\":\"hello\"}\n"))
	if len(answers) != 1 || err != nil {
		t.Errorf("%d answers after quit, %v", len(answers), err)
	}
}

// sockets serves the lump on a Unix socket until the test ends.
func sockets(t *testing.T, token string, idle, patience time.Duration) (dial func() net.Conn, ended chan error,
	stop func(), said func() string) {
	t.Helper()
	sim, _, _ := simulation(t)
	path := filepath.Join(t.TempDir(), "socket")
	l, err := Listen("unix:"+path, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	var mu sync.Mutex
	var text strings.Builder
	h := &Host{Listener: l, Admit: Admit(token), Patience: patience, Refusal: BusyAnswer(), Log: func(s string) {
		mu.Lock()
		defer mu.Unlock()
		text.WriteString(s + "\n")
	}, Session: func(ctx context.Context, c net.Conn) (bool, error) {
		return Serve(ctx, sim, Stream{In: c, Out: c, Conn: c, Idle: idle, Patience: patience})
	}}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ended <- h.Run(ctx)
	}()
	t.Cleanup(func() { // the simulation closes only once nobody uses it
		cancel()
		<-gone
	})
	return func() net.Conn {
			c, err := net.Dial("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			_ = c.SetDeadline(time.Now().Add(20 * time.Second))
			return c
		}, ended, cancel, func() string {
			mu.Lock()
			defer mu.Unlock()
			return text.String()
		}
}

// talk sends a text and reads an answer.
func talk(t *testing.T, c net.Conn, text string) *answer {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		return &answer{Error: &Fault{"gone", err.Error()}}
	}
	var a answer
	if err := json.NewDecoder(c).Decode(&a); err != nil {
		return &answer{Error: &Fault{"gone", err.Error()}}
	}
	return &a
}

// eventually connects until the client before is gone.
func eventually(t *testing.T, dial func() net.Conn) (net.Conn, *answer) {
	t.Helper()
	for range 200 {
		c := dial()
		if a := talk(t, c, "{\"op\":\"hello\"}\n"); a.OK {
			return c, a
		}
		c.Close()
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the server does not answer any more")
	return nil, nil
}

// A client that connects as soon as the one before has left is served.
func TestClientsInTurn(t *testing.T) {
	dial, ended, stop, _ := sockets(t, "", time.Minute, time.Minute)
	for n := range 50 {
		c := dial()
		if a := talk(t, c, "{\"op\":\"hello\"}\n"); !a.OK {
			t.Fatalf("client %d: %+v", n, a.Error)
		}
		c.Close()
	}
	stop()
	<-ended
}

// Clients that hang, die, babble or do not listen are given up; the server says so, keeps the state and takes the next.
func TestBadClients(t *testing.T) {
	dial, ended, stop, said := sockets(t, "", 300*time.Millisecond, 100*time.Millisecond)
	c, _ := eventually(t, dial)
	if a := talk(t, c, "{\"op\":\"step\",\"n\":3}\n"); a.Steps != 3 {
		t.Fatalf("%+v", a)
	}
	c.Close()
	for name, act := range map[string]func(c net.Conn){
		"silent": func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, // until the server hangs up
		"half a line": func(c net.Conn) {
			if a := talk(t, c, `{"op":"st`); a.OK || a.Error.Code != Slow {
				t.Errorf("half a line: %+v", a.Error)
			}
		},
		"dies":    func(c net.Conn) { _, _ = io.WriteString(c, `{"op":"st`); c.Close() },
		"babbles": func(c net.Conn) { _, _ = c.Write(bytes.Repeat([]byte{0xff}, 3<<20)) },
		"takes none": func(c net.Conn) {
			_, _ = c.Write(bytes.Repeat([]byte("{\"op\":\"describe\"}\n"), 5000))
			for range 2000 { // the server has filled the connection, and then waits for its patience
				if strings.Contains(said(), "does not read answers") {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		},
	} {
		c, _ := eventually(t, dial)
		act(c)
		c.Close()
		next, a := eventually(t, dial)
		if a.Steps != 3 {
			t.Errorf("after a client that %s the state is at step %d", name, a.Steps)
		}
		next.Close()
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the server ended with %v", err)
	}
	for _, want := range []string{"was silent", "took more than", "disconnected", "does not read answers"} {
		if !strings.Contains(said(), want) {
			t.Errorf("the server did not say %q:\n%s", want, said())
		}
	}
}

func TestOneClientAtATime(t *testing.T) {
	dial, ended, _, _ := sockets(t, "", 0, 0)
	first, _ := eventually(t, dial)
	if a := talk(t, dial(), "{\"op\":\"hello\"}\n"); a.Error == nil || a.Error.Code != Busy {
		t.Errorf("a second client: %+v", a)
	}
	if a := talk(t, first, "{\"op\":\"shutdown\"}\n"); !a.OK {
		t.Error(a.Error)
	}
	if err := <-ended; err != nil {
		t.Errorf("shutdown ended the server with %v", err)
	}
}

// Only who begins with the protocol, and where there is a token with it, is served; what comes behind another first
// line is not read.
func TestFirstLines(t *testing.T) {
	const token = "a-token-of-the-test"
	const commands = "{\"op\":\"step\",\"n\":3}\n{\"op\":\"shutdown\"}\n"
	hello := `{"op":"hello","token":"` + token + "\"}\n"
	for _, c := range []struct{ token, first, code string }{
		{"", "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", Denied},
		{"", "GET /x HTTP/1.0\r\n\r\n", Denied},
		{"", "PRI * HTTP/2.0\r\n\r\n", Denied},
		{"", "nonsense\n", BadJSON},
		{"", "\n", BadJSON},
		{"", "{\"op\":\"dance\"}\n", BadRequest},
		{"", "{\"op\":\"hello\"}\n", ""},
		{token, "POST / HTTP/1.1\r\n\r\n", Denied},
		{token, "{\"op\":\"hello\"}\n", Denied},
		{token, "{\"op\":\"hello\",\"token\":\"\"}\n", Denied},
		{token, "{\"op\":\"hello\",\"token\":\"a-token-of-the-tesT\"}\n", Denied},
		{token, "{\"op\":\"step\"}\n", Denied},
		{token, "{\"op\":\"hello\",\"id\":\"" + strings.Repeat("x", 1<<13) + "\"}\n", BadJSON},
		{token, hello, ""},
	} {
		dial, _, stop, _ := sockets(t, c.token, 0, time.Minute)
		client := dial()
		_, _ = io.WriteString(client, c.first+commands) // the server may have hung up
		answers := json.NewDecoder(client)
		var first, next answer
		if err := answers.Decode(&first); err != nil {
			t.Errorf("%.60q: %v", c.first, err)
		}
		if c.code == "" {
			if err := answers.Decode(&next); !first.OK || err != nil || next.Steps != 3 {
				t.Errorf("%.60q: %+v, then %+v, %v", c.first, first, next, err)
			}
			stop()
			continue
		}
		if first.OK || first.Error.Code != c.code {
			t.Errorf("%.60q: %+v, want %s", c.first, first, c.code)
		}
		if err := answers.Decode(&next); err == nil {
			t.Errorf("%.60q: a further answer %+v", c.first, next)
		}
		again := dial()
		if a := talk(t, again, hello); !a.OK || a.Steps != 0 {
			t.Errorf("%.60q: then the server says %+v", c.first, a)
		}
		stop()
	}
}

// Clients that say nothing keep nobody waiting, however many they are.
func TestSilentClients(t *testing.T) {
	dial, _, _, _ := sockets(t, "", 0, time.Minute)
	for range maxWaiting / 2 {
		dial()
	}
	if a := talk(t, dial(), "{\"op\":\"step\"}\n"); a.Steps != 1 {
		t.Errorf("behind silent clients the server says %+v", a)
	}
}

// An interrupt ends a server soon: with a client that is silent, and in the middle of a million steps.
func TestInterruptEndsServer(t *testing.T) {
	for _, sent := range []string{"", "{\"op\":\"step\",\"n\":1000000}\n", `{"op":`} {
		dial, ended, stop, _ := sockets(t, "", 0, 0)
		c, _ := eventually(t, dial)
		if _, err := io.WriteString(c, sent); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		start := time.Now()
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
			t.Errorf("%q: %v after %v", sent, err, time.Since(start))
		}
	}
}

// A socket in the file system lets in its owner alone, also where it takes the place of another.
func TestSocketIsTheOwners(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes there")
	}
	path := filepath.Join(t.TempDir(), "s")
	for range 2 {
		l, err := Listen("unix:"+path, false)
		if err != nil {
			t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		info, err := os.Stat(path)
		if err != nil || info.Mode() != os.ModeSocket|0o600 {
			t.Errorf("%v, %v", info, err)
		}
		l.Close()
	}
}

func TestAddresses(t *testing.T) {
	for _, address := range []string{"", "nonsense", "0.0.0.0:0", "[::]:0", "192.0.2.1:7070", "example.org:80",
		"127.0.0.1:99999", "unix:/no/such/folder/socket", "unix:" + t.TempDir()} {
		if l, err := Listen(address, false); err == nil {
			l.Close()
			t.Errorf("%s is listened on", address)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", ":0"} {
		l, err := Listen(address, false)
		if err != nil {
			t.Error(err)
			continue
		}
		if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
			t.Errorf("%s listens on %s", address, ip)
		}
		l.Close()
	}
}

// FuzzRequests holds any lines against the protocol: each has one line of JSON for an answer, ok or with an error, and
// the state never moves without being told to.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"op":"hello"}`, `{"op":"describe"}`,
		`{"op":"step","n":2,"dt_s":0.1,"read":{"max":true,"blocks":true}}`, `{"op":"run","until_s":0.5}`,
		`{"op":"set","watts":{"core":1e308,"die/rest":null},"factors":{"core":0}}` + "\n" + `{"op":"step"}`,
		`{"op":"save","name":"a"}` + "\n" + `{"op":"restore","name":"a"}`,
		`{"op":"read","read":{"map":{"layer":"die","plane":0,"reduce":3},"layers":["die"],"probes":true,"energy":true,"status":true,"powers":true}}`, `{"op":"reset"}`, `{"op":"drop","name":"a"}`,
	} {
		f.Add([]byte(seed))
	}
	sim, _, _ := simulation(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if a := ask(t, sim, `{"op":"reset"}`); !a.OK {
			t.Fatal(a.Error)
		}
		sim.states = map[string]*gpusolve.SessionState{}
		for n, line := range bytes.Split(data, []byte("\n")) {
			if n == 20 {
				return
			}
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			text, _ := sim.Do(ctx, line)
			cancel()
			var a answer
			if err := json.Unmarshal(text, &a); err != nil || text[len(text)-1] != '\n' || a.OK != (a.Error == nil) {
				t.Fatalf("%q: answer %q: %v", line, text, err)
			}
		}
	})
}
