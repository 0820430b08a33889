// Package printable escapes untrusted texts for output: names, paths, messages. Terminals execute control characters,
// spreadsheets run cells that look like formulas, and bidirectional overrides disguise a text. All of these are
// escaped.
package printable

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Unsafe reports whether a character controls the display: control characters (C0, delete, C1), bidirectional controls,
// line and paragraph separators, zero-width marks, and the replacement character of invalid UTF-8.
func Unsafe(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0, r == utf8.RuneError:
		return true
	// zero width except the joiners that scripts need; directional marks
	case r >= 0x200b && r <= 0x200f && r != 0x200c && r != 0x200d:
		return true
	case r == 0x061c, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f // tags: invisible
}

// Text escapes a text for one line: unsafe characters become \u and four digits, which JSON and TOML read as the same
// character.
func Text(s string) string { return escape(s, Unsafe) }

// Lines is Text for several lines: newlines and tabs are kept.
func Lines(s string) string {
	return escape(s, func(r rune) bool { return r != '\n' && r != '\t' && Unsafe(r) })
}

// Cell escapes a text for a CSV file. A text that a spreadsheet would run as a formula gets a leading apostrophe, which
// marks it as text. The same applies after ; and |, at which some spreadsheets split a line.
func Cell(s string) string {
	s = Text(s)
	if !strings.ContainsAny(s, "=+-@;|") {
		return s
	}
	var b strings.Builder
	begins := true // except for spaces
	for i := range len(s) {
		c := s[i]
		splits := c == ';' || c == '|'
		if begins && strings.IndexByte("=+-@", c) >= 0 || i == 0 && splits {
			b.WriteByte('\'')
		}
		b.WriteByte(c)
		begins = splits || begins && c == ' '
	}
	return b.String()
}

// Field is a Cell, in quotes if CSV requires them.
func Field(s string) string {
	s = Cell(s)
	if !strings.ContainsAny(s, `,";|`) {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// Lengths of messages in bytes: of each line, and in total. Twenty errors of five lines each fit.
const (
	mostLine    = 2000
	mostMessage = 20_000
)

// Message is Lines for an error message, truncated at the limits above.
func Message(s string) string {
	lines := strings.Split(s, "\n")
	length := 0
	for i, line := range lines {
		line = cut(line, mostLine)
		if length += len(line) + 1; length > mostMessage {
			lines = append(lines[:i], "...")
			break
		}
		lines[i] = line
	}
	return Lines(strings.Join(lines, "\n"))
}

// cut keeps the beginning and the end of a text, where the fix is given.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := s[:most/2], s[len(s)-most/2:]
	return strings.ToValidUTF8(head, "") + " ... " + strings.ToValidUTF8(tail, "")
}

func escape(s string, unsafe func(rune) bool) string {
	if strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafe(r) {
			writeEscape(&b, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// writeEscape writes \uXXXX, as a pair of surrogates beyond the first plane.
func writeEscape(b *strings.Builder, r rune) {
	if r > 0xffff {
		r -= 0x10000
		writeEscape(b, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	const digits = "0123456789abcdef"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(digits[r>>shift&0xf])
	}
}

// writer passes text on with unsafe characters escaped.
type writer struct {
	w     io.Writer
	color bool
	rest  []byte // of a character or color sequence that the last write split
}

// Writer escapes text for a terminal or a pipe. Newlines and tabs pass; if color is set, so do color sequences.
func Writer(w io.Writer, color bool) io.Writer { return &writer{w: w, color: color} }

// Write implements io.Writer.
func (p *writer) Write(text []byte) (int, error) {
	n := len(text)
	if len(p.rest) > 0 {
		text = append(p.rest, text...)
		p.rest = nil
	}
	if p.plain(text) {
		return passed(n, p.w, text)
	}
	var b strings.Builder
	for len(text) > 0 {
		k, split := colorLength(text)
		if p.color && k > 0 {
			b.Write(text[:k])
			text = text[k:]
			continue
		}
		if p.color && split || !utf8.FullRune(text) {
			p.rest = append([]byte(nil), text...)
			break
		}
		r, size := utf8.DecodeRune(text)
		if r != '\n' && r != '\t' && Unsafe(r) {
			writeEscape(&b, r)
		} else {
			b.Write(text[:size])
		}
		text = text[size:]
	}
	return passed(n, p.w, []byte(b.String()))
}

func passed(n int, w io.Writer, text []byte) (int, error) {
	if _, err := w.Write(text); err != nil {
		return 0, err
	}
	return n, nil
}

// plain reports whether a text is ASCII without unsafe characters, as almost all text is.
func (p *writer) plain(text []byte) bool {
	for _, c := range text {
		if c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// colorLength is the length of ESC [ digits and semicolons m at the start of a text, else 0. It reports whether a text
// of up to longestColor bytes may be the start of such a sequence.
func colorLength(text []byte) (length int, split bool) {
	for i, c := range text {
		switch {
		case i == 0 && c == 0x1b, i == 1 && c == '[', i > 1 && (c == ';' || c >= '0' && c <= '9'):
		case i > 1 && c == 'm':
			return i + 1, false
		default:
			return 0, false
		}
	}
	return 0, len(text) <= longestColor
}

const longestColor = 32 // more than thermsim writes
