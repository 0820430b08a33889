package printable

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile are characters that terminals, editors and spreadsheets obey, and what they are written as.
var hostile = map[string]string{
	"\x1b[2J":      `\u001b[2J`,
	"\x00":         `\u0000`,
	"\x7f":         `\u007f`,
	"\u009b2J":     `\u009b2J`,
	"a\u202eb":     `a\u202eb`,
	"\u2066x":      `\u2066x`,
	"\u200b":       `\u200b`,
	"\xff":         `\ufffd`,
	"\U000e0041":   `\udb40\udc41`,
	"line\u2028up": `line\u2028up`,
}

func TestText(t *testing.T) {
	for in, want := range hostile {
		if got := Text(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	for _, s := range []string{"", "core0", "Größe", "温度", "µm²", "a b", "नि\u200d"} {
		if Text(s) != s {
			t.Errorf("%q was changed to %q", s, Text(s))
		}
	}
	if got := Text("a\nb\tc"); got != `a\u000ab\u0009c` {
		t.Errorf("got %q", got)
	}
	if s := "a\nb\tc"; Lines(s) != s {
		t.Errorf("got %q", Lines(s))
	}
}

// Every control character of Unicode, and every character of format but joiners, soft hyphens and those of scripts, is
// unsafe.
func TestUnsafeCoversUnicode(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		bidi := r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
		if (unicode.IsControl(r) || bidi || unicode.In(r, unicode.Zl, unicode.Zp)) && !Unsafe(r) {
			t.Errorf("%U passes", r)
		}
		if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.Sm, unicode.Sc) && Unsafe(r) {
			t.Errorf("%U is refused", r)
		}
	}
}

// What is escaped in a JSON string is the same string to who reads it.
func TestWriterKeepsJSON(t *testing.T) {
	for in := range hostile {
		if !utf8.ValidString(in) {
			continue
		}
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := Writer(&out, false).Write(text); err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != in {
			t.Errorf("%q came back as %q, %v", in, back, err)
		}
		if strings.ContainsFunc(out.String(), Unsafe) {
			t.Errorf("%q passes as %q", in, out.String())
		}
	}
}

// However a text is cut into writes, the same comes out; colours pass where they are asked for, other sequences never.
func TestWriter(t *testing.T) {
	in := "\x1b[1;31mred\x1b[0m \x1b[2J\x1b]0;title\x07 Größe \u202e\n"
	for colour, want := range map[bool]string{
		true:  "\x1b[1;31mred\x1b[0m " + `\u001b[2J\u001b]0;title\u0007 Größe \u202e` + "\n",
		false: `\u001b[1;31mred\u001b[0m \u001b[2J\u001b]0;title\u0007 Größe \u202e` + "\n",
	} {
		var whole, bytewise bytes.Buffer
		if n, err := Writer(&whole, colour).Write([]byte(in)); n != len(in) || err != nil {
			t.Errorf("%d of %d, %v", n, len(in), err)
		}
		if whole.String() != want {
			t.Errorf("got %q\nwant %q", whole.String(), want)
		}
		w := Writer(&bytewise, colour)
		for i := range len(in) {
			if _, err := w.Write([]byte{in[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if bytewise.String() != want {
			t.Errorf("byte by byte: got %q\nwant %q", bytewise.String(), want)
		}
	}
}

// A cell never begins as a formula does, nor does what a spreadsheet makes of it that splits at other separators. Once
// it is safe it stays as it is.
func TestCell(t *testing.T) {
	for in, want := range map[string]string{"=1+1": "'=1+1", "+a": "'+a", "-a": "'-a", "@SUM(A1)": "'@SUM(A1)",
		"core": "core", "": "", "\t=1": `\u0009=1`, " =1": " '=1", "a-b@c": "a-b@c",
		";=1": "';'=1", "|a": "'|a", "a;=1": "a;'=1", "a|-b; @c;d": "a|'-b; '@c;d", "Größe;": "Größe;"} {
		if got := Cell(in); got != want || Cell(got) != got {
			t.Errorf("%q: got %q and then %q, want %q", in, got, Cell(got), want)
		}
	}
	for in, want := range map[string]string{"core": "core", `a,"b`: `"a,""b"`, "=a,b": `"'=a,b"`, "a;b": `"a;b"`,
		"|=1": `"'|'=1"`} {
		if got := Field(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestMessageHasALargestLength(t *testing.T) {
	long := strings.Repeat("ä", 1<<20) + "; do this"
	got := Message(long + "\n" + long)
	if len(got) > 2*(mostLine+10) || !strings.Contains(got, "; do this") || !utf8.ValidString(got) {
		t.Errorf("%d bytes", len(got))
	}
	if n := len(Message(strings.Repeat("line\n", 1<<20))); n > mostMessage+10 {
		t.Errorf("%d bytes of many lines", n)
	}
	if s := "stack.toml:1:1: short; remedy\nand more"; Message(s) != s {
		t.Errorf("got %q", Message(s))
	}
}
