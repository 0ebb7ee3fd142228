// Package rdmanl reads RDMA devices, ports and counters over RDMA netlink
// (NETLINK_RDMA; include/uapi/rdma/rdma_netlink.h, drivers/infiniband/core/
// nldev.c). It sends get requests only, which need no privilege.
package rdmanl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"

	"github.com/mdlayher/netlink"
)

// Family is the netlink protocol number of RDMA, NETLINK_RDMA.
const Family = 20

// Commands of client RDMA_NL_NLDEV, enum rdma_nldev_command.
const (
	CmdGet        = 1
	CmdPortGet    = 5
	CmdSysGet     = 6
	CmdGetChardev = 15
	CmdStatGet    = 17
)

// Attributes, enum rdma_nldev_attr.
const (
	AttrDevIndex      = 1
	AttrDevName       = 2
	AttrPortIndex     = 3
	AttrFirmware      = 5
	AttrNodeGUID      = 6
	AttrSysImageGUID  = 7
	AttrPortState     = 12
	AttrPortPhysState = 13
	AttrNodeType      = 14
	AttrNdevIndex     = 50
	AttrNdevName      = 51
	AttrSysNetnsMode  = 66
	AttrProtocol      = 67
	AttrChardevType   = 69
	AttrUverbsDriver  = 73
	AttrCounters      = 80
	AttrCounterEntry  = 81
	AttrCounterName   = 82
	AttrCounterValue  = 83
)

// Type returns the netlink message type of a command: client RDMA_NL_NLDEV, 5,
// in the upper bits (RDMA_NL_GET_TYPE).
func Type(command int) netlink.HeaderType { return netlink.HeaderType(5<<10 | command) }

// Conn is a connection to RDMA netlink, for one goroutine at a time. A request
// runs in the kernel inside sendmsg and can block there for as long as the
// firmware lets it, 60 s on mlx5; a deadline does not end that. Who must not be
// held up needs a connection of his own.
type Conn struct {
	conn  *netlink.Conn
	names map[string]string // names of counters, so that each is allocated once
}

// Dial opens a connection to the kernel.
func Dial() (*Conn, error) {
	c, err := netlink.Dial(Family, nil)
	if err != nil {
		return nil, fmt.Errorf("RDMA netlink: %w", err)
	}
	return New(c), nil
}

// New returns a connection over c.
func New(c *netlink.Conn) *Conn { return &Conn{conn: c, names: make(map[string]string)} }

// Close closes the connection.
func (c *Conn) Close() error { return c.conn.Close() }

// SetDeadline sets until when an answer is waited for.
func (c *Conn) SetDeadline(t time.Time) error { return c.conn.SetDeadline(t) }

// Device is an RDMA device.
type Device struct {
	Index           uint32 // given anew each time that a device registers
	Name            string
	Firmware        string
	NodeGUID        uint64
	SystemImageGUID uint64
	Ports           uint32 // number of ports
	NodeType        uint8  // enum rdma_node_type
	Protocol        string // roce, iw, ib, opa, usnic; of the first port
}

// Devices returns all devices that this network namespace sees.
func (c *Conn) Devices() ([]Device, error) {
	messages, err := c.conn.Execute(netlink.Message{
		Header: netlink.Header{Type: Type(CmdGet), Flags: netlink.Request | netlink.Dump}})
	if err != nil {
		return nil, fmt.Errorf("list of RDMA devices: %w", err)
	}
	var out []Device
	for _, m := range messages {
		d, err := parseDevice(m.Data)
		if err != nil {
			return nil, fmt.Errorf("list of RDMA devices: %w", err)
		}
		out = append(out, d)
	}
	return out, nil
}

func parseDevice(b []byte) (Device, error) {
	var d Device
	err := attributes(b, func(a attribute) error {
		var err error
		switch a.kind {
		case AttrDevIndex:
			d.Index, err = a.uint32("device index")
		case AttrDevName:
			d.Name = a.text()
		case AttrPortIndex:
			// In answers about a device this is its number of ports.
			d.Ports, err = a.uint32("number of ports")
		case AttrFirmware:
			d.Firmware = a.text()
		case AttrNodeGUID:
			d.NodeGUID, err = a.guid("node GUID")
		case AttrSysImageGUID:
			d.SystemImageGUID, err = a.guid("system image GUID")
		case AttrNodeType:
			d.NodeType, err = a.uint8("node type")
		case AttrProtocol:
			d.Protocol = a.text()
		}
		return err
	})
	if err == nil && d.Name == "" {
		err = errors.New("a device without a name")
	}
	return d, err
}

// Port is the state of a port.
type Port struct {
	State          uint8  // IBTA PortState, enum ib_port_state
	PhysicalState  uint8  // IBTA PortPhysicalState
	Interface      string // "" where it has none in this network namespace
	InterfaceIndex uint32 // 0 likewise
}

// Port returns the state of a port and its network interface.
func (c *Conn) Port(device, port uint32) (Port, error) {
	b, err := c.ask(CmdPortGet, request(device, port))
	if err != nil {
		return Port{}, fmt.Errorf("state of port %d: %w", port, err)
	}
	p, err := parsePort(b)
	if err != nil {
		return Port{}, fmt.Errorf("state of port %d: %w", port, err)
	}
	return p, nil
}

