package sysfs

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// tree lays files out on disk and returns them as a Tree.
func tree(t testing.TB, files map[string]string) (*Tree, string) {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	return New(d), root
}

func TestKeptFileReadsWhatIsThereNow(t *testing.T) {
	tr, root := tree(t, map[string]string{"a/counter": "41\n"})
	k := tr.Keep("a/counter")
	defer k.Close()
	for _, want := range []uint64{41, 7, 1234567890123} {
		f, err := os.OpenFile(filepath.Join(root, "a/counter"), os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(strings.TrimSpace(itoa(want)) + "\n")
		f.Close()
		if got, err := k.Uint(); err != nil || got != want {
			t.Fatalf("Uint() = %d, %v; want %d", got, err, want)
		}
	}
}

func itoa(v uint64) string {
	var b []byte
	for ; v > 0; v /= 10 {
		b = append([]byte{byte('0' + v%10)}, b...)
	}
	return string(b)
}

// A file that is longer than the first guess is read whole, in one read that
// starts at its beginning.
func TestLongFile(t *testing.T) {
	long := strings.Repeat("x", 3000)
	tr, _ := tree(t, map[string]string{"f": long, "exact": strings.Repeat("y", 64)})
	for name, want := range map[string]string{"f": long, "exact": strings.Repeat("y", 64)} {
		if got, err := tr.Text(name); err != nil || got != want {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
	}
}

func TestFileSystemWithoutRandomAccess(t *testing.T) {
	// fstest's open files have ReadAt, so take it away.
	tr := New(plain{fstest.MapFS{"c": {Data: []byte("5\n")}}})
	k := tr.Keep("c")
	for range 3 {
		if v, err := k.Uint(); v != 5 || err != nil {
			t.Fatalf("Uint() = %d, %v; want 5", v, err)
		}
	}
}

type plain struct{ fs.FS }

func (p plain) Open(name string) (fs.File, error) {
	f, err := p.FS.Open(name)
	return struct{ fs.File }{f}, err
}

func TestErrorsKeepTheirErrno(t *testing.T) {
	tr, root := tree(t, map[string]string{"d/f": "1"})
	if _, err := tr.Text("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: %v; want ErrNotExist", err)
	}
	if _, err := tr.Text("d"); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("directory: %v; want EISDIR", err)
	}
	if _, err := OpenDir(filepath.Join(root, "d/f")); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("OpenDir of a file: %v; want ENOTDIR", err)
	}
	if _, err := tr.Text("../etc/passwd"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("path that leaves the tree: %v; want ErrInvalid", err)
	}
}

// A named pipe in a copied tree must not block the scrape.
func TestNamedPipeDoesNotBlock(t *testing.T) {
	tr, root := tree(t, map[string]string{"x": ""})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	if s, err := tr.Text("pipe"); s != "" {
		t.Errorf("Text(pipe) = %q, %v; want nothing", s, err)
	}
}

func TestParseUint(t *testing.T) {
	for _, c := range []struct {
		in   string
		want uint64
		err  error
	}{
		{"0\n", 0, nil},
		{"18446744073709551615\n", math.MaxUint64, nil},
		{"12 \n", 12, nil},
		{"18446744073709551616\n", 0, ErrNotANumber},
		{"99999999999999999999999\n", 0, ErrNotANumber},
		{"N/A (no PMA)\n", 0, ErrNotAvailable},
		{"", 0, ErrNotANumber},
		{"\n", 0, ErrNotANumber},
		{"-1\n", 0, ErrNotANumber},
		{"1 2\n", 0, ErrNotANumber},
		{"0x10\n", 0, ErrNotANumber},
		{"1.5\n", 0, ErrNotANumber},
	} {
		got, err := ParseUint([]byte(c.in))
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("ParseUint(%q) = %d, %v; want %d, %v", c.in, got, err, c.want, c.err)
		}
	}
}

func FuzzParseUint(f *testing.F) {
	for _, s := range []string{"0\n", "18446744073709551615", "N/A (no PMA)\n", "", "\x00", "1\n2\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := ParseUint(b)
		if err != nil {
			return
		}
		digits := strings.TrimLeft(strings.TrimRight(string(b), " \n"), "0")
		if want := itoa(v); digits != want {
			t.Errorf("ParseUint(%q) = %d", b, v)
		}
	})
}

// The point of a kept file is its cost: no allocation, and one system call
// (BenchmarkKept against BenchmarkReadFile shows the time).
func TestKeptReadDoesNotAllocate(t *testing.T) {
	tr, _ := tree(t, map[string]string{"c": "123456789\n"})
	k := tr.Keep("c")
	defer k.Close()
	if n := testing.AllocsPerRun(100, func() { k.Uint() }); n != 0 {
		t.Errorf("a kept read allocates %v times; want 0", n)
	}
}

func BenchmarkKept(b *testing.B) {
	tr, _ := tree(b, map[string]string{"c": "123456789\n"})
	k := tr.Keep("c")
	defer k.Close()
	for b.Loop() {
		k.Uint()
	}
}

func BenchmarkReadFile(b *testing.B) {
	_, root := tree(b, map[string]string{"c": "123456789\n"})
	name := filepath.Join(root, "c")
	for b.Loop() {
		os.ReadFile(name)
	}
}

// A tree copied by tar has files filled up with NULs to a page.
func TestFileFilledUpByTar(t *testing.T) {
	tr, _ := tree(t, map[string]string{"n": "77\n" + strings.Repeat("\x00", 4093), "t": "Ethernet\n" + strings.Repeat("\x00", 4087), "empty": strings.Repeat("\x00", 4096)})
	if v, err := tr.Keep("n").Uint(); v != 77 || err != nil {
		t.Errorf("number %d, %v; want 77", v, err)
	}
	if s, err := tr.Text("t"); s != "Ethernet" || err != nil {
		t.Errorf("text %q, %v; want Ethernet", s, err)
	}
	if _, err := tr.Keep("empty").Uint(); !errors.Is(err, ErrNotANumber) {
		t.Errorf("nothing but NULs: %v; want ErrNotANumber", err)
	}
}
