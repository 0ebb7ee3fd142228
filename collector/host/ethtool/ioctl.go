// Package ethtool reads what drivers tell through the ethtool interfaces:
// driver information and private statistics by ioctl (net/ethtool/ioctl.c), and
// link pause statistics by netlink (net/ethtool/pause.c). None of it needs a
// privilege.
package ethtool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Commands of the ioctl, include/uapi/linux/ethtool.h.
const (
	CmdDriverInfo = 0x03 // ETHTOOL_GDRVINFO
	CmdStrings    = 0x1b // ETHTOOL_GSTRINGS
	CmdStats      = 0x1d // ETHTOOL_GSTATS
	CmdSetInfo    = 0x37 // ETHTOOL_GSSET_INFO
)

const (
	// SetStats is the set of strings that names the statistics, ETH_SS_STATS.
	SetStats = 1
	// StringLength is the length of a name, ETH_GSTRING_LEN.
	StringLength = 32
	// DriverInfoLength is the size of struct ethtool_drvinfo.
	DriverInfoLength = 196
)

// Ioctl carries out one ethtool command. data begins with the command's struct
// as the header has it, and is changed in place.
type Ioctl interface {
	Ethtool(ifname string, data []byte) error
}

// Socket is the kernel's Ioctl. It is safe for concurrent use.
type Socket struct{ fd int }

// NewSocket opens a socket to ask through.
func NewSocket() (*Socket, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &Socket{fd}, nil
}

// Close closes the socket.
func (s *Socket) Close() error { return unix.Close(s.fd) }

// ifreq is struct ifreq with the member that SIOCETHTOOL uses.
type ifreq struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [16]byte
}

// Ethtool carries out the command in data on interface ifname.
func (s *Socket) Ethtool(ifname string, data []byte) error {
	var r ifreq
	if ifname == "" || len(ifname) >= len(r.name) {
		return fmt.Errorf("%q is no name of an interface", ifname)
	}
	copy(r.name[:], ifname)
	r.data = unsafe.Pointer(unsafe.SliceData(data))
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&r)))
	runtime.KeepAlive(data)
	if errno != 0 {
		return errno
	}
	return nil
}

// Info is what a driver says of itself and its device.
type Info struct {
	Driver   string // mlx5_core
	Version  string // the driver's or the kernel's
	Firmware string
	Bus      string // PCI address as a rule
}

// DriverInfo asks the driver of an interface for its Info.
func DriverInfo(i Ioctl, ifname string) (Info, error) {
	b := make([]byte, DriverInfoLength)
	binary.NativeEndian.PutUint32(b, CmdDriverInfo)
	if err := i.Ethtool(ifname, b); err != nil {
		return Info{}, fmt.Errorf("driver of %s: %w", ifname, err)
	}
	return Info{Driver: text(b[4:36]), Version: text(b[36:68]), Firmware: text(b[68:100]), Bus: text(b[100:132])}, nil
}

// text returns a C string, without the blanks that some drivers fill names up
// with (cxgb4).
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(bytes.TrimRight(b, " "))
}

// ErrChanged says that the list of statistics changed while it was read, twice
// in a row.
var ErrChanged = errors.New("the driver's list of statistics changes while it is read")

// maxStatistics is more than any driver has, per-ring ones included.
const maxStatistics = 1 << 16

// Statistics reads a driver's private statistics of one interface (ethtool -S).
// One goroutine may use it at a time.
//
// The list can change at any time: mlx5 has the pause counters of those
// priorities only that have PFC enabled. Names and values come by separate
// calls, so the names are read before and after the values and compared.
type Statistics struct {
	ioctl      Ioctl
	ifname     string
	info       [24]byte
	before     region // names, before the values
	after      region // names, after the values
	data       region // the values
	count      int    // of the list that names was made from
	names      []string
	values     []uint64
	last       []byte // the strings that names was made from
	generation uint64
}

// NewStatistics returns a reader of the statistics of interface ifname. Its
// buffers are not from the heap: Close frees them.
func NewStatistics(i Ioctl, ifname string) *Statistics {
	return &Statistics{ioctl: i, ifname: ifname}
}

// Close frees the buffers.
func (s *Statistics) Close() {
	s.before.free()
	s.after.free()
	s.data.free()
	s.last = nil
}

// Read returns the names and values of all statistics, in the driver's order.
// generation differs from that of an earlier call if and only if the names do.
// The slices are good until the next call. The unit of a value is the driver's.
//
// Errors: EOPNOTSUPP for a driver without statistics, ENODEV for an interface
// that is not there, ErrChanged.
func (s *Statistics) Read() (names []string, values []uint64, generation uint64, err error) {
	for range 2 {
		err = s.read()
		if !errors.Is(err, ErrChanged) {
			break
		}
	}
	if err != nil {
		return nil, nil, 0, fmt.Errorf("statistics of %s: %w", s.ifname, err)
	}
	return s.names, s.values, s.generation, nil
}

