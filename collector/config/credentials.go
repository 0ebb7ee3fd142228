package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Credentials are what a target wants to know before it answers.
type Credentials struct {
	Username string // "" for none
	Password Secret // may be not set
	// Scheme is how user name and password are sent: metadata or basic; "" leaves
	// it to the profile.
	Scheme string
	// Metadata is sent beside them, by key in lower case.
	Metadata map[string]Secret
}

// Equal says whether the definitions are equal. The secrets themselves are not
// compared: they are read at every use.
func (c Credentials) Equal(o Credentials) bool {
	return c.Username == o.Username && c.Password == o.Password && c.Scheme == o.Scheme && maps.Equal(c.Metadata, o.Metadata)
}

// Secret says where a secret is. It does not hold the secret.
type Secret struct {
	File string // absolute path
	Env  string // name of an environment variable
}

// Set says whether there is a secret.
func (s Secret) Set() bool { return s.File != "" || s.Env != "" }

// maxSecret is the largest secret, in bytes.
const maxSecret = 64 << 10

// Read reads the secret anew. One line break at its end is not part of it. Its
// errors name the file or the variable, never what is in it.
func (s Secret) Read() (string, error) {
	where, value := "the file "+s.File, ""
	switch {
	case s.File != "":
		data, err := readFile(s.File, maxSecret)
		if err != nil {
			return "", fmt.Errorf("%s: cannot be read: %w; want a file with a secret", s.File, err)
		}
		value = string(data)
	case s.Env != "":
		var ok bool
		where = "the environment variable " + s.Env
		if value, ok = os.LookupEnv(s.Env); !ok {
			return "", errors.New(where + " is not set; want it to hold a secret")
		}
		if len(value) > maxSecret {
			return "", fmt.Errorf("%s is larger than %d KiB; want it to hold a secret", where, maxSecret>>10)
		}
	default:
		return "", errors.New("no secret is configured")
	}
	if line, ok := strings.CutSuffix(value, "\n"); ok {
		value = strings.TrimSuffix(line, "\r")
	}
	if value == "" {
		return "", errors.New(where + " is empty; want it to hold a secret")
	}
	return value, nil
}

const inlineSecret = "secrets are not written into the configuration; " +
	"want password_file or password_env in an entry of credentials, which name where the password is"

// credentials reads the definitions of credentials.
func (l *loader) credentials(at place, n *yaml.Node) {
	l.each(at, n, "a mapping of names to definitions", validName, func(name string, in place, n *yaml.Node) {
		if !validName(name) {
			l.mistakes.add(in, "a key is no name of credentials; want %s", wantName)
			return
		}
		l.config.Credentials[name] = l.definition(in.child(name, in.line), n)
	})
}

// definition reads one definition of credentials.
func (l *loader) definition(at place, n *yaml.Node) Credentials {
	var c Credentials
	set := make(map[string]place)
	l.mapping(at, n, true, []field{
		{key: "username", read: func(at place, n *yaml.Node) {
			set["username"] = at
			c.Username, _ = l.text(at, n, "a user name", false)
		}},
		{key: "password_file", read: func(at place, n *yaml.Node) {
			set["password_file"] = at
			c.Password.File = l.file(at, n)
		}},
		{key: "password_env", read: func(at place, n *yaml.Node) {
			set["password_env"] = at
			c.Password.Env = l.variable(at, n)
		}},
		{key: "scheme", read: func(at place, n *yaml.Node) {
			set["scheme"] = at
			c.Scheme = l.oneOf(at, n, []string{"metadata", "basic"})
		}},
		{key: "metadata", read: func(at place, n *yaml.Node) {
			set["metadata"] = at
			c.Metadata = l.metadata(at, n)
		}},
		{key: "password", mistake: inlineSecret},
	})
	if n.Kind == yaml.MappingNode {
		l.checkDefinition(at, c, set)
	}
	return c
}

