package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/host/rdmanl"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// device is one RDMA device. Its two lanes, one that scans and one that reads
// counters, are independent of each other and of every other device.
type device struct {
	host     *Host
	name     string
	scanning lane[*facts]
	counting lane[*reading]
	scanConn *rdmanl.Conn // used by scanning only
	reader   *reader      // used by counting only

	// Used by the listing only: where the last lists that could be had held it.
	inSysfs, inNetlink bool

	mu           sync.Mutex
	announced    bool           // netlink says what RDMA netlink says
	netlink      *rdmanl.Device // as its last list gave it; nil: not listed
	registration int            // counts the times that netlink's answer changed
	facts        *facts         // of the last scan
	scanned      time.Time
	stale        bool          // the device is another one than was scanned
	suspect      bool          // a read or the scan failed in a way that a changed device explains
	patience     time.Duration // until a suspect device is scanned again
}

// reading is what one read of a device's counters gave. The samples that could
// be read are there even if err is not nil.
type reading struct {
	samples []metric.Sample
	err     error
}

// announce tells the device how RDMA netlink lists it now. It is not called
// when the list could not be had.
func (d *device) announce(nl *rdmanl.Device) {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed := !sameIndex(nl, d.netlink)
	d.stale = d.stale || changed
	if d.announced && changed {
		// Also when it is not listed for a moment, as while it unregisters.
		d.registration++
	}
	d.announced, d.netlink = true, nl
}

// doubt makes a scrape to come scan anew, soon but not each of them: the cause
// may be a file that fails for good.
func (d *device) doubt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.suspect = true
}

// know returns the facts about the device, from a scan that is not too old. If
// the scan hangs it returns the facts of the one before, if any.
func (d *device) know(ctx context.Context) (*facts, error) {
	d.mu.Lock()
	f, nl, registration := d.facts, d.netlink, d.registration
	age := time.Since(d.scanned)
	fresh := f != nil && !d.stale && age < d.host.cfg.Rescan && (!d.suspect || age < d.patience)
	d.mu.Unlock()
	if fresh {
		return f, nil
	}
	g, err := d.scanning.do(ctx, func() (*facts, error) { return d.scan(nl, registration), nil })
	if err == nil {
		return g, nil
	}
	if f != nil && !errors.Is(err, ErrClosed) {
		return f, nil
	}
	return nil, &ReadError{Device: d.name, What: "scan of the device", Err: err}
}

func (d *device) scan(nl *rdmanl.Device, registration int) *facts {
	s := scanner{host: d.host, name: d.name}
	if nl != nil {
		if d.scanConn == nil {
			// Without it sysfs serves.
			d.scanConn, _ = d.host.cfg.Kernel.RDMA()
		}
		s.conn = d.scanConn
	}
	f := s.scan(nl)
	f.registration = registration
	d.host.errors.count(rdmaName, f.err)
	if f.err != nil && d.scanConn != nil {
		d.scanConn.Close() // what it would read next may be of an earlier request
		d.scanConn = nil
	}
	remark := ""
	defer func() { // after the lock is given back: standard error may block
		if remark != "" {
			d.host.log.Info("counters are exported raw", "device", d.name, "why", remark)
		}
	}()
	d.mu.Lock()
	defer d.mu.Unlock()
	if why := f.unmapped(); why != "" && (d.facts == nil || d.facts.unmapped() != why) {
		remark = why
	}
	if old := d.facts; old != nil && old.registration == registration && s.undecided(f) {
		// The scan failed at what decides how the counters are read: what was
		// known of the same registration holds.
		kept := *old
		kept.err = f.err
		f = &kept
	}
	if soon := d.host.cfg.Rescan / 30; d.suspect {
		d.patience = min(2*max(d.patience, soon), d.host.cfg.Rescan) // it may fail for good
	} else {
		d.patience = soon
	}
	d.facts, d.scanned = f, time.Now()
	// The device may have registered anew since the scan began.
	d.stale = registration != d.registration || !sameIndex(nl, d.netlink)
	// What failed may have been for a moment.
	d.suspect = f.err != nil || len(f.ports) == 0
	return f
}

// count reads the counters and the state of all ports.
func (d *device) count(ctx context.Context, f *facts) (*reading, error) {
	return d.counting.do(ctx, func() (*reading, error) {
		if d.reader == nil || !d.reader.facts.same(f) {
			if d.reader != nil {
				d.reader.close()
			}
			d.reader = newReader(d.host, d.name, f)
		} else if d.reader.facts != f {
			d.reader.renew(f)
		}
		r := d.reader.read()
		if d.reader.changed {
			d.doubt()
		}
		d.host.errors.count(rdmaName, r.err)
		return r, nil
	})
}

// sameIndex says whether RDMA netlink listed the same registration twice.
func sameIndex(a, b *rdmanl.Device) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Index == b.Index
}

