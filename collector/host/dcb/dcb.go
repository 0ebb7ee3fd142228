// Package dcb reads the Data Center Bridging configuration of an interface
// over rtnetlink (net/dcb/dcbnl.c, include/uapi/linux/dcbnl.h). Reading needs
// no privilege.
package dcb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/mdlayher/netlink"
)

// What the requests are made of, as the headers call them.
const (
	TypeGetDCB   = 78 // RTM_GETDCB
	CmdIEEEGet   = 21 // DCB_CMD_IEEE_GET
	AttrIfname   = 1  // DCB_ATTR_IFNAME
	AttrIEEE     = 13 // DCB_ATTR_IEEE
	AttrIEEEPFC  = 2  // DCB_ATTR_IEEE_PFC
	headerLength = 4  // struct dcbmsg
	pfcLength    = 136
)

// Conn is a connection to rtnetlink, for one goroutine at a time.
type Conn struct{ conn *netlink.Conn }

// Dial opens a connection to the kernel.
func Dial() (*Conn, error) {
	const route = 0 // NETLINK_ROUTE
	c, err := netlink.Dial(route, nil)
	if err != nil {
		return nil, fmt.Errorf("DCB netlink: %w", err)
	}
	return New(c), nil
}

// New returns a connection over c.
func New(c *netlink.Conn) *Conn { return &Conn{conn: c} }

// Close closes the connection.
func (c *Conn) Close() error { return c.conn.Close() }

// SetDeadline sets until when an answer is waited for.
func (c *Conn) SetDeadline(t time.Time) error { return c.conn.SetDeadline(t) }

// PFC is the state of Priority-based Flow Control (IEEE 802.1Q clause 36) of
// an interface, struct ieee_pfc.
type PFC struct {
	Capable     uint8     // number of traffic classes that may have PFC at once
	Enabled     uint8     // bit n: PFC is on for priority n
	Delay       uint16    // allowance for the round trip of the link, bit times
	Requests    [8]uint64 // PFC frames transmitted, by priority
	Indications [8]uint64 // PFC frames received, by priority
}

// PFC returns the PFC state of interface name. ok is false where the driver has
// DCB and says nothing of PFC; a driver without DCB gives EOPNOTSUPP.
func (c *Conn) PFC(name string) (pfc PFC, ok bool, err error) {
	if name == "" || len(name) > 15 {
		return PFC{}, false, fmt.Errorf("PFC: %q is no name of an interface", name)
	}
	body := []byte{0, CmdIEEEGet, 0, 0}
	attr := binary.NativeEndian.AppendUint16(nil, uint16(4+len(name)+1))
	attr = binary.NativeEndian.AppendUint16(attr, AttrIfname)
	attr = append(append(attr, name...), 0)
	for len(attr)%4 != 0 {
		attr = append(attr, 0)
	}
	messages, err := c.conn.Execute(netlink.Message{
		Header: netlink.Header{Type: TypeGetDCB, Flags: netlink.Request}, Data: append(body, attr...)})
	if err != nil {
		return PFC{}, false, fmt.Errorf("PFC of %s: %w", name, err)
	}
	for _, m := range messages {
		pfc, ok, err = parse(m.Data)
		if err != nil {
			return PFC{}, false, fmt.Errorf("PFC of %s: %w", name, err)
		}
		if ok {
			break
		}
	}
	return pfc, ok, nil
}

// parse finds the PFC attribute in an answer.
func parse(b []byte) (pfc PFC, ok bool, err error) {
	if len(b) < headerLength {
		return PFC{}, false, errors.New("the answer is shorter than its header")
	}
	outer, err := netlink.NewAttributeDecoder(b[headerLength:])
	if err != nil {
		return PFC{}, false, err
	}
	for outer.Next() {
		if outer.Type() != AttrIEEE {
			continue
		}
		outer.Nested(func(inner *netlink.AttributeDecoder) error {
			for inner.Next() {
				if inner.Type() != AttrIEEEPFC {
					continue
				}
				pfc, err = parsePFC(inner.Bytes())
				ok = err == nil
				return err
			}
			return nil
		})
	}
	if err := outer.Err(); err != nil {
		return PFC{}, false, err
	}
	return pfc, ok, nil
}

func parsePFC(b []byte) (PFC, error) {
	if len(b) != pfcLength {
		return PFC{}, fmt.Errorf("the PFC state has %d bytes instead of %d", len(b), pfcLength)
	}
	p := PFC{Capable: b[0], Enabled: b[1], Delay: binary.NativeEndian.Uint16(b[4:])}
	for i := range 8 {
		p.Requests[i] = binary.NativeEndian.Uint64(b[8+8*i:])
		p.Indications[i] = binary.NativeEndian.Uint64(b[72+8*i:])
	}
	return p, nil
}