// checkDefinition notes what is wrong with a definition's keys together, and
// which secrets it names. set are the keys that are written.
func (l *loader) checkDefinition(at place, c Credentials, set map[string]place) {
	user, hasUser := set["username"]
	file, hasFile := set["password_file"]
	env, hasEnv := set["password_env"]
	scheme, hasScheme := set["scheme"]
	_, hasMetadata := set["metadata"]
	if hasFile && hasEnv {
		l.mistakes.add(env, "there is password_file as well; want one of the two")
		return
	}
	if hasEnv {
		file = env
	}
	switch {
	case !hasUser && (hasFile || hasEnv):
		l.mistakes.add(file, "a password without a user name; want username beside it")
	case !hasUser && hasScheme:
		l.mistakes.add(scheme, "a scheme without a user name; want username beside it")
	case !hasUser && !hasMetadata:
		l.mistakes.add(at, "neither a user name nor metadata; want username, metadata, or both")
	}
	l.checkScheme(c, user, scheme)
	l.secret(file, c.Password)
}

// checkScheme notes what the scheme cannot carry.
func (l *loader) checkScheme(c Credentials, user, scheme place) {
	if c.Scheme != "basic" {
		if strings.ContainsFunc(c.Username, func(r rune) bool { return r > '~' }) {
			l.mistakes.add(user, "holds a character that gRPC metadata cannot carry; want ASCII, or scheme: basic")
		}
		return
	}
	if strings.Contains(c.Username, ":") {
		l.mistakes.add(user, "holds a colon, which scheme basic cannot carry; want a user name without")
	}
	if _, ok := c.Metadata["authorization"]; ok {
		l.mistakes.add(scheme, "basic sends authorization, which metadata sets as well; want one of the two")
	}
}

// secret notes that the configuration names a secret.
func (l *loader) secret(at place, s Secret) {
	if s.Set() {
		l.references = append(l.references, reference{at, func() error { _, err := s.Read(); return err }})
	}
}

// variable reads the name of an environment variable.
func (l *loader) variable(at place, n *yaml.Node) string {
	const want = "the name of an environment variable: letters, digits and _, without $"
	s, ok := l.text(at, n, want, false)
	if !ok {
		return ""
	}
	if digit(rune(s[0])) || strings.ContainsFunc(s, func(r rune) bool { return !letter(r) && !digit(r) && r != '_' }) {
		l.mistakes.add(at, "is no name of an environment variable; want %s", want)
		return ""
	}
	return s
}

// metadata reads additional gRPC metadata.
func (l *loader) metadata(at place, n *yaml.Node) map[string]Secret {
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		l.mistakes.add(at, "holds nothing; want at least one name, or no metadata")
	}
	all := make(map[string]Secret)
	l.each(at, n, "a mapping of names to {file: PATH} or {env: NAME}", func(string) bool { return false }, func(key string, in place, n *yaml.Node) {
		name := strings.ToLower(key)
		if why := badMetadata(name); why != "" {
			l.mistakes.add(in, "%s", why)
			return
		}
		if _, ok := all[name]; ok {
			l.mistakes.add(in, "the same name in other letters is there already; want it once, gRPC makes all letters small")
			return
		}
		all[name] = Secret{}
		// What has no value may be a secret that lacks its name.
		if n.ShortTag() == "!!null" {
			l.mistakes.add(in, "a name is left empty; want {file: PATH} or {env: NAME} for it")
			return
		}
		all[name] = l.metadataSecret(in.child(name, in.line), n)
	})
	return all
}

// metadataSecret reads where a value of metadata is.
func (l *loader) metadataSecret(at place, n *yaml.Node) Secret {
	var s Secret
	if n.Kind != yaml.MappingNode {
		l.mistakes.add(at, "is %s: secrets are not written into the configuration; want {file: PATH} or {env: NAME}, which name where the value is", describe(n))
		return s
	}
	written := 0
	l.mapping(at, n, true, []field{
		{key: "file", read: func(at place, n *yaml.Node) { written++; s.File = l.file(at, n) }},
		{key: "env", read: func(at place, n *yaml.Node) { written++; s.Env = l.variable(at, n) }},
	})
	if written != 1 {
		l.mistakes.add(at, "has %d of file and env; want one of the two", written)
	}
	l.secret(at, s)
	return s
}

// badMetadata says why a name cannot be one of gRPC metadata.
func badMetadata(name string) string {
	switch {
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !letter(r) && !digit(r) && !strings.ContainsRune("_.-", r) }):
		return "a key is no name of gRPC metadata; want letters, digits and _.-"
	case strings.HasPrefix(name, "grpc-") || slices.Contains([]string{"content-type", "te", "user-agent", "connection", "host"}, name):
		return "the name is one of gRPC's own; want another"
	case name == "username" || name == "password":
		return "user name and password are sent by themselves; want username and password_file or password_env beside metadata"
	}
	return ""
}
