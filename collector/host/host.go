// Package host reads what the kernel knows about the RDMA devices of this host
// and their network interfaces: sysfs, RDMA netlink, ethtool and DCB. It only
// reads, needs no capability and runs no other program.
//
// Each Source turns raw readings into samples by looking them up in one table,
// Drivers. Every device and interface has lanes of its own, so that one that
// hangs in the kernel costs nobody else anything.
package host

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/host/dcb"
	"github.com/roce-exporter/roce_exporter/collector/host/ethtool"
	"github.com/roce-exporter/roce_exporter/collector/host/rdmanl"
	"github.com/roce-exporter/roce_exporter/collector/host/sysfs"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Kernel is how the sources reach the kernel. Fields other than Sysfs are nil
// where Sysfs is a copied tree and not the running system's.
type Kernel struct {
	Sysfs   fs.FS
	RDMA    func() (*rdmanl.Conn, error)
	Ethtool ethtool.Ioctl
	Pause   func() (*ethtool.Netlink, error)
	DCB     func() (*dcb.Conn, error)
}

// Config is what a Host is made from.
type Config struct {
	Kernel  Kernel
	Include *regexp.Regexp // RDMA devices to read; nil: all
	Exclude *regexp.Regexp // RDMA devices never to open; nil: none
	Raw     Raw            // which hw_counters are exported raw; "" is RawUnmapped
	Logger  *slog.Logger   // nil: no log
	// WithoutEthtool says that the ethtool source is switched off: the dcb and
	// pause sources then give what they else leave to it.
	WithoutEthtool bool
	// Rescan is how long facts about a device (GIDs, interfaces, firmware) are
	// taken as current when nothing says that they changed; 0 is five minutes.
	Rescan time.Duration
}

// Host is the RDMA devices of a host and their interfaces, as the sources
// share them.
type Host struct {
	cfg     Config
	tree    *sysfs.Tree
	drivers []*index
	unknown *index // of drivers that the table does not have
	log     *slog.Logger
	errors  errorCounter
	listing lane[listing]
	lister  lister // used by the listing lane only

	mu         sync.Mutex
	devices    map[string]*device
	interfaces map[string]*netif
	applied    int  // number of the listing that interfaces is of
	noneLeft   bool // the configuration leaves out all devices
}