func parsePort(b []byte) (Port, error) {
	var p Port
	haveState := false
	err := attributes(b, func(a attribute) error {
		var err error
		switch a.kind {
		case AttrPortState:
			p.State, err = a.uint8("port state")
			haveState = true
		case AttrPortPhysState:
			p.PhysicalState, err = a.uint8("physical state")
		case AttrNdevIndex:
			p.InterfaceIndex, err = a.uint32("interface index")
		case AttrNdevName:
			p.Interface = a.text()
		}
		return err
	})
	if err == nil && !haveState {
		err = errors.New("no state in the answer")
	}
	return p, err
}

// Counter is one counter of a port, as hw_counters has it. The unit is the
// driver's.
type Counter struct {
	Name  string
	Value uint64
}

// PortCounters returns the counters of a port: those of sysfs's hw_counters
// and the optional ones that are switched on, all refreshed at once. They are
// appended to buf[:0].
//
// The kernel says EINVAL for a port without counters, a driver that failed and
// a port that does not exist alike, and EMSGSIZE for a list above a page.
func (c *Conn) PortCounters(device, port uint32, buf []Counter) ([]Counter, error) {
	b, err := c.ask(CmdStatGet, request(device, port))
	if err != nil {
		return buf[:0], fmt.Errorf("counters of port %d: %w", port, err)
	}
	out, err := c.parseCounters(b, buf[:0])
	if err != nil {
		return buf[:0], fmt.Errorf("counters of port %d: %w", port, err)
	}
	return out, nil
}

func (c *Conn) parseCounters(b []byte, out []Counter) ([]Counter, error) {
	err := attributes(b, func(list attribute) error {
		if list.kind != AttrCounters {
			return nil
		}
		return attributes(list.data, func(entry attribute) error {
			if entry.kind != AttrCounterEntry {
				return nil
			}
			var k Counter
			haveValue := false
			err := attributes(entry.data, func(a attribute) error {
				var err error
				switch a.kind {
				case AttrCounterName:
					k.Name = c.intern(a.bytes())
				case AttrCounterValue:
					k.Value, err = a.uint64("counter value")
					haveValue = true
				}
				return err
			})
			if err == nil && k.Name != "" && haveValue {
				out = append(out, k)
			}
			return err
		})
	})
	return out, err
}

// intern returns b as a string, allocated once per name.
func (c *Conn) intern(b []byte) string {
	if s, ok := c.names[string(b)]; ok {
		return s
	}
	// Names come from drivers and, on ionic, from firmware: do not let them
	// grow without bound.
	if len(c.names) > 4096 {
		clear(c.names)
	}
	s := string(b)
	c.names[s] = s
	return s
}

// DriverID returns the number of a device's driver, enum rdma_driver_id in
// include/uapi/rdma/ib_user_ioctl_verbs.h. ok is false where the kernel has
// none to tell, as for a device without user-space verbs.
func (c *Conn) DriverID(device uint32) (id uint32, ok bool, err error) {
	body := append(request(device, 0), encode(AttrChardevType, []byte("uverbs\x00"))...)
	b, err := c.ask(CmdGetChardev, body)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENODATA) || errors.Is(err, syscall.EOPNOTSUPP) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("driver of the device: %w", err)
	}
	id, ok, err = parseDriverID(b)
	if err != nil {
		return 0, false, fmt.Errorf("driver of the device: %w", err)
	}
	return id, ok, nil
}

func parseDriverID(b []byte) (id uint32, ok bool, err error) {
	err = attributes(b, func(a attribute) error {
		if a.kind != AttrUverbsDriver {
			return nil
		}
		// The header says u64, kernels put a u32.
		var v uint64
		var err error
		if len(a.data) == 4 {
			var w uint32
			w, err = a.uint32("driver number")
			v = uint64(w)
		} else {
			v, err = a.uint64("driver number")
		}
		if err == nil && v <= math.MaxUint32 {
			id, ok = uint32(v), true
		}
		return err
	})
	return id, ok, err
}

// SharedNetns says whether devices are shared by all network namespaces; if
// not, each belongs to one (rdma system set netns).
func (c *Conn) SharedNetns() (bool, error) {
	b, err := c.ask(CmdSysGet, nil)
	if err != nil {
		return false, fmt.Errorf("network namespace mode: %w", err)
	}
	shared, have := false, false
	err = attributes(b, func(a attribute) error {
		if a.kind != AttrSysNetnsMode {
			return nil
		}
		v, err := a.uint8("network namespace mode")
		shared, have = v != 0, true
		return err
	})
	if err == nil && !have {
		err = errors.New("network namespace mode: not in the answer")
	}
	return shared, err
}

// ask sends one request and returns the answer's attributes.
func (c *Conn) ask(command int, body []byte) ([]byte, error) {
	messages, err := c.conn.Execute(netlink.Message{
		Header: netlink.Header{Type: Type(command), Flags: netlink.Request}, Data: body})
	if err != nil {
		return nil, err
	}
	if len(messages) != 1 {
		return nil, fmt.Errorf("%d messages in the answer instead of one", len(messages))
	}
	return messages[0].Data, nil
}

// request returns the attributes that name a device and, unless it is 0, a
// port.
func request(device, port uint32) []byte {
	b := encode(AttrDevIndex, binary.NativeEndian.AppendUint32(nil, device))
	if port != 0 {
		b = append(b, encode(AttrPortIndex, binary.NativeEndian.AppendUint32(nil, port))...)
	}
	return b
}

func encode(kind uint16, data []byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(data)))
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = append(b, data...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
