package ethtool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/genetlink/genltest"
	"github.com/mdlayher/netlink"
)

// driver answers the ioctl on its bytes, with a list of statistics that step
// may change before each command.
type driver struct {
	names  []string
	values []uint64
	step   func(d *driver, command uint32)
	strict bool // as kernels do that check the caller's count: answer 0, copy nothing
	calls  map[uint32]int
}

func (d *driver) Ethtool(_ string, b []byte) error {
	command := binary.LittleEndian.Uint32(b)
	if d.calls == nil {
		d.calls = map[uint32]int{}
	}
	d.calls[command]++
	if d.step != nil {
		d.step(d, command)
	}
	n := len(d.names)
	switch command {
	case CmdSetInfo:
		if binary.LittleEndian.Uint64(b[8:]) != 2 {
			return syscall.EINVAL
		}
		binary.LittleEndian.PutUint32(b[16:], uint32(n))
	case CmdStrings, CmdStats:
		at, size := 8, 12
		unit := StringLength
		if command == CmdStats {
			at, size, unit = 4, 8, 8
		}
		asked := int(binary.LittleEndian.Uint32(b[at:]))
		if d.strict && asked != n {
			binary.LittleEndian.PutUint32(b[at:], 0)
			return nil
		}
		binary.LittleEndian.PutUint32(b[at:], uint32(n))
		for i := range n {
			if size+(i+1)*unit > len(b) {
				return syscall.EFAULT // the guard page
			}
			if command == CmdStrings {
				copy(b[size+i*unit:], fmt.Sprintf("%s%s", d.names[i], strings.Repeat("\x00", StringLength))[:StringLength])
			} else {
				binary.LittleEndian.PutUint64(b[size+i*unit:], d.values[i])
			}
		}
	case CmdDriverInfo:
		copy(b[4:], "mlx5_core")
		copy(b[36:], "6.12.0")
		copy(b[68:], "28.39.1002 (MT_0000000838)")
		copy(b[100:], "0000:17:00.0")
	default:
		return syscall.EOPNOTSUPP
	}
	return nil
}

func TestStatistics(t *testing.T) {
	d := &driver{names: []string{"rx_packets", "rx_ppp3_frames       ", "a name of thirty-one characters", "a name of all thirty-two charact"}, values: []uint64{1, 1 << 63, 3, 4}}
	s := NewStatistics(d, "eth0")
	defer s.Close()
	var last uint64
	for range 3 {
		names, values, generation, err := s.Read()
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"rx_packets", "rx_ppp3_frames", "a name of thirty-one characters", "a name of all thirty-two charact"}; !reflect.DeepEqual(names, want) {
			t.Errorf("names %q; want %q", names, want)
		}
		if !reflect.DeepEqual(values, d.values) {
			t.Errorf("values %v; want %v", values, d.values)
		}
		if last != 0 && generation != last {
			t.Error("generation changed, the names did not")
		}
		last = generation
	}
	d.names[1], d.values[1] = "another", 9
	names, values, generation, err := s.Read()
	if err != nil || generation == last || names[1] != "another" || values[1] != 9 {
		t.Errorf("after a change: %q %v generation %d (was %d), %v", names, values, generation, last, err)
	}
}

// A driver's list can have thousands of names, and is read at every scrape.
func TestReadDoesNotAllocate(t *testing.T) {
	s := NewStatistics(ioctlFunc(func(b []byte) error {
		if binary.LittleEndian.Uint32(b) == CmdSetInfo {
			binary.LittleEndian.PutUint32(b[16:], 4000)
		}
		return nil
	}), "eth0")
	defer s.Close()
	if n := testing.AllocsPerRun(100, func() { s.Read() }); n != 0 {
		t.Errorf("a read allocates %v times; want 0", n)
	}
}

