package host

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/roce-exporter/roce_exporter/collector/host/rdmanl"
	"github.com/roce-exporter/roce_exporter/collector/host/sysfs"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// reader reads the counters of one device at every scrape. It keeps what that
// needs: open files, the meaning of names, the state of 32-bit counters.
type reader struct {
	host     *Host
	name     string
	facts    *facts
	log      errorLog
	conn     *rdmanl.Conn // nil until needed, and without RDMA netlink
	device   counterDir
	mapper   *mapper // of the device's own counters
	ports    []*portReader
	buf      []rdmanl.Counter
	unmapped *metric.Series
	changed  bool // the last read met a device that is not the scanned one
	size     int  // samples of the last read
}

// portReader is the part of a reader for one port.
type portReader struct {
	port      port
	label     string
	mapper    *mapper
	pma, hw   counterDir
	rate      *sysfs.Kept
	state     *sysfs.Kept
	physical  *sysfs.Kept
	up        *metric.Series
	code      *metric.Series
	phys      *metric.Series
	speed     *metric.Series
	lastIndex uint32 // the interface's index and name, to see that it changed
	lastName  string
	primed    bool
}

// maxCounters bounds the files of one directory that are kept open. Drivers
// have a hundred or so.
const maxCounters = 2048

// counterDir is a directory of counter files, kept open.
type counterDir struct {
	from   From
	dir    string
	listed bool // files is what the directory holds
	files  []counterFile
}

type counterFile struct {
	file *sysfs.Kept
	*entry
}

func newReader(h *Host, name string, f *facts) *reader {
	r := &reader{
		host: h, name: name, facts: f,
		mapper:   newMapper(f.index, metric.Where{Device: name}, h.cfg.Raw),
		unmapped: metric.ExporterUnmapped.At(metric.Where{Device: name}),
	}
	for _, p := range f.ports {
		label := strconv.FormatUint(uint64(p.number), 10)
		w := metric.Where{Device: name, Port: label}
		r.ports = append(r.ports, &portReader{
			port: p, label: label,
			mapper:   newMapper(f.index, w, h.cfg.Raw),
			rate:     h.tree.Keep(path.Join(p.dir, "rate")),
			state:    h.tree.Keep(path.Join(p.dir, "state")),
			physical: h.tree.Keep(path.Join(p.dir, "phys_state")),
			up:       metric.RDMAPortUp.At(w), code: metric.RDMAPortState.At(w),
			phys: metric.RDMAPortPhysicalState.At(w), speed: metric.RDMAPortRate.At(w),
		})
	}
	r.renew(f)
	return r
}

// renew has the directories of counters listed anew by the next read, keeping
// the state of counters.
func (r *reader) renew(f *facts) {
	r.facts = f
	r.device.reset(DeviceCounters, path.Join(classInfiniband, r.name, "hw_counters"))
	for _, p := range r.ports {
		p.pma.reset(PMACounters, path.Join(p.port.dir, "counters"))
		p.hw.reset(PortCounters, path.Join(p.port.dir, "hw_counters"))
	}
}

// reset has the directory listed anew. Open files stay open: that the device
// registered anew in between is seen by their ENODEV.
func (d *counterDir) reset(from From, dir string) {
	d.from, d.dir, d.listed = from, dir, false
}

