package fieldfile

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
)

// Whatever the title, the comment in front of a VTK file is XML, and is over where it ends.
func TestTitlesAreComments(t *testing.T) {
	for _, title := range []string{"", "-", "--", "---", "----", "a-->b", "<!--", "-->", "a\x1b[2J", "ends with -",
		strings.Repeat("-", 77)} {
		text := "<!-- " + string(comment(title)) + " --><end/>"
		d := xml.NewDecoder(bytes.NewReader([]byte(text)))
		first, err := d.Token()
		if _, ok := first.(xml.Comment); err != nil || !ok {
			t.Errorf("%q: %T, %v", title, first, err)
			continue
		}
		if second, err := d.Token(); err != nil || second.(xml.StartElement).Name.Local != "end" {
			t.Errorf("%q: the comment is followed by %v, %v", title, second, err)
		}
	}
}
