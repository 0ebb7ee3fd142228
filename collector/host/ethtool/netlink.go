package ethtool

import (
	"fmt"
	"time"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
)

// The parts of include/uapi/linux/ethtool_netlink.h that are used here.
const (
	Family          = "ethtool" // ETHTOOL_GENL_NAME
	FamilyVersion   = 1         // ETHTOOL_GENL_VERSION
	MsgPauseGet     = 21        // ETHTOOL_MSG_PAUSE_GET
	AttrPauseHeader = 1         // ETHTOOL_A_PAUSE_HEADER
	AttrPauseStats  = 5         // ETHTOOL_A_PAUSE_STATS
	AttrHeaderName  = 2         // ETHTOOL_A_HEADER_DEV_NAME
	AttrHeaderFlags = 3         // ETHTOOL_A_HEADER_FLAGS
	FlagStats       = 4         // ETHTOOL_FLAG_STATS
	AttrStatsTx     = 2         // ETHTOOL_A_PAUSE_STAT_TX_FRAMES
	AttrStatsRx     = 3         // ETHTOOL_A_PAUSE_STAT_RX_FRAMES
)

// Netlink is a connection to ethtool's generic netlink family, for one
// goroutine at a time.
type Netlink struct {
	conn   *genetlink.Conn
	family genetlink.Family
}

// DialNetlink opens a connection to the kernel.
func DialNetlink() (*Netlink, error) {
	c, err := genetlink.Dial(nil)
	if err != nil {
		return nil, fmt.Errorf("ethtool netlink: %w", err)
	}
	return NewNetlink(c)
}

// NewNetlink returns a connection over c. It closes c when the kernel has no
// ethtool netlink (before 5.6), with an error that holds ENOENT.
func NewNetlink(c *genetlink.Conn) (*Netlink, error) {
	f, err := c.GetFamily(Family)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("ethtool netlink: %w", err)
	}
	return &Netlink{conn: c, family: f}, nil
}

// Close closes the connection.
func (n *Netlink) Close() error { return n.conn.Close() }

// SetDeadline sets until when an answer is waited for.
func (n *Netlink) SetDeadline(t time.Time) error { return n.conn.SetDeadline(t) }

// PauseStats are the frames of link pause (IEEE 802.3 annex 31B). What a
// driver does not count is absent.
type PauseStats struct {
	Received, Transmitted       uint64 // aPAUSEMACCtrlFramesReceived, ...Transmitted
	HasReceived, HasTransmitted bool
}

// Pause returns the link pause statistics of interface ifname.
func (n *Netlink) Pause(ifname string) (PauseStats, error) {
	e := netlink.NewAttributeEncoder()
	e.Nested(AttrPauseHeader, func(e *netlink.AttributeEncoder) error {
		e.String(AttrHeaderName, ifname)
		e.Uint32(AttrHeaderFlags, FlagStats)
		return nil
	})
	body, err := e.Encode()
	if err != nil {
		return PauseStats{}, fmt.Errorf("pause statistics of %s: %w", ifname, err)
	}
	messages, err := n.conn.Execute(genetlink.Message{
		Header: genetlink.Header{Command: MsgPauseGet, Version: FamilyVersion}, Data: body}, n.family.ID, netlink.Request)
	if err != nil {
		return PauseStats{}, fmt.Errorf("pause statistics of %s: %w", ifname, err)
	}
	var s PauseStats
	for _, m := range messages {
		if s, err = parsePause(m.Data); err != nil {
			return PauseStats{}, fmt.Errorf("pause statistics of %s: %w", ifname, err)
		}
	}
	return s, nil
}

func parsePause(b []byte) (PauseStats, error) {
	var s PauseStats
	outer, err := netlink.NewAttributeDecoder(b)
	if err != nil {
		return s, err
	}
	for outer.Next() {
		if outer.Type() != AttrPauseStats {
			continue
		}
		outer.Nested(func(inner *netlink.AttributeDecoder) error {
			for inner.Next() {
				switch inner.Type() {
				case AttrStatsTx:
					s.Transmitted, s.HasTransmitted = inner.Uint64(), true
				case AttrStatsRx:
					s.Received, s.HasReceived = inner.Uint64(), true
				}
			}
			return nil
		})
	}
	if err := outer.Err(); err != nil {
		return PauseStats{}, err
	}
	return s, nil
}
