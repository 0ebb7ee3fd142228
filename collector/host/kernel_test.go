package host_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"

	"github.com/roce-exporter/roce_exporter/collector"
	"github.com/roce-exporter/roce_exporter/collector/host"
	"github.com/roce-exporter/roce_exporter/collector/host/dcb"
	"github.com/roce-exporter/roce_exporter/collector/host/ethtool"
	"github.com/roce-exporter/roce_exporter/collector/host/rdmanl"
	"github.com/roce-exporter/roce_exporter/collector/host/sysfs"
	"github.com/roce-exporter/roce_exporter/collector/hosttest"
)

// bed is a recording with the sources that read it.
type bed struct {
	recording *hosttest.Host
	dir       string
	files     *faultyFS
	host      *host.Host
	collector *collector.Collector
}

// newBed lays a recording out. live says whether RDMA netlink, ethtool and DCB
// answer as well, as on a running system.
func newBed(t testing.TB, name string, live bool, change ...func(*host.Config)) *bed {
	t.Helper()
	r, err := hosttest.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return bedOf(t, r, live, change...)
}

func bedOf(t testing.TB, r *hosttest.Host, live bool, change ...func(*host.Config)) *bed {
	t.Helper()
	b := &bed{recording: r, dir: t.TempDir()}
	if err := r.WriteSysfs(b.dir); err != nil {
		t.Fatal(err)
	}
	d, err := sysfs.OpenDir(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	b.files = &faultyFS{Dir: d, faults: maps.Clone(r.Faults())}
	if b.files.faults == nil {
		b.files.faults = make(map[string]syscall.Errno)
	}
	cfg := host.Config{Kernel: host.Kernel{Sysfs: b.files}}
	if live {
		cfg.Kernel.RDMA = func() (*rdmanl.Conn, error) {
			c, err := r.RDMADial()
			if err != nil {
				return nil, err
			}
			return rdmanl.New(c), nil
		}
		cfg.Kernel.DCB = func() (*dcb.Conn, error) {
			c, err := r.RouteDial()
			if err != nil {
				return nil, err
			}
			return dcb.New(c), nil
		}
		cfg.Kernel.Pause = func() (*ethtool.Netlink, error) {
			c, err := r.GenetlinkDial()
			if err != nil {
				return nil, err
			}
			return ethtool.NewNetlink(c)
		}
		cfg.Kernel.Ethtool = r.Ioctl()
	}
	for _, c := range change {
		c(&cfg)
	}
	b.host = host.New(cfg)
	t.Cleanup(b.host.Close)
	sources := []collector.Source{b.host.RDMA(), b.host.Interface()}
	if live {
		sources = append(sources, b.host.Ethtool(), b.host.DCB(), b.host.Pause())
	}
	b.collector = collector.New(sources, collector.Build{Version: "v0"}, nil)
	return b
}

// scrape returns one exposition without what differs each time, and the error
// of the sources.
func (b *bed) scrape(t testing.TB, within time.Duration) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	families, err := b.collector.Gather(ctx)
	var out bytes.Buffer
	enc := expfmt.NewEncoder(&out, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if f.GetName() == "roce_exporter_collector_duration_seconds" {
			continue
		}
		if err := enc.Encode(f); err != nil {
			t.Fatal(err)
		}
	}
	return out.String(), err
}

// series returns the lines of an exposition that start with prefix.
func series(text, prefix string) []string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, prefix) {
			out = append(out, l)
		}
	}
	return out
}

// want checks that text has each line, whole.
func want(t testing.TB, text string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains("\n"+text, "\n"+l+"\n") {
			name, _, _ := strings.Cut(l, "{")
			t.Errorf("no line\n%s\nbut of that name\n%s", l, strings.Join(series(text, name), "\n"))
		}
	}
}

// without checks that no line of text holds any of parts.
func without(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		for _, l := range strings.Split(text, "\n") {
			if strings.Contains(l, p) && !strings.HasPrefix(l, "#") {
				t.Errorf("unexpected line %s", l)
			}
		}
	}
}

// faultyFS is a directory whose files can be made to fail, hang, vanish or say
// something else. It counts reads.
type faultyFS struct {
	*sysfs.Dir

	mu      sync.Mutex
	faults  map[string]syscall.Errno // a key that ends in / is for all below it
	content map[string]string
	hang    map[string]chan struct{}
	opened  map[string]int
	order   []string // of reads of counters
	open    int      // files open now
}

func (f *faultyFS) fail(name string, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if errno == 0 {
		delete(f.faults, name)
		return
	}
	f.faults[name] = errno
}

func (f *faultyFS) say(name, content string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.content == nil {
		f.content = make(map[string]string)
	}
	f.content[name] = content
}

// hold makes reads of name hang until release is called.
func (f *faultyFS) hold(name string) (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := make(chan struct{})
	if f.hang == nil {
		f.hang = make(map[string]chan struct{})
	}
	f.hang[name] = c
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.hang, name)
		close(c)
	}
}

func (f *faultyFS) fault(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for dir, errno := range f.faults {
		if dir == name || strings.HasSuffix(dir, "/") && strings.HasPrefix(name+"/", dir) {
			return &fs.PathError{Op: "read", Path: name, Err: errno}
		}
	}
	return nil
}

func (f *faultyFS) Open(name string) (fs.File, error) {
	f.mu.Lock()
	if f.opened == nil {
		f.opened = make(map[string]int)
	}
	f.opened[name]++
	f.mu.Unlock()
	file, err := f.Dir.Open(name)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.open++
	f.mu.Unlock()
	return &faultyFile{File: file, fs: f, name: name}, nil
}

func (f *faultyFile) Close() error {
	f.fs.mu.Lock()
	f.fs.open--
	f.fs.mu.Unlock()
	return f.File.Close()
}

// nowOpen returns how many files are open.
func (f *faultyFS) nowOpen() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// failDir makes listing directory name fail, and nothing below it.
func (f *faultyFS) failDir(name string, errno syscall.Errno) { f.fail(name+"//", errno) }

func (f *faultyFS) ReadDir(name string) ([]fs.DirEntry, error) {
	f.mu.Lock()
	errno := f.faults[name+"//"]
	f.mu.Unlock()
	if errno != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errno}
	}
	if err := f.fault(name + "/"); err != nil {
		return nil, err
	}
	return f.Dir.ReadDir(name)
}

type faultyFile struct {
	fs.File
	fs   *faultyFS
	name string
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	hang := f.fs.hang[f.name]
	content, other := f.fs.content[f.name]
	f.fs.order = append(f.fs.order, f.name)
	f.fs.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if err := f.fs.fault(f.name); err != nil {
		return 0, err
	}
	if other {
		return copy(p, content), nil
	}
	return f.File.(interface {
		ReadAt([]byte, int64) (int, error)
	}).ReadAt(p, off)
}

// isErrno says whether err holds errno.
func isErrno(err error, errno syscall.Errno) bool { return errors.Is(err, errno) }

// reads returns the files read so far, in order.
func (f *faultyFS) reads() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.order)
}

func (f *faultyFS) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.order = nil
}

// write writes a file of the bed's sysfs.
func (b *bed) write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
