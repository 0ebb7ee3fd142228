// Package hosttest is a fake kernel for tests: recordings of hosts, laid out as
// a sysfs tree on disk, and answers of RDMA netlink, DCB netlink, ethtool
// netlink and the ethtool ioctl in the bytes of the wire.
//
// A recording is a txtar archive. Its comment says where it comes from. Its
// members are
//
//	sys/PATH                      content of a file of sysfs
//	sys/PATH -> TARGET            symbolic link
//	sys/PATH !EINVAL              file whose read fails with that errno
//	ethtool/IFNAME/driver         as ethtool -i prints: driver:, version:, firmware-version:, bus-info:
//	ethtool/IFNAME/statistics     as ethtool -S prints: name: value
//	ethtool/IFNAME/pause          rx: N, tx: N
//	dcb/IFNAME/pfc                capable: 8, enabled: 3 4, requests: eight numbers, indications: eight numbers
//	rdma/DEVICE                   index:, protocol:, driver_id:, ports:, firmware:, node_guid:, sys_image_guid:, node_type:
//	rdma/DEVICE/PORT              state:, physical_state:, interface:, ifindex:
//	rdma/DEVICE/PORT/counters     name: value
//
// where a line that is absent is something that the kernel does not say.
package hosttest

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/tools/txtar"
)

//go:embed recordings/*.txtar
var recordings embed.FS

// Names returns the names of all recordings, sorted.
func Names() []string {
	entries, err := fs.ReadDir(recordings, "recordings")
	if err != nil {
		panic(err) // embedded: it cannot fail
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".txtar"))
	}
	return out
}

// Open returns the recording of that name, anew for each call.
func Open(name string) (*Host, error) {
	b, err := recordings.ReadFile("recordings/" + name + ".txtar")
	if err != nil {
		return nil, fmt.Errorf("no recording %s: %w", name, err)
	}
	return Load(b)
}

// Host is a host as a recording has it, changed at will since. It is safe for
// concurrent use.
type Host struct {
	files  map[string]string // sysfs: path to content
	links  map[string]string // sysfs: path to target
	faults map[string]syscall.Errno

	mu         sync.Mutex
	rdma       []*rdmaDevice
	statistics map[string][]NameValue
	drivers    map[string]map[string]string
	pause      map[string]map[string]string
	pfc        map[string]map[string]string
	failures   map[string]syscall.Errno
	hangs      map[string]chan struct{}
	calls      map[string]int
	encoded    map[string][]byte // answers as last encoded, see once
	before     func(point string)
}

// NameValue is one counter.
type NameValue struct {
	Name  string
	Value uint64
}

type rdmaDevice struct {
	name  string
	attr  map[string]string
	ports map[uint32]*rdmaPort
}

type rdmaPort struct {
	attr     map[string]string
	counters []NameValue
	has      bool // counters, be there none
}

