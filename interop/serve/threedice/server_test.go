package threedice

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"thermsim/gpusolve"
	"thermsim/interop/importer"
	"thermsim/interop/serve"
	project "thermsim/interop/threedice"
	"thermsim/mesh"
)

// server serves testdata/case.stk as 3D-ICE calculates.
func server(t testing.TB) *Server {
	t.Helper()
	r, err := project.Format.Import(importer.Request{Files: []string{"testdata/case.stk"}, Compat: true, Direct: true,
		Served: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	session, err := gpusolve.OpenSession(m, gpusolve.Options{Device: "cpu", Tol: 1e-6}, r.Stack.Transient.Dt, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	s, err := New(r.Outputs.(*project.Outputs), session, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A session that was recorded with 3D-ICE's own server has the same answers here: words of counts and names to the bit,
// temperatures and powers to FP32.
func TestRecordedSession(t *testing.T) {
	text, err := os.ReadFile("testdata/session.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := server(t)
	var answer *message
	asked, answered := "", 0
	for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		words := hexWords(t, line)
		switch line[0] {
		case '>':
			asked = line
			if answer, _, err = s.handle(t.Context(), &message{words[1], words[2:]}); err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
		case '<':
			answered++
			if answer == nil {
				t.Fatalf("line %d: no answer to %s", n+1, asked)
			}
			compareWords(t, n+1, asked, words, append([]uint32{uint32(len(answer.payload) + header), answer.kind},
				answer.payload...))
		}
	}
	if answered < 100 {
		t.Errorf("%d answers were recorded", answered)
	}
	comparePrinted(t, s)
}

// A client that leaves anywhere within a session leaves nothing to the next one, whose session is as recorded.
func TestSessionAfterOneThatWasLeft(t *testing.T) {
	text, err := os.ReadFile("testdata/session.txt")
	if err != nil {
		t.Fatal(err)
	}
	var requests [][]uint32
	for line := range strings.Lines(string(text)) {
		if line[0] == '>' {
			requests = append(requests, hexWords(t, line))
		}
	}
	s := server(t)
	session := func(requests [][]uint32) (answers []message) {
		for _, words := range requests {
			answer, _, err := s.handle(t.Context(), &message{words[1], words[2:]})
			if err != nil {
				t.Fatal(err)
			}
			if answer != nil {
				answers = append(answers, *answer)
			}
		}
		if err := s.Reset(); err != nil {
			t.Fatal(err)
		}
		return answers
	}
	want := session(requests)
	for n, words := range requests {
		if words[1] != simulateStep && words[1] != insertPowers {
			continue
		}
		session(requests[:n+1])
		if got := session(requests); !reflect.DeepEqual(got, want) {
			t.Errorf("after a client that left at its request %d, the answers differ", n)
		}
	}
}

func hexWords(t *testing.T, line string) (words []uint32) {
	t.Helper()
	if line[0] == '#' {
		return nil
	}
	for _, f := range strings.Fields(line[1:]) {
		w, err := strconv.ParseUint(f, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, uint32(w))
	}
	return words
}

// compareWords takes words that differ for numbers in FP32.
func compareWords(t *testing.T, line int, asked string, want, got []uint32) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("line %d: %d words, want %d, after %s", line, len(got), len(want), asked)
		return
	}
	for n := range want {
		if want[n] == got[n] {
			continue
		}
		a, b := float64(math.Float32frombits(want[n])), float64(math.Float32frombits(got[n]))
		if !(math.Abs(a-b) <= 1e-4) || math.Abs(a) < 1e-6 && math.Abs(b) > 1e-6 {
			t.Errorf("line %d, word %d: %g (%x), want %g (%x), after %s", line, n, b, got[n], a, want[n], asked)
			return
		}
	}
}

// comparePrinted holds the printed files against those that 3D-ICE printed in the same session.
func comparePrinted(t *testing.T, s *Server) {
	t.Helper()
	printed := s.Printed()
	files, err := filepath.Glob("testdata/printed/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, got := strings.Fields(string(text)), strings.Fields(string(printed[filepath.Base(path)]))
		if len(want) != len(got) {
			t.Errorf("%s: %d fields, want %d:\n%s", path, len(got), len(want), printed[filepath.Base(path)])
			continue
		}
		for n := range want {
			a, err := strconv.ParseFloat(want[n], 64)
			b, _ := strconv.ParseFloat(got[n], 64)
			if want[n] != got[n] && (err != nil || math.Abs(a-b) > 1.1e-3) {
				t.Errorf("%s: %q, want %q", path, got[n], want[n])
			}
		}
	}
}

// host serves on a port of this machine until the test ends.
func host(t *testing.T, s *Server, o HostOptions) (address string, ended chan error, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ended <- s.Host(l, o).Run(ctx)
	}()
	// the session closes only once nobody uses it: the server may be taking it back to the start for the next client
	t.Cleanup(func() {
		cancel()
		<-gone
	})
	return l.Addr().String(), ended, cancel
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// elements asks how many floorplan elements there are, which are five. While a client before is being left, the
// connection is closed; that is tried again.
func elements(t *testing.T, address string) net.Conn {
	t.Helper()
	for range 100 {
		c := dial(t, address)
		_, err := c.Write((&message{kind: totalElements}).bytes())
		if err == nil {
			var m *message
			if m, err = readMessage(c, 100); err == nil {
				if len(m.payload) != 1 || m.payload[0] != 5 {
					t.Fatalf("answer %+v", m)
				}
				return c
			}
		}
		c.Close()
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the server does not answer any more")
	return nil
}

// Whatever a client does, the server lives and takes the next.
func TestBadClients(t *testing.T) {
	var mu sync.Mutex
	var said strings.Builder
	s := server(t)
	s.log = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said.WriteString(text + "\n")
	}
	address, ended, stop := host(t, s, HostOptions{Patience: 100 * time.Millisecond, Idle: 300 * time.Millisecond})
	word := func(words ...uint32) (b []byte) {
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	for name, sent := range map[string][]byte{
		"nothing":          nil,
		"half a length":    {2, 0},
		"half a message":   word(8, insertPowers, 5),
		"length 0":         word(0, 0),
		"length 1":         word(1),
		"oversized":        word(0xffffffff, insertPowers),
		"oversized powers": word(1<<20, insertPowers, 1<<19),
		"text":             []byte("GET / HTTP/1.1\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			c := elements(t, address)
			if _, err := c.Write(sent); err != nil {
				t.Fatal(err)
			}
			if name == "nothing" {
				c.Close() // dies
			}
			if rest, err := io.ReadAll(c); err == nil && len(rest) > 0 {
				t.Errorf("answer %x", rest)
			}
			c.Close()
			elements(t, address).Close()
		})
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the server ended with %v", err)
	}
	for _, want := range []string{"took too long", "malformed message", "disconnected without EXIT_SIMULATION"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the server did not say %q:\n%s", want, said.String())
		}
	}
}

// Messages that are whole but mean nothing have the answers of the protocol, and the session goes on.
func TestOddMessages(t *testing.T) {
	s := server(t)
	one := math.Float32bits(1)
	nan := math.Float32bits(float32(math.NaN()))
	for _, m := range []message{
		{insertPowers, nil}, {insertPowers, []uint32{5}}, {insertPowers, []uint32{4, one, one, one, one}},
		{insertPowers, []uint32{6, one, one, one, one, one}},
		{insertPowers, []uint32{5, one, one, one, one, nan}}, {insertPowers, []uint32{0xffffffff, one}},
	} {
		a, end, err := s.handle(t.Context(), &m)
		if err != nil || end || a.payload[0] != failure {
			t.Errorf("%v: %+v, %v, %v", m, a, end, err)
		}
	}
	for _, m := range []message{{99, nil}, {printOutput, nil}, {printOutput, []uint32{17}}} {
		if a, end, err := s.handle(t.Context(), &m); a != nil || end || err != nil {
			t.Errorf("%v: %+v, %v, %v", m, a, end, err)
		}
	}
	for _, m := range []message{{sendOutput, nil}, {sendOutput, []uint32{9, 9, 9}}, {sendOutput, []uint32{2, 4}}} {
		if a, _, err := s.handle(t.Context(), &m); err != nil || len(a.payload) != 2 || a.payload[1] != 0 {
			t.Errorf("%v: %+v, %v", m, a, err)
		}
	}
}

// One client is served at a time; EXIT ends the server, or with Keep makes room for a client that finds everything as
// at the start.
func TestOneClientAndExit(t *testing.T) {
	s := server(t)
	address, ended, _ := host(t, s, HostOptions{Keep: true})
	first := elements(t, address)
	second := dial(t, address)
	if _, err := second.Write((&message{simulateSlot, nil}).bytes()); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(second); err != nil || len(rest) > 0 {
		t.Errorf("a second client reads %x, %v", rest, err)
	}
	for _, m := range []message{{simulateSlot, nil}, {exitSimulation, nil}} {
		if _, err := first.Write(m.bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := readMessage(first, 100); err != nil || m.payload[0] != slotDone {
		t.Fatalf("slot: %+v, %v", m, err)
	}
	third := elements(t, address)
	if _, err := third.Write((&message{sendOutput, []uint32{2, 1, 0}}).bytes()); err != nil {
		t.Fatal(err)
	}
	m, err := readMessage(third, 100)
	if err != nil || m.payload[0] != 0 || math.Float32frombits(m.payload[2]) != 300 {
		t.Errorf("the next client starts with %+v, %v", m, err)
	}
	select {
	case err := <-ended:
		t.Errorf("the server has ended: %v", err)
	default:
	}
	address, ended, _ = host(t, server(t), HostOptions{})
	if _, err := elements(t, address).Write((&message{kind: exitSimulation}).bytes()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("EXIT ended the server with %v", err)
	}
}

// An interrupt ends a server at once, whatever its client does.
func TestInterruptEndsServer(t *testing.T) {
	address, ended, stop := host(t, server(t), HostOptions{})
	elements(t, address)
	start := time.Now()
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// FuzzMessages holds any bytes against the protocol: every answer is a whole message of the kind that was asked, and
// nothing fails but by the client's fault.
func FuzzMessages(f *testing.F) {
	word := func(words ...uint32) (b []byte) {
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	f.Add(word(2, totalElements, 2, simulateSlot, 5, sendOutput, 2, 4, 0))
	f.Add(word(8, insertPowers, 5, 0, 0, 0, 0, 0, 2, simulateStep, 3, printOutput, 2, 2, sendOutputFiles))
	f.Add(word(2, resetState, 2, exitSimulation))
	f.Add(word(1<<30, insertPowers))
	s := server(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := s.Reset(); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(bytes.NewReader(data))
		for range 40 {
			m, err := readMessage(in, s.longest())
			if err != nil {
				return
			}
			answer, end, err := s.handle(t.Context(), m)
			if err != nil && !errors.Is(err, serve.ErrClient) {
				t.Fatal(err)
			}
			if answer != nil {
				back, err := readMessage(bytes.NewReader(answer.bytes()), maxWords+header)
				if err != nil || back.kind != m.kind || len(back.payload) != len(answer.payload) {
					t.Fatalf("answer %+v to %+v: %v", answer, m, err)
				}
			}
			if end || err != nil {
				return
			}
		}
	})
}
