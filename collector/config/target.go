package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// level is how near to a target something is set; what is nearer counts.
type level int

const (
	builtIn level = iota
	byDefault
	byGroup
	byTarget
)

// setting is a value and where it is set.
type setting[T any] struct {
	value T
	at    place
	level level
}

// over puts what is set nearer in place of what s has.
func (s *setting[T]) over(o setting[T]) {
	if o.level > s.level {
		*s = o
	}
}

// settings are the keys that targets, groups of them and defaults share. TLS is
// set as a whole: a target's tls replaces that of its group or of the defaults.
type settings struct {
	kind, profile, credentials, subscribe, encoding, pathTarget setting[string]
	interval                                                    setting[time.Duration]
	tls                                                         setting[TLS]
}

// builtInSettings are what counts where nothing is set.
func (l *loader) builtInSettings() settings {
	s := settings{
		kind:      setting[string]{value: "gnmi"},
		profile:   setting[string]{value: "auto"},
		subscribe: setting[string]{value: "stream"},
		encoding:  setting[string]{value: "auto"},
		interval:  setting[time.Duration]{value: 10 * time.Second},
		tls:       setting[TLS]{value: defaultTLS()},
	}
	if l.o.DefaultInterval != 0 {
		s.interval.value = l.o.DefaultInterval
	}
	return s
}

// with returns the settings with those of o, where they are set, put over them.
func (s settings) with(o settings) settings {
	s.kind.over(o.kind)
	s.profile.over(o.profile)
	s.credentials.over(o.credentials)
	s.subscribe.over(o.subscribe)
	s.encoding.over(o.encoding)
	s.pathTarget.over(o.pathTarget)
	s.interval.over(o.interval)
	s.tls.over(o.tls)
	return s
}

// settingFields are the keys of settings; what they say goes into s.
func (l *loader) settingFields(s *settings, lv level) []field {
	oneOf := func(into *setting[string], words ...string) func(place, *yaml.Node) {
		return func(at place, n *yaml.Node) { *into = setting[string]{l.oneOf(at, n, words), at, lv} }
	}
	return []field{
		{key: "kind", read: oneOf(&s.kind, slices.Sorted(maps.Keys(l.o.Profiles))...)},
		{key: "profile", read: func(at place, n *yaml.Node) {
			v, _ := l.text(at, n, "the name of a profile, or auto", false)
			s.profile = setting[string]{v, at, lv}
		}},
		{key: "credentials", read: func(at place, n *yaml.Node) { s.credentials = setting[string]{l.credentialsName(at, n), at, lv} }},
		{key: "tls", read: func(at place, n *yaml.Node) { s.tls = setting[TLS]{l.tls(at, n), at, lv} }},
		{key: "sample_interval", read: func(at place, n *yaml.Node) {
			s.interval = setting[time.Duration]{l.duration(at, n, time.Second, time.Hour), at, lv}
		}},
		{key: "subscribe", read: oneOf(&s.subscribe, "stream", "poll", "get")},
		{key: "encoding", read: oneOf(&s.encoding, "auto", "proto", "json_ietf", "json")},
		{key: "path_target", read: func(at place, n *yaml.Node) {
			v, _ := l.text(at, n, "the target of the gNMI prefix", true)
			s.pathTarget = setting[string]{v, at, lv}
		}},
		{key: "password", mistake: inlineSecret},
		{key: "username", mistake: "user names are part of credentials; want an entry of credentials, and its name here as credentials"},
	}
}

// credentialsName reads the name of credentials that are defined. It is empty
// for a target that has none though others have by default.
func (l *loader) credentialsName(at place, n *yaml.Node) string {
	defined := slices.Sorted(maps.Keys(l.config.Credentials))
	want := `the name of an entry of credentials, or "" for none`
	s, ok := l.str(at, n, want)
	if !ok || s == "" {
		return ""
	}
	if _, ok := l.config.Credentials[s]; !ok {
		if len(defined) == 0 {
			want = "an entry of this name under credentials in the configuration file, which has none"
		} else {
			want = "one that credentials in the configuration file defines: " + choice(s, defined)
		}
		l.mistakes.add(at, "there are no credentials of this name; want %s", want)
		return ""
	}
	return s
}

// checkSettings notes what is wrong with settings as they come together.
func (l *loader) checkSettings(s settings) {
	profiles, ok := l.o.Profiles[s.kind.value]
	words := append([]string{"auto"}, profiles...)
	if p := s.profile.value; ok && p != "" && !slices.Contains(words, p) {
		l.mistakes.add(s.profile.at, "unknown profile of kind %s; want %s", s.kind.value, choice(p, words))
	}
	if t := s.tls.value; t.Plaintext && !t.PlaintextCredentials && s.credentials.value != "" {
		at := s.tls.at
		if s.credentials.level > s.tls.level {
			at = s.credentials.at
		}
		l.mistakes.add(at, "credentials would go over the network for all to read, because of plaintext: true; "+
			"want TLS, plaintext_credentials: true beside plaintext if that is meant, or credentials: \"\"")
	}
}

