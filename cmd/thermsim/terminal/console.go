// Package terminal writes to the terminal: tables and JSON on stdout; notes, errors and the progress line on stderr.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"thermsim/cmd/thermsim/exit"
	"thermsim/internal/printable"
	"thermsim/report"
	"thermsim/report/printout"
)

// Console is the two output streams: tables and JSON on stdout, everything else on stderr.
type Console struct {
	Stdout  io.Writer
	Style   printout.Style // of stdout
	Depth   report.ColorDepth
	Quiet   bool
	Verbose bool
	Name    string // of this rank, in the log that -v asks for; "" where there is one
	Reader  reader

	mu     sync.Mutex
	Stderr io.Writer
	live   bool       // stderr is a terminal on which a line can be rewritten
	width  func() int // of stderr, in characters, as it is now
	drawn  bool       // a progress line stands on the terminal
}

// DefaultWidth is used without a terminal.
const DefaultWidth = 100

// New looks at the terminal, NO_COLOR (https://no-color.org) and TERM.
func New(stdout, stderr *os.File, getenv func(string) (string, bool)) *Console {
	name, _ := getenv("TERM")
	noColor, _ := getenv("NO_COLOR")
	c := new(Console)
	c.Stderr = readerOf{stderr, &c.Reader}
	c.Style.Width = terminalWidth(stdout)
	c.Style.Color = term.IsTerminal(int(stdout.Fd())) && noColor == "" && name != "dumb"
	if c.Style.Color {
		c.Depth = colorDepth(name, getenv)
	}
	c.Stdout = printable.Writer(readerOf{stdout, &c.Reader}, c.Style.Color)
	c.width = func() int { return terminalWidth(stderr) }
	c.live = term.IsTerminal(int(stderr.Fd())) && name != "dumb"
	return c
}

// colorDepth is what the terminal says of itself; all terminals with colors support 256, except system
// consoles.
func colorDepth(name string, getenv func(string) (string, bool)) report.ColorDepth {
	depth, _ := getenv("COLORTERM")
	switch {
	case depth == "truecolor" || depth == "24bit":
		return report.TrueColor
	case name == "linux" || name == "vt100" || name == "ansi" || name == "":
		return report.NoColor
	}
	return report.Palette256
}

func terminalWidth(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return DefaultWidth
}

// Note prints a message on stderr.
func (c *Console) Note(format string, args ...any) {
	if !c.Quiet {
		c.Print(printable.Message("thermsim: " + fmt.Sprintf(format, args...)))
	}
}

// Detail is a line of the log that -v asks for.
func (c *Console) Detail(format string, args ...any) {
	if c.Verbose {
		c.Print(printable.Lines("thermsim: " + c.Name + fmt.Sprintf(format, args...)))
	}
}

// Fail prints an error. Where an input file is at fault, the place comes first, as editors expect it.
func (c *Console) Fail(err error) {
	if exit.IsInputError(err) {
		c.Print(printable.Message(err.Error()))
		return
	}
	c.Print(printable.Message("thermsim: " + err.Error()))
}

func (c *Console) Print(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	fmt.Fprintln(c.Stderr, text)
}

// redraw rewrites the progress line. Text of several lines, or longer than the terminal is wide, would leave lines
// behind.
func (c *Console) redraw(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	runes := []rune(printable.Text(strings.ReplaceAll(text, "\n", " ")))
	if width := c.width(); len(runes) >= width {
		runes = runes[:max(0, width-1)]
	}
	fmt.Fprint(c.Stderr, "\r\x1b[K"+string(runes))
	c.drawn = true
}

// erase removes the progress line. The caller holds mu.
func (c *Console) erase() {
	if c.drawn {
		fmt.Fprint(c.Stderr, "\r\x1b[K")
		c.drawn = false
	}
}

func (c *Console) ClearLine() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
}

// Bold and dim paint headings of stdout.
func (c *Console) Bold(text string) string { return c.paint("1", text) }
func (c *Console) Dim(text string) string  { return c.paint("2", text) }
func (c *Console) Red(text string) string  { return c.paint("1;31", text) }

func (c *Console) paint(code, text string) string {
	if !c.Style.Color || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
