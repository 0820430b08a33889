package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"thermsim/gpusolve"
	"thermsim/internal/printable"
	"thermsim/report"
)

// globals is what every command shares.
type globals struct {
	*console
	departure
	start   time.Time               // of the process
	timings timingsFlag             // where the time went
	started bool                    // a command has begun: errors from here on are not cobra's
	unknown error                   // the help of a command that does not exist was asked for
	force   bool                    // --force: files that no run wrote may be replaced
	inputs  []string                // files that were read and must stay
	adjust  func(*gpusolve.Options) // nil but in tests, which hand in an executor of their own
	// ends says that the process ends with the run, which need not give its memory back before.
	ends  bool
	fault func(op, name string) error // nil but in tests, which fail operations on the disk
}

// console is the two output streams: tables and JSON on stdout, everything else on stderr.
type console struct {
	stdout  io.Writer
	style   report.Style // of stdout
	depth   report.ColorDepth
	quiet   bool
	verbose bool
	name    string // of this rank, in the log that -v asks for; "" where there is one
	reader  reader

	mu     sync.Mutex
	stderr io.Writer
	live   bool       // stderr is a terminal on which a line can be rewritten
	width  func() int // of stderr, in characters, as it is now
	drawn  bool       // a progress line stands on the terminal
}

// defaultWidth holds where no terminal tells.
const defaultWidth = 100

// newConsole looks at the terminal, NO_COLOR (https://no-color.org) and TERM.
func newConsole(stdout, stderr *os.File, getenv func(string) (string, bool)) *console {
	name, _ := getenv("TERM")
	noColor, _ := getenv("NO_COLOR")
	c := new(console)
	c.stderr = readerOf{stderr, &c.reader}
	c.style.Width = terminalWidth(stdout)
	c.style.Color = term.IsTerminal(int(stdout.Fd())) && noColor == "" && name != "dumb"
	if c.style.Color {
		c.depth = colorDepth(name, getenv)
	}
	c.stdout = printable.Writer(readerOf{stdout, &c.reader}, c.style.Color)
	c.width = func() int { return terminalWidth(stderr) }
	c.live = term.IsTerminal(int(stderr.Fd())) && name != "dumb"
	return c
}

// colorDepth is what the terminal says of itself; all that show colours at all know 256 nowadays, but for the consoles
// of systems.
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
	return defaultWidth
}

// note tells the user something on stderr.
func (c *console) note(format string, args ...any) {
	if !c.quiet {
		c.print(printable.Message("thermsim: " + fmt.Sprintf(format, args...)))
	}
}

// detail is a line of the log that -v asks for.
func (c *console) detail(format string, args ...any) {
	if c.verbose {
		c.print(printable.Lines("thermsim: " + c.name + fmt.Sprintf(format, args...)))
	}
}

// fail prints an error. Where an input file is at fault, the place comes first, as editors expect it.
func (c *console) fail(err error) {
	if isInputError(err) {
		c.print(printable.Message(err.Error()))
		return
	}
	c.print(printable.Message("thermsim: " + err.Error()))
}

func (c *console) print(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	fmt.Fprintln(c.stderr, text)
}

// redraw rewrites the progress line. Text of several lines, or longer than the terminal is wide, would leave lines
// behind.
func (c *console) redraw(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	runes := []rune(printable.Text(strings.ReplaceAll(text, "\n", " ")))
	if width := c.width(); len(runes) >= width {
		runes = runes[:max(0, width-1)]
	}
	fmt.Fprint(c.stderr, "\r\x1b[K"+string(runes))
	c.drawn = true
}

// erase removes the progress line. The caller holds mu.
func (c *console) erase() {
	if c.drawn {
		fmt.Fprint(c.stderr, "\r\x1b[K")
		c.drawn = false
	}
}

func (c *console) clearLine() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
}

// bold and dim paint headings of stdout.
func (c *console) bold(text string) string { return c.paint("1", text) }
func (c *console) dim(text string) string  { return c.paint("2", text) }
func (c *console) red(text string) string  { return c.paint("1;31", text) }

func (c *console) paint(code, text string) string {
	if !c.style.Color || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
