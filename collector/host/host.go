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
	"sort"
	"sync"
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

// listed is one RDMA device as a listing gives it.
type listed struct {
	name    string
	netlink *rdmanl.Device // nil where RDMA netlink does not answer
}

// lister lists the RDMA devices.
type lister struct {
	host *Host
	conn *rdmanl.Conn
}

// listing is what a listing gave.
type listing struct {
	devices []listed
	left    int    // devices that the configuration leaves out
	mode    string // of network namespaces: shared, exclusive, or "" if not known
}

// list returns the wanted devices of sysfs and RDMA netlink together, sorted
// by name: a container's sysfs may hide what netlink shows.
func (l *lister) list() (listing, error) {
	var out listing
	h := l.host
	byName := make(map[string]*rdmanl.Device)
	names, err := h.tree.Names(classInfiniband)
	log := errorLog{}
	log.add(classInfiniband, err) // no RDMA at all: the directory is absent
	for _, n := range names {
		byName[n] = nil
	}
	if h.cfg.Kernel.RDMA != nil {
		devices, mode, err := l.netlink()
		out.mode = mode
		if err != nil {
			// sysfs has it all but for containers; the landing page shows which
			// source serves a device.
			h.log.Debug("RDMA netlink does not list devices, reading sysfs only", "err", err)
		}
		for i := range devices {
			byName[devices[i].Name] = &devices[i]
		}
	}
	for n, d := range byName {
		if h.wanted(n) {
			out.devices = append(out.devices, listed{name: n, netlink: d})
		} else {
			out.left++
		}
	}
	sort.Slice(out.devices, func(i, j int) bool { return out.devices[i].name < out.devices[j].name })
	return out, log.join()
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

// list returns the devices that are there now, and forgets those that are not.
// mode is that of network namespaces.
func (h *Host) list(ctx context.Context) (devices []*device, mode string, err error) {
	found, err := h.listing.do(ctx, h.lister.list)
	if errors.Is(err, ErrBusy) || errors.Is(err, ErrTimeout) {
		return nil, "", &ReadError{What: "list of RDMA devices", Err: err}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if none := len(found.devices) == 0 && found.left > 0; none != h.noneLeft {
		h.noneLeft = none
		if none {
			h.log.Warn("device-include and device-exclude leave no RDMA device to read; an expression must match the whole name", "present", found.left)
		}
	}
	out := make([]*device, 0, len(found.devices))
	present := make(map[string]bool, len(found.devices))
	for _, l := range found.devices {
		d := h.devices[l.name]
		if d == nil {
			d = &device{host: h, name: l.name}
			h.devices[l.name] = d
			h.log.Info("found RDMA device", "device", l.name)
		}
		d.announce(l.netlink)
		present[l.name] = true
		out = append(out, d)
	}
	for n, d := range h.devices {
		if !present[n] {
			delete(h.devices, n)
			h.log.Info("RDMA device is gone", "device", n)
			go d.close()
		}
	}
	return out, found.mode, err
}

// each runs read for all of things at once and joins what they return. It is
// how a source keeps one slow device from delaying another.
func each[T any](things []T, read func(T) ([]metric.Sample, error)) ([]metric.Sample, error) {
	samples := make([][]metric.Sample, len(things))
	errs := make([]error, len(things))
	var wg sync.WaitGroup
	for i, t := range things {
		wg.Go(func() { samples[i], errs[i] = read(t) })
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