// list lists a directory that is not listed yet. One that is absent counts as
// listed, one that cannot be read is tried again by the next read.
func (r *reader) list(d *counterDir, m *mapper) {
	if d.listed {
		return
	}
	names, err := r.host.tree.Names(d.dir)
	r.log.add(d.dir, err)
	d.listed = err == nil || absent(err)
	// One read of the right file refreshes all of them; in another order each
	// read is firmware commands of its own (mlx5: 93 instead of 3).
	if driver := r.facts.index.driver; driver != nil && driver.ReadFirst != "" {
		for i, n := range names {
			if n == driver.ReadFirst {
				copy(names[1:i+1], names[:i])
				names[0] = n
			}
		}
	}
	// lifespan is how long the kernel caches the counters, not one of them.
	var counters []string
	for _, n := range names {
		if n != "lifespan" {
			counters = append(counters, n)
		}
	}
	if len(counters) > maxCounters {
		r.log.add(d.dir, fmt.Errorf("%d files, of which %d are read", len(counters), maxCounters))
		counters = counters[:maxCounters]
	}
	m.resolve(d.from, counters)
	open := make(map[string]*sysfs.Kept, len(d.files))
	for _, f := range d.files {
		open[f.file.Name()] = f.file
	}
	d.files = make([]counterFile, 0, len(counters))
	for _, n := range counters {
		name := path.Join(d.dir, n)
		file := open[name]
		if file == nil {
			file = r.host.tree.Keep(name)
		}
		delete(open, name)
		d.files = append(d.files, counterFile{file, m.entry(d.from, n)})
	}
	for _, f := range open {
		f.Close()
	}
}

// read reads everything once.
func (r *reader) read() *reading {
	r.log = errorLog{device: r.name}
	r.changed = false
	out := make([]metric.Sample, 0, r.size+16)
	unknown := 0
	for _, p := range r.ports {
		out = r.readPort(out, p)
		unknown += p.mapper.unknown()
	}
	r.list(&r.device, r.mapper)
	out = r.readDir(out, &r.device, r.mapper)
	out = r.mapper.finish(out)
	unknown += r.mapper.unknown()
	out = append(out, metric.Sample{Series: r.unmapped, Value: float64(unknown)})
	r.size = len(out)
	return &reading{samples: out, err: r.log.join()}
}

func (r *reader) readPort(out []metric.Sample, p *portReader) []metric.Sample {
	out = r.readState(out, p)
	// counters/ is listed first: its names mean the same for every driver, so
	// where hw_counters has the same thing, counters/ gives the metric.
	r.list(&p.pma, p.mapper)
	r.list(&p.hw, p.mapper)
	var ok bool
	if out, ok = r.readNetlink(out, p); !ok {
		out = r.readDir(out, &p.hw, p.mapper)
	}
	out = r.readDir(out, &p.pma, p.mapper)
	return p.mapper.finish(out)
}

// readNetlink reads a port's hw_counters over RDMA netlink. It says false
// where they must come from sysfs: not the running system, a device with
// counters of its own only (EINVAL), a driver error (EINVAL as well), or a list
// longer than one message (EMSGSIZE).
func (r *reader) readNetlink(out []metric.Sample, p *portReader) ([]metric.Sample, bool) {
	conn := r.netlink()
	if conn == nil {
		return out, false
	}
	counters, err := conn.PortCounters(r.facts.netlink.Index, p.port.number, r.buf)
	if err != nil {
		r.netlinkFailed(err)
		if gone(err) {
			r.changed = true
		} else if len(p.hw.files) == 0 {
			// sysfs cannot tell what failed.
			r.log.add(fmt.Sprintf("port %s: counters over RDMA netlink", p.label), err)
		}
		return out, false
	}
	r.buf = counters
	if len(p.mapper.entries[PortCounters]) == 0 {
		names := make([]string, len(counters))
		for i := range counters {
			names[i] = counters[i].Name
		}
		p.mapper.resolve(PortCounters, names)
	}
	for i := range counters {
		out = p.mapper.add(out, p.mapper.entry(PortCounters, counters[i].Name), counters[i].Value)
	}
	return out, true
}

// netlink returns the connection to RDMA netlink, nil where there is none.
func (r *reader) netlink() *rdmanl.Conn {
	if r.facts.netlink == nil || r.host.cfg.Kernel.RDMA == nil {
		return nil
	}
	if r.conn == nil {
		r.conn, _ = r.host.cfg.Kernel.RDMA()
	}
	return r.conn
}

