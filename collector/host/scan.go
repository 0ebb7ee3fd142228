package host

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/roce-exporter/roce_exporter/collector/host/rdmanl"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// facts is what a scan found out about a device: all that does not change from
// scrape to scrape. It is not changed once made.
type facts struct {
	netlink  *rdmanl.Device // nil: not known to RDMA netlink
	index    *index         // its driver's table
	driver   string         // name for people, "" if unknown
	pci      string         // PCI function, "" if none
	function string         // pf, vf, sf or ""
	ports    []port
	samples  []metric.Sample // info series
	// noCounters says that sysfs shows no directory of counters at all.
	noCounters bool
	err        error // what could not be read
	// registration is device.registration when the scan began.
	registration int
}

// port is one port of a device.
type port struct {
	number     uint32
	dir        string // directory in sysfs
	interfaces []portInterface
}

// portInterface is a network interface that belongs to a port.
type portInterface struct {
	name   string
	role   string // one of the role constants
	pci    string // PCI function that it sits on, "" if none
	driver *index // table of its driver, or else of the RDMA device's
}

// What an interface is to an RDMA port: the values of label role.
const (
	rolePort        = "port"        // the port's own interface
	roleLAGMember   = "lag_member"  // another port of an adapter-wide LAG (mlx5_bond_0)
	roleLAG         = "lag"         // a bond or team above the port's interface
	roleVLAN        = "vlan"        // a VLAN above it
	roleMACVLAN     = "macvlan"     // a macvlan or ipvlan above it
	roleRepresentor = "representor" // stands for a VF or SF in switchdev mode
	roleOther       = "other"       // anything else that owns a GID of the port
)

