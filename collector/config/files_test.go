package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestWatcher(t *testing.T) {
	dir := t.TempDir()
	main := write(t, dir, "a.yml", "target_files: ['t/*.yml', 't/*.yml', one.yml]\n")
	one := write(t, dir, "one.yml", "- targets: ['one:1']\n")
	two := write(t, dir, "t/two.yml", "- targets: ['two:1']\n")
	var w *Watcher
	is := func(what string, want bool) {
		t.Helper()
		for range 2 {
			if got, err := w.Changed(); got != want || err != nil {
				t.Errorf("%s: %v, %v", what, got, err)
			}
		}
	}
	reload := func(want int) {
		t.Helper()
		c := load(t, main)
		if len(c.Targets) != want {
			t.Errorf("%d targets, want %d", len(c.Targets), want)
		}
		w = NewWatcher(c)
		is("loaded", false)
	}
	reload(2)
	info, err := os.Stat(two)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "t/two.yml", "- targets: ['2wo:1']\n")
	if err := os.Chtimes(two, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	is("another content, same size and time", true)
	reload(2)
	write(t, dir, "t/three.yml", "- targets: ['three:1', 'four:1']\n")
	is("a new file", true)
	reload(4)
	write(t, dir, "t/.three.yml.swp", "x")
	write(t, dir, "t/.three.yml", "x")
	is("an editor's file", false)
	if err := os.Rename(two, filepath.Join(dir, "t/second.yml")); err != nil {
		t.Fatal(err)
	}
	is("a renamed file", true)
	reload(4)
	if err := os.RemoveAll(filepath.Join(dir, "t")); err != nil {
		t.Fatal(err)
	}
	is("no directory", true)
	reload(1)
	if err := os.Remove(one); err != nil {
		t.Fatal(err)
	}
	_, err = w.Changed()
	mustSay(t, err, "target_files: "+one+": cannot be read: no such file or directory; want a file, or a glob, which may name none")
	write(t, dir, "one.yml", "- targets: ['one:1']\n")
	is("back again", false)
	if err := os.MkdirAll(filepath.Join(dir, "t", "dir.yml"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = w.Changed()
	mustSay(t, err, filepath.Join(dir, "t/dir.yml")+": cannot be read: is no regular file; want a YAML file")
}

// A pipe would be waited for, or be empty when it is looked at again.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.yml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Load(pipe, options())
		done <- err
	}()
	select {
	case err := <-done:
		mustSay(t, err, pipe+": cannot be read: is no regular file; want a YAML file")
	case <-time.After(10 * time.Second):
		t.Error("waits for the pipe")
	}
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.yml", ".b.yml", "c/d.yml", "c/e.yml", "..data/f.yml"} {
		write(t, dir, name, "")
	}
	for pattern, want := range map[string][]string{
		"a.yml":      {"a.yml"},
		".b.yml":     {".b.yml"},
		"*.yml":      {"a.yml"},
		".*.yml":     {".b.yml"},
		"*/[de].yml": {"c/d.yml", "c/e.yml"},
		`\a.yml`:     {"a.yml"},
		"x/*":        nil,
	} {
		for i := range want {
			want[i] = filepath.Join(dir, want[i])
		}
		for _, p := range []string{pattern, filepath.Join(dir, pattern)} {
			got, err := expand(dir, p)
			if err != nil || len(got) != len(want) {
				t.Errorf("%s: %v, %v", p, got, err)
				continue
			}
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%s: %v, want %v", p, got, want)
				}
			}
		}
	}
	if os.Getuid() == 0 {
		return // may read everything
	}
	if err := os.Chmod(filepath.Join(dir, "c"), 0); err != nil {
		t.Fatal(err)
	}
	_, err := expand(dir, "c/*.yml")
	mustSay(t, err, filepath.Join(dir, "c")+": cannot be read: permission denied; want a directory")
}
