// Package config reads the file of --config.file, and the target files that it
// names.
//
// It is strict: what it does not know is a mistake, and all mistakes of all
// files are told at once, each with its line. Values are never repeated in an
// error, because any of them may be a secret in the wrong place; names of keys
// of the schema, of targets and of files are.
package config

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// Options says what the rest of the program knows of configurations.
type Options struct {
	// Profiles are the names of profiles by kind of target. The kind gnmi, the
	// default, has to be there.
	Profiles map[string][]string
	// ReservedLabels are label names that users may not give to targets.
	ReservedLabels []string
	// DefaultInterval is the sample interval where none is set, between a second
	// and an hour; 0 is ten seconds.
	DefaultInterval time.Duration
}

// Config is what a configuration file and its target files say.
type Config struct {
	// Path is the configuration file, as it was named to Load.
	Path string
	// Credentials are the definitions by name.
	Credentials map[string]Credentials
	// Targets are those of the file and of its target files, by name, with
	// defaults applied.
	Targets []Target
	// TargetFiles are the globs as they are written.
	TargetFiles []string
	// RefreshInterval is how often target files are looked at.
	RefreshInterval time.Duration

	references []reference
	hashes     map[string][sha256.Size]byte // of the target files that were read
}

// Target is one target with all that is set for it, or by default.
type Target struct {
	Name           string
	Address        string // host:port
	Kind           string // a key of Options.Profiles
	Profile        string // of that kind, or auto
	Credentials    string // a key of Config.Credentials; "" for none
	TLS            TLS
	SampleInterval time.Duration
	Subscribe      string // stream, poll or get
	Encoding       string // auto, proto, json_ietf or json
	PathTarget     string // "" for none
	Labels         map[string]string
	From           string // FILE:LINE that names it
}

// Equal says whether the targets are read in the same way: all is equal, except
// where they are written. It does not look into the credentials' definition,
// see Config.Unchanged.
func (t Target) Equal(o Target) bool {
	return t.Name == o.Name && t.Address == o.Address && t.Kind == o.Kind && t.Profile == o.Profile &&
		t.Credentials == o.Credentials && t.TLS == o.TLS && t.SampleInterval == o.SampleInterval &&
		t.Subscribe == o.Subscribe && t.Encoding == o.Encoding && t.PathTarget == o.PathTarget &&
		maps.Equal(t.Labels, o.Labels)
}

// Target returns the target of a name.
func (c *Config) Target(name string) (Target, bool) {
	i, ok := slices.BinarySearchFunc(c.Targets, name, func(t Target, name string) int { return cmp.Compare(t.Name, name) })
	if !ok {
		return Target{}, false
	}
	return c.Targets[i], true
}

// Unchanged says whether a target is in both configurations and is read in the
// same way, with credentials that are defined in the same way: it need not be
// begun anew when one configuration takes the other's place.
func (c *Config) Unchanged(old *Config, name string) bool {
	t, ok := c.Target(name)
	o, had := old.Target(name)
	return ok && had && t.Equal(o) && c.Credentials[t.Credentials].Equal(old.Credentials[o.Credentials])
}

// CheckFiles says what is wrong with the files and environment variables that
// the configuration names: certificates, keys and secrets that cannot be read
// or are not what they should be. Load does not look at them, because they are
// read anew at every use, and may come later. All mistakes are told at once,
// each with the line that names the file.
func (c *Config) CheckFiles() error {
	var m mistakes
	for _, r := range c.references {
		if err := r.check(); err != nil {
			m.add(r.at, "%v", err)
		}
	}
	return m.err()
}

// reference is a file or a variable that the configuration names.
type reference struct {
	at    place
	check func() error
}

// Load reads a configuration file and the target files that it names. Its error
// joins all mistakes in them; each is a line
//
//	FILE:LINE: KEY: what is wrong; want what
//
// Relative paths of certificates, keys and secrets are relative to the
// configuration file's directory, also in target files, and are made absolute.
func Load(path string, o Options) (*Config, error) {
	l := &loader{
		o:      o,
		names:  make(map[string]place),
		hashes: make(map[string][sha256.Size]byte),
		config: &Config{Path: path, RefreshInterval: 30 * time.Second, Credentials: make(map[string]Credentials)},
	}
	var err error
	if l.base, err = filepath.Abs(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("%s: the directory that it is in cannot be found: %w", path, err)
	}
	if n := l.document(path, false); n != nil {
		l.root(place{file: path, line: n.Line}, n)
	}
	if err := l.mistakes.err(); err != nil {
		return nil, err
	}
	c := l.config
	slices.SortFunc(c.Targets, func(a, b Target) int { return cmp.Compare(a.Name, b.Name) })
	c.references, c.hashes = l.references, l.hashes
	return c, nil
}
