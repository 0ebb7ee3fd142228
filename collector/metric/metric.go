// Package metric is the vocabulary: the only list of metric names that the
// exporter serves, in the terms of the standards, for NICs and switches alike.
// It knows no vendor and imports nothing but the standard library.
//
// A source looks its raw readings up in its own table, which points at rows of
// this list; see collector/host/drivers.go for the table of host drivers.
package metric

import (
	"strings"
	"sync"
)

// Type says how a value behaves over time.
type Type uint8

const (
	// Gauge goes up and down.
	Gauge Type = iota
	// Counter only grows, until the thing it counts starts anew. Its name ends
	// in _total.
	Counter
	// Info is always 1 and carries text in its labels. Its name ends in _info.
	Info
)

// String returns the type's name as documentation prints it.
func (t Type) String() string {
	switch t {
	case Counter:
		return "counter"
	case Info:
		return "info"
	}
	return "gauge"
}

// Unit is the base unit of a value and, but for None, Code and Packets-like
// counts, the last word of the metric's name (before _total).
type Unit string

// The units. Everything is converted to one of them once, by the Scale of the
// source's table.
const (
	None           Unit = ""                 // a count of things, a flag, or a code that the help text lists
	Seconds        Unit = "seconds"          // time
	Bytes          Unit = "bytes"            // octets
	BytesPerSecond Unit = "bytes_per_second" // octets per second
	Ratio          Unit = "ratio"            // 0 to 1
	Celsius        Unit = "celsius"          // temperature
	DBm            Unit = "dbm"              // optical power, decibels above 1 mW: the field's unit, which no factor converts
	Amperes        Unit = "amperes"          // current
	Volts          Unit = "volts"            // voltage
	Decibels       Unit = "decibels"         // signal to noise ratio
)

// Label is the name of a label. The exporter uses no other label than these.
type Label string

// Labels that say where a value was measured.
const (
	Device        Label = "device"         // RDMA device, as the kernel names it: mlx5_0, rocep59s0f0
	Port          Label = "port"           // port of the RDMA device, from 1
	Interface     Label = "interface"      // network interface of a host or port of a switch
	Priority      Label = "priority"       // 802.1Q priority, 0 to 7
	TrafficClass  Label = "traffic_class"  // 802.1Qaz traffic class, 0 to 7
	Queue         Label = "queue"          // egress queue
	PriorityGroup Label = "priority_group" // ingress priority group, a NIC's receive buffer
	Pool          Label = "pool"           // shared buffer pool
	Lane          Label = "lane"           // serial lane of a link, from 0
	Transceiver   Label = "transceiver"    // pluggable module, as the switch names it
	CounterName   Label = "counter"        // name of a counter as the kernel gives it
	Collector     Label = "collector"      // part of the exporter
	Reason        Label = "reason"         // why something failed
)

// Labels of info metrics: text about a thing.
const (
	Driver           Label = "driver"             // kernel driver
	Firmware         Label = "firmware"           // firmware version
	Board            Label = "board"              // board identity (PSID or part number)
	HCAType          Label = "hca_type"           // adapter model as the driver names it
	HardwareRevision Label = "hardware_revision"  // revision of the adapter
	PCIAddress       Label = "pci_address"        // domain:bus:device.function
	ParentPCIAddress Label = "parent_pci_address" // the physical function of a virtual function
	Function         Label = "function"           // pf, vf or sf
	NUMANode         Label = "numa_node"          // NUMA node
	NodeGUID         Label = "node_guid"          // GUID of the RDMA device
	SystemImageGUID  Label = "system_image_guid"  // GUID shared by the functions of one adapter
	Protocol         Label = "protocol"           // roce, iw, ib, opa, usnic: RDMA netlink's words
	LinkLayer        Label = "link_layer"         // Ethernet, InfiniBand, Unspecified
	Role             Label = "role"               // what a network interface is to a port
	RoCEVersion      Label = "roce_version"       // 1 or 2
	Master           Label = "master"             // LAG or bridge that an interface belongs to
	Mode             Label = "mode"               // mode of a subsystem
	Description      Label = "description"        // text that an operator gave
	Alias            Label = "alias"              // another name of the same interface
	Neighbor         Label = "neighbor"           // system name of the box at the other end
	NeighborIface    Label = "neighbor_interface" // its interface, by its port ID
	NeighborPortText Label = "neighbor_interface_description"
	NeighborChassis  Label = "neighbor_chassis"
	FormFactor       Label = "form_factor" // of a transceiver: QSFP-DD, OSFP
	Vendor           Label = "vendor"      // who made it
	PartNumber       Label = "part_number"
	SerialNumber     Label = "serial_number"
	Profile          Label = "profile"   // table of a target's paths
	Encoding         Label = "encoding"  // how a target encodes values
	Version          Label = "version"   // version of the exporter
	Revision         Label = "revision"  // revision of its sources
	GoVersion        Label = "goversion" // Go that built it
)

