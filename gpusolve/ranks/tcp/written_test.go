package tcp

import (
	"bytes"
	"net"
)

// written is a connection that keeps what is written to it.
type written struct {
	net.Conn
	bytes.Buffer
}

func (w *written) Write(b []byte) (int, error) { return w.Buffer.Write(b) }
func (w *written) Read(b []byte) (int, error)  { return w.Buffer.Read(b) }