// root reads a configuration file. The order of its keys does not matter, that
// of reading them does.
func (l *loader) root(at place, n *yaml.Node) {
	found := make(map[string]func())
	later := func(key string, read func(at place, n *yaml.Node)) field {
		return field{key: key, read: func(at place, n *yaml.Node) { found[key] = func() { read(at, n) } }}
	}
	base := l.builtInSettings()
	l.mapping(at, n, false, []field{
		{key: "refresh_interval", read: func(at place, n *yaml.Node) {
			l.config.RefreshInterval = l.duration(at, n, time.Second, 0)
		}},
		later("defaults", func(at place, n *yaml.Node) {
			var s settings
			fields := l.settingFields(&s, byDefault)
			for _, key := range []string{"name", "address", "labels"} {
				fields = append(fields, field{key: key, mistake: "belongs to one target; want it there"})
			}
			l.mapping(at, n, false, fields)
			base = base.with(s)
			// A wrong profile is a mistake also where no target uses it.
			l.checkSettings(settings{kind: base.kind, profile: base.profile})
		}),
		later("credentials", l.credentials),
		later("targets", func(at place, n *yaml.Node) {
			l.list(at, n, "a list of targets", func(at place, n *yaml.Node) { l.target(at, n, base, nil) })
		}),
		later("target_files", func(at place, n *yaml.Node) { l.targetFiles(at, n, base) }),
	})
	for _, key := range []string{"credentials", "defaults", "targets", "target_files"} {
		if read := found[key]; read != nil {
			read()
		}
	}
}

// target reads a target. What it does not set comes from base and from the
// labels of its group.
func (l *loader) target(at place, n *yaml.Node, base settings, labels map[string]string) {
	var s settings
	var own map[string]string
	t := Target{From: at.String()}
	nameAt, haveName, haveAddress := at, false, false
	fields := []field{
		{key: "name", read: func(at place, n *yaml.Node) { nameAt, haveName, t.Name = at, true, l.targetName(at, n) }},
		{key: "address", read: func(at place, n *yaml.Node) { haveAddress, t.Address = true, l.address(at, n) }},
		{key: "labels", read: func(at place, n *yaml.Node) { own = l.labels(at, n) }},
	}
	l.mapping(at, n, false, append(fields, l.settingFields(&s, byTarget)...))
	if n.Kind != yaml.MappingNode {
		return
	}
	if !haveName {
		l.mistakes.add(at, "the name is missing; want name, which tells the target from others")
	}
	if !haveAddress {
		l.mistakes.add(at, "the address is missing; want address, a host:port")
	}
	if t.Name != "" {
		l.unique(nameAt, t.Name, "want a name of its own for each target")
	}
	l.add(t, base.with(s), labels, own)
}

// add adds a target with all that is set for it.
func (l *loader) add(t Target, s settings, labels, own map[string]string) {
	l.checkSettings(s)
	t.Kind, t.Profile, t.Credentials = s.kind.value, s.profile.value, s.credentials.value
	t.TLS, t.SampleInterval = s.tls.value, s.interval.value
	t.Subscribe, t.Encoding, t.PathTarget = s.subscribe.value, s.encoding.value, s.pathTarget.value
	if len(labels)+len(own) > 0 {
		t.Labels = make(map[string]string)
		maps.Copy(t.Labels, labels)
		maps.Copy(t.Labels, own)
	}
	l.config.Targets = append(l.config.Targets, t)
}

// unique notes when another target has the name.
func (l *loader) unique(at place, name, want string) {
	if first, ok := l.names[name]; ok {
		l.mistakes.add(at, "the name %q is that of the target at %s; %s", name, first, want)
		return
	}
	l.names[name] = at
}

const wantName = "1 to 253 letters, digits and ._:-, and not only dots"

// targetName reads a target's name; it is "" if it is wrong.
func (l *loader) targetName(at place, n *yaml.Node) string {
	s, ok := l.text(at, n, "a name of "+wantName, false)
	if ok && !validName(s) {
		l.mistakes.add(at, "is no name; want %s", wantName)
		return ""
	}
	return s
}

// validName says whether a name can be part of a URL as it is.
func validName(s string) bool {
	return len(s) <= 253 && strings.Trim(s, ".") != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !letter(r) && !digit(r) && !strings.ContainsRune("._:-", r)
	})
}

// labels reads labels that a user gives to targets.
func (l *loader) labels(at place, n *yaml.Node) map[string]string {
	labels := make(map[string]string)
	l.each(at, n, "a mapping of label names to strings", validName, func(name string, in place, n *yaml.Node) {
		if why := l.badLabel(name); why != "" {
			l.mistakes.add(in, "%s; want a label name of letters, digits and _ that is free for use", why)
			return
		}
		if v, ok := l.str(in.child(name, in.line), n, "a string"); ok {
			labels[name] = v
		}
	})
	return labels
}

// badLabel says why a label name cannot be given to targets.
func (l *loader) badLabel(name string) string {
	switch {
	case name == "" || digit(rune(name[0])) || strings.ContainsFunc(name, func(r rune) bool { return !letter(r) && !digit(r) && r != '_' }):
		return "a key is no label name"
	case strings.HasPrefix(name, "__"):
		return "labels that begin with __ are Prometheus's own"
	case name == "instance" || name == "job":
		return "the label " + name + " is set by Prometheus"
	case slices.Contains(l.o.ReservedLabels, name):
		return "the label " + name + " is one that the exporter's metrics have"
	}
	return ""
}