// A list that changes while it is read is read once more; a value never gets
// another one's name.
func TestStatisticsThatChange(t *testing.T) {
	list := func(n, base int) (names []string, values []uint64) {
		for i := range n {
			names = append(names, fmt.Sprintf("s%d", base+i))
			values = append(values, uint64(base+i))
		}
		return names, values
	}
	for _, strict := range []bool{false, true} {
		for _, at := range []uint32{CmdStrings, CmdStats} {
			for _, size := range []int{1, 3, 7, 5000} { // shorter, the same, longer, longer than there is room for
				d := &driver{strict: strict}
				d.names, d.values = list(3, 0)
				changed := false
				d.step = func(d *driver, command uint32) {
					if command == at && !changed {
						changed = true
						d.names, d.values = list(size, 100)
					}
				}
				s := NewStatistics(d, "eth0")
				names, values, _, err := s.Read()
				if err != nil || len(names) != size || len(values) != size {
					t.Fatalf("strict %v, command %#x, to %d: %d names, %d values, %v", strict, at, size, len(names), len(values), err)
				}
				for i := range names {
					if names[i] != fmt.Sprintf("s%d", values[i]) {
						t.Errorf("strict %v, command %#x, to %d: %s = %d", strict, at, size, names[i], values[i])
					}
				}
				s.Close()
			}
		}
	}
	n := 0
	d := &driver{step: func(d *driver, command uint32) {
		if command == CmdStats {
			n++
			d.names, d.values = list(3, n)
		}
	}}
	d.names, d.values = list(3, 0)
	s := NewStatistics(d, "eth0")
	defer s.Close()
	if _, _, _, err := s.Read(); !errors.Is(err, ErrChanged) {
		t.Errorf("a list that never holds still: %v; want ErrChanged", err)
	}
	if d.calls[CmdStats] != 2 {
		t.Errorf("the values were read %d times; want twice at the most", d.calls[CmdStats])
	}
}

// What a kernel writes past the buffer must fault and not touch other memory.
func TestGuardPage(t *testing.T) {
	var r region
	if err := r.fit(100); err != nil {
		t.Fatal(err)
	}
	defer r.free()
	// read(2) copies to user memory as the ioctl does.
	fds := make([]int, 2)
	if err := syscall.Pipe(fds); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	if _, err := syscall.Write(fds[1], make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	_, err := syscall.Read(fds[0], r.mapped[len(r.b):len(r.b)+8])
	if !errors.Is(err, syscall.EFAULT) {
		t.Errorf("a write behind the buffer gave %v; want EFAULT", err)
	}
}

func TestStatisticsErrors(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EOPNOTSUPP, syscall.ENODEV, syscall.EIO} {
		s := NewStatistics(ioctlFunc(func([]byte) error { return errno }), "eth0")
		if _, _, _, err := s.Read(); !errors.Is(err, errno) || !strings.Contains(err.Error(), "eth0") {
			t.Errorf("error %v; want %v, and the interface's name", err, errno)
		}
	}
	none := NewStatistics(ioctlFunc(func(b []byte) error { binary.LittleEndian.PutUint64(b[8:], 0); return nil }), "eth0")
	if _, _, _, err := none.Read(); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("a driver without statistics: %v; want EOPNOTSUPP", err)
	}
	huge := NewStatistics(ioctlFunc(func(b []byte) error { binary.LittleEndian.PutUint32(b[16:], 1<<31); return nil }), "eth0")
	if _, _, _, err := huge.Read(); err == nil || !strings.Contains(err.Error(), "2147483648") {
		t.Errorf("a driver that says it has 2^31: %v", err)
	}
}

type ioctlFunc func([]byte) error

func (f ioctlFunc) Ethtool(_ string, b []byte) error { return f(b) }

