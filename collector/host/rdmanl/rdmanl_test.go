package rdmanl

import (
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/mdlayher/netlink"
	"github.com/mdlayher/netlink/nltest"
)

// wire returns the bytes of a dump in hexadecimal, as a little-endian kernel
// sends them. Blanks and what follows a # are left out.
func wire(t testing.TB, dump string) []byte {
	t.Helper()
	var b strings.Builder
	for _, l := range strings.Split(dump, "\n") {
		l, _, _ = strings.Cut(l, "#")
		b.WriteString(strings.Join(strings.Fields(l), ""))
	}
	out, err := hex.DecodeString(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// kernel answers each request with answer, and notes the request's bytes.
func kernel(t testing.TB, answer []byte, request *netlink.Message) *Conn {
	return New(nltest.Dial(func(req []netlink.Message) ([]netlink.Message, error) {
		*request = req[0]
		if req[0].Header.Flags&netlink.Dump == netlink.Dump {
			m := netlink.Message{Header: netlink.Header{Type: req[0].Header.Type, Flags: netlink.Multi, Sequence: req[0].Header.Sequence, PID: req[0].Header.PID}, Data: answer}
			done := netlink.Message{Header: netlink.Header{Type: netlink.Done, Flags: netlink.Multi, Sequence: req[0].Header.Sequence, PID: req[0].Header.PID}, Data: make([]byte, 4)}
			return []netlink.Message{m, done}, nil
		}
		return []netlink.Message{{Header: netlink.Header{Type: req[0].Header.Type, Sequence: req[0].Header.Sequence, PID: req[0].Header.PID}, Data: answer}}, nil
	}))
}

const deviceBytes = `
	08000100 02000000             # DEV_INDEX 2
	0b000200 6d6c78355f3000 00    # DEV_NAME "mlx5_0", padded
	08000300 01000000             # PORT_INDEX: 1 port
	0f000500 32382e33392e3130303200 00 # FW_VERSION "28.39.1002"
	0c000600 1000a10003d3ebe8     # NODE_GUID
	0c000700 1100a10003d3ebe8     # SYS_IMAGE_GUID
	05000e00 01000000             # DEV_NODE_TYPE 1
	09004300 726f636500 000000    # DEV_PROTOCOL "roce"
	0c00ffff 0102030405060708     # one that does not exist yet
`

func TestDevices(t *testing.T) {
	var req netlink.Message
	got, err := kernel(t, wire(t, deviceBytes), &req).Devices()
	if err != nil {
		t.Fatal(err)
	}
	want := []Device{{Index: 2, Name: "mlx5_0", Ports: 1, Firmware: "28.39.1002", NodeGUID: 0xe8ebd30300a10010, SystemImageGUID: 0xe8ebd30300a10011, NodeType: 1, Protocol: "roce"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	// RDMA_NL_NLDEV << 10 | RDMA_NLDEV_CMD_GET, and a dump without a body.
	if req.Header.Type != 0x1401 || len(req.Data) != 0 || req.Header.Flags != netlink.Request|netlink.Dump {
		t.Errorf("request is %+v", req)
	}
}

const portBytes = `
	08000100 02000000  0b000200 6d6c78355f3000 00  08000300 01000000
	05000c00 04000000             # PORT_STATE ACTIVE
	05000d00 05000000             # PORT_PHYS_STATE LinkUp
	08003200 07000000             # NDEV_INDEX 7
	0e003300 656e7331663065703000 0000 # NDEV_NAME "ens1f0ep0"
`

func TestPort(t *testing.T) {
	var req netlink.Message
	got, err := kernel(t, wire(t, portBytes), &req).Port(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Port{State: 4, PhysicalState: 5, Interface: "ens1f0ep0", InterfaceIndex: 7}); got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if want := wire(t, "08000100 02000000 08000300 01000000"); req.Header.Type != 0x1405 || !reflect.DeepEqual(req.Data, want) {
		t.Errorf("request is type %#x, %x; want 0x1405, %x", req.Header.Type, req.Data, want)
	}
}

const counterBytes = `
	08000100 02000000  08000300 01000000
	58005080                      # STAT_HWCOUNTERS, nested
	  28005180                    #   ENTRY
	    16005200 72785f77726974655f7265717565737473 00 0000 # NAME "rx_write_requests"
	    0c005300 ffffffffffffffff # VALUE 2^64-1
	  2c005180
	    14005200 6f75745f6f665f73657175656e636500 # NAME "out_of_sequence"
	    0c005300 2a00000000000000 # VALUE 42
	    08005e00 05000000         # HWCOUNTER_INDEX
`

func TestPortCounters(t *testing.T) {
	var req netlink.Message
	c := kernel(t, wire(t, counterBytes), &req)
	var buf []Counter
	for range 2 {
		got, err := c.PortCounters(2, 1, buf)
		if err != nil {
			t.Fatal(err)
		}
		want := []Counter{{"rx_write_requests", 1<<64 - 1}, {"out_of_sequence", 42}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		buf = got
	}
	if req.Header.Type != 0x1411 {
		t.Errorf("request is of type %#x; want 0x1411", req.Header.Type)
	}
	b := wire(t, counterBytes)
	if n := testing.AllocsPerRun(100, func() { c.parseCounters(b, buf[:0]) }); n > 0 {
		t.Errorf("parsing known counters allocates %v times; want 0", n)
	}
}

func TestDriverID(t *testing.T) {
	for dump, want := range map[string]uint32{"08004900 01000000": 1, "0c004900 0e00000000000000": 14} {
		var req netlink.Message
		id, ok, err := kernel(t, wire(t, dump), &req).DriverID(2)
		if err != nil || !ok || id != want {
			t.Errorf("%s: %d, %v, %v; want %d", dump, id, ok, err, want)
		}
		if want := wire(t, "08000100 02000000 0b004500 75766572627300 00"); !reflect.DeepEqual(req.Data, want) {
			t.Errorf("request is %x; want %x", req.Data, want)
		}
	}
	var req netlink.Message
	if _, ok, err := kernel(t, wire(t, "08004700 01000000"), &req).DriverID(2); ok || err != nil {
		t.Errorf("an answer without a driver: %v, %v; want false, no error", ok, err)
	}
}

func TestSharedNetns(t *testing.T) {
	var req netlink.Message
	shared, err := kernel(t, wire(t, "05004200 01000000"), &req).SharedNetns()
	if err != nil || !shared {
		t.Errorf("%v, %v; want shared", shared, err)
	}
}

// An errno of the kernel reaches the caller as such.
func TestErrno(t *testing.T) {
	c := New(nltest.Dial(func(req []netlink.Message) ([]netlink.Message, error) {
		return nltest.Error(int(syscall.EMSGSIZE), req)
	}))
	if _, err := c.PortCounters(1, 1, nil); !errors.Is(err, syscall.EMSGSIZE) {
		t.Errorf("error %v; want EMSGSIZE", err)
	}
	c = New(nltest.Dial(func(req []netlink.Message) ([]netlink.Message, error) { return nltest.Error(int(syscall.ENOENT), req) }))
	if _, ok, err := c.DriverID(1); ok || err != nil {
		t.Errorf("ENOENT for the driver: %v, %v; want none, no error", ok, err)
	}
}

// Answers that lie about their lengths are errors that say which attribute.
func TestBrokenAnswers(t *testing.T) {
	for dump, words := range map[string]string{
		"ff000c00 04000000":                   "an attribute says it has 255 bytes where 8 are left",
		"02000c00":                            "an attribute says it has 2 bytes",
		"08000c00 04000000":                   "port state (attribute 12) has 4 bytes instead of 1",
		"05000c00 04000000 05003200 01000000": "interface index (attribute 50) has 1 bytes instead of 4",
		"":                                    "no state in the answer",
		"05000d00 05000000":                   "no state in the answer",
	} {
		var req netlink.Message
		if _, err := kernel(t, wire(t, dump), &req).Port(1, 1); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: error %v; want %q", dump, err, words)
		}
	}
	var req netlink.Message
	if _, err := kernel(t, wire(t, "08000100 02000000"), &req).Devices(); err == nil {
		t.Error("a device without a name is no error")
	}
	if got, err := kernel(t, wire(t, "10005080 0c005180 08005200 78007a00"), &req).PortCounters(1, 1, nil); err != nil || len(got) != 0 {
		t.Errorf("a counter without a value: %v, %v; want none", got, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, dump := range []string{deviceBytes, portBytes, counterBytes} {
		f.Add(wire(f, dump))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		parseDevice(b)
		parsePort(b)
		parseDriverID(b)
		c := &Conn{names: map[string]string{}}
		counters, err := c.parseCounters(b, nil)
		if err == nil && len(counters)*16 > len(b) {
			t.Errorf("%d counters out of %d bytes", len(counters), len(b))
		}
	})
}

// On a machine with RDMA in its kernel the real one answers.
func TestRealKernel(t *testing.T) {
	c, err := Dial()
	if err != nil {
		t.Skip("no RDMA netlink here:", err)
	}
	defer c.Close()
	if _, err := c.Devices(); err != nil {
		t.Error(err)
	}
}
