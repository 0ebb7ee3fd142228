package config

import (
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v4"
)

// loader reads a configuration. It goes on after mistakes to find them all.
type loader struct {
	o          Options
	base       string // absolute; relative paths begin there
	config     *Config
	names      map[string]place // of targets
	mistakes   mistakes
	references []reference
	hashes     map[string][sha256.Size]byte
}

// field is a key of a mapping and what reads its value.
type field struct {
	key  string
	read func(at place, n *yaml.Node)
	// mistake is, for a key that people write though there is none, what to tell
	// them. It is not proposed.
	mistake string
}

// each calls f for each key of a mapping, with the place of the mapping in the
// key's line. It only repeats keys that show allows: they may be anything.
func (l *loader) each(at place, n *yaml.Node, want string, show func(key string) bool, f func(key string, at place, n *yaml.Node)) {
	if n.Kind != yaml.MappingNode || n.ShortTag() != "!!map" {
		l.wrongType(at, n, want)
		return
	}
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, in := n.Content[i], at.on(n.Content[i].Line)
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			l.mistakes.add(in, "a key is %s; want a string", describe(key))
			continue
		}
		if first, ok := lines[key.Value]; ok {
			what := "the same key"
			if show(key.Value) {
				what = "the key " + key.Value
			}
			l.mistakes.add(in, "%s is in line %d already; want it once", what, first)
			continue
		}
		lines[key.Value] = key.Line
		f(key.Value, in, n.Content[i+1])
	}
}

// mapping reads a mapping of known keys. In one near secrets an unknown key is
// only repeated if it is almost a known one, because a secret that lacks its key
// becomes one.
func (l *loader) mapping(at place, n *yaml.Node, secret bool, fields []field) {
	var known []string
	for _, f := range fields {
		if f.mistake == "" {
			known = append(known, f.key)
		}
	}
	isKnown := func(key string) bool { return slices.Contains(known, key) }
	l.each(at, n, "a mapping with keys of "+enumerate(known, "and"), isKnown, func(key string, in place, v *yaml.Node) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
		if i < 0 {
			l.mistakes.add(in, "%s", unknownKey(key, secret, known))
			return
		}
		if f := fields[i]; f.mistake != "" {
			l.mistakes.add(in.child(key, in.line), "%s", f.mistake)
		} else {
			f.read(in.child(key, in.line), v)
		}
	})
}

// unknownKey words that a key is not known.
func unknownKey(key string, secret bool, known []string) string {
	near := nearest(key, known)
	text := "unknown key"
	if near != "" || !secret && wordLike(key) {
		text += ` "` + key + `"`
	}
	if near != "" {
		return text + `; did you mean "` + near + `"?`
	}
	return text + "; want " + enumerate(known, "or")
}

// list calls f for each item of a list.
func (l *loader) list(at place, n *yaml.Node, want string, f func(at place, n *yaml.Node)) {
	if n.Kind != yaml.SequenceNode || n.ShortTag() != "!!seq" {
		l.wrongType(at, n, want)
		return
	}
	for i, item := range n.Content {
		f(at.item(i, item.Line), item)
	}
}

// str reads a string. Numbers and the like are no strings: what YAML makes of
// 010 or 1e3 is not what was written.
func (l *loader) str(at place, n *yaml.Node, want string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		what := describe(n)
		if n.Kind == yaml.ScalarNode && n.Style == 0 && n.ShortTag() != "!!null" {
			what += ", not being in quotes"
		}
		l.mistakes.add(at, "is %s; want %s", what, want)
		return "", false
	}
	return n.Value, true
}

// text reads a string that is printable and, if that is asked for, not empty.
func (l *loader) text(at place, n *yaml.Node, want string, empty bool) (string, bool) {
	s, ok := l.str(at, n, want)
	switch {
	case !ok:
		return "", false
	case s == "" && !empty:
		l.mistakes.add(at, "is empty; want %s", want)
		return "", false
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		l.mistakes.add(at, "holds a line break or a character that cannot be printed; want %s", want)
		return "", false
	}
	return s, true
}

// boolean reads true or false.
func (l *loader) boolean(at place, n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		switch strings.ToLower(n.Value) {
		case "true":
			return true
		case "false":
			return false
		}
	}
	l.wrongType(at, n, "true or false, without quotes")
	return false
}

// duration reads a duration between two limits; most 0 is no limit.
func (l *loader) duration(at place, n *yaml.Node, least, most time.Duration) time.Duration {
	want := "a duration such as 10s or 1m30s, at least " + model.Duration(least).String()
	if most > 0 {
		want += " and at most " + model.Duration(most).String()
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		what := describe(n)
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" {
			what = "a number without a unit"
		}
		l.mistakes.add(at, "is %s; want %s", what, want)
		return least
	}
	d, err := model.ParseDuration(n.Value)
	switch v := time.Duration(d); {
	case err != nil:
		l.mistakes.add(at, "is no duration; want %s", want)
	case v < least:
		l.mistakes.add(at, "is too short; want %s", want)
	case most > 0 && v > most:
		l.mistakes.add(at, "is too long; want %s", want)
	default:
		return v
	}
	return least
}

// oneOf reads one of some words; "" if it is none of them.
func (l *loader) oneOf(at place, n *yaml.Node, words []string) string {
	s, ok := l.str(at, n, enumerate(words, "or"))
	if !ok {
		return ""
	}
	if !slices.Contains(words, s) {
		l.mistakes.add(at, "unknown value; want %s", choice(s, words))
		return ""
	}
	return s
}

// file reads the path of a file and makes it absolute.
func (l *loader) file(at place, n *yaml.Node) string {
	s, ok := l.text(at, n, "the path of a file", false)
	if !ok {
		return ""
	}
	if !filepath.IsAbs(s) {
		return filepath.Join(l.base, s)
	}
	return s
}

// wrongType notes that a value is of another type than wanted.
func (l *loader) wrongType(at place, n *yaml.Node, want string) {
	subject := ""
	if at.key == "" {
		subject = "the document "
	}
	l.mistakes.add(at, "%sis %s; want %s", subject, describe(n), want)
}

// describe names a value's type for people.
func describe(n *yaml.Node) string {
	if n.Style&yaml.TaggedStyle != 0 {
		return "something with a tag (!)"
	}
	switch n.ShortTag() {
	case "!!seq":
		return "a list"
	case "!!map":
		return "a mapping"
	case "!!str":
		return "a string"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	case "!!null":
		return "left empty"
	case "!!timestamp":
		return "a date"
	}
	return "something with a tag (!)"
}

// choice words which values there are and which was perhaps meant.
func choice(s string, words []string) string {
	text := enumerate(words, "or")
	if near := nearest(s, words); near != "" {
		text += `; did you mean "` + near + `"?`
	}
	return text
}

// enumerate joins words: a, b or c.
func enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// wordLike says whether a key looks like one that people make up.
func wordLike(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !letter(r) && !digit(r) && r != '_' && r != '-'
	})
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
func digit(r rune) bool  { return r >= '0' && r <= '9' }

// nearest returns the known word that a word is perhaps a slip of, "" if none
// is near.
func nearest(word string, known []string) string {
	best, least := "", min(2, len(word)/3)+1
	if len(word) > 64 {
		return ""
	}
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is how many letters have to be put in, left out or changed to make b
// of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
