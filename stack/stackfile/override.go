package stackfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
)

// Override replaces a value of a stack file, such as "boundary.top.h=5000 W/(m^2 K)".
type Override struct {
	Text string // as it was given
	// keys from the top of the file; one of an array of tables follows it by its name or its number from 0
	steps []string
	value string // TOML, or the text of a string; empty to leave the key out
}

// overrideMark begins the position of an override.
const overrideMark = "--set "

// ParseOverride reads an override. Keys with dots are in double quotes.
func ParseOverride(text string) (Override, error) {
	o := Override{Text: text}
	rest := text
	for {
		var step string
		if strings.HasPrefix(rest, `"`) {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return o, errors.New(`a quote is not closed`)
			}
			step, rest = rest[1:1+end], rest[2+end:]
		} else {
			end := strings.IndexAny(rest, ".=")
			if end < 0 {
				return o, errors.New(`write KEY=VALUE, such as boundary.top.h=5000`)
			}
			step, rest = strings.TrimSpace(rest[:end]), rest[end:]
		}
		if step == "" {
			return o, errors.New("a key is empty")
		}
		o.steps = append(o.steps, step)
		switch {
		case strings.HasPrefix(rest, "."):
			rest = rest[1:]
		case strings.HasPrefix(rest, "="):
			o.value = strings.TrimSpace(rest[1:])
			return o, nil
		default:
			return o, errors.New(`write KEY=VALUE, such as boundary.top.h=5000`)
		}
	}
}

// NewOverride puts a value under a key, which is all of a text.
func NewOverride(key, value string) (Override, error) {
	o, err := ParseOverride(key + "=")
	if err == nil && o.value != "" {
		err = errors.New("a key has no =")
	}
	o.Text, o.value = key+"="+value, strings.TrimSpace(value)
	return o, err
}

// SetNumber puts a number with its unit under a key, without rounding.
func SetNumber(key string, x float64, unit string) (Override, error) {
	return NewOverride(key, strings.TrimSpace(strconv.FormatFloat(x, 'g', -1, 64)+" "+unit))
}

// ValueOf is the text of a value of a stack file, by its key as in --set, after overrides.
func ValueOf(open Opener, path, key string, overrides ...Override) (string, error) {
	o, err := NewOverride(key, "")
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	l, at, err := openStack(open, path, overrides)
	if err == nil {
		err = l.faults.Err(path)
	}
	if err != nil {
		return "", err
	}
	for i, step := range o.steps {
		var next *tree.Node
		if tree.Tables(at) {
			next, _ = tree.Member(at, step)
		} else if e := at.Find(step); e != nil {
			next = e.Value
		}
		if at = next; at == nil {
			return "", &stack.Error{Pos: stack.Pos{File: path}, Msg: fmt.Sprintf("the file has no %s", o.path(i+1)),
				Remedy: fmt.Sprintf("give its value: %s=VALUE", key)}
		}
	}
	return at.Text, nil
}

// maxSteps is the maximum depth of an override; no key of the format is deeper.
const maxSteps = 12

// override changes the tree of a stack file.
func (l *loader) override(root *tree.Node, o Override) {
	pos := stack.Pos{File: overrideMark + strings.Join(o.steps, ".")}
	fail := func(remedy, format string, args ...any) {
		l.faults.Add(&stack.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Remedy: remedy})
	}
	switch {
	case len(o.steps) > maxSteps:
		fail("", "no key is nested that deep")
		return
	case o.steps[0] == "include": // the files have been read
		fail("write it in the file", "include cannot be set")
		return
	}
	at, spec := root, l.format.Spec("stack")
	way := trail{override: &o, nodes: []*tree.Node{root}}
	attach := func() {} // adds the tables that are made
	for i, step := range o.steps {
		key := keyOf(spec, step)
		last := i == len(o.steps)-1
		switch {
		case tree.Tables(at):
			next, candidates := tree.Member(at, step)
			if next == nil {
				fail(way.remedy(candidates), "%s has no table called %q", o.path(i), faults.Shorten(step))
				return
			}
			if last {
				fail("add a key of the table", "%s is a table", o.path(i+1))
				return
			}
			way.add(next)
			at = next
			continue
		case last:
			if o.value == "" && at.Find(step) == nil {
				fail(faults.DidYouMean(step, at.Names()), "the file has no %s to remove", o.path(i+1))
				return
			}
			if i == 1 && o.steps[0] == "define" && at.Find(step) == nil {
				l.added = append(l.added, addedConstant{step, pos, slices.Clone(at.Names())})
			}
			attach()
			if at.Remove(step); o.value != "" {
				at.Add(step, pos, valueNode(o.value, pos))
			}
			return
		case key != nil && key.Type == keys.Tables && !at.HasNode(step):
			fail(way.remedy(nil), "%s has no %s", way.here(), step)
			return
		}
		single := key != nil && key.Type == keys.TableOrTables
		if at.HasNode(step) {
			at = at.Find(step).Value
		} else { // nothing, or a word such as "adiabatic"
			from, made, before := at, &tree.Node{Pos: pos, Kind: tree.Table}, attach
			attach = func() { before(); from.Set(step, made) }
			at = made
		}
		way.add(at)
		spec = l.specBelow(key)
		switch _, err := strconv.Atoi(o.steps[i+1]); {
		case at.Kind != tree.Table && !tree.Tables(at):
			fail("", "%s is %s, which has no keys", o.path(i+1), at.Describe())
			return
		case single && at.Kind == tree.Table && err == nil:
			fail("remove its number", "%s is a table, not an array of tables", o.path(i+1))
			return
		}
	}
}