// close frees the descriptors, after whatever runs has ended. A read that hangs
// keeps them until it comes back.
func (d *device) close() {
	d.counting.close(func() {
		if d.reader != nil {
			d.reader.close()
		}
	})
	d.scanning.close(func() {
		if d.scanConn != nil {
			d.scanConn.Close()
		}
	})
}

// rdmaName is the name of the source of RDMA devices, ports and counters.
const rdmaName = "rdma"

// RDMA is the source of RDMA devices, ports and their counters.
type RDMA struct{ host *Host }

// RDMA returns the source of RDMA devices, ports and counters.
func (h *Host) RDMA() *RDMA { return &RDMA{h} }

// Name returns "rdma".
func (s *RDMA) Name() string { return rdmaName }

// Collect reads all devices. What could be read is returned beside the error
// for what could not.
func (s *RDMA) Collect(ctx context.Context) ([]metric.Sample, error) {
	h := s.host
	found, err := h.list(ctx)
	if err != nil {
		h.errors.count(rdmaName, err)
		return h.errors.samples(rdmaName), err
	}
	samples, err := each(found.devices, func(d *device) ([]metric.Sample, error) {
		f, err := d.know(ctx)
		if errors.Is(err, ErrClosed) {
			return nil, nil
		}
		if err != nil {
			h.errors.count(rdmaName, err)
			return nil, err
		}
		r, err := d.count(ctx, f)
		if errors.Is(err, ErrClosed) {
			return nil, nil
		}
		if err != nil {
			err = &ReadError{Device: d.name, What: "counters", Err: err}
			h.errors.count(rdmaName, err)
			return f.samples, errors.Join(f.err, err)
		}
		out := make([]metric.Sample, 0, len(f.samples)+len(r.samples))
		return append(append(out, f.samples...), r.samples...), errors.Join(f.err, r.err)
	})
	stuck := 0
	for _, d := range found.devices {
		if d.counting.stuck() || d.scanning.stuck() {
			stuck++
		}
	}
	samples = append(samples, h.stuckSample(rdmaName, stuck),
		metric.Sample{Series: metric.ExporterDevices.At(metric.Where{}), Value: float64(len(found.devices))})
	if found.mode != "" {
		samples = append(samples, metric.Sample{Value: 1, Series: metric.RDMANetnsModeInfo.At(metric.Where{
			Attributes: []metric.Attribute{{Label: metric.Mode, Value: found.mode}}})})
	}
	return append(samples, h.errors.samples(rdmaName)...), errors.Join(found.err, err)
}

func (h *Host) stuckSample(collector string, n int) metric.Sample {
	return metric.Sample{Value: float64(n), Series: metric.ExporterStuck.At(metric.Where{
		Attributes: []metric.Attribute{{Label: metric.Collector, Value: collector}}})}
}

// DeviceState is what is known about a device, for people.
type DeviceState struct {
	Name, Driver, Protocol, PCI, Function string
	Ports                                 string // "1: ens1f0np0 (port), bond0 (lag)"
	Via                                   string // where its counters come from
	Remark                                string
}

// Devices returns the devices of the last listing, sorted by name. It asks the
// kernel nothing.
func (h *Host) Devices() []DeviceState {
	h.mu.Lock()
	devices := slices.Collect(maps.Values(h.devices))
	h.mu.Unlock()
	slices.SortFunc(devices, func(a, b *device) int { return strings.Compare(a.name, b.name) })
	var out []DeviceState
	for _, d := range devices {
		d.mu.Lock()
		f := d.facts
		d.mu.Unlock()
		s := DeviceState{Name: d.name}
		if f == nil {
			s.Remark = "not scanned yet"
			out = append(out, s)
			continue
		}
		s.Driver, s.Protocol, s.PCI, s.Function = f.driver, protocol(f.netlink), f.pci, f.function
		var ports []string
		for _, p := range f.ports {
			var names []string
			for _, i := range p.interfaces {
				names = append(names, i.name+" ("+i.role+")")
			}
			ports = append(ports, fmt.Sprintf("%d: %s", p.number, strings.Join(names, ", ")))
		}
		s.Ports = strings.Join(ports, "; ")
		s.Via = "sysfs"
		if f.netlink != nil {
			s.Via = "RDMA netlink, and sysfs for the rest"
		}
		switch {
		case d.counting.stuck() || d.scanning.stuck():
			s.Remark = "hangs in the kernel"
		case f.unmapped() != "":
			s.Remark = f.unmapped() + ": counters are exported raw"
		case f.noCounters && f.netlink != nil:
			s.Remark = "sysfs shows no counters, as in a container without the host's network namespace; RDMA netlink serves"
		}
		out = append(out, s)
	}
	return out
}
