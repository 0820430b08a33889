// Package threedice implements the network protocol of 3D-ICE's server (3D-ICE 4.0, network_message and types.h), so
// that tools written for it work with thermsim. A message is a sequence of 32-bit words in little-endian byte order:
// its length in words, its type and a payload. Temperatures and powers are FP32.
package threedice

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The types of messages.
const (
	exitSimulation  = iota // ends the session and the server; no reply
	resetState             // temperatures as at the start; no reply
	sendOutput             // instant, type, quantity: temperatures of the matching instructions
	printOutput            // instant: the matching instructions write into their files; no reply
	totalElements          // number of elements in all floorplans
	insertPowers           // n, n powers: those of a slot, for the queues
	simulateSlot           // to the end of the slot
	simulateStep           // one step
	sendOutputFiles        // the printed files
)

var typeNames = [...]string{"EXIT_SIMULATION", "RESET_THERMAL_STATE", "SEND_OUTPUT", "PRINT_OUTPUT",
	"TOTAL_NUMBER_OF_FLOORPLAN_ELEMENTS", "INSERT_POWERS",
	"SIMULATE_SLOT", "SIMULATE_STEP", "SEND_OUTPUT_FILES"}

func typeName(t uint32) string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", t)
}

// Answers to INSERT_POWERS and to simulations.
const (
	success, failure = 0, 1

	endOfSimulation = 0
	solverError     = 2
	stepDone        = 3
	slotDone        = 4
)

// message is a type and its payload.
type message struct {
	kind    uint32
	payload []uint32
}

// errMalformed marks invalid messages: the end of such a message in the stream is unknown.
var errMalformed = errors.New("malformed message")

// header is the length and the type.
const header = 2

// readMessage reads a message of at most a number of words.
func readMessage(in io.Reader, most int) (*message, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err // io.EOF between messages is an end
	}
	words := binary.LittleEndian.Uint32(head[:])
	switch {
	case words < header:
		return nil, fmt.Errorf("%w: its length is %d words, less than the header's", errMalformed, words)
	case uint64(words) > uint64(most):
		return nil, fmt.Errorf("%w: its length is %d words; this project needs at most %d", errMalformed,
			words, most)
	}
	rest := make([]byte, 4*(words-1))
	if _, err := io.ReadFull(in, rest); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("cut off: %w", err)
	}
	m := &message{kind: binary.LittleEndian.Uint32(rest)}
	for at := 4; at < len(rest); at += 4 {
		m.payload = append(m.payload, binary.LittleEndian.Uint32(rest[at:]))
	}
	return m, nil
}

// bytes are the encoded message.
func (m *message) bytes() []byte {
	all := binary.LittleEndian.AppendUint32(nil, uint32(len(m.payload)+header))
	all = binary.LittleEndian.AppendUint32(all, m.kind)
	for _, w := range m.payload {
		all = binary.LittleEndian.AppendUint32(all, w)
	}
	return all
}

func (m *message) add(words ...uint32) { m.payload = append(m.payload, words...) }

// float adds a number as FP32.
func (m *message) float(v float64) { m.add(math.Float32bits(float32(v))) }

// text adds bytes, four per word, padded with zeros.
func (m *message) text(b []byte) {
	for len(b) > 0 {
		var word [4]byte
		b = b[copy(word[:], b):]
		m.add(binary.LittleEndian.Uint32(word[:]))
	}
}
