package config

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// maxFile is the largest file that is read, in bytes.
const maxFile = 16 << 20

// readFile reads a regular file of limited size. What is no regular file might
// never end, or be empty the second time. Its errors do not name the file.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, reason(err)
	}
	if int64(len(data)) > limit {
		return nil, errors.New("is larger than " + strconv.FormatInt(limit>>10, 10) + " KiB")
	}
	return data, nil
}

// reason returns why a file operation failed, without the file's name.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// document reads the one YAML document of a file. It returns nil where there is
// none and notes why.
func (l *loader) document(path string, hash bool) *yaml.Node {
	at := place{file: path}
	data, err := readFile(path, maxFile)
	if err != nil {
		l.mistakes.add(at, "cannot be read: %v; want a YAML file", err)
		return nil
	}
	if hash {
		l.hashes[path] = sha256.Sum256(data)
	}
	if line, what := badText(data); what != "" {
		l.mistakes.add(at.on(line), "%s; want YAML, which is text in UTF-8", what)
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		l.mistakes.add(at, "cannot be read as YAML: %v", err)
		return nil
	}
	doc, more := new(yaml.Node), new(yaml.Node)
	err = loader.Load(doc)
	if errors.Is(err, io.EOF) {
		l.mistakes.add(at.on(1), "the file is empty; want a YAML document")
		return nil
	}
	if err == nil {
		if err = loader.Load(more); err == nil {
			l.mistakes.add(at.on(more.Line), "a second YAML document begins; want one document")
			return nil
		}
	}
	if !errors.Is(err, io.EOF) {
		l.syntax(at, data, err)
		return nil
	}
	if len(doc.Content) != 1 || !l.plain(at, doc) {
		return nil
	}
	return doc.Content[0]
}

// badText returns the first line that cannot be in a YAML file and says why; a
// reader of bytes does not know lines.
func badText(data []byte) (line int, what string) {
	for line = 1; len(data) > 0; line++ {
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		if !utf8.Valid(text) {
			return line, "the line is not UTF-8"
		}
		if bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF }) {
			return line, "the line holds a control character"
		}
		data = rest
	}
	return 0, ""
}

// syntax notes why a file is no YAML.
func (l *loader) syntax(at place, data []byte, err error) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		l.mistakes.add(at, "the file is no YAML")
		return
	}
	line := max(e.Mark.Line, 1)
	message := e.Message
	switch {
	// The library repeats text of the file here.
	case strings.HasPrefix(message, "unknown anchor"):
		l.mistakes.add(at.on(line), "an alias (*) of nothing; want the value written out, in quotes if it begins with *")
		return
	case strings.HasPrefix(message, "found character '"):
		message = "found a character that is not allowed in a YAML tag"
	case (strings.Contains(message, "tab") || strings.Contains(message, "cannot start any token")) && tabbed(data, line):
		l.mistakes.add(at.on(line), "no valid YAML: a tab indents the line; want spaces")
		return
	}
	if e.ContextMsg != "" {
		message += ", " + e.ContextMsg
		if e.ContextMark.Line > 0 && e.ContextMark.Line != line {
			message += " from line " + strconv.Itoa(e.ContextMark.Line)
		}
	}
	l.mistakes.add(at.on(line), "no valid YAML: %s", message)
}

// tabbed says whether a line is indented by a tab.
func tabbed(data []byte, line int) bool {
	lines := bytes.SplitN(data, []byte("\n"), line+1)
	if line > len(lines) {
		return false
	}
	text := lines[line-1]
	indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
	return bytes.ContainsRune(indent, '\t')
}

// plain says whether a document is free of anchors, aliases and merge keys, and
// notes where it is not. They are not needed, there are defaults; and without
// them a document is as large as its file.
func (l *loader) plain(at place, n *yaml.Node) bool {
	ok := true
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		l.mistakes.add(at.on(n.Line), "anchors (&) and aliases (*) are not supported; want the value written out, in quotes if it begins with & or *")
		ok = false
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Tag == "!!merge" {
			l.mistakes.add(at.on(c.Line), "merge keys (<<) are not supported; want the keys written out, or defaults")
			ok = false
		}
		ok = l.plain(at, c) && ok
	}
	return ok
}
