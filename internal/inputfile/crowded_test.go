package inputfile

import (
	"io"
	"strings"
	"testing"
)

// Tables as they are meant pass, however many they are; empty ones beyond the first fewTables do not.
func TestCrowded(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, strings.Repeat("{},", fewTables): true, strings.Repeat("{},", 2*fewTables): false,
		strings.Repeat(`{"name":"block","watts":1}`, 100_000): true,
	} {
		if err := Crowded([]byte(text), 24); (err == nil) != ok {
			t.Errorf("%d bytes: %v", len(text), err)
		}
		read, err := io.ReadAll(Uncrowded(strings.NewReader(text), 24))
		if (err == nil) != ok || ok && string(read) != text {
			t.Errorf("%d bytes, %d of them read: %v", len(text), len(read), err)
		}
	}
}