var (
	pciAddress  = regexp.MustCompile(`^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)
	representor = regexp.MustCompile(`^(c\d+)?pf\d+(vf|sf)\d+$`)
)

// scanner scans one device.
type scanner struct {
	host *Host
	name string
	dir  string // class/infiniband/<name>
	log  errorLog
	conn *rdmanl.Conn // nil without RDMA netlink
	// What failed though it is there.
	portsFailed, driverFailed bool
}

// undecided says whether the scan failed at what decides how the counters are
// read.
func (s *scanner) undecided(f *facts) bool {
	return s.portsFailed || s.driverFailed && f.index.driver == nil
}

// scan gathers the facts about the device that netlink calls nl, nil if it
// does not know it.
func (s *scanner) scan(nl *rdmanl.Device) *facts {
	s.log = errorLog{device: s.name}
	s.dir = path.Join(classInfiniband, s.name)
	f := &facts{netlink: nl}
	f.pci, f.function = s.function()
	f.index = s.driver(nl)
	if d := f.index.driver; d != nil && f.function == "pf" {
		// In a virtual machine nothing links a virtual function to its physical
		// one.
		if id, err := s.host.tree.Text(path.Join(s.dir, "device/device")); err == nil && slices.Contains(d.VirtualFunctions, id) {
			f.function = "vf"
		}
	}
	if f.index.driver != nil {
		f.driver = f.index.driver.Name
	} else {
		f.driver = s.host.tree.LinkBase(path.Join(s.dir, "device/driver"))
	}
	for _, n := range s.portNumbers(nl) {
		f.ports = append(f.ports, s.port(n, f))
	}
	f.noCounters = !s.host.tree.Exists(path.Join(s.dir, "hw_counters"))
	for _, p := range f.ports {
		f.noCounters = f.noCounters && !s.host.tree.Exists(path.Join(p.dir, "hw_counters")) && !s.host.tree.Exists(path.Join(p.dir, "counters"))
	}
	f.samples = append(f.samples, s.deviceInfo(f))
	f.err = s.log.join()
	return f
}

func (s *scanner) driver(nl *rdmanl.Device) *index {
	if nl != nil && s.conn != nil {
		id, ok, err := s.conn.DriverID(nl.Index)
		s.driverFailed = err != nil && !absent(err)
		if s.log.add("driver over RDMA netlink", err) && ok {
			if x := s.host.driverByID(id); x != nil {
				return x
			}
		}
	}
	tree := s.host.tree
	if x := s.host.driverByModule(tree.LinkBase(path.Join(s.dir, "device/driver"))); x != nil {
		return x
	}
	// A tree may have been copied without its links.
	uevent, _ := tree.Text(path.Join(s.dir, "device/uevent"))
	for _, line := range strings.Split(uevent, "\n") {
		if module, ok := strings.CutPrefix(line, "DRIVER="); ok {
			if x := s.host.driverByModule(module); x != nil {
				return x
			}
		}
	}
	// A sub-function's device is an auxiliary device below the PCI function.
	if dir := s.pciDir(); dir != "" {
		if x := s.host.driverByModule(tree.LinkBase(path.Join(dir, "driver"))); x != nil {
			return x
		}
	}
	// rxe has no device below it, and is the only one with this file
	// (drivers/infiniband/sw/rxe/rxe_verbs.c).
	if tree.Exists(path.Join(s.dir, "parent")) {
		if x := s.host.driverByModule("rdma_rxe"); x != nil {
			return x
		}
	}
	return s.host.unknown
}

// realDir returns the directory that the device's link in class/infiniband
// leads to, or "" in a tree that was copied without links.
func (s *scanner) realDir() string {
	target, err := s.host.tree.Link(s.dir)
	if err != nil {
		return ""
	}
	return path.Join(classInfiniband, target)
}

// pciDir returns the sysfs directory of the PCI function of the device, or "".
func (s *scanner) pciDir() string {
	dir := s.realDir()
	for dir != "" && dir != "." && dir != "/" {
		if pciAddress.MatchString(path.Base(dir)) {
			return dir
		}
		dir = path.Dir(dir)
	}
	return ""
}

// function returns the PCI address of the device and what kind of function it
// is: pf, vf, sf, or "" for a device without one.
func (s *scanner) function() (pci, kind string) {
	tree := s.host.tree
	if dir := s.pciDir(); dir != "" {
		pci = path.Base(dir)
	} else if base := tree.LinkBase(path.Join(s.dir, "device")); pciAddress.MatchString(base) {
		pci = base
	}
	switch base := tree.LinkBase(path.Join(s.dir, "device")); {
	case pci == "":
		return "", ""
	case tree.LinkBase(path.Join(s.dir, "device/physfn")) != "":
		return pci, "vf"
	case strings.Contains(base, ".sf."):
		return pci, "sf"
	}
	return pci, "pf"
}

// portNumbers returns the numbers of the device's ports, ascending.
func (s *scanner) portNumbers(nl *rdmanl.Device) []uint32 {
	names, err := s.host.tree.Names(path.Join(s.dir, "ports"))
	if s.host.cfg.Kernel.RDMA == nil && !s.host.tree.Exists(s.dir) {
		err = errDangling
	}
	s.portsFailed = err != nil && !absent(err)
	s.log.add(s.dir, err)
	var out []uint32
	for _, n := range names {
		if v, err := strconv.ParseUint(n, 10, 32); err == nil && v > 0 && n[0] != '0' {
			out = append(out, uint32(v))
		}
	}
	if len(out) == 0 && nl != nil {
		for n := uint32(1); n <= min(nl.Ports, 1024); n++ {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// errDangling says that a tree was copied without what its links lead to.
var errDangling = errors.New("a link that leads nowhere: was /sys/devices left out when the tree was copied?")

func (s *scanner) port(n uint32, f *facts) port {
	tree := s.host.tree
	label := strconv.FormatUint(uint64(n), 10)
	p := port{number: n, dir: path.Join(s.dir, "ports", label)}
	linkLayer, _ := tree.Text(path.Join(p.dir, "link_layer"))
	gids, owners := s.gids(p.dir)
	if !s.roce(f.netlink, linkLayer) {
		gids = nil
	}
	for version, count := range gids {
		f.samples = append(f.samples, metric.Sample{Value: float64(count),
			Series: metric.RDMAGIDs.At(metric.Where{Device: s.name, Port: label, Attributes: []metric.Attribute{
				{Label: metric.RoCEVersion, Value: version}}})})
	}
	own := s.ownInterface(n, f, owners)
	p.interfaces = s.relate(own, owners, f)
	for _, i := range p.interfaces {
		f.samples = append(f.samples, metric.Sample{Value: 1,
			Series: metric.RDMAPortInterfaceInfo.At(metric.Where{Device: s.name, Port: label, Interface: i.name,
				Attributes: []metric.Attribute{{Label: metric.Role, Value: i.role}}})})
	}
	f.samples = append(f.samples, metric.Sample{Value: 1,
		Series: metric.RDMAPortInfo.At(metric.Where{Device: s.name, Port: label, Interface: own, Attributes: []metric.Attribute{
			{Label: metric.LinkLayer, Value: linkLayer}, {Label: metric.Protocol, Value: protocol(f.netlink)}}})})
	return p
}

// protocol is RDMA netlink's word for what the device speaks: roce, iw, ib.
func protocol(nl *rdmanl.Device) string {
	if nl == nil {
		return ""
	}
	return nl.Protocol
}

// roce says whether a port speaks RoCE, as far as is known. InfiniBand and
// iWARP ports have GIDs as well, which the kernel calls "IB/RoCE v1".
func (s *scanner) roce(nl *rdmanl.Device, linkLayer string) bool {
	if nl != nil && nl.Protocol != "" {
		return nl.Protocol == "roce"
	}
	// node_type of iWARP is "4: RNIC".
	kind, _ := s.host.tree.Text(path.Join(s.dir, "node_type"))
	return linkLayer == "Ethernet" && !strings.HasPrefix(kind, "4:")
}

// gids counts the GIDs in use by RoCE version and returns the interfaces that
// own one. An empty slot answers EINVAL, by design of the kernel
// (drivers/infiniband/core/sysfs.c), so most of a table is errors.
func (s *scanner) gids(portDir string) (versions map[string]int, owners []string) {
	tree := s.host.tree
	slots, err := tree.Names(path.Join(portDir, "gid_attrs/types"))
	s.log.add("gid_attrs/types", err)
	versions = make(map[string]int)
	seen := make(map[string]bool)
	for _, slot := range slots {
		kind, err := tree.Text(path.Join(portDir, "gid_attrs/types", slot))
		if !s.log.add("gid_attrs/types/"+slot, err) {
			continue
		}
		switch kind {
		case "RoCE v2":
			versions["2"]++
		case "IB/RoCE v1":
			versions["1"]++
		default:
			continue
		}
		owner, err := tree.Text(path.Join(portDir, "gid_attrs/ndevs", slot))
		if s.log.add("gid_attrs/ndevs/"+slot, err) && owner != "" && !seen[owner] {
			seen[owner] = true
			owners = append(owners, owner)
		}
	}
	sort.Strings(owners)
	return versions, owners
}

// ownInterface returns the network interface of port n, "" where there is none
// or it is in another network namespace.
func (s *scanner) ownInterface(n uint32, f *facts, owners []string) string {
	tree := s.host.tree
	if f.netlink != nil && s.conn != nil {
		if p, err := s.conn.Port(f.netlink.Index, n); err == nil && p.Interface != "" {
			return p.Interface
		}
	}
	// A PCI function with several ports numbers their interfaces by dev_port,
	// from 0 (mlx4); in switchdev mode representors are listed with the uplink,
	// which alone is called p<N>.
	siblings, _ := tree.Names(path.Join(s.dir, "device/net"))
	var uplinks []string
	for _, i := range siblings {
		name, _ := tree.Text(path.Join("class/net", i, "phys_port_name"))
		if !representor.MatchString(name) {
			uplinks = append(uplinks, i)
		}
	}
	for _, i := range uplinks {
		number, err := tree.Text(path.Join("class/net", i, "dev_port"))
		if v, convErr := strconv.ParseUint(number, 10, 32); err == nil && convErr == nil && uint32(v)+1 == n && len(uplinks) > 1 {
			return i
		}
	}
	if len(uplinks) == 1 && len(s.portNumbers(f.netlink)) == 1 {
		return uplinks[0]
	}
	if parent, err := tree.Text(path.Join(s.dir, "parent")); err == nil && parent != "" {
		return parent
	}
	// The GID table names it too, beside VLANs and bonds above it.
	for _, o := range owners {
		if s.kind(o) == "" {
			return o
		}
	}
	return ""
}

// relate returns the interfaces of a port with their roles: its own, the
// owners of its GIDs, and the members of an adapter-wide LAG.
func (s *scanner) relate(own string, owners []string, f *facts) []portInterface {
	tree := s.host.tree
	var out []portInterface
	have := make(map[string]bool)
	add := func(name, role string) {
		if name != "" && !have[name] {
			have[name] = true
			device := path.Join("class/net", name, "device")
			driver := s.host.driverByModule(tree.LinkBase(path.Join(device, "driver")))
			if driver == nil {
				driver = f.index
			}
			out = append(out, portInterface{name, role, pciOnly(tree.LinkBase(device)), driver})
		}
	}
	lag := ""
	switch kind := s.kind(own); {
	case kind == roleLAG:
		lag = own
		add(own, roleLAG)
	case kind == roleRepresentor:
		add(own, roleRepresentor)
	default:
		add(own, rolePort)
		if master := tree.LinkBase(path.Join("class/net", own, "master")); own != "" && s.kind(master) == roleLAG {
			lag = master
		}
	}
	for _, o := range owners {
		switch role := s.kind(o); {
		case role != "":
			add(o, role)
			if role == roleLAG && lag == "" {
				lag = o
			}
		case s.sharesFunction(o, f.pci):
			add(o, rolePort)
		default:
			add(o, roleOther)
		}
	}
	if lag == "" {
		return out
	}
	add(lag, roleLAG)
	members, _ := tree.Names(path.Join("class/net", lag))
	for _, m := range members {
		member, isLower := strings.CutPrefix(m, "lower_")
		if !isLower {
			continue
		}
		// A member whose own function has an RDMA device belongs to that one:
		// only an adapter-wide LAG (mlx5_bond_0) takes the others' devices away.
		devices, err := tree.Names(path.Join("class/net", member, "device/infiniband"))
		switch {
		case err != nil || len(devices) == 0:
			add(member, roleLAGMember)
		case slices.Contains(devices, s.name):
			add(member, rolePort)
		}
	}
	return out
}

// sharesFunction says whether interface name sits on PCI function pci, or
// whether nothing is known about it.
func (s *scanner) sharesFunction(name, pci string) bool {
	base := s.host.tree.LinkBase(path.Join("class/net", name, "device"))
	return base == "" || pci == "" || base == pci
}

// kind tells stacked and representor interfaces, by what the kernel writes
// about them, from plain ones, for which it is "".
func (s *scanner) kind(name string) string {
	if name == "" {
		return ""
	}
	tree := s.host.tree
	dir := path.Join("class/net", name)
	if portName, err := tree.Text(path.Join(dir, "phys_port_name")); err == nil && representor.MatchString(portName) {
		return roleRepresentor
	}
	uevent, _ := tree.Text(path.Join(dir, "uevent"))
	for _, line := range strings.Split(uevent, "\n") {
		switch line {
		case "DEVTYPE=vlan":
			return roleVLAN
		case "DEVTYPE=macvlan", "DEVTYPE=ipvlan":
			return roleMACVLAN
		case "DEVTYPE=bond", "DEVTYPE=team":
			return roleLAG
		}
	}
	if tree.Exists(path.Join(dir, "bonding")) {
		return roleLAG
	}
	// macvlan and team do not write a DEVTYPE: stacked, and not said on what.
	names, _ := tree.Names(dir)
	for _, n := range names {
		if strings.HasPrefix(n, "lower_") {
			return roleOther
		}
	}
	return ""
}

func (s *scanner) deviceInfo(f *facts) metric.Sample {
	text := func(file string) string {
		v, err := s.host.tree.Text(path.Join(s.dir, file))
		s.log.add(file, err)
		return v
	}
	firmware := text("fw_ver")
	nodeGUID, imageGUID := text("node_guid"), text("sys_image_guid")
	if f.netlink != nil {
		if firmware == "" {
			firmware = f.netlink.Firmware
		}
		if nodeGUID == "" {
			nodeGUID = guid(f.netlink.NodeGUID)
		}
		if imageGUID == "" {
			imageGUID = guid(f.netlink.SystemImageGUID)
		}
	}
	numa := text("device/numa_node")
	if numa == "-1" { // not known to the firmware
		numa = ""
	}
	parent := s.host.tree.LinkBase(path.Join(s.dir, "device/physfn"))
	if f.function == "sf" {
		parent = f.pci
	}
	return metric.Sample{Value: 1, Series: metric.RDMADeviceInfo.At(metric.Where{Device: s.name, Attributes: []metric.Attribute{
		{Label: metric.Driver, Value: f.driver},
		{Label: metric.Firmware, Value: firmware},
		{Label: metric.Board, Value: text("board_id")},
		{Label: metric.HCAType, Value: text("hca_type")},
		{Label: metric.HardwareRevision, Value: text("hw_rev")},
		{Label: metric.PCIAddress, Value: f.pci},
		{Label: metric.Function, Value: f.function},
		{Label: metric.ParentPCIAddress, Value: parent},
		{Label: metric.NUMANode, Value: numa},
		{Label: metric.NodeGUID, Value: nodeGUID},
		{Label: metric.SystemImageGUID, Value: imageGUID},
		{Label: metric.Protocol, Value: protocol(f.netlink)},
	}})}
}

// guid prints a GUID as sysfs does.
func guid(v uint64) string {
	return fmt.Sprintf("%04x:%04x:%04x:%04x", v>>48, v>>32&0xffff, v>>16&0xffff, v&0xffff)
}

// unmapped says why the counters of the device have no names of the
// vocabulary, "" if they have.
func (f *facts) unmapped() string {
	switch {
	case f.index.driver != nil:
		return ""
	case f.driver == "":
		return "its driver is not known: there is no device/driver link"
	}
	return "the table of drivers does not have " + f.driver
}

// same says whether two scans speak of the same incarnation of a device, so
// that the state of its counters holds.
func (f *facts) same(g *facts) bool {
	if f.registration != g.registration || f.index != g.index || len(f.ports) != len(g.ports) {
		return false
	}
	for i := range f.ports {
		if f.ports[i].number != g.ports[i].number {
			return false
		}
	}
	return true
}
