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
	"strings"
)

// NewToken makes a token that cannot be guessed.
func NewToken() string { return rand.Text() }

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// CheckToken checks a token that a user chose. It is too long to be found by trial.
func CheckToken(token string) error {
	if len(token) < 16 || len(token) > 128 || strings.Trim(token, alphanumeric+"-") != "" {
		return errors.New("a token has 16 to 128 letters, digits, - and _")
	}
	return nil
}

// isHTTP reports whether a first line is that of a browser or another client of a web server. PRI begins HTTP/2.
func isHTTP(line []byte) bool {
	words := strings.Fields(string(line))
	return len(words) >= 3 && strings.HasPrefix(words[2], "HTTP/")
}

// Admit reads the first line of a client of this package's protocol: a request, and with a token a hello that contains
// it. Other lines end the connection, so that only clients of the protocol command the server, and not a web page in a
// browser.
func Admit(token string) func(c net.Conn) (net.Conn, error) {
	return func(c net.Conn) (net.Conn, error) {
		size := MaxMessage
		if token != "" {
			size = 1 << 12 // a hello is short; clients without the token get no more memory
		}
		in := bufio.NewReaderSize(c, size)
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if IsTimeout(err) {
				answerFault(c, faultf(Slow, "no request arrived in time"))
			}
			return nil, fmt.Errorf("sent nothing: %w", err)
		}
		if fault := admitted(line, token); fault != nil {
			answerFault(c, fault)
			return nil, fault
		}
		return &opened{c, io.MultiReader(bytes.NewReader(bytes.Clone(line)), in)}, nil
	}
}

// admitted checks a first line.
func admitted(line []byte, token string) *Fault {
	if isHTTP(line) {
		return faultf(Denied, "this is not a web server; docs/guides/serve.md has the protocol")
	}
	r, fault := parse(line)
	if fault != nil {
		return fault
	}
	// Digests have one length, so that the time of the comparison does not depend on the token.
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(r.Token))
	if token != "" && (r.Op != "hello" || subtle.ConstantTimeCompare(want[:], got[:]) == 0) {
		return faultf(Denied,
			`begin with {"op":"hello","token":"..."} and the token that the server printed or was given with --token`)
	}
	return nil
}

// answerFault reports to a client why it is rejected. It may have disconnected already.
func answerFault(c net.Conn, fault *Fault) {
	text, err := json.Marshal(map[string]any{"ok": false, "error": fault})
	if err == nil {
		_, _ = c.Write(append(text, '\n'))
	}
}

// AdmitSpeaking waits until a client sends something, for protocols without a token.
func AdmitSpeaking(c net.Conn) (net.Conn, error) {
	in := bufio.NewReader(c)
	if _, err := in.Peek(1); err != nil {
		return nil, fmt.Errorf("sent nothing: %w", err)
	}
	return &opened{c, in}, nil
}

// opened is a connection of which the first bytes have been read already.
type opened struct {
	net.Conn
	in io.Reader
}

func (o *opened) Read(p []byte) (int, error) { return o.in.Read(p) }