// netlinkFailed drops a connection after an error that is not the kernel's
// answer to the request: what it would read next may be of an earlier one.
func (r *reader) netlinkFailed(err error) {
	var errno syscall.Errno
	if !errors.As(err, &errno) && r.conn != nil {
		r.conn.Close()
		r.conn = nil
	}
}

func (r *reader) readDir(out []metric.Sample, d *counterDir, m *mapper) []metric.Sample {
	for i := range d.files {
		f := &d.files[i]
		v, err := f.file.Uint()
		if err != nil {
			if gone(err) {
				r.changed = true
				// What comes back under this name began anew.
				f.primed = false
			}
			r.log.add(f.file.Name(), err)
			continue
		}
		out = m.add(out, f.entry, v)
	}
	return out
}

// readState reads state, physical state and rate of a port.
func (r *reader) readState(out []metric.Sample, p *portReader) []metric.Sample {
	var state, physical uint64
	var haveState, havePhysical bool
	if conn := r.netlink(); conn != nil {
		answer, err := conn.Port(r.facts.netlink.Index, p.port.number)
		if err != nil {
			r.netlinkFailed(err)
			// EINVAL is what the kernel says of an index that is no more.
			r.changed = r.changed || gone(err) || errors.Is(err, syscall.EINVAL)
		} else {
			state, physical = uint64(answer.State), uint64(answer.PhysicalState)
			haveState, havePhysical = true, true
			// A rename keeps the index.
			same := answer.InterfaceIndex == p.lastIndex && answer.Interface == p.lastName
			r.changed = r.changed || p.primed && !same
			p.lastIndex, p.lastName, p.primed = answer.InterfaceIndex, answer.Interface, true
		}
	}
	if !haveState {
		state, haveState = r.code(p.state)
		physical, havePhysical = r.code(p.physical)
	}
	const active = 4 // IBTA: PortInfo.PortState, enum ib_port_state
	if haveState {
		up := 0.0
		if state == active {
			up = 1
		}
		out = append(out, metric.Sample{Series: p.up, Value: up}, metric.Sample{Series: p.code, Value: float64(state)})
	}
	if havePhysical {
		out = append(out, metric.Sample{Series: p.phys, Value: float64(physical)})
	}
	// A port that is down prints a rate as well, an invented one.
	if haveState && state == active {
		b, err := p.rate.Bytes()
		if r.log.add(p.rate.Name(), err) {
			v, err := parseRate(string(b))
			if r.log.add(p.rate.Name(), err) {
				out = append(out, metric.Sample{Series: p.speed, Value: v})
			}
		}
	}
	return out
}

// code reads the number before the colon of files like "4: ACTIVE".
func (r *reader) code(k *sysfs.Kept) (uint64, bool) {
	b, err := k.Bytes()
	if !r.log.add(k.Name(), err) {
		r.changed = r.changed || gone(err)
		return 0, false
	}
	number, _, _ := strings.Cut(string(b), ":")
	v, err := strconv.ParseUint(number, 10, 8)
	if err != nil {
		err = fmt.Errorf("%w before a colon: %.32q", sysfs.ErrNotANumber, b)
	}
	return v, r.log.add(k.Name(), err)
}

// parseRate returns the bytes per second of a port's rate file, "100 Gb/sec (4X
// EDR)". Only the number counts: the words in parentheses differ by kernel.
func parseRate(s string) (float64, error) {
	number, _, ok := strings.Cut(s, " Gb/sec")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || v < 0 || v > 1e6 || math.IsNaN(v) {
		return 0, fmt.Errorf("%w of Gb/sec: %.32q", sysfs.ErrNotANumber, s)
	}
	return v * 1e9 / 8, nil
}

func (r *reader) close() {
	dirs := []*counterDir{&r.device}
	for _, p := range r.ports {
		dirs = append(dirs, &p.pma, &p.hw)
		p.rate.Close()
		p.state.Close()
		p.physical.Close()
	}
	for _, d := range dirs {
		for _, f := range d.files {
			f.file.Close()
		}
	}
	if r.conn != nil {
		r.conn.Close()
	}
}
