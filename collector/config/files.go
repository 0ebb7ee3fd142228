package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// targetFiles reads the files that globs name, each once.
func (l *loader) targetFiles(at place, n *yaml.Node, base settings) {
	l.list(at, n, "a list of paths and globs", func(at place, n *yaml.Node) {
		pattern, ok := l.text(at, n, "a path or a glob, such as targets/*.yml", false)
		if !ok {
			return
		}
		l.config.TargetFiles = append(l.config.TargetFiles, pattern)
		files, err := expand(filepath.Dir(l.config.Path), pattern)
		if err != nil {
			l.mistakes.add(at, "%v", err)
		}
		for _, file := range files {
			if _, ok := l.hashes[file]; ok {
				continue
			}
			if n := l.document(file, true); n != nil {
				l.groups(place{file: file, line: n.Line}, n, base)
			}
		}
	})
}

// expand returns the files that a path or a glob names, below dir if it is
// relative. A glob may name none, a path may not. As in a shell, files that
// begin with a dot are only named by a glob that does: editors and Kubernetes
// keep their own there.
func expand(dir, pattern string) ([]string, error) {
	const meta = `*?[\`
	full := pattern
	if !strings.ContainsAny(pattern, meta) {
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, full)
		}
		if _, err := os.Stat(full); err != nil {
			return nil, fmt.Errorf("%s: cannot be read: %w; want a file, or a glob, which may name none", full, reason(err))
		}
		return []string{full}, nil
	}
	if !filepath.IsAbs(full) {
		// The directory's own name is no part of the glob.
		quote := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
		full = filepath.Join(quote.Replace(dir), full)
	}
	// Glob does not tell that it cannot read a directory; all of its targets
	// would be gone.
	if parent := filepath.Dir(full); !strings.ContainsAny(parent, meta) {
		if err := readable(parent); err != nil {
			return nil, fmt.Errorf("%s: cannot be read: %w; want a directory", parent, reason(err))
		}
	}
	files, err := filepath.Glob(full)
	if err != nil {
		return nil, errors.New("is no glob; want *, ? and [a-z] with brackets in pairs")
	}
	if !strings.HasPrefix(filepath.Base(full), ".") {
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasPrefix(filepath.Base(f), ".") })
	}
	return files, nil
}

// readable says whether a directory can be listed, or is not there.
func readable(dir string) error {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Readdirnames(1); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// groups reads a target file.
func (l *loader) groups(at place, n *yaml.Node, base settings) {
	l.list(at, n, "a list of groups: - targets: [...], and [] for none", func(at place, n *yaml.Node) { l.group(at, n, base) })
}

// group reads targets that share settings.
func (l *loader) group(at place, n *yaml.Node, base settings) {
	var s settings
	var labels map[string]string
	var targets *yaml.Node
	var targetsAt place
	fields := []field{
		{key: "targets", read: func(at place, n *yaml.Node) { targets, targetsAt = n, at }},
		{key: "labels", read: func(at place, n *yaml.Node) { labels = l.labels(at, n) }},
	}
	l.mapping(at, n, false, append(fields, l.settingFields(&s, byGroup)...))
	if n.Kind != yaml.MappingNode {
		return
	}
	if targets == nil {
		l.mistakes.add(at, "the targets are missing; want targets, a list of addresses")
		return
	}
	base = base.with(s)
	l.list(targetsAt, targets, "a list of addresses, or of mappings with name and address", func(at place, n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			l.bareTarget(at, n, base, labels)
		} else {
			l.target(at, n, base, labels)
		}
	})
}

// bareTarget reads a target that is an address only. Its host is its name.
func (l *loader) bareTarget(at place, n *yaml.Node, base settings, labels map[string]string) {
	address := l.address(at, n)
	if address == "" {
		return
	}
	host, _ := splitAddress(address)
	if !validName(host) {
		l.mistakes.add(at, "the address's host cannot be the target's name; want {name: ..., address: ...}")
		return
	}
	l.unique(at, host, "want {name: ..., address: ...} to name it otherwise than by its host")
	l.add(Target{Name: host, Address: address, From: at.String()}, base, labels, nil)
}

// Watcher tells when the target files of a configuration change.
type Watcher struct {
	dir    string
	globs  []string
	hashes map[string][sha256.Size]byte
}

// NewWatcher returns a watcher of the target files as they were when c was
// loaded.
func NewWatcher(c *Config) *Watcher {
	return &Watcher{dir: filepath.Dir(c.Path), globs: c.TargetFiles, hashes: c.hashes}
}

// Changed says whether target files came, went, or have another content than
// was loaded. It looks at the files' content, because times and sizes can stay
// the same. An error says which file cannot be read; what was loaded still
// counts then. Changed stays true, or an error, until a watcher of a newly
// loaded configuration takes its place.
func (w *Watcher) Changed() (bool, error) {
	seen := make(map[string]bool)
	changed := false
	for _, glob := range w.globs {
		files, err := expand(w.dir, glob)
		if err != nil {
			return false, fmt.Errorf("target_files: %w", err)
		}
		for _, file := range files {
			if seen[file] {
				continue
			}
			seen[file] = true
			data, err := readFile(file, maxFile)
			if err != nil {
				return false, fmt.Errorf("%s: cannot be read: %w; want a YAML file", file, err)
			}
			hash, ok := w.hashes[file]
			changed = changed || !ok || hash != sha256.Sum256(data)
		}
	}
	return changed || len(seen) != len(w.hashes), nil
}
