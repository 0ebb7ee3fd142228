package rdmanl

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// attribute is one netlink attribute (struct nlattr and what follows). The
// answers with counters are hundreds of nested attributes at every scrape, and
// netlink.AttributeDecoder allocates for each level of nesting.
type attribute struct {
	kind uint16
	data []byte
}

// attributes calls each for every attribute in b, in order.
func attributes(b []byte, each func(attribute) error) error {
	const header = 4
	for len(b) >= header {
		length := int(binary.NativeEndian.Uint16(b))
		if length < header || length > len(b) {
			return fmt.Errorf("an attribute says it has %d bytes where %d are left", length, len(b))
		}
		// The two upper bits are flags: nested, and network byte order.
		kind := binary.NativeEndian.Uint16(b[2:]) & 0x3fff
		if err := each(attribute{kind, b[header:length]}); err != nil {
			return err
		}
		b = b[min((length+3)&^3, len(b)):]
	}
	return nil
}

func (a attribute) bytes() []byte {
	b, _, _ := bytes.Cut(a.data, []byte{0})
	return b
}

func (a attribute) text() string { return string(a.bytes()) }

func (a attribute) uint8(what string) (uint8, error) {
	if len(a.data) != 1 {
		return 0, a.wrongLength(what, 1)
	}
	return a.data[0], nil
}

func (a attribute) uint32(what string) (uint32, error) {
	if len(a.data) != 4 {
		return 0, a.wrongLength(what, 4)
	}
	return binary.NativeEndian.Uint32(a.data), nil
}

func (a attribute) uint64(what string) (uint64, error) {
	if len(a.data) != 8 {
		return 0, a.wrongLength(what, 8)
	}
	return binary.NativeEndian.Uint64(a.data), nil
}

// guid returns a GUID, which the kernel converts to host order before it sends
// it (nldev.c, fill_dev_info).
func (a attribute) guid(what string) (uint64, error) { return a.uint64(what) }

func (a attribute) wrongLength(what string, want int) error {
	return fmt.Errorf("%s (attribute %d) has %d bytes instead of %d", what, a.kind, len(a.data), want)
}
