package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// place is where something is written.
type place struct {
	file string
	line int    // 0 for the file as a whole
	key  string // the path of keys to it; "" for the top
}

// String returns FILE:LINE.
func (p place) String() string {
	if p.line == 0 {
		return p.file
	}
	return p.file + ":" + strconv.Itoa(p.line)
}

// on returns the same place in another line.
func (p place) on(line int) place {
	p.line = line
	return p
}

// child returns the place of a key in it.
func (p place) child(key string, line int) place {
	if p.key != "" {
		key = p.key + "." + key
	}
	return place{file: p.file, line: line, key: key}
}

// item returns the place of a list's item in it.
func (p place) item(i, line int) place {
	return place{file: p.file, line: line, key: p.key + "[" + strconv.Itoa(i) + "]"}
}

// mistakes collects what is wrong, to be told at once.
type mistakes struct {
	files []string // in the order in which they were first found wrong
	all   []mistake
	said  map[string]bool
}

type mistake struct {
	file, line int
	text       string
}

// add notes a mistake. One that many targets have from the same line counts
// once.
func (m *mistakes) add(at place, format string, args ...any) {
	text := at.String() + ": "
	if at.key != "" {
		text += at.key + ": "
	}
	text += fmt.Sprintf(format, args...)
	if m.said[text] {
		return
	}
	if m.said == nil {
		m.said = make(map[string]bool)
	}
	m.said[text] = true
	file := slices.Index(m.files, at.file)
	if file < 0 {
		file = len(m.files)
		m.files = append(m.files, at.file)
	}
	m.all = append(m.all, mistake{file, at.line, text})
}

// err returns all mistakes by file and line, nil if there is none.
func (m *mistakes) err() error {
	slices.SortStableFunc(m.all, func(a, b mistake) int {
		if a.file != b.file {
			return a.file - b.file
		}
		return a.line - b.line
	})
	errs := make([]error, len(m.all))
	for i, mistake := range m.all {
		errs[i] = errors.New(mistake.text)
	}
	return errors.Join(errs...)
}