// Load returns the host that a recording describes. Errors name the member and
// the line.
func Load(data []byte) (*Host, error) {
	h := &Host{
		files: make(map[string]string), links: make(map[string]string), faults: make(map[string]syscall.Errno),
		statistics: make(map[string][]NameValue), drivers: make(map[string]map[string]string),
		pause: make(map[string]map[string]string), pfc: make(map[string]map[string]string),
		failures: make(map[string]syscall.Errno), hangs: make(map[string]chan struct{}), calls: make(map[string]int), encoded: make(map[string][]byte),
	}
	for _, f := range txtar.Parse(data).Files {
		if err := h.member(f.Name, string(f.Data)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	sort.Slice(h.rdma, func(i, j int) bool { return h.rdma[i].name < h.rdma[j].name })
	return h, nil
}

func (h *Host) member(name, data string) error {
	if p, ok := strings.CutPrefix(name, "sys/"); ok {
		if p, target, ok := strings.Cut(p, " -> "); ok {
			h.links[p] = target
			return local(p)
		}
		if p, errno, ok := strings.Cut(p, " !"); ok {
			e := errnoByName(errno)
			if e == 0 {
				return fmt.Errorf("no errno is called %q", errno)
			}
			h.files[p], h.faults[p] = "", e
			return local(p)
		}
		h.files[p] = data
		return local(p)
	}
	parts := strings.Split(name, "/")
	last := parts[len(parts)-1]
	switch {
	case parts[0] == "ethtool" && len(parts) == 3 && last == "statistics":
		values, err := counters(data)
		h.statistics[parts[1]] = values
		return err
	case parts[0] == "ethtool" && len(parts) == 3 && last == "driver":
		return lines(data, h.drivers, parts[1])
	case parts[0] == "ethtool" && len(parts) == 3 && last == "pause":
		return lines(data, h.pause, parts[1])
	case parts[0] == "dcb" && len(parts) == 3 && last == "pfc":
		return lines(data, h.pfc, parts[1])
	case parts[0] == "rdma" && len(parts) == 2:
		attr := make(map[string]map[string]string)
		err := lines(data, attr, "")
		h.device(parts[1]).attr = attr[""]
		return err
	case parts[0] == "rdma" && len(parts) == 3:
		attr := make(map[string]map[string]string)
		err := lines(data, attr, "")
		port, perr := h.device(parts[1]).port(parts[2])
		if err == nil {
			err = perr
		}
		if err == nil {
			port.attr = attr[""]
		}
		return err
	case parts[0] == "rdma" && len(parts) == 4 && last == "counters":
		values, err := counters(data)
		port, perr := h.device(parts[1]).port(parts[2])
		if err == nil {
			err = perr
		}
		if err == nil {
			port.counters, port.has = values, true
		}
		return err
	}
	return fmt.Errorf("no member of a recording is called so")
}

// local refuses a path that WriteSysfs would lay out elsewhere than it is told
// to: recordings come from other people's hosts.
func local(p string) error {
	if !fs.ValidPath(p) || p == "." {
		return fmt.Errorf("%q is no path below sys/", p)
	}
	return nil
}

func (h *Host) device(name string) *rdmaDevice {
	for _, d := range h.rdma {
		if d.name == name {
			return d
		}
	}
	d := &rdmaDevice{name: name, attr: make(map[string]string), ports: make(map[uint32]*rdmaPort)}
	h.rdma = append(h.rdma, d)
	return d
}

func (d *rdmaDevice) port(number string) (*rdmaPort, error) {
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return nil, err
	}
	p := d.ports[uint32(n)]
	if p == nil {
		p = &rdmaPort{attr: make(map[string]string)}
		d.ports[uint32(n)] = p
	}
	return p, nil
}

func errnoByName(name string) syscall.Errno {
	if name == "EOPNOTSUPP" {
		return syscall.EOPNOTSUPP // which x/sys calls ENOTSUP
	}
	for e := syscall.Errno(1); e < 200; e++ {
		if unix.ErrnoName(e) == name {
			return e
		}
	}
	return 0
}

// lines parses "key: value" lines into into[key].
func lines(data string, into map[string]map[string]string, key string) error {
	into[key] = make(map[string]string)
	for i, l := range strings.Split(data, "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		k, v, ok := strings.Cut(l, ":")
		if !ok {
			return fmt.Errorf("line %d: %q is not key: value", i+1, l)
		}
		into[key][strings.TrimSpace(k)] = strings.TrimSpace(v)
	}
	return nil
}

// counters parses "name: value" lines, in order. A name may hold blanks.
func counters(data string) ([]NameValue, error) {
	var out []NameValue
	for i, l := range strings.Split(data, "\n") {
		if strings.TrimSpace(l) == "" || strings.HasPrefix(l, "NIC statistics") {
			continue
		}
		at := strings.LastIndex(l, ": ")
		if at < 0 {
			return nil, fmt.Errorf("line %d: %q is not name: value", i+1, l)
		}
		v, err := strconv.ParseUint(strings.TrimSpace(l[at+2:]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out = append(out, NameValue{strings.TrimLeft(l[:at], " \t"), v})
	}
	return out, nil
}

// WriteSysfs lays the recording's sysfs out below directory dir. A link may not
// lead a file out of it.
func (h *Host) WriteSysfs(dir string) error {
	// Files may lie below links, as in the real tree: make those first, and the
	// directories that they lead to.
	for p, target := range h.links {
		p = h.real(p)
		if err := local(p); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(dir, path.Dir(p)), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, filepath.Join(dir, p)); err != nil {
			return err
		}
	}
	for p, content := range h.files {
		p = h.real(p)
		if err := local(p); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(dir, path.Dir(p)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, p), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// real resolves the recording's links in p, but for p itself.
func (h *Host) real(p string) string {
	for range 40 {
		at := strings.IndexByte(p, '/')
		changed := false
		for at >= 0 && !changed {
			if target, ok := h.links[p[:at]]; ok {
				p = path.Join(path.Dir(p[:at]), target, p[at+1:])
				changed = true
				break
			}
			next := strings.IndexByte(p[at+1:], '/')
			if next < 0 {
				break
			}
			at += 1 + next
		}
		if !changed {
			return p
		}
	}
	return p
}

// Faults returns the files of sysfs whose read fails, by the paths that the
// recording gives them, and with links resolved.
func (h *Host) Faults() map[string]syscall.Errno {
	out := make(map[string]syscall.Errno)
	for p, e := range h.faults {
		out[p] = e
		out[h.real(p)] = e
	}
	return out
}
