package config

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func options() Options {
	return Options{
		Profiles:       map[string][]string{"gnmi": {"arista_eos", "cisco_nxos", "sonic"}, "snmp": {"generic"}},
		ReservedLabels: []string{"target", "source"},
	}
}

// write writes a file into a directory, which it makes.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func load(t testing.TB, file string) *Config {
	t.Helper()
	c, err := Load(file, options())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// mustSay compares an error with its lines.
func mustSay(t *testing.T, err error, want ...string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if w := strings.Join(want, "\n"); got != w {
		t.Errorf("says\n%s\nwant\n%s", got, w)
	}
}

// Each file testdata/invalid-*.yml says in its first lines what is wrong with
// it: "# want: LINE: TEXT", or "# want: FILE:LINE: TEXT" for a target file.
func TestInvalid(t *testing.T) {
	files, err := filepath.Glob("testdata/invalid-*.yml")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for line := range strings.Lines(string(data)) {
				text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "# want: ")
				if !ok {
					break
				}
				if !strings.HasPrefix(text, "testdata/") {
					text = file + ":" + text
				}
				want = append(want, text)
			}
			_, err = Load(file, options())
			mustSay(t, err, want...)
			if err == nil {
				t.Error("is valid")
			}
		})
	}
}

// Each file testdata/valid/*.yml has a file beside it that holds what YAML makes
// of it, which gives the same configuration when it is loaded.
func TestValid(t *testing.T) {
	files, err := filepath.Glob("testdata/valid/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	base, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := load(t, file)
			golden := strings.TrimSuffix(file, ".yml") + ".golden"
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Error(err)
			}
			if got := strings.ReplaceAll(string(c.YAML()), base, "TESTDATA"); got != string(want) {
				t.Errorf("%s differs from what YAML returns:\n%s", golden, got)
			}
			again(t, c)
		})
	}
}

// again loads what YAML makes of a configuration and compares.
func again(t testing.TB, c *Config) {
	t.Helper()
	text := c.YAML()
	d := load(t, write(t, t.TempDir(), "again.yml", string(text)))
	same := func(a, b *Config) bool {
		if len(a.Targets) != len(b.Targets) || a.RefreshInterval != b.RefreshInterval || len(a.Credentials) != len(b.Credentials) {
			return false
		}
		for _, t := range a.Targets {
			if !b.Unchanged(a, t.Name) {
				return false
			}
		}
		for name := range a.Credentials {
			if !a.Credentials[name].Equal(b.Credentials[name]) {
				return false
			}
		}
		return true
	}
	if !same(c, d) {
		t.Errorf("not the same when it is loaded again:\n%s\nand then\n%s", text, d.YAML())
	}
}

func TestDefaults(t *testing.T) {
	c := load(t, "testdata/valid/minimal.yml")
	want := Target{
		Name: "leaf1", Address: "leaf1.example:6030", Kind: "gnmi", Profile: "auto", TLS: TLS{MinVersion: 0x303},
		SampleInterval: 10 * time.Second, Subscribe: "stream", Encoding: "auto", From: "testdata/valid/minimal.yml:2",
	}
	if got, ok := c.Target("leaf1"); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if c.RefreshInterval != 30*time.Second || c.Path != "testdata/valid/minimal.yml" {
		t.Errorf("%+v", c)
	}
	if _, ok := c.Target("leaf2"); ok {
		t.Error("there is a leaf2")
	}
	o := options()
	o.DefaultInterval = time.Minute
	c, err := Load("testdata/valid/minimal.yml", o)
	if err != nil || c.Targets[0].SampleInterval != time.Minute {
		t.Errorf("%+v %v", c, err)
	}
}

// Each field of a target that is read counts when targets are compared.
func TestEqual(t *testing.T) {
	differ := func(v reflect.Value, same func() bool, skip string) {
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			old := reflect.ValueOf(f.Interface())
			switch f.Kind() {
			case reflect.String:
				f.SetString("other")
			case reflect.Int64:
				f.SetInt(7)
			case reflect.Uint16:
				f.SetUint(7)
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Map:
				m := reflect.MakeMap(f.Type())
				m.SetMapIndex(reflect.ValueOf("other"), reflect.Zero(f.Type().Elem()))
				f.Set(m)
			case reflect.Struct:
				f.Field(0).SetString("other")
			default:
				t.Errorf("%s is of a kind that the test does not know", name)
			}
			if same() != (name == skip) {
				t.Errorf("%s changed: equal is %v", name, same())
			}
			f.Set(old)
		}
	}
	var a, b Target
	differ(reflect.ValueOf(&b).Elem(), func() bool { return a.Equal(b) }, "From")
	differ(reflect.ValueOf(&b.TLS).Elem(), func() bool { return a.Equal(b) }, "")
	var c, d Credentials
	differ(reflect.ValueOf(&d).Elem(), func() bool { return c.Equal(d) }, "")
	differ(reflect.ValueOf(&d.Password).Elem(), func() bool { return c.Equal(d) }, "")
}

