package hosttest

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/genetlink/genltest"
	"github.com/mdlayher/netlink"
	"github.com/mdlayher/netlink/nltest"

	"github.com/roce-exporter/roce_exporter/collector/host/dcb"
	"github.com/roce-exporter/roce_exporter/collector/host/ethtool"
	"github.com/roce-exporter/roce_exporter/collector/host/rdmanl"
)

// A point is where the fake kernel answers: "rdma" (the list of devices),
// "rdma/DEVICE/driver", "rdma/DEVICE/PORT" (state), "rdma/DEVICE/PORT/counters",
// "ethtool/IFNAME/driver", "ethtool/IFNAME/strings", "ethtool/IFNAME/statistics"
// (the values), "ethtool/IFNAME/pause", "dcb/IFNAME/pfc".

// Fail makes every request at point fail with errno, or work again with 0.
func (h *Host) Fail(point string, errno syscall.Errno) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if errno == 0 {
		delete(h.failures, point)
		return
	}
	h.failures[point] = errno
}

// Hang makes requests at point block, as in the kernel, until release is
// called.
func (h *Host) Hang(point string) (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := make(chan struct{})
	h.hangs[point] = c
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.hangs, point)
		close(c)
	}
}

// Before has f called at each request, before it is answered: a change that
// comes in between of two requests.
func (h *Host) Before(f func(point string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.before = f
}

// Calls returns how many requests came at point.
func (h *Host) Calls(point string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[point]
}

// SetCounter sets a counter of an RDMA port, a new one if it has none of that
// name.
func (h *Host) SetCounter(device string, port uint32, name string, value uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.encoded)
	p := h.device(device).ports[port]
	for i := range p.counters {
		if p.counters[i].Name == name {
			p.counters[i].Value = value
			return
		}
	}
	p.counters, p.has = append(p.counters, NameValue{name, value}), true
}

// SetPort sets one line of a port's state: state, physical_state, interface,
// ifindex.
func (h *Host) SetPort(device string, port uint32, key, value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.encoded)
	h.device(device).ports[port].attr[key] = value
}

// SetDevice sets one line about a device: index, protocol, driver_id.
func (h *Host) SetDevice(device, key, value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.encoded)
	h.device(device).attr[key] = value
}

// RemoveDevice takes a device off RDMA netlink.
func (h *Host) RemoveDevice(device string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.encoded)
	h.rdma = slices.DeleteFunc(h.rdma, func(d *rdmaDevice) bool { return d.name == device })
}

// Statistics returns a copy of the ethtool statistics of an interface.
func (h *Host) Statistics(ifname string) []NameValue {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.statistics[ifname])
}

// SetStatistics replaces the ethtool statistics of an interface.
func (h *Host) SetStatistics(ifname string, values []NameValue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.encoded)
	h.statistics[ifname] = slices.Clone(values)
}

// SetPFC sets the priorities for which PFC is on.
func (h *Host) SetPFC(ifname string, priorities ...int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.encoded)
	if h.pfc[ifname] == nil {
		h.pfc[ifname] = map[string]string{"capable": "8"}
	}
	h.pfc[ifname]["enabled"] = strings.Trim(fmt.Sprint(priorities), "[]")
}

// once returns what encode made when point was last asked since a change: a
// benchmark of what reads the fake should not measure the fake. The caller
// holds h.mu.
func (h *Host) once(point string, encode func() []byte) []byte {
	b, ok := h.encoded[point]
	if !ok {
		b = encode()
		h.encoded[point] = b
	}
	return b
}

// arrive counts a request and lets it hang or fail.
func (h *Host) arrive(point string) syscall.Errno {
	h.mu.Lock()
	h.calls[point]++
	hang, errno, before := h.hangs[point], h.failures[point], h.before
	h.mu.Unlock()
	if before != nil {
		before(point)
	}
	if hang != nil {
		<-hang
	}
	return errno
}

// ---- RDMA netlink ----------------------------------------------------------

// RDMADial returns a connection to the fake's RDMA netlink.
func (h *Host) RDMADial() (*netlink.Conn, error) { return nltest.Dial(h.rdmaRequest), nil }