func (s *Statistics) read() error {
	n, err := s.size()
	if err != nil {
		return err
	}
	if err := s.strings(&s.before, n); err != nil {
		return err
	}
	raw, err := s.stats(n)
	if err != nil {
		return err
	}
	if err := s.strings(&s.after, n); err != nil {
		return err
	}
	strings := s.before.b[stringsHeader : stringsHeader+n*StringLength]
	if !bytes.Equal(strings, s.after.b[stringsHeader:stringsHeader+n*StringLength]) {
		return ErrChanged
	}
	if s.generation == 0 || n != s.count || !bytes.Equal(strings, s.last) {
		s.learn(strings, n)
	}
	for i := range s.values {
		s.values[i] = binary.NativeEndian.Uint64(raw[8*i:])
	}
	return nil
}

// learn takes new names.
func (s *Statistics) learn(strings []byte, n int) {
	s.last = append(s.last[:0], strings...)
	s.count = n
	s.names = make([]string, n)
	for i := range s.names {
		s.names[i] = text(strings[i*StringLength : (i+1)*StringLength])
	}
	s.values = make([]uint64, n)
	s.generation++
}

// size asks how many statistics there are (struct ethtool_sset_info).
func (s *Statistics) size() (int, error) {
	b := s.info[:]
	clear(b)
	binary.NativeEndian.PutUint32(b, CmdSetInfo)
	binary.NativeEndian.PutUint64(b[8:], 1<<SetStats)
	if err := s.ioctl.Ethtool(s.ifname, b); err != nil {
		return 0, err
	}
	if binary.NativeEndian.Uint64(b[8:])&(1<<SetStats) == 0 {
		return 0, fmt.Errorf("the driver has none: %w", unix.EOPNOTSUPP)
	}
	n := binary.NativeEndian.Uint32(b[16:])
	if n > maxStatistics {
		return 0, fmt.Errorf("the driver says that it has %d", n)
	}
	return int(n), nil
}

const stringsHeader = 12 // struct ethtool_gstrings before its data

func (s *Statistics) strings(r *region, n int) error {
	if err := r.fit(stringsHeader + n*StringLength); err != nil {
		return err
	}
	b := r.b
	clear(b[:stringsHeader+n*StringLength])
	binary.NativeEndian.PutUint32(b, CmdStrings)
	binary.NativeEndian.PutUint32(b[4:], SetStats)
	binary.NativeEndian.PutUint32(b[8:], uint32(n))
	if err := s.ioctl.Ethtool(s.ifname, b); err != nil {
		return s.overrun(err)
	}
	if int(binary.NativeEndian.Uint32(b[8:])) != n {
		return ErrChanged
	}
	return nil
}

const statsHeader = 8 // struct ethtool_stats before its data

func (s *Statistics) stats(n int) ([]byte, error) {
	if err := s.data.fit(statsHeader + 8*n); err != nil {
		return nil, err
	}
	b := s.data.b
	// So that values that the kernel does not write are not those of before.
	clear(b[:statsHeader+8*n])
	binary.NativeEndian.PutUint32(b, CmdStats)
	binary.NativeEndian.PutUint32(b[4:], uint32(n))
	if err := s.ioctl.Ethtool(s.ifname, b); err != nil {
		return nil, s.overrun(err)
	}
	// A kernel that checks answers 0 and copies nothing when the list is of
	// another length by now; one that does not copies what there is.
	if int(binary.NativeEndian.Uint32(b[4:])) != n {
		return nil, ErrChanged
	}
	return b[statsHeader : statsHeader+8*n], nil
}

// overrun takes the fault that a list makes that outgrew the buffer for the
// change that it is.
func (s *Statistics) overrun(err error) error {
	if errors.Is(err, unix.EFAULT) {
		return ErrChanged
	}
	return err
}

// region is memory with an inaccessible page behind it. Kernels up to 6.12 at
// least copy as many values as the driver has at that moment, however many
// there is room for: what outgrows the region gives EFAULT instead of
// overwriting the heap.
type region struct {
	b      []byte // usable part
	mapped []byte
}

// fit makes the region hold at least n bytes.
func (r *region) fit(n int) error {
	if n <= len(r.b) {
		return nil
	}
	r.free()
	page := unix.Getpagesize()
	// Twice the size, so that most changes fit.
	size := (2*n + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("memory for the statistics: %w", err)
	}
	if err := unix.Mprotect(m[size:], unix.PROT_NONE); err != nil {
		unix.Munmap(m)
		return fmt.Errorf("memory for the statistics: %w", err)
	}
	r.mapped, r.b = m, m[:size]
	return nil
}

func (r *region) free() {
	if r.mapped != nil {
		unix.Munmap(r.mapped)
		r.mapped, r.b = nil, nil
	}
}
