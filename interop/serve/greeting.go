package serve

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
)

// NewToken makes a token that nobody guesses.
func NewToken() string { return rand.Text() }

// tokenForm is what tokens look like: long enough that they cannot be tried out.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

// CheckToken says what is wrong with a token that a user chose.
func CheckToken(token string) error {
	if !tokenForm.MatchString(token) {
		return errors.New("a token has 16 to 128 letters, digits, - and _")
	}
	return nil
}

// httpRequest is the first line of a request that a browser or another program sends to a web server.
var httpRequest = regexp.MustCompile(`^(PRI|[A-Z]+ \S+ HTTP/[0-9.]+)\b`)

// Admit reads the first line of a client of this package's protocol: a request, and with a token a hello that has it.
// Other lines end the connection, so that nothing commands the server that cannot speak the protocol from its first
// byte, such as a web page by way of a browser.
func Admit(token string) func(c net.Conn) (net.Conn, error) {
	return func(c net.Conn) (net.Conn, error) {
		size := MaxMessage
		if token != "" {
			size = 1 << 12 // a hello is short, and whoever has no token takes no more memory
		}
		in := bufio.NewReaderSize(c, size)
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if isTimeout(err) {
				answerFault(c, faultf(Slow, "no request came in time"))
			}
			return nil, fmt.Errorf("said nothing: %w", err)
		}
		if fault := admitted(line, token); fault != nil {
			answerFault(c, fault)
			return nil, fault
		}
		return &opened{c, io.MultiReader(bytes.NewReader(bytes.Clone(line)), in)}, nil
	}
}

// admitted judges a first line.
func admitted(line []byte, token string) *Fault {
	if httpRequest.Match(line) {
		return faultf(Denied, "this is no web server, and speaks no HTTP; docs/guides/serve.md has the protocol")
	}
	r, fault := parse(line)
	if fault != nil {
		return fault
	}
	// Digests have one length, so that the time of the comparison says nothing.
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(r.Token))
	if token != "" && (r.Op != "hello" || subtle.ConstantTimeCompare(want[:], got[:]) == 0) {
		return faultf(Denied,
			`begin with {"op":"hello","token":"..."} and the token that the server printed or was given with --token`)
	}
	return nil
}

// answerFault tells a client why it is not taken. It may be gone already.
func answerFault(c net.Conn, fault *Fault) {
	text, err := json.Marshal(map[string]any{"ok": false, "error": fault})
	if err == nil {
		_, _ = c.Write(append(text, '\n'))
	}
}

// AdmitSpeaking waits until a client says something, for protocols that know no token.
func AdmitSpeaking(c net.Conn) (net.Conn, error) {
	in := bufio.NewReader(c)
	if _, err := in.Peek(1); err != nil {
		return nil, fmt.Errorf("said nothing: %w", err)
	}
	return &opened{c, in}, nil
}

// opened is a connection of which the first bytes have been read already.
type opened struct {
	net.Conn
	in io.Reader
}

func (o *opened) Read(p []byte) (int, error) { return o.in.Read(p) }