func (h *Host) rdmaRequest(req []netlink.Message) ([]netlink.Message, error) {
	m := req[0]
	fail := func(e syscall.Errno) ([]netlink.Message, error) { return refuse(req[0], e), nil }
	reply := func(data []byte) ([]netlink.Message, error) {
		return []netlink.Message{{Header: netlink.Header{Type: m.Header.Type, Sequence: m.Header.Sequence, PID: m.Header.PID}, Data: data}}, nil
	}
	device, port, err := target(m.Data)
	if err != nil {
		return fail(syscall.EINVAL)
	}
	if m.Header.Type == rdmanl.Type(rdmanl.CmdGet) && m.Header.Flags&netlink.Dump == netlink.Dump {
		if e := h.arrive("rdma"); e != 0 {
			return fail(e)
		}
		return h.rdmaList(m)
	}
	if m.Header.Type == rdmanl.Type(rdmanl.CmdSysGet) {
		return reply(encode(func(e *netlink.AttributeEncoder) { e.Uint8(rdmanl.AttrSysNetnsMode, 1) }))
	}
	h.mu.Lock()
	var d *rdmaDevice
	for _, x := range h.rdma {
		if x.attr["index"] == strconv.FormatUint(uint64(device), 10) {
			d = x
		}
	}
	h.mu.Unlock()
	if d == nil {
		return fail(syscall.EINVAL) // nldev.c: no device of that index
	}
	point := "rdma/" + d.name
	switch m.Header.Type {
	case rdmanl.Type(rdmanl.CmdGetChardev):
		if e := h.arrive(point + "/driver"); e != 0 {
			return fail(e)
		}
		h.mu.Lock()
		id, ok := d.attr["driver_id"]
		h.mu.Unlock()
		if !ok {
			return fail(syscall.ENOENT)
		}
		return reply(encode(func(e *netlink.AttributeEncoder) { e.Uint32(rdmanl.AttrUverbsDriver, number(id)) }))
	case rdmanl.Type(rdmanl.CmdPortGet), rdmanl.Type(rdmanl.CmdStatGet):
	default:
		return fail(syscall.EOPNOTSUPP)
	}
	counters := m.Header.Type == rdmanl.Type(rdmanl.CmdStatGet)
	point += "/" + strconv.FormatUint(uint64(port), 10)
	if counters {
		point += "/counters"
	}
	if e := h.arrive(point); e != 0 {
		return fail(e)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p := d.ports[port]
	if p == nil || counters && !p.has {
		return fail(syscall.EINVAL)
	}
	if !counters {
		return reply(encode(func(e *netlink.AttributeEncoder) {
			e.Uint32(rdmanl.AttrDevIndex, device)
			e.String(rdmanl.AttrDevName, d.name)
			e.Uint32(rdmanl.AttrPortIndex, port)
			e.Uint8(rdmanl.AttrPortState, uint8(number(p.attr["state"])))
			e.Uint8(rdmanl.AttrPortPhysState, uint8(number(p.attr["physical_state"])))
			if name := p.attr["interface"]; name != "" {
				e.Uint32(rdmanl.AttrNdevIndex, number(p.attr["ifindex"]))
				e.String(rdmanl.AttrNdevName, name)
			}
		}))
	}
	data := h.once(point, func() []byte {
		return encode(func(e *netlink.AttributeEncoder) {
			e.Uint32(rdmanl.AttrDevIndex, device)
			e.Uint32(rdmanl.AttrPortIndex, port)
			e.Nested(rdmanl.AttrCounters, func(e *netlink.AttributeEncoder) error {
				for _, c := range p.counters {
					e.Nested(rdmanl.AttrCounterEntry, func(e *netlink.AttributeEncoder) error {
						e.String(rdmanl.AttrCounterName, c.Name)
						e.Uint64(rdmanl.AttrCounterValue, c.Value)
						return nil
					})
				}
				return nil
			})
		})
	})
	if len(data) > 3700 { // nldev.c builds the answer in one buffer of a page
		return fail(syscall.EMSGSIZE)
	}
	return reply(data)
}

func (h *Host) rdmaList(m netlink.Message) ([]netlink.Message, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []netlink.Message
	for _, d := range h.rdma {
		if d.attr["index"] == "" {
			continue
		}
		out = append(out, netlink.Message{
			Header: netlink.Header{Type: m.Header.Type, Sequence: m.Header.Sequence, PID: m.Header.PID},
			Data: encode(func(e *netlink.AttributeEncoder) {
				e.Uint32(rdmanl.AttrDevIndex, number(d.attr["index"]))
				e.String(rdmanl.AttrDevName, d.name)
				e.Uint32(rdmanl.AttrPortIndex, number(d.attr["ports"]))
				if f := d.attr["firmware"]; f != "" {
					e.String(rdmanl.AttrFirmware, f)
				}
				e.Uint64(rdmanl.AttrNodeGUID, guid(d.attr["node_guid"]))
				e.Uint64(rdmanl.AttrSysImageGUID, guid(d.attr["sys_image_guid"]))
				e.Uint8(rdmanl.AttrNodeType, uint8(number(d.attr["node_type"])))
				if p := d.attr["protocol"]; p != "" {
					e.String(rdmanl.AttrProtocol, p)
				}
			})})
	}
	done := netlink.Message{Header: netlink.Header{Sequence: m.Header.Sequence, PID: m.Header.PID}, Data: make([]byte, 4)}
	done.Header.Type, done.Header.Flags = netlink.Done, netlink.Multi
	for i := range out {
		out[i].Header.Flags |= netlink.Multi
	}
	return append(out, done), nil
}

// refuse answers a request with errno, as netlink_ack does: NLMSG_ERROR with the
// code and the request's header. The request's flags are not the answer's.
func refuse(req netlink.Message, errno syscall.Errno) []netlink.Message {
	code := -int32(errno)
	b := binary.NativeEndian.AppendUint32(nil, uint32(code))
	b = binary.NativeEndian.AppendUint32(b, req.Header.Length)
	b = binary.NativeEndian.AppendUint16(b, uint16(req.Header.Type))
	b = binary.NativeEndian.AppendUint16(b, uint16(req.Header.Flags))
	b = binary.NativeEndian.AppendUint32(b, req.Header.Sequence)
	b = binary.NativeEndian.AppendUint32(b, req.Header.PID)
	return []netlink.Message{{Header: netlink.Header{Type: netlink.Error, Sequence: req.Header.Sequence, PID: req.Header.PID}, Data: append(b, req.Data...)}}
}

// target returns the device and port that a request names.
func target(b []byte) (device, port uint32, err error) {
	d, err := netlink.NewAttributeDecoder(b)
	if err != nil {
		return 0, 0, err
	}
	for d.Next() {
		switch d.Type() {
		case rdmanl.AttrDevIndex:
			device = d.Uint32()
		case rdmanl.AttrPortIndex:
			port = d.Uint32()
		}
	}
	return device, port, d.Err()
}

func encode(f func(*netlink.AttributeEncoder)) []byte {
	e := netlink.NewAttributeEncoder()
	f(e)
	b, err := e.Encode()
	if err != nil {
		panic(err) // a recording with a name longer than an attribute
	}
	return b
}

func number(s string) uint32 {
	v, _ := strconv.ParseUint(s, 10, 32)
	return uint32(v)
}

func guid(s string) uint64 {
	v, _ := strconv.ParseUint(strings.ReplaceAll(s, ":", ""), 16, 64)
	return v
}

// ---- DCB netlink -----------------------------------------------------------------

// RouteDial returns a connection to the fake's rtnetlink, which knows DCB only.
func (h *Host) RouteDial() (*netlink.Conn, error) { return nltest.Dial(h.routeRequest), nil }

func (h *Host) routeRequest(req []netlink.Message) ([]netlink.Message, error) {
	m := req[0]
	fail := func(e syscall.Errno) ([]netlink.Message, error) { return refuse(req[0], e), nil }
	if m.Header.Type != dcb.TypeGetDCB || len(m.Data) < 4 || m.Data[1] != dcb.CmdIEEEGet {
		return fail(syscall.EOPNOTSUPP)
	}
	d, err := netlink.NewAttributeDecoder(m.Data[4:])
	if err != nil {
		return fail(syscall.EINVAL)
	}
	name := ""
	for d.Next() {
		if d.Type() == dcb.AttrIfname {
			name = d.String()
		}
	}
	if e := h.arrive("dcb/" + name + "/pfc"); e != 0 {
		return fail(e)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	pfc, ok := h.pfc[name]
	if !ok {
		if h.drivers[name] == nil {
			return fail(syscall.ENODEV)
		}
		return fail(syscall.EOPNOTSUPP)
	}
	b := make([]byte, 136) // struct ieee_pfc
	b[0] = byte(number(pfc["capable"]))
	for _, p := range strings.Fields(pfc["enabled"]) {
		b[1] |= 1 << (number(p) & 7)
	}
	for key, at := range map[string]int{"requests": 8, "indications": 72} {
		for i, v := range strings.Fields(pfc[key]) {
			n, _ := strconv.ParseUint(v, 10, 64)
			binary.NativeEndian.PutUint64(b[at+8*i:], n)
		}
	}
	data := encode(func(e *netlink.AttributeEncoder) {
		e.String(dcb.AttrIfname, name)
		e.Nested(dcb.AttrIEEE, func(e *netlink.AttributeEncoder) error {
			e.Bytes(dcb.AttrIEEEPFC, b)
			return nil
		})
	})
	return []netlink.Message{{
		Header: netlink.Header{Type: dcb.TypeGetDCB, Sequence: m.Header.Sequence, PID: m.Header.PID},
		Data:   append([]byte{0, dcb.CmdIEEEGet, 0, 0}, data...)}}, nil
}

// ---- ethtool netlink -----------------------------------------------------------------

// GenetlinkDial returns a connection to the fake's generic netlink, which knows
// the family ethtool.
func (h *Host) GenetlinkDial() (*genetlink.Conn, error) {
	return genltest.Dial(genltest.ServeFamily(genetlink.Family{ID: 21, Version: ethtool.FamilyVersion, Name: ethtool.Family}, h.ethtoolRequest)), nil
}

func (h *Host) ethtoolRequest(m genetlink.Message, _ netlink.Message) ([]genetlink.Message, error) {
	name, flags := "", uint32(0)
	d, err := netlink.NewAttributeDecoder(m.Data)
	if err != nil {
		return nil, genltest.Error(int(syscall.EINVAL))
	}
	for d.Next() {
		if d.Type() == ethtool.AttrPauseHeader {
			d.Nested(func(d *netlink.AttributeDecoder) error {
				for d.Next() {
					switch d.Type() {
					case ethtool.AttrHeaderName:
						name = d.String()
					case ethtool.AttrHeaderFlags:
						flags = d.Uint32()
					}
				}
				return nil
			})
		}
	}
	if d.Err() != nil || m.Header.Command != ethtool.MsgPauseGet {
		return nil, genltest.Error(int(syscall.EINVAL))
	}
	if e := h.arrive("ethtool/" + name + "/pause"); e != 0 {
		return nil, genltest.Error(int(e))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.drivers[name] == nil {
		return nil, genltest.Error(int(syscall.ENODEV))
	}
	pause, ok := h.pause[name]
	if !ok {
		return nil, genltest.Error(int(syscall.EOPNOTSUPP))
	}
	data := encode(func(e *netlink.AttributeEncoder) {
		e.Nested(ethtool.AttrPauseHeader, func(e *netlink.AttributeEncoder) error {
			e.String(ethtool.AttrHeaderName, name)
			return nil
		})
		if flags&ethtool.FlagStats == 0 {
			return
		}
		e.Nested(ethtool.AttrPauseStats, func(e *netlink.AttributeEncoder) error {
			for key, kind := range map[string]uint16{"rx": ethtool.AttrStatsRx, "tx": ethtool.AttrStatsTx} {
				if v, ok := pause[key]; ok {
					n, _ := strconv.ParseUint(v, 10, 64)
					e.Uint64(kind, n)
				}
			}
			return nil
		})
	})
	return []genetlink.Message{{Header: genetlink.Header{Command: m.Header.Command, Version: 1}, Data: data}}, nil
}

// ---- ethtool ioctl -----------------------------------------------------------------

// Ioctl returns the fake's ethtool ioctl.
func (h *Host) Ioctl() ethtool.Ioctl { return ioctl{h} }

type ioctl struct{ host *Host }

// Ethtool answers on the bytes of data, as the kernels up to 6.12 do: a list of
// statistics that is longer than there is room for is copied all the same,
// which faults at the end of the caller's memory.
func (i ioctl) Ethtool(name string, data []byte) error {
	h := i.host
	command := binary.NativeEndian.Uint32(data)
	point := map[uint32]string{ethtool.CmdDriverInfo: "driver", ethtool.CmdSetInfo: "size", ethtool.CmdStrings: "strings", ethtool.CmdStats: "statistics"}[command]
	if point == "" {
		return syscall.EOPNOTSUPP
	}
	if e := h.arrive("ethtool/" + name + "/" + point); e != 0 {
		return e
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	driver, values := h.drivers[name], h.statistics[name]
	if driver == nil {
		return syscall.ENODEV
	}
	switch command {
	case ethtool.CmdDriverInfo:
		for at, key := range map[int]string{4: "driver", 36: "version", 68: "firmware-version", 100: "bus-info"} {
			copy(data[at:at+31], driver[key])
		}
	case ethtool.CmdSetInfo:
		if values == nil {
			binary.NativeEndian.PutUint64(data[8:], 0)
			return nil
		}
		binary.NativeEndian.PutUint32(data[16:], uint32(len(values)))
	case ethtool.CmdStrings:
		binary.NativeEndian.PutUint32(data[8:], uint32(len(values)))
		return overrun(data[12:], h.once("strings/"+name, func() []byte {
			b := make([]byte, len(values)*ethtool.StringLength)
			for n, v := range values {
				copy(b[n*ethtool.StringLength:(n+1)*ethtool.StringLength], v.Name)
			}
			return b
		}))
	case ethtool.CmdStats:
		binary.NativeEndian.PutUint32(data[4:], uint32(len(values)))
		return overrun(data[8:], h.once("values/"+name, func() []byte {
			b := make([]byte, 8*len(values))
			for n, v := range values {
				binary.NativeEndian.PutUint64(b[8*n:], v.Value)
			}
			return b
		}))
	}
	return nil
}

// overrun copies all to b, or as much as fits and gives a fault.
func overrun(b, all []byte) error {
	if copy(b, all) < len(all) {
		return syscall.EFAULT
	}
	return nil
}

// SetDriver sets one line of what the driver of an interface says: driver,
// firmware-version, bus-info.
func (h *Host) SetDriver(ifname, key, value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.encoded)
	h.drivers[ifname][key] = value
}