// New returns the host behind cfg.Kernel. Nothing is read yet.
func New(cfg Config) *Host {
	if cfg.Raw == "" {
		cfg.Raw = RawUnmapped
	}
	if cfg.Rescan == 0 {
		cfg.Rescan = 5 * time.Minute
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Host{
		cfg:        cfg,
		tree:       sysfs.New(cfg.Kernel.Sysfs),
		log:        cfg.Logger,
		unknown:    newIndex(nil, PMA()),
		devices:    make(map[string]*device),
		interfaces: make(map[string]*netif),
	}
	for _, d := range Drivers() {
		h.drivers = append(h.drivers, newIndex(&d, PMA()))
	}
	h.lister.host = h
	return h
}

// Close gives up all devices and interfaces. Their descriptors are freed in the
// background, when the reads that run have ended. Sources find nothing after it.
func (h *Host) Close() {
	go h.listing.close(func() {
		if h.lister.conn != nil {
			h.lister.conn.Close()
		}
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.devices {
		go d.close()
	}
	for _, n := range h.interfaces {
		go n.close()
	}
	clear(h.devices)
	clear(h.interfaces)
}

// driverByID finds a driver by its number in RDMA netlink.
func (h *Host) driverByID(id uint32) *index {
	for _, x := range h.drivers {
		if x.driver.ID == id && id != 0 {
			return x
		}
	}
	return nil
}

// driverByModule finds a driver by the name of a PCI or network driver.
func (h *Host) driverByModule(module string) *index {
	for _, x := range h.drivers {
		for _, m := range x.driver.Modules {
			if m == module {
				return x
			}
		}
	}
	return nil
}

// wanted says whether the device may be opened.
func (h *Host) wanted(device string) bool {
	return (h.cfg.Include == nil || h.cfg.Include.MatchString(device)) &&
		(h.cfg.Exclude == nil || !h.cfg.Exclude.MatchString(device))
}

const classInfiniband = "class/infiniband"

// lister lists the RDMA devices. It is used by the listing lane only, so that
// lists are applied in the order in which they were made.
type lister struct {
	host *Host
	conn *rdmanl.Conn
	made int // listings so far
}

// listing is what a listing gave.
type listing struct {
	devices []*device // sorted by name
	mode    string    // of network namespaces: shared, exclusive, or "" if not known
	err     error     // what could not be listed; the devices known before are in the list
	number  int       // of the listing
}

// list brings the host's devices up to date with what sysfs and RDMA netlink
// list together: a container's sysfs may hide what netlink shows. A list that
// could not be had says nothing about the devices that it would have held.
func (l *lister) list() listing {
	h := l.host
	log := errorLog{}
	names, sysfsErr := h.tree.Names(classInfiniband)
	if absent(sysfsErr) {
		sysfsErr = nil // no RDMA at all
	}
	log.add(classInfiniband, sysfsErr)
	inSysfs := make(map[string]bool, len(names))
	for _, n := range names {
		inSysfs[n] = true
	}
	inNetlink := make(map[string]*rdmanl.Device)
	var mode string
	var netlinkErr error
	if h.cfg.Kernel.RDMA != nil {
		var devices []rdmanl.Device
		devices, mode, netlinkErr = l.netlink()
		if errors.Is(netlinkErr, syscall.EPROTONOSUPPORT) || absent(netlinkErr) {
			netlinkErr = nil // a kernel without it
		}
		log.add("RDMA netlink's list of devices", netlinkErr)
		for i := range devices {
			inNetlink[devices[i].Name] = &devices[i]
		}
	}

	// Said after the lock is given back: standard error may block.
	var came, went []string
	left, tellNone := 0, false
	defer func() {
		for _, n := range came {
			h.log.Info("found RDMA device", "device", n)
		}
		for _, n := range went {
			h.log.Info("RDMA device is gone", "device", n)
		}
		if tellNone {
			h.log.Warn("device-include and device-exclude leave no RDMA device to read; an expression must match the whole name", "present", left)
		}
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := func(name string) {
		if !h.wanted(name) {
			left++
			return
		}
		d := h.devices[name]
		if d == nil {
			d = &device{host: h, name: name}
			h.devices[name] = d
			came = append(came, name)
		}
		if sysfsErr == nil {
			d.inSysfs = inSysfs[name]
		}
		if netlinkErr == nil {
			d.inNetlink = inNetlink[name] != nil
			d.announce(inNetlink[name])
		}
	}
	for n := range inSysfs {
		seen(n)
	}
	for n := range inNetlink {
		if !inSysfs[n] {
			seen(n)
		}
	}
	l.made++
	out := listing{mode: mode, err: log.join(), number: l.made}
	for n, d := range h.devices {
		listed := inSysfs[n] || inNetlink[n] != nil
		// Where one list could not be had, the other one may know.
		unknown := sysfsErr != nil && d.inSysfs && (netlinkErr != nil || !d.inNetlink) ||
			netlinkErr != nil && d.inNetlink && !d.inSysfs
		if !listed && !unknown {
			delete(h.devices, n)
			went = append(went, n)
			go d.close()
			continue
		}
		out.devices = append(out.devices, d)
	}
	slices.SortFunc(out.devices, func(a, b *device) int { return strings.Compare(a.name, b.name) })
	if none := len(out.devices) == 0 && left > 0; none != h.noneLeft {
		h.noneLeft, tellNone = none, none
	}
	return out
}

func (l *lister) netlink() (devices []rdmanl.Device, mode string, err error) {
	if l.conn == nil {
		if l.conn, err = l.host.cfg.Kernel.RDMA(); err != nil {
			l.conn = nil
			return nil, "", err
		}
	}
	devices, err = l.conn.Devices()
	if err != nil {
		l.conn.Close()
		l.conn = nil
		return nil, "", err
	}
	// Kernels before 5.2 do not say, and know no other mode than shared.
	if shared, err := l.conn.SharedNetns(); err == nil && shared {
		mode = "shared"
	} else if err == nil {
		mode = "exclusive"
	}
	return devices, mode, nil
}

// list returns the devices that are there now, those known before where that
// cannot be found out, with an error.
func (h *Host) list(ctx context.Context) (listing, error) {
	found, err := h.listing.do(ctx, func() (listing, error) {
		l := h.lister.list()
		h.errors.count(rdmaName, l.err)
		return l, nil
	})
	if err != nil {
		return listing{}, &ReadError{What: "list of RDMA devices", Err: err}
	}
	return found, nil
}

// each runs read for all of things at once and joins what they return. It is
// how a source keeps one slow device from delaying another.
func each[T any](things []T, read func(T) ([]metric.Sample, error)) ([]metric.Sample, error) {
	samples := make([][]metric.Sample, len(things))
	errs := make([]error, len(things))
	var wg sync.WaitGroup
	for i, t := range things {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fault(p)
				}
			}()
			samples[i], errs[i] = read(t)
		})
	}
	wg.Wait()
	n := 0
	for _, s := range samples {
		n += len(s)
	}
	out := make([]metric.Sample, 0, n+8)
	for _, s := range samples {
		out = append(out, s...)
	}
	return out, errors.Join(errs...)
}
