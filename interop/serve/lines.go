package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Stream is a client's connection, or standard input and output.
type Stream struct {
	In  io.Reader
	Out io.Writer
	// Conn is the connection, nil for standard input and output, which have no deadlines.
	Conn net.Conn
	// Idle is the longest time between messages, 0 for no limit; Patience that for one message, in either direction.
	Idle, Patience time.Duration
}

// message is a line of a client, or the reason why there is none.
type message struct {
	line  []byte
	fault *Fault
	err   error // of the stream, which has ended
}

// ErrClient marks errors of a client that end its session: it was silent for too long, or has disconnected.
var ErrClient = errors.New("the client")

// Serve answers the requests of one client until it quits, its stream ends or the context does. shutdown is set if the
// client requests the end of the server.
func Serve(ctx context.Context, sim *Simulation, s Stream) (shutdown bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Conn != nil {
		// An interrupt ends reads and writes.
		defer context.AfterFunc(ctx, func() { _ = s.Conn.SetDeadline(time.Unix(1, 0)) })()
	}
	messages := make(chan message)
	go s.receive(ctx, messages)
	for {
		var m message
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case m = <-messages:
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		var answer []byte
		end := goOn
		switch {
		case m.fault != nil:
			answer = sim.refuse(m.fault)
		case m.line != nil:
			answer, end = sim.Do(ctx, m.line)
		}
		if answer != nil {
			if err := s.send(answer); err != nil {
				if ctx.Err() != nil {
					return false, ctx.Err()
				}
				return false, fmt.Errorf("%w does not read answers: %w", ErrClient, err)
			}
		}
		switch {
		case m.err == io.EOF:
			return false, nil
		case m.err != nil && ctx.Err() == nil:
			return false, fmt.Errorf("%w: %w", ErrClient, m.err)
		case end != goOn:
			return end == endServer, nil
		case sim.broken != nil:
			return true, sim.broken
		}
	}
}

// send writes an answer.
func (s *Stream) send(answer []byte) error {
	if s.Conn != nil && s.Patience > 0 {
		if err := s.Conn.SetWriteDeadline(time.Now().Add(s.Patience)); err != nil {
			return err
		}
	}
	_, err := s.Out.Write(answer)
	return err
}

// receive reads messages until the stream ends.
func (s *Stream) receive(ctx context.Context, to chan<- message) {
	in := bufio.NewReaderSize(s.In, 1<<16)
	for {
		m := s.next(ctx, in)
		select {
		case to <- m:
		case <-ctx.Done():
			return
		}
		if m.err != nil {
			return
		}
	}
}

// next reads a message. Patience starts at its first byte.
func (s *Stream) next(ctx context.Context, in *bufio.Reader) message {
	SetReadDeadline(ctx, s.Conn, s.Idle)
	if _, err := in.Peek(1); err != nil {
		if IsTimeout(err) {
			return message{fault: faultf(Slow, "no request for %s", s.Idle),
				err: fmt.Errorf("was silent for %s", s.Idle)}
		}
		return message{err: err}
	}
	SetReadDeadline(ctx, s.Conn, s.Patience)
	line, err := readLine(in)
	switch {
	case err == nil:
		return message{line: line}
	case errors.Is(err, errTooLong):
		return message{fault: faultf(TooLarge, "the request has more than %d bytes; it was ignored", MaxMessage)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return message{fault: faultf(Truncated, "the last request has no end of line; it was ignored"), err: io.EOF}
	case IsTimeout(err):
		return message{fault: faultf(Slow, "the request was not complete after %s", s.Patience),
			err: fmt.Errorf("took more than %s to send a request", s.Patience)}
	}
	return message{err: err}
}

// SetReadDeadline limits the time of the next reads, 0 for no limit. A nil connection has no deadline.
func SetReadDeadline(ctx context.Context, c net.Conn, most time.Duration) {
	if c == nil {
		return
	}
	until := time.Time{}
	if most > 0 {
		until = time.Now().Add(most)
	}
	_ = c.SetReadDeadline(until) // reads report a closed connection
	if ctx.Err() != nil {
		_ = c.SetReadDeadline(time.Unix(1, 0)) // after an interrupt
	}
}

// IsTimeout reports whether an error is that of a deadline.
func IsTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

var errTooLong = errors.New("the line is too long")

// readLine reads a line without its end. A line that is too long is skipped.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if !long && len(line)+len(part) > MaxMessage {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case long:
			return nil, errTooLong
		default:
			return line[:len(line)-1], nil
		}
	}
}