func TestDriverInfo(t *testing.T) {
	got, err := DriverInfo(&driver{}, "eth0")
	want := Info{Driver: "mlx5_core", Version: "6.12.0", Firmware: "28.39.1002 (MT_0000000838)", Bus: "0000:17:00.0"}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

// FuzzStatistics: whatever a driver claims and writes, a read ends.
func FuzzStatistics(f *testing.F) {
	f.Add(uint32(2), uint32(2), uint32(2), []byte("name"))
	f.Fuzz(func(t *testing.T, n, strings, values uint32, fill []byte) {
		s := NewStatistics(ioctlFunc(func(b []byte) error {
			switch binary.LittleEndian.Uint32(b) {
			case CmdSetInfo:
				binary.LittleEndian.PutUint32(b[16:], n)
			case CmdStrings:
				binary.LittleEndian.PutUint32(b[8:], strings)
				copy(b[12:], fill)
			case CmdStats:
				binary.LittleEndian.PutUint32(b[4:], values)
				copy(b[8:], fill)
			}
			return nil
		}), "eth0")
		defer s.Close()
		names, v, _, err := s.Read()
		if err == nil && (len(names) != len(v) || uint32(len(names)) != n) {
			t.Errorf("%d names, %d values of %d", len(names), len(v), n)
		}
	})
}

func pauseConn(t *testing.T, answer []byte, request *genetlink.Message) *Netlink {
	t.Helper()
	c, err := NewNetlink(genltest.Dial(genltest.ServeFamily(genetlink.Family{ID: 21, Version: 1, Name: "ethtool"},
		func(m genetlink.Message, _ netlink.Message) ([]genetlink.Message, error) {
			*request = m
			return []genetlink.Message{{Header: m.Header, Data: answer}}, nil
		})))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPause(t *testing.T) {
	// As a little-endian kernel answers: header, autoneg, rx, tx, statistics.
	answer := []byte{
		24, 0, 1, 0x80, 8, 0, 1, 0, 3, 0, 0, 0, 9, 0, 2, 0, 'e', 't', 'h', '0', 0, 0, 0, 0,
		5, 0, 2, 0, 1, 0, 0, 0, 5, 0, 3, 0, 1, 0, 0, 0, 5, 0, 4, 0, 1, 0, 0, 0,
		32, 0, 5, 0x80, 4, 0, 1, 0, // ETHTOOL_A_PAUSE_STATS; pad
		12, 0, 2, 0, 7, 0, 0, 0, 0, 0, 0, 0, // tx frames 7
		12, 0, 3, 0, 9, 0, 0, 0, 0, 0, 0, 1, // rx frames 9 + 2^56
	}
	var req genetlink.Message
	got, err := pauseConn(t, answer, &req).Pause("eth0")
	want := PauseStats{Received: 9 + 1<<56, Transmitted: 7, HasReceived: true, HasTransmitted: true}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if want := []byte{24, 0, 1, 0x80, 9, 0, 2, 0, 'e', 't', 'h', '0', 0, 0, 0, 0, 8, 0, 3, 0, 4, 0, 0, 0}; req.Header.Command != 21 || !reflect.DeepEqual(req.Data, want) {
		t.Errorf("request is command %d, %v; want 21, %v", req.Header.Command, req.Data, want)
	}
	// What the driver does not count is not sent, and is not 0.
	got, err = pauseConn(t, []byte{16, 0, 5, 0x80, 12, 0, 3, 0, 9, 0, 0, 0, 0, 0, 0, 0}, &req).Pause("eth0")
	if want := (PauseStats{Received: 9, HasReceived: true}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	got, err = pauseConn(t, nil, &req).Pause("eth0")
	if err != nil || got != (PauseStats{}) {
		t.Errorf("no statistics: %+v, %v; want nothing, no error", got, err)
	}
}

func FuzzParsePause(f *testing.F) {
	f.Add([]byte{16, 0, 5, 0x80, 12, 0, 3, 0, 9, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(_ *testing.T, b []byte) { parsePause(b) })
}

// The real kernel: lo has a driver-less ethtool, and no interface is called so.
func TestRealKernel(t *testing.T) {
	s, err := NewSocket()
	if err != nil {
		t.Skip("no socket here:", err)
	}
	defer s.Close()
	if _, err := DriverInfo(s, "no-such-if"); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("an interface that is not there: %v; want ENODEV", err)
	}
	if _, err := DriverInfo(s, "a-name-that-is-too-long"); err == nil {
		t.Error("a name of more than 15 bytes is no error")
	}
	n, err := DialNetlink()
	if err != nil {
		t.Skip("no ethtool netlink here:", err)
	}
	defer n.Close()
	if _, err := n.Pause("no-such-if"); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("pause of an interface that is not there: %v; want ENODEV", err)
	}
}
