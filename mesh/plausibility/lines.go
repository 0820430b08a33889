package plausibility

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Write lists warnings in lines of at most width characters, as far as words allow, each with a hyphen before it.
func Write(w io.Writer, warnings []Warning, width int) error {
	for _, warning := range warnings {
		for i, line := range Fold(warning.String(), width-4) {
			lead := "    "
			if i == 0 {
				lead = "  - "
			}
			if _, err := fmt.Fprintln(w, lead+line); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fold breaks a text between words, and words that are longer than a line.
func Fold(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for width > 0 && utf8.RuneCountInString(word) > width {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			runes := []rune(word)
			lines, word = append(lines, string(runes[:width])), string(runes[width:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
