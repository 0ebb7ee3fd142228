package config

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"
)

// YAML returns the configuration with all defaults applied, in a stable order.
// It holds no secrets, only where they are. Loaded again, it gives the same
// targets, except for where they are written: those of target files are among
// the targets, so the globs and each target's file are comments.
func (c *Config) YAML() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "refresh_interval: %s\n", model.Duration(c.RefreshInterval))
	if len(c.Credentials) > 0 {
		b.WriteString("credentials:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Credentials)) {
		c.Credentials[name].yaml(&b, name)
	}
	for _, glob := range c.TargetFiles {
		fmt.Fprintf(&b, "# target_files: %s\n", quote(glob))
	}
	if len(c.Targets) == 0 {
		b.WriteString("targets: []\n")
		return b.Bytes()
	}
	b.WriteString("targets:\n")
	for _, t := range c.Targets {
		t.yaml(&b)
	}
	return b.Bytes()
}

func (c Credentials) yaml(b *bytes.Buffer, name string) {
	fmt.Fprintf(b, "  %s:\n", quote(name))
	line(b, "    username", c.Username)
	line(b, "    password_file", c.Password.File)
	line(b, "    password_env", c.Password.Env)
	line(b, "    scheme", c.Scheme)
	if len(c.Metadata) > 0 {
		b.WriteString("    metadata:\n")
	}
	for _, key := range slices.Sorted(maps.Keys(c.Metadata)) {
		fmt.Fprintf(b, "      %s:\n", quote(key))
		line(b, "        file", c.Metadata[key].File)
		line(b, "        env", c.Metadata[key].Env)
	}
}

func (t Target) yaml(b *bytes.Buffer) {
	fmt.Fprintf(b, "  # %s\n", quote(t.From))
	line(b, "  - name", t.Name)
	line(b, "    address", t.Address)
	line(b, "    kind", t.Kind)
	line(b, "    profile", t.Profile)
	line(b, "    credentials", t.Credentials)
	t.TLS.yaml(b)
	fmt.Fprintf(b, "    sample_interval: %s\n", model.Duration(t.SampleInterval))
	line(b, "    subscribe", t.Subscribe)
	line(b, "    encoding", t.Encoding)
	line(b, "    path_target", t.PathTarget)
	if len(t.Labels) > 0 {
		b.WriteString("    labels:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
		fmt.Fprintf(b, "      %s: %s\n", quote(name), quote(t.Labels[name]))
	}
}

func (t TLS) yaml(b *bytes.Buffer) {
	b.WriteString("    tls:\n")
	line(b, "      ca_file", t.CAFile)
	line(b, "      cert_file", t.CertFile)
	line(b, "      key_file", t.KeyFile)
	line(b, "      server_name", t.ServerName)
	if t.MinVersion != 0 {
		line(b, "      min_version", versions()[t.MinVersion-tls.VersionTLS10])
	}
	for _, flag := range []struct {
		key string
		set bool
	}{
		{"insecure_skip_verify", t.InsecureSkipVerify},
		{"plaintext", t.Plaintext},
		{"plaintext_credentials", t.PlaintextCredentials},
	} {
		if flag.set {
			fmt.Fprintf(b, "      %s: true\n", flag.key)
		}
	}
}

// line writes a key and its value, if it has one.
func line(b *bytes.Buffer, key, value string) {
	if value != "" {
		fmt.Fprintf(b, "%s: %s\n", key, quote(value))
	}
}

// quote puts a string in quotes unless no reader of YAML can take it for
// anything else. Go's escapes are YAML's, too.
func quote(s string) string {
	plain := s != "" && (letter(rune(s[0])) || s[0] == '/') && !strings.HasSuffix(s, ":") &&
		!strings.ContainsFunc(s, func(r rune) bool { return !letter(r) && !digit(r) && !strings.ContainsRune("._:/-", r) })
	if plain && !slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}
