package main

import (
	"bytes"
	"os"
	"testing"
)

// The committed page has the tables that the committed measurements make.
func TestRanksTable(t *testing.T) {
	var made bytes.Buffer
	if err := writeRanks(&made, []string{"../../docs/measurements/ranks-h100x2.json", "../../docs/measurements/ranks-h100x2-first.json"}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/ranks-gpu.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, made.Bytes()) {
		t.Error("docs/ranks-gpu.md does not hold what gpubench -ranks-table makes of docs/measurements/ranks-h100x2.json and ranks-h100x2-first.json")
	}
}
