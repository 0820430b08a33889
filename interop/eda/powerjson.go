package eda

import (
	"bytes"
	"math"
)

// instanceJSON is the state of a report of instances in JSON. OpenSTA writes one key per line, and does not escape the
// backslashes of names, so it is read line by line.
type instanceJSON struct {
	open bool // in the list of instances
	name word
	powers
}

// startJSON recognizes the first line of a report in JSON: a list of instances, or an object of groups.
func (p *reportParser) startJSON(f []word) bool {
	switch string(f[0].text) {
	case "[":
		p.table, p.json.open, p.printed = perInstance, true, math.NaN()
	case "{":
		p.table = perGroup
	default:
		return false
	}
	return len(f) == 1
}

// jsonLine reads a line of the list.
func (p *reportParser) jsonLine(f []word) {
	const punctuation = "[]{},"
	key := string(bytes.Trim(f[0].text, `":`))
	role, isPower := roles[key]
	switch {
	case len(f) == 1 && len(bytes.Trim(f[0].text, punctuation)) == 0:
		if bytes.IndexByte(f[0].text, '}') >= 0 {
			p.jsonInstance(f[0])
		}
		if bytes.IndexByte(f[0].text, ']') >= 0 {
			p.table, p.json.open = banner, false
		}
	case len(f) == 2 && key == "name":
		p.json.name = word{bytes.Clone(bytes.Trim(f[1].text, `",`)), f[1].col + 1}
	case len(f) == 2 && isPower:
		v, ok := parseFloat(bytes.TrimSuffix(f[1].text, []byte(",")))
		if !ok {
			p.failCol(f[1].col, "", "expected a number, got %q", f[1].shown())
			return
		}
		p.json.value[role], p.json.has[role] = v, true
	default:
		p.failCol(f[0].col, "write it with report_power -instances -format json, one key per line",
			"not a line of OpenSTA's JSON")
	}
}

// jsonInstance ends an instance.
func (p *reportParser) jsonInstance(at word) {
	if len(p.json.name.text) == 0 || p.json.has == [other + 1]bool{} {
		p.failCol(at.col, "is the file complete?", "an instance without a name or without power")
		return
	}
	name, w := p.json.name, p.json.powers
	p.json = instanceJSON{open: true}
	p.add(name, &w)
}