// Metric is one row of the vocabulary.
type Metric struct {
	Name   string  // full name; counters end in _total, infos in _info
	Help   string  // what it says, when it is bad; one or two sentences
	Unit   Unit    // base unit of the value
	Type   Type    // how it behaves over time
	Labels []Label // labels it may carry; an empty value means the label is absent
	Source string  // standard's clause, kernel file, MIB object or YANG path that defines it
}

// Attribute is one label of an info metric.
type Attribute struct {
	Label Label
	Value string
}

// Where says on what a value was measured. Empty fields are labels that the
// metric does not carry.
type Where struct {
	Device, Port  string
	Interface     string
	Priority      string
	TrafficClass  string
	Queue         string
	PriorityGroup string
	Pool          string
	Lane          string
	Transceiver   string
	Counter       string
	Attributes    []Attribute // info labels and anything rare
}

// Value returns the value of label l, or "".
func (w *Where) Value(l Label) string {
	switch l {
	case Device:
		return w.Device
	case Port:
		return w.Port
	case Interface:
		return w.Interface
	case Priority:
		return w.Priority
	case TrafficClass:
		return w.TrafficClass
	case Queue:
		return w.Queue
	case PriorityGroup:
		return w.PriorityGroup
	case Pool:
		return w.Pool
	case Lane:
		return w.Lane
	case Transceiver:
		return w.Transceiver
	case CounterName:
		return w.Counter
	}
	for _, a := range w.Attributes {
		if a.Label == l {
			return a.Value
		}
	}
	return ""
}

// Place is a Where that the series of several metrics share. It does not change
// once made. The emit site keeps the place's encoded labels in it; therefore
// all metrics of one place must list the same labels.
type Place struct {
	Where
	memoOnce sync.Once
	memo     any
}

// Memo returns what build returned when Memo was first called on p.
func (p *Place) Memo(build func() any) any {
	p.memoOnce.Do(func() { p.memo = build() })
	return p.memo
}

// Series is one row of the vocabulary at one place. Sources that read the same
// thing again and again keep it, which saves building labels anew.
type Series struct {
	Metric *Metric
	*Place
}

// At returns the series of m at w, alone at its place.
func (m *Metric) At(w Where) *Series {
	s := &struct {
		Series
		place Place
	}{Series: Series{Metric: m}, place: Place{Where: w}}
	s.Place = &s.place
	return &s.Series
}

// Key identifies a series: its name and its labels' values in the metric's
// order.
func (s *Series) Key() string {
	var b strings.Builder
	b.WriteString(s.Metric.Name)
	for _, l := range s.Metric.Labels {
		b.WriteByte(0) // occurs in no value
		b.WriteString(s.Value(l))
	}
	return b.String()
}

// Compare orders the series of one metric as they are to be listed: by their
// labels' values, in the metric's order. 0 means that they are one.
func (s *Series) Compare(other *Series) int {
	if s.Place == other.Place {
		return 0
	}
	for _, l := range s.Metric.Labels {
		if c := strings.Compare(s.Value(l), other.Value(l)); c != 0 {
			return c
		}
	}
	return 0
}

// Sample is one value of one series, in the metric's base unit.
type Sample struct {
	*Series
	Value float64
}
