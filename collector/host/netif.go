package host

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/host/dcb"
	"github.com/roce-exporter/roce_exporter/collector/host/ethtool"
	"github.com/roce-exporter/roce_exporter/collector/host/sysfs"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// netif is a network interface that belongs to an RDMA port. Each source has a
// lane of its own here, with the state that only that lane uses.
type netif struct {
	host *Host
	name string
	// What the scans of the RDMA devices said; replaced, not changed.
	role   string
	pci    string
	driver *index
	vf     bool

	attributes lane[*reading]
	statistics lane[*reading]
	pause      lane[*reading]
	dcb        lane[*reading]

	state      *state         // attributes lane
	driverStat *statistics    // statistics lane
	pauseConn  *pauseReader   // pause lane
	dcbConn    *dcbConnection // dcb lane
}

// physical says whether the interface is a port of the adapter that this host
// sees as such, so that its port counters are of the wire.
func (n *netif) physical() bool {
	return (n.role == rolePort || n.role == roleLAGMember) && !n.vf
}

// netifs returns the interfaces of all ports of all devices, sorted by name.
// Devices that cannot be scanned are reported by the rdma source and left out.
// The error says what could not be listed; the interfaces are good all the same.
func (h *Host) netifs(ctx context.Context) ([]*netif, error) {
	// A device that hangs here must leave the others time to be read.
	if deadline, ok := ctx.Deadline(); ok {
		half, cancel := context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
		ctx = half
	}
	listed, err := h.list(ctx)
	if err != nil {
		return nil, err
	}
	known := make([]*facts, len(listed.devices))
	var wg sync.WaitGroup
	for i, d := range listed.devices {
		wg.Go(func() { known[i], _ = d.know(ctx) })
	}
	wg.Wait()
	found := make(map[string]*netif)
	for _, f := range known {
		if f == nil {
			continue
		}
		for _, p := range f.ports {
			for _, i := range p.interfaces {
				// Of two devices with one interface the one that it is the port
				// of decides.
				if old := found[i.name]; old == nil || old.role != rolePort {
					found[i.name] = &netif{host: h, name: i.name, role: i.role, pci: i.pci, driver: i.driver, vf: f.function == "vf"}
				}
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// A scrape that was held up must not undo what a later one found.
	current := listed.number >= h.applied
	h.applied = max(h.applied, listed.number)
	var out []*netif
	for name, n := range found {
		old := h.interfaces[name]
		if changed := old == nil || old.role != n.role || old.pci != n.pci || old.driver != n.driver || old.vf != n.vf; changed && current {
			if old != nil {
				go old.close()
			}
			h.interfaces[name] = n
			old = n
		}
		if old != nil {
			out = append(out, old)
		}
	}
	for name, n := range h.interfaces {
		if found[name] == nil && current {
			delete(h.interfaces, name)
			go n.close()
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out, listed.err
}

// close frees the descriptors, after whatever runs has ended.
func (n *netif) close() {
	n.attributes.close(func() {})
	n.statistics.close(func() {
		if n.driverStat != nil {
			n.driverStat.raw.Close()
		}
	})
	n.pause.close(func() {
		if n.pauseConn != nil {
			n.pauseConn.close()
		}
	})
	n.dcb.close(func() { n.dcbConn.close() })
}

// collect is what the sources of interfaces have in common: read is run in
// lane for each interface that has it, and failures are counted.
func (h *Host) collect(ctx context.Context, source string, only func(*netif) bool,
	laneOf func(*netif) *lane[*reading], read func(*netif) *reading) ([]metric.Sample, error) {
	interfaces, listErr := h.netifs(ctx)
	if interfaces == nil && listErr != nil {
		h.errors.count(source, listErr)
		return h.errors.samples(source), listErr
	}
	var chosen []*netif
	for _, n := range interfaces {
		if only(n) {
			chosen = append(chosen, n)
		}
	}
	samples, err := each(chosen, func(n *netif) ([]metric.Sample, error) {
		r, err := laneOf(n).do(ctx, func() (*reading, error) {
			r := read(n)
			h.errors.count(source, r.err)
			return r, nil
		})
		if errors.Is(err, ErrClosed) {
			return nil, nil
		}
		if err != nil {
			err = &ReadError{Device: n.name, What: source, Err: err}
			h.errors.count(source, err)
			return nil, err
		}
		return r.samples, r.err
	})
	stuck := 0
	for _, n := range chosen {
		if laneOf(n).stuck() {
			stuck++
		}
	}
	samples = append(samples, h.stuckSample(source, stuck))
	return append(samples, h.errors.samples(source)...), errors.Join(listErr, err)
}

// ---- interface: class/net ------------------------------------------------

const interfaceName = "interface"

// Interface is the source of the state of network interfaces, from
// /sys/class/net.
type Interface struct{ host *Host }

// Interface returns the source of interface state.
func (h *Host) Interface() *Interface { return &Interface{h} }

// Name returns "interface".
func (s *Interface) Name() string { return interfaceName }

// Collect reads state, speed and MTU of all interfaces.
func (s *Interface) Collect(ctx context.Context) ([]metric.Sample, error) {
	return s.host.collect(ctx, interfaceName,
		func(*netif) bool { return true },
		func(n *netif) *lane[*reading] { return &n.attributes },
		(*netif).readAttributes)
}

// state is what reading an interface's attributes keeps. The files are opened
// anew each time, by the interface's name: names of interfaces move, and an open
// file would go on to speak of the one that had the name.
type state struct {
	up, rate, size *metric.Series
	info           metric.Sample
	master         string
	until          time.Time // when info is to be made anew
}

func (n *netif) readAttributes() *reading {
	dir := path.Join("class/net", n.name)
	w := metric.Where{Interface: n.name}
	tree := n.host.tree
	a := n.state
	if a == nil {
		a = &state{up: metric.InterfaceUp.At(w), rate: metric.InterfaceSpeed.At(w), size: metric.InterfaceMTU.At(w)}
		n.state = a
	}
	master := tree.LinkBase(path.Join(dir, "master"))
	if now := time.Now(); now.After(a.until) || master != a.master {
		a.info, a.master, a.until = n.info(dir, master), master, now.Add(n.host.cfg.Rescan)
	}
	log := errorLog{device: n.name}
	out := []metric.Sample{a.info}
	up := false
	if word, err := tree.Text(path.Join(dir, "operstate")); log.add("operstate", err) {
		switch word {
		case "up":
			up = true
			out = append(out, metric.Sample{Series: a.up, Value: 1})
		case "down", "lowerlayerdown", "dormant", "notpresent", "testing":
			out = append(out, metric.Sample{Series: a.up, Value: 0})
		case "unknown": // software interfaces that do not say
		default:
			log.add("operstate", fmt.Errorf("%.32q is no state of RFC 2863", word))
		}
	}
	if word, err := tree.Text(path.Join(dir, "mtu")); log.add("mtu", err) {
		if v, err := sysfs.ParseUint([]byte(word)); log.add("mtu", err) {
			out = append(out, metric.Sample{Series: a.size, Value: float64(v)})
		}
	}
	// The speed of an interface that is down is an error, -1 or invented.
	if up {
		if word, err := tree.Text(path.Join(dir, "speed")); log.add("speed", err) && word != "-1" {
			if v, err := sysfs.ParseUint([]byte(word)); log.add("speed", err) && v > 0 && v < 1<<31 {
				const mbit = 1e6 / 8
				out = append(out, metric.Sample{Series: a.rate, Value: float64(v) * mbit})
			}
		}
	}
	return &reading{samples: out, err: log.join()}
}

func (n *netif) info(dir, master string) metric.Sample {
	tree := n.host.tree
	driver, firmware := tree.LinkBase(path.Join(dir, "device/driver")), ""
	if n.host.cfg.Kernel.Ethtool != nil {
		if i, err := ethtool.DriverInfo(n.host.cfg.Kernel.Ethtool, n.name); err == nil {
			firmware = i.Firmware
			if driver == "" {
				driver = i.Driver
			}
		}
	}
	return metric.Sample{Value: 1, Series: metric.InterfaceInfo.At(metric.Where{Interface: n.name, Attributes: []metric.Attribute{
		{Label: metric.Driver, Value: driver},
		{Label: metric.Firmware, Value: firmware},
		{Label: metric.PCIAddress, Value: pciOnly(tree.LinkBase(path.Join(dir, "device")))},
		{Label: metric.Master, Value: master},
		{Label: metric.Role, Value: n.role},
	}})}
}

func pciOnly(s string) string {
	if pciAddress.MatchString(s) {
		return s
	}
	return ""
}

// ---- ethtool: driver statistics --------------------------------------------

const ethtoolName = "ethtool"

// Ethtool is the source of PFC and other port counters, from the drivers'
// ethtool statistics, read once per interface and scrape.
type Ethtool struct{ host *Host }

// Ethtool returns the source of driver statistics.
func (h *Host) Ethtool() *Ethtool { return &Ethtool{h} }

// Name returns "ethtool".
func (s *Ethtool) Name() string { return ethtoolName }

// Collect reads the statistics of all physical interfaces. Virtual functions
// are left out: their port counters read 0 whatever the port does.
func (s *Ethtool) Collect(ctx context.Context) ([]metric.Sample, error) {
	return s.host.collect(ctx, ethtoolName,
		func(n *netif) bool { return n.physical() },
		func(n *netif) *lane[*reading] { return &n.statistics },
		(*netif).readStatistics)
}

// statistics is the state of reading one interface's driver statistics.
type statistics struct {
	raw        *ethtool.Statistics
	mapper     *mapper
	generation uint64
	primed     bool
	plan       []planned
	size       int
}

// planned is a position in the list of statistics that means something.
type planned struct {
	position int
	entry    *entry
}

func (n *netif) readStatistics() *reading {
	log := errorLog{device: n.name}
	ioctl := n.host.cfg.Kernel.Ethtool
	if n.driverStat == nil {
		info, err := ethtool.DriverInfo(ioctl, n.name)
		if !log.add("driver information", err) {
			return &reading{err: log.join()}
		}
		if err := n.same(info); err != nil {
			log.add("driver information", err)
			return &reading{err: log.join()}
		}
		x := n.host.driverByModule(info.Driver)
		if x == nil {
			return &reading{} // no table for this driver: nothing to say
		}
		n.driverStat = &statistics{
			raw:    ethtool.NewStatistics(ioctl, n.name),
			mapper: newMapper(x, metric.Where{Interface: n.name}, RawNone),
		}
	}
	s := n.driverStat
	names, values, generation, err := s.raw.Read()
	if !log.add("statistics", err) {
		if gone(err) {
			// What comes next under this name may be another interface.
			s.raw.Close()
			n.driverStat = nil
		}
		return &reading{err: log.join()}
	}
	if !s.primed || generation != s.generation {
		s.learn(names)
		s.generation, s.primed = generation, true
	}
	out := make([]metric.Sample, 0, s.size+8)
	for _, p := range s.plan {
		out = s.mapper.add(out, p.entry, values[p.position])
	}
	out = s.mapper.finish(out)
	s.size = len(out)
	return &reading{samples: out, err: log.join()}
}

// learn makes the plan for a list of names. Most names, those of rings and
// channels, mean nothing here.
func (s *statistics) learn(names []string) {
	var known []string
	s.plan = s.plan[:0]
	for _, name := range names {
		if len(s.mapper.index.find(Statistics, name)) > 0 {
			known = append(known, name)
		}
	}
	s.mapper.resolve(Statistics, known)
	for i, name := range names {
		if e := s.mapper.entries[Statistics][name]; e != nil && len(e.targets) > 0 {
			s.plan = append(s.plan, planned{i, e})
		}
	}
}

// same says, as an error, that the interface of this name that the kernel
// knows is not the one that sysfs shows: they can be of different network
// namespaces.
func (n *netif) same(info ethtool.Info) error {
	if n.pci != "" && info.Bus != "" && pciAddress.MatchString(info.Bus) && info.Bus != n.pci {
		return fmt.Errorf("the interface of this name is on %s and not on %s: is sysfs that of another network namespace?", info.Bus, n.pci)
	}
	if n.pci != "" && info.Bus == "" {
		return errors.New("the interface of this name is on no PCI function: is sysfs that of another network namespace?")
	}
	return nil
}

// ---- dcb: PFC configuration -------------------------------------------------

const dcbName = "dcb"

// DCB is the source of the PFC configuration, over DCB netlink.
type DCB struct{ host *Host }

// DCB returns the source of the PFC configuration.
func (h *Host) DCB() *DCB { return &DCB{h} }

// Name returns "dcb".
func (s *DCB) Name() string { return dcbName }

// Collect reads which priorities have PFC enabled. An interface whose driver
// does not say gives nothing: unknown is not off.
func (s *DCB) Collect(ctx context.Context) ([]metric.Sample, error) {
	return s.host.collect(ctx, dcbName,
		func(n *netif) bool { return n.physical() },
		func(n *netif) *lane[*reading] { return &n.dcb },
		(*netif).readPFC)
}

// dcbConnection is a DCB netlink connection that is dialled when needed and
// after an error that is not the kernel's answer.
type dcbConnection struct {
	conn    *dcb.Conn
	enabled [8]*metric.Series
	sent    [8]*metric.Series
	got     [8]*metric.Series
}

func (c *dcbConnection) pfc(h *Host, name string) (dcb.PFC, bool, error) {
	if c.conn == nil {
		conn, err := h.cfg.Kernel.DCB()
		if err != nil {
			return dcb.PFC{}, false, err
		}
		c.conn = conn
	}
	p, ok, err := c.conn.PFC(name)
	if err != nil && !absent(err) {
		c.close()
	}
	return p, ok, err
}

func (c *dcbConnection) close() {
	if c != nil && c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

func (n *netif) readPFC() *reading {
	log := errorLog{device: n.name}
	if n.dcbConn == nil {
		n.dcbConn = &dcbConnection{}
		for p := range 8 {
			w := metric.Where{Interface: n.name, Priority: strconv.Itoa(p)}
			n.dcbConn.enabled[p] = metric.InterfacePFCEnabled.At(w)
			n.dcbConn.sent[p] = metric.InterfacePFCFramesTransmitted.At(w)
			n.dcbConn.got[p] = metric.InterfacePFCFramesReceived.At(w)
		}
	}
	pfc, ok, err := n.dcbConn.pfc(n.host, n.name)
	if !log.add("PFC configuration", err) || !ok {
		return &reading{err: log.join()}
	}
	out := make([]metric.Sample, 0, 24)
	for p := range 8 {
		out = append(out, metric.Sample{Series: n.dcbConn.enabled[p], Value: float64(pfc.Enabled >> p & 1)})
	}
	// Off where the ethtool source gives the same: requests are PFC frames
	// sent and indications those received (IEEE 802.1Q 12.23, struct ieee_pfc).
	if d := n.driver.driver; n.host.cfg.WithoutEthtool && d != nil && d.DCBFrames {
		for p := range 8 {
			out = append(out, metric.Sample{Series: n.dcbConn.sent[p], Value: float64(pfc.Requests[p])},
				metric.Sample{Series: n.dcbConn.got[p], Value: float64(pfc.Indications[p])})
		}
	}
	return &reading{samples: out, err: log.join()}
}

// ---- pause: 802.3x --------------------------------------------------------------

const pauseName = "pause"

// Pause is the source of link pause (802.3x) frames, over ethtool netlink.
type Pause struct{ host *Host }

// Pause returns the source of link pause frames.
func (h *Host) Pause() *Pause { return &Pause{h} }

// Name returns "pause".
func (s *Pause) Name() string { return pauseName }

// Collect reads the link pause statistics of all physical interfaces.
func (s *Pause) Collect(ctx context.Context) ([]metric.Sample, error) {
	return s.host.collect(ctx, pauseName,
		func(n *netif) bool { return n.physical() },
		func(n *netif) *lane[*reading] { return &n.pause },
		(*netif).readPause)
}

type pauseReader struct {
	conn      *ethtool.Netlink
	dcb       dcbConnection
	got, sent *metric.Series
}

func (p *pauseReader) close() {
	if p.conn != nil {
		p.conn.Close()
		p.conn = nil
	}
	p.dcb.close()
}

func (n *netif) readPause() *reading {
	log := errorLog{device: n.name}
	if n.pauseConn == nil {
		w := metric.Where{Interface: n.name}
		n.pauseConn = &pauseReader{got: metric.InterfacePauseFramesReceived.At(w), sent: metric.InterfacePauseFramesTransmitted.At(w)}
	}
	p := n.pauseConn
	if !n.host.cfg.WithoutEthtool && n.driver.gives(Statistics, metric.InterfacePauseFramesReceived) {
		return &reading{} // the ethtool source has it
	}
	if d := n.driver.driver; d != nil && d.PauseHasPFC {
		// Where the hardware counts PFC frames as link pause too, the number
		// says nothing about link pause once PFC is on.
		pfc, ok, err := p.dcb.pfc(n.host, n.name)
		if ok && pfc.Enabled != 0 || err != nil && !absent(err) {
			log.add("PFC configuration, which decides whether pause frames are link pause", err)
			return &reading{err: log.join()}
		}
	}
	if p.conn == nil {
		conn, err := n.host.cfg.Kernel.Pause()
		if !log.add("ethtool netlink", err) {
			return &reading{err: log.join()}
		}
		p.conn = conn
	}
	s, err := p.conn.Pause(n.name)
	if !log.add("link pause statistics", err) {
		if !absent(err) {
			p.close()
		}
		return &reading{err: log.join()}
	}
	var out []metric.Sample
	if s.HasReceived {
		out = append(out, metric.Sample{Series: p.got, Value: float64(s.Received)})
	}
	if s.HasTransmitted {
		out = append(out, metric.Sample{Series: p.sent, Value: float64(s.Transmitted)})
	}
	return &reading{samples: out, err: log.join()}
}
