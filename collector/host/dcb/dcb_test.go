package dcb

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/mdlayher/netlink"
	"github.com/mdlayher/netlink/nltest"
)

// answer is a reply to DCB_CMD_IEEE_GET as a little-endian kernel sends it: PFC
// on for priorities 3 and 4, requests 1 to 8, indications 17 to 24.
func answer() []byte {
	b := []byte{0, 21, 0, 0, // struct dcbmsg
		9, 0, 1, 0, 'e', 't', 'h', '0', 0, 0, 0, 0, // DCB_ATTR_IFNAME
		4 + 140, 0, 13, 0x80, // DCB_ATTR_IEEE, nested
		140, 0, 2, 0, // DCB_ATTR_IEEE_PFC
		8, 0x18, 0, 0, 0x34, 0x12, 0, 0, // pfc_cap, pfc_en, mbc, delay and padding
	}
	for i := range 16 {
		v := byte(i + 1)
		if i >= 8 {
			v += 8
		}
		b = append(b, v, 0, 0, 0, 0, 0, 0, 0)
	}
	return b
}

func TestPFC(t *testing.T) {
	var req netlink.Message
	c := New(nltest.Dial(func(r []netlink.Message) ([]netlink.Message, error) {
		req = r[0]
		return []netlink.Message{{Header: netlink.Header{Type: 78, Sequence: r[0].Header.Sequence, PID: r[0].Header.PID}, Data: answer()}}, nil
	}))
	got, ok, err := c.PFC("eth0")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	want := PFC{Capable: 8, Enabled: 0x18, Delay: 0x1234,
		Requests: [8]uint64{1, 2, 3, 4, 5, 6, 7, 8}, Indications: [8]uint64{17, 18, 19, 20, 21, 22, 23, 24}}
	if got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if want := []byte{0, 21, 0, 0, 9, 0, 1, 0, 'e', 't', 'h', '0', 0, 0, 0, 0}; req.Header.Type != 78 || !bytes.Equal(req.Data, want) {
		t.Errorf("request is type %d, %v; want 78, %v", req.Header.Type, req.Data, want)
	}
}

func TestPFCErrors(t *testing.T) {
	serve := func(data []byte) *Conn {
		return New(nltest.Dial(func(r []netlink.Message) ([]netlink.Message, error) {
			return []netlink.Message{{Header: netlink.Header{Type: 78, Sequence: r[0].Header.Sequence, PID: r[0].Header.PID}, Data: data}}, nil
		}))
	}
	if _, ok, err := serve([]byte{0, 21, 0, 0}).PFC("eth0"); ok || err != nil {
		t.Errorf("no PFC in the answer: %v, %v; want not ok, no error", ok, err)
	}
	if _, _, err := serve([]byte{0}).PFC("eth0"); err == nil {
		t.Error("an answer shorter than its header is no error")
	}
	short := answer()[:100]
	short[16], short[20] = 84, 80
	if _, _, err := serve(short).PFC("eth0"); err == nil || !strings.Contains(err.Error(), "76 bytes instead of 136") {
		t.Errorf("short PFC: error %v", err)
	}
	if _, _, err := serve(nil).PFC("a name that is too long"); err == nil {
		t.Error("a name of more than 15 bytes is no error")
	}
	c := New(nltest.Dial(func(r []netlink.Message) ([]netlink.Message, error) { return nltest.Error(int(syscall.EOPNOTSUPP), r) }))
	if _, _, err := c.PFC("eth0"); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("error %v; want EOPNOTSUPP", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(answer())
	f.Add([]byte{0, 21, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, ok, err := parse(b); ok && (err != nil || len(b) < pfcLength) {
			t.Errorf("PFC out of %d bytes, error %v", len(b), err)
		}
	})
}

// The real kernel answers for lo that it has no DCB.
func TestRealKernel(t *testing.T) {
	c, err := Dial()
	if err != nil {
		t.Skip("no netlink here:", err)
	}
	defer c.Close()
	if _, ok, err := c.PFC("lo"); ok || err == nil {
		t.Errorf("PFC of lo: %v, %v; want an error", ok, err)
	}
}
