package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
)

// said collects what a command writes to stderr, and may be read meanwhile.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// address waits until the command tells where it serves.
func (s *said) address(t *testing.T) string {
	t.Helper()
	for range 1000 {
		if m := regexp.MustCompile(`on (127\.0\.0\.1:\d+)`).FindStringSubmatch(s.String()); m != nil {
			return m[1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the command does not serve:\n%s", s.String())
	return ""
}

// The whole command speaks 3D-ICE's protocol: powers, a slot, a print; EXIT ends it with status 0, and what was printed
// is in --out.
func TestServe3DICE(t *testing.T) {
	dir := t.TempDir()
	var errors said
	g := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: &errors}}
	ended := make(chan int, 1)
	go func() {
		ended <- execute(g, []string{"serve", "--protocol", "3d-ice", "--port", "0", "--compat", "--device", "cpu",
			"--out", dir, "../../interop/serve/threedice/testdata/case.stk"})
	}()
	c, err := net.Dial("tcp", errors.address(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	one := uint32(0x3f800000)
	for _, m := range [][]uint32{{2, 4}, {8, 5, 5, one, one, one, one, one}, {2, 6}, {3, 3, 2}, {2, 0}} {
		if err := binary.Write(c, binary.LittleEndian, m); err != nil {
			t.Fatal(err)
		}
	}
	answers, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(answers)/4)
	if _, err := binary.Decode(answers, binary.LittleEndian, words); err != nil {
		t.Fatal(err)
	}
	const elements, success, slotDone = 5, 0, 4
	for n, want := range []uint32{3, 4, elements, 3, 5, success, 3, 6, slotDone} {
		if len(words) != 9 || words[n] != want {
			t.Fatalf("answers %v", words)
		}
	}
	if status := <-ended; status != exit.Done {
		t.Errorf("exit status %d:\n%s", status, errors.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "t_top.txt"))
	if err != nil || !bytes.Contains(text, []byte("0.200000 \t")) {
		t.Errorf("printed %q, %v", text, err)
	}
}

// Over TCP the command serves whoever has the token that it prints, and does nothing for a web page that posts commands
// to its port.
func TestServeToken(t *testing.T) {
	var errors said
	g := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: &errors}}
	ended := make(chan int, 1)
	go func() {
		ended <- execute(g, []string{"serve", "--port", "0", "--device", "cpu", "--grid", "4x4", "--dt", "1 ms",
			"../../examples/quickstart"})
	}()
	address := errors.address(t)
	talk := func(text string) string {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(c, text)
		answer, _ := io.ReadAll(c) // what the server left unread resets the connection
		return string(answer)
	}
	const commands = `{"op":"step"}` + "\n" + `{"op":"shutdown"}` + "\n"
	for _, first := range []string{"POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n", "",
		`{"op":"hello","token":"0123456789abcdef"}` + "\n"} {
		if said := talk(first + commands); strings.Contains(said, `"ok":true`) {
			t.Errorf("%q: %s", first, said)
		}
	}
	token := regexp.MustCompile(`\{"op":"hello","token":"[^"]+"\}`).FindString(errors.String())
	if said := talk(token + "\n" + commands); strings.Count(said, `"ok":true`) != 3 ||
		!strings.Contains(said, `"steps":1`) {
		t.Errorf("with its token %s the server says %s", token, said)
	}
	if status := <-ended; status != exit.Done {
		t.Errorf("exit status %d:\n%s", status, errors.String())
	}
}