func TestUnchanged(t *testing.T) {
	dir := t.TempDir()
	text := "credentials: {a: {username: u}, b: {username: u}}\n" +
		"targets: [{name: a, address: 'a:1', credentials: a}, {name: b, address: 'b:1', credentials: b}, {name: c, address: 'c:1'}]\n"
	was := load(t, write(t, dir, "a.yml", text))
	is := load(t, write(t, dir, "a.yml", "\n"+strings.NewReplacer("a: {username: u}", "a: {username: v}", "name: c", "name: d").Replace(text)))
	for name, want := range map[string]bool{"a": false, "b": true, "c": false, "d": false} {
		if got := is.Unchanged(was, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(filepath.Join(dir, "none.yml"), options())
	mustSay(t, err, dir+"/none.yml: cannot be read: no such file or directory; want a YAML file")
	_, err = Load(dir, options())
	mustSay(t, err, dir+": cannot be read: is no regular file; want a YAML file")
	big := write(t, dir, "big.yml", strings.Repeat("#", maxFile+1))
	_, err = Load(big, options())
	mustSay(t, err, big+": cannot be read: is larger than 16384 KiB; want a YAML file")
	deep := write(t, dir, "deep.yml", strings.Repeat("[", 1<<20))
	_, err = Load(deep, options())
	mustSay(t, err, deep+":1: no valid YAML: exceeded max depth of 10000, while increasing flow level")
	long := write(t, dir, "long.yml", strings.Repeat("k", 1<<16)+": 1\n")
	_, err = Load(long, options())
	mustSay(t, err, long+":1: unknown key; want refresh_interval, defaults, credentials, targets or target_files")
}

// A byte order mark and line ends of Windows do no harm.
func TestWindows(t *testing.T) {
	file := write(t, t.TempDir(), "a.yml", "\ufefftargets:\r\n- name: leaf1\r\n  address: a:1\r\n")
	if c := load(t, file); len(c.Targets) != 1 || c.Targets[0].Name != "leaf1" || c.Targets[0].From != file+":2" {
		t.Errorf("%+v", c)
	}
}

// Relative paths are relative to the configuration file's directory, wherever
// the program runs.
func TestRelative(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "etc/[x]*/a.yml", "defaults: {tls: {ca_file: ca.pem}}\ntarget_files: ['t/*.yml', u.yml]\n")
	write(t, dir, "etc/[x]*/t/b.yml", "- targets: ['b:1']\n")
	write(t, dir, "etc/[x]*/u.yml", "- targets: ['c:1']\n")
	t.Chdir(filepath.Join(dir, "etc"))
	c := load(t, "[x]*/a.yml")
	if len(c.Targets) != 2 || c.Targets[0].TLS.CAFile != dir+"/etc/[x]*/ca.pem" || c.Targets[0].From != "[x]*/t/b.yml:1" {
		t.Errorf("%s", c.YAML())
	}
	// A directory that is gone has no path.
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	_, err := Load("a.yml", options())
	if err == nil || !strings.HasPrefix(err.Error(), "a.yml: ") {
		t.Errorf("%v", err)
	}
}

// Whatever text is loaded, nothing panics, each line of an error begins with a
// file's name, and what is valid stays what it is.
func FuzzLoad(f *testing.F) {
	for _, glob := range []string{"testdata/*.yml", "testdata/*/*.yml", "testdata/*/*/*"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, false)
			f.Add(data, true)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, groups bool) {
		dir := t.TempDir()
		if !groups && bytes.Contains(data, []byte("target_files")) {
			return // files of this machine
		}
		file := filepath.Join(dir, "a.yml")
		if groups {
			write(t, dir, "b.yml", string(data))
			data = []byte("credentials: {lab: {username: u}}\ntarget_files: [b.yml]\n")
		}
		write(t, dir, "a.yml", string(data))
		c, err := Load(file, options())
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, file+":") && !strings.HasPrefix(line, filepath.Join(dir, "b.yml:")) {
					t.Errorf("begins without a file's name: %q", line)
				}
			}
			return
		}
		if changed, err := NewWatcher(c).Changed(); changed || err != nil {
			t.Errorf("changed: %v, %v", changed, err)
		}
		again(t, c)
	})
}