// valueNode reads a value: TOML where it is that, else the text of a string.
func valueNode(text string, pos stack.Pos) *tree.Node {
	root, fault := tree.Parse(pos.File, []byte("value = "+text))
	if fault == nil && len(root.Entries) == 1 {
		root.Entries[0].Value.SetPos(&pos)
		return root.Entries[0].Value
	}
	return &tree.Node{Pos: pos, Kind: tree.String, Text: text}
}

// trail is the path of an override into a file, with suggestions for keys that it does not find there.
type trail struct {
	override *Override
	nodes    []*tree.Node // the top of the file, then one for each step
}

func (w *trail) add(n *tree.Node) { w.nodes = append(w.nodes, n) }

// steps taken so far.
func (w *trail) steps() int { return len(w.nodes) - 1 }

// here is the path so far, in messages.
func (w *trail) here() string {
	if w.steps() == 0 {
		return "the file"
	}
	return w.override.path(w.steps())
}

// remedy is that of a missing key; candidates are the names that exist there.
func (w *trail) remedy(candidates []string) string {
	steps, i := w.override.steps, w.steps()
	key, name := steps[i], ""
	if i+1 < len(steps) {
		name = steps[i+1]
	}
	if tree.Tables(w.nodes[i]) {
		if at := w.find(steps[i-1], key); at != "" { // of the same kind, elsewhere
			return "set " + w.full(at, i+1)
		}
	}
	if at := w.find(key, name); at != "" {
		return "set " + w.full(at, i+2)
	}
	if tree.Tables(w.nodes[i]) {
		if len(candidates) == 0 {
			return fmt.Sprintf("its tables have no names: give the number, 0 to %d", len(w.nodes[i].Items)-1)
		}
		return faults.DidYouMean(key, candidates)
	}
	if key == "block" {
		if remedy := w.floorplan(name); remedy != "" {
			return remedy
		}
	}
	return fmt.Sprintf("add it to the file, or set all of it: %s=[{ ... }]", w.override.path(i+1))
}

// full is the path of something with the steps that follow it.
func (w *trail) full(at string, done int) string {
	for _, step := range w.override.steps[min(done, len(w.override.steps)):] {
		at += "." + tree.PathStep(step)
	}
	return at
}

// find looks for a table of that name in an array under that key, from the innermost table of the path outwards; a
// number applies to the innermost array only.
func (w *trail) find(key, name string) string {
	_, err := strconv.Atoi(name)
	for i := w.steps(); i >= 0; i-- {
		if at := w.nodes[i].Seek(key, name); at != "" {
			return tree.JoinPath(w.override.path(i), at)
		}
		if err == nil && i > 0 && tree.Tables(w.nodes[i-1]) {
			break
		}
	}
	return ""
}

// floorplan is the remedy if the blocks of the current table come from a file.
func (w *trail) floorplan(block string) string {
	at, path := w.nodes[w.steps()], w.override.path(w.steps())
	for _, p := range append(at.Members("power", path), tree.Located{Node: at, Path: path}) {
		file := p.Node.Find("floorplan")
		if file == nil {
			continue
		}
		if watts := p.Node.Find("watts"); watts != nil && watts.Value.Find(block) != nil {
			return "set " + tree.JoinPath(p.Path, "watts."+tree.PathStep(block))
		}
		return fmt.Sprintf("the blocks of %s come from %s: set its watts", p.Path, file.Value.Describe())
	}
	return ""
}

// keyOf is the key of that name, nil where the format has none.
func keyOf(spec *keys.Spec, name string) *keys.Key {
	if spec == nil {
		return nil
	}
	k, _ := spec.Key(name)
	return k
}

// specBelow describes the tables under a key; nil if they have free names or are unknown.
func (l *loader) specBelow(k *keys.Key) *keys.Spec {
	if k == nil || k.Type == keys.NamedTables {
		return nil
	}
	return l.format.Spec(k.Sub)
}

// path of the first steps.
func (o *Override) path(n int) string {
	path := ""
	for _, step := range o.steps[:n] {
		path = tree.JoinPath(path, tree.PathStep(step))
	}
	return path
}
