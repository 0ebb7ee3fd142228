package gnmitest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	modeOnce  = gnmipb.SubscriptionList_ONCE
	streaming = gnmipb.SubscriptionList_STREAM
	polled    = gnmipb.SubscriptionList_POLL
	change    = gnmipb.SubscriptionMode_ON_CHANGE
	sample    = gnmipb.SubscriptionMode_SAMPLE
)

func startDevice(t *testing.T, rec *Recording, opts DeviceOptions) *Device {
	t.Helper()
	if opts.TimeScale == 0 {
		opts.TimeScale = 0.02 // a second is 20 ms
	}
	d, err := StartDevice(rec, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Stop)
	return d
}

// faulty starts a device with these faults, and a client of it.
func faulty(t *testing.T, f Faults) (*Device, gnmipb.GNMIClient, context.Context) {
	t.Helper()
	d := startDevice(t, load(t), DeviceOptions{Faults: f})
	c, ctx := dial(t, d.Addr())
	return d, c, ctx
}

// eventually waits until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("not in time: %s", what)
}

// end receives until the RPC ends, and returns how and after how many messages.
func end(s gnmipb.GNMI_SubscribeClient) (int, error) {
	for n := 0; ; n++ {
		if _, err := s.Recv(); err != nil {
			return n, err
		}
	}
}

// nothing is an error if something comes.
func nothing(t *testing.T, s gnmipb.GNMI_SubscribeClient, cancel context.CancelFunc) {
	t.Helper()
	time.AfterFunc(200*time.Millisecond, cancel)
	if n, err := end(s); n != 0 || status.Code(err) != codes.Canceled {
		t.Errorf("%d messages, then %v", n, err)
	}
}

// notifications receives until the sync.
func notifications(t *testing.T, s gnmipb.GNMI_SubscribeClient) []*gnmipb.Notification {
	t.Helper()
	var out []*gnmipb.Notification
	for {
		r := recv(t, s)
		if r.GetSyncResponse() {
			return out
		}
		out = append(out, r.GetUpdate())
	}
}

func TestDeviceOnChange(t *testing.T) {
	d, c, ctx := faulty(t, Faults{})
	s := open(t, ctx, c, list(t, streaming, change, "/interfaces/interface[name=*]/state/counters", "/interfaces/interface[name=Ethernet1]/state/oper-status"))
	if got := values(t, s); len(got) != 7 || got[octets2].GetUintVal() != 1<<64-1 {
		t.Errorf("at first: %v", got)
	}
	if err := d.Set(octets1, Uint(5)); err != nil {
		t.Fatal(err)
	}
	n := recv(t, s).GetUpdate()
	got := make(map[string]*gnmipb.TypedValue)
	collect(got, n)
	if len(got) != 1 || got[octets1].GetUintVal() != 5 || n.Prefix.GetOrigin() != "openconfig" || len(n.Prefix.GetElem()) != 3 {
		t.Errorf("after Set: %v", n)
	}
	if age := time.Since(time.Unix(0, n.Timestamp)); age < 0 || age > time.Minute {
		t.Errorf("timestamp %d", n.Timestamp)
	}
	if err := d.Set("/interfaces/interface[name=Ethernet1]/state/mtu", Uint(1500)); err != nil { // not subscribed to
		t.Fatal(err)
	}
	if err := d.Set("/interfaces/interface[name=Ethernet3]/state/counters/in-octets", Uint(9)); err != nil { // new
		t.Fatal(err)
	}
	if n := recv(t, s).GetUpdate(); len(n.GetUpdate()) != 1 || n.Update[0].Val.GetUintVal() != 9 {
		t.Errorf("after Set of a new path: %v", n)
	}
	if err := d.Delete("/interfaces/interface[name=Ethernet2]"); err != nil {
		t.Fatal(err)
	}
	if n := recv(t, s).GetUpdate(); len(n.GetDelete()) != 1 || elemsString(join(n.Prefix, n.Delete[0])) != "/interfaces/interface[name=Ethernet2]" {
		t.Errorf("after Delete: %v", n)
	}
	if err := d.Delete("/interfaces/interface[name=Ethernet2]"); err == nil {
		t.Error("no error for a delete of nothing")
	}
	d.Notify(&gnmipb.Notification{Delete: []*gnmipb.Path{mustPath(t, octets1)}, Update: []*gnmipb.Update{{Path: mustPath(t, octets1), Val: Uint(6)}}})
	if n := recv(t, s).GetUpdate(); len(n.GetDelete()) != 1 || len(n.GetUpdate()) != 1 {
		if again := recv(t, s).GetUpdate(); len(n.GetDelete()) != 1 || len(again.GetUpdate()) != 1 {
			t.Errorf("after Notify: %v, %v", n, again)
		}
	}
	send(t, s, list(t, streaming, change, "/"))
	if _, err := end(s); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a second subscription: %v", err)
	}
	for _, bad := range []string{"//", "/a["} {
		if d.Set(bad, Uint(1)) == nil || d.Delete(bad) == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestDeviceSample(t *testing.T) {
	d, c, ctx := faulty(t, Faults{})
	l := list(t, streaming, sample, octets1, octets2)
	l.Subscription[0].SampleInterval = uint64(10 * time.Second)
	l.Subscription[1].SampleInterval = 0 // MinInterval, 1 s
	s := open(t, ctx, c, l)
	values(t, s)
	begin := time.Now()
	count := make(map[string]int)
	for count[octets1] < 2 {
		got := make(map[string]*gnmipb.TypedValue)
		collect(got, recv(t, s).GetUpdate())
		for p := range got {
			count[p]++
		}
	}
	if d := time.Since(begin); d < 300*time.Millisecond { // 2 * 10 s / 50
		t.Errorf("two samples after %v", d)
	}
	if count[octets2] < 5 {
		t.Errorf("samples: %v", count)
	}

	// Redundant ones are sent when they change, and with the heartbeat.
	l = list(t, streaming, sample, octets1)
	l.Subscription[0].SuppressRedundant = true
	s = open(t, ctx, c, l)
	values(t, s)
	if err := d.Set(octets1, Uint(44)); err != nil {
		t.Fatal(err)
	}
	if n := recv(t, s).GetUpdate(); n.GetUpdate()[0].Val.GetUintVal() != 44 {
		t.Errorf("suppress_redundant: %v", n)
	}
	time.AfterFunc(100*time.Millisecond, func() { d.Set(octets1, Uint(45)) })
	if n := recv(t, s).GetUpdate(); n.GetUpdate()[0].Val.GetUintVal() != 45 {
		t.Errorf("suppress_redundant: %v", n)
	}
	l = list(t, streaming, change, octets1)
	l.Subscription[0].HeartbeatInterval = uint64(time.Second)
	s = open(t, ctx, c, l)
	values(t, s)
	for range 3 {
		if n := recv(t, s).GetUpdate(); n.GetUpdate()[0].Val.GetUintVal() != 45 {
			t.Errorf("heartbeat: %v", n)
		}
	}
}

func TestDeviceModes(t *testing.T) {
	d, c, ctx := faulty(t, Faults{})
	s := open(t, ctx, c, list(t, modeOnce, 0, "/interfaces"))
	if got := values(t, s); len(got) != 9 {
		t.Errorf("ONCE: %v", got)
	}
	if n, err := end(s); n != 0 || err != io.EOF {
		t.Errorf("after ONCE: %d, %v", n, err)
	}
	s = open(t, ctx, c, list(t, polled, 0, octets1))
	for i := range 3 {
		if got := values(t, s); len(got) != 1 {
			t.Errorf("poll %d: %v", i, got)
		}
		poll(t, s)
	}
	values(t, s)
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if n, err := end(s); n != 0 || err != io.EOF {
		t.Errorf("after POLL: %d, %v", n, err)
	}
	l := list(t, streaming, change, octets1)
	l.UpdatesOnly = true
	s = open(t, ctx, c, l)
	if got := values(t, s); len(got) != 0 {
		t.Errorf("updates_only: %v", got)
	}
	if err := s.CloseSend(); err != nil { // a client that listens only
		t.Fatal(err)
	}
	if err := d.Set(octets1, Uint(1)); err != nil {
		t.Fatal(err)
	}
	if n := recv(t, s).GetUpdate(); len(n.GetUpdate()) != 1 {
		t.Errorf("updates_only: %v", n)
	}
	s = open(t, ctx, c, list(t, 7, 0, octets1))
	if _, err := end(s); status.Code(err) != codes.InvalidArgument {
		t.Errorf("an unknown mode: %v", err)
	}
	s, err := c.Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	poll(t, s)
	if _, err := end(s); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a poll at first: %v", err)
	}
	get, err := c.Get(ctx, &gnmipb.GetRequest{Path: []*gnmipb.Path{mustPath(t, "/interfaces")}})
	if err != nil || len(get.Notification) != 3 {
		t.Errorf("Get: %v, %v", get, err)
	}
	if get, err = c.Get(ctx, &gnmipb.GetRequest{}); err != nil || len(get.Notification) != 3 {
		t.Errorf("Get of all: %v, %v", get, err)
	}
	if caps, err := c.Capabilities(ctx, &gnmipb.CapabilityRequest{}); err != nil || len(caps.SupportedEncodings) != 3 {
		t.Errorf("Capabilities: %v, %v", caps, err)
	}
	if _, err := c.Set(ctx, &gnmipb.SetRequest{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("Set: %v", err)
	}
	r := d.RPCs()
	if r.Subscribe != 5 || r.Get != 2 || r.Set != 1 || r.Capabilities != 1 || len(r.Lists) != 4 || r.Connections != 1 || r.Connected != 1 {
		t.Errorf("RPCs: %+v", r)
	}
}

func TestDeviceSelects(t *testing.T) {
	rec, err := Parse([]byte(`synthetic: shapes of paths
-- a.updates --
@ target=COUNTERS_DB
COUNTERS/Ethernet*/Queues json_ietf {"Ethernet1:3":{}}
COUNTERS/oid:0x1 json {}
@
/openconfig-qos:qos/a[x=1][y=2]/b uint 1
/openconfig-qos:qos/a[x=1][y=3]/b uint 2
/gone/x uint 1
@ prefix=/gone
-/x
@ prefix=/table atomic
/row[k=1]/v uint 1
/row[k=2]/v uint 2
@ prefix=/table atomic
/row[k=2]/v uint 3
/row[k=3]/v uint 4
`))
	if err != nil {
		t.Fatal(err)
	}
	d := startDevice(t, rec, DeviceOptions{})
	c, ctx := dial(t, d.Addr())
	for _, test := range []struct {
		target, path string
		want         int
	}{
		{"COUNTERS_DB", "COUNTERS/Ethernet*/Queues", 1},
		{"COUNTERS_DB", "COUNTERS/Ethernet*", 1},
		{"COUNTERS_DB", "COUNTERS/Ethernet1/Queues", 0},
		{"COUNTERS_DB", "COUNTERS/oid:0x1", 1},
		{"COUNTERS_DB", "COUNTERS/0x1", 0},
		{"COUNTERS_DB", "COUNTERS", 2},
		{"", "COUNTERS", 0},
		{"CONFIG_DB", "COUNTERS", 0},
		{"leaf1", "/qos", 2},
		{"", "/qos/a", 2},
		{"", "/qos/a[y=2]", 1},
		{"", "/*/a[x=*][y=3]/*", 1},
		{"", "/other-module:qos/a[y=4]", 0},
		{"", "/qos/a[z=*]", 2},
		{"", "/qos/a/b/c", 0},
		{"", "/gone", 0},
		{"", "/table", 2},
	} {
		l := list(t, modeOnce, 0, test.path)
		l.Prefix = &gnmipb.Path{Target: test.target}
		got := 0
		for _, n := range notifications(t, open(t, ctx, c, l)) {
			got += len(n.Update)
			if n.GetPrefix().GetTarget() != test.target {
				t.Errorf("%q %s: target %q", test.target, test.path, n.GetPrefix().GetTarget())
			}
		}
		if got != test.want {
			t.Errorf("%q %s: %d values, want %d", test.target, test.path, got, test.want)
		}
	}
	// A change in an atomic group sends the group, a delete as well reaches who
	// subscribed to something below with other keys.
	s := open(t, ctx, c, list(t, streaming, change, "/table/row[k=*]/v"))
	if got := notifications(t, s); len(got) != 1 || !got[0].Atomic || len(got[0].Prefix.GetElem()) != 1 {
		t.Errorf("atomic: %v", got)
	}
	if err := d.Set("/table/row[k=2]/v", Uint(5)); err != nil {
		t.Fatal(err)
	}
	if n := recv(t, s).GetUpdate(); !n.Atomic || len(n.Update) != 2 {
		t.Errorf("atomic change: %v", n)
	}
	if err := d.Delete("/table/row[k=3]"); err != nil {
		t.Fatal(err)
	}
	if n := recv(t, s).GetUpdate(); len(n.Delete) != 1 {
		t.Errorf("delete: %v", n)
	}
}

// TestFaultsRefuse: what a device refuses, by the code that the client sees.
func TestFaultsRefuse(t *testing.T) {
	fast := list(t, streaming, sample, octets1)
	fast.Subscription[0].SampleInterval = uint64(time.Second)
	prefixed := list(t, modeOnce, 0, "/state")
	prefixed.Prefix = mustPath(t, "/interfaces/interface[name=Ethernet1]")
	for name, test := range map[string]struct {
		faults Faults
		list   *gnmipb.SubscriptionList
		want   codes.Code
	}{
		"path":              {Faults{RefusePaths: map[string]codes.Code{"interfaces/interface[name=Ethernet1]/state": codes.NotFound}}, prefixed, codes.NotFound},
		"another path":      {Faults{RefusePaths: map[string]codes.Code{"/interfaces/interface[name=Ethernet1]": codes.NotFound}}, prefixed, codes.OK},
		"subscriptions":     {Faults{MaxSubscriptions: 1}, list(t, modeOnce, 0, octets1, octets2), codes.InvalidArgument},
		"one subscription":  {Faults{MaxSubscriptions: 1}, list(t, modeOnce, 0, octets1), codes.OK},
		"interval":          {Faults{MinInterval: 2 * time.Second}, fast, codes.InvalidArgument},
		"fastest":           {Faults{MinInterval: 2 * time.Second, CloseAfter: &CloseAfter{3, codes.OK}}, list(t, streaming, sample, octets1), codes.OK},
		"encoding":          {Faults{Encodings: []gnmipb.Encoding{gnmipb.Encoding_JSON_IETF}}, list(t, modeOnce, 0, octets1), codes.Unimplemented},
		"password":          {Faults{Username: "u", Password: "p"}, list(t, modeOnce, 0, octets1), codes.Unauthenticated},
		"basic":             {Faults{Username: "u", Password: "p", Basic: true}, list(t, modeOnce, 0, octets1), codes.Unauthenticated},
		"metadata":          {Faults{RequireMetadata: map[string]string{"token_id": "x"}}, list(t, modeOnce, 0, octets1), codes.Unauthenticated},
		"close at once":     {Faults{CloseAfter: &CloseAfter{0, codes.Unavailable}}, list(t, streaming, change, octets1), codes.Unavailable},
		"close after one":   {Faults{CloseAfter: &CloseAfter{1, codes.Internal}}, list(t, streaming, change, octets1), codes.Internal},
		"close cleanly":     {Faults{CloseAfter: &CloseAfter{1, codes.OK}}, list(t, streaming, change, octets1), codes.OK},
		"close during poll": {Faults{CloseAfter: &CloseAfter{2, codes.DataLoss}}, list(t, polled, 0, octets1), codes.DataLoss},
	} {
		t.Run(name, func(t *testing.T) {
			_, c, ctx := faulty(t, test.faults)
			n, err := end(open(t, ctx, c, test.list))
			if err == io.EOF {
				err = nil
			}
			if status.Code(err) != test.want {
				t.Errorf("%v, want %v", err, test.want)
			}
			if close := test.faults.CloseAfter; close != nil && n != close.Messages {
				t.Errorf("%d messages, want %d", n, close.Messages)
			}
		})
	}
	_, c, ctx := faulty(t, Faults{MaxRPCs: 1, RefusePaths: map[string]codes.Code{"/a": codes.PermissionDenied}, Encodings: []gnmipb.Encoding{gnmipb.Encoding_PROTO}})
	s := open(t, ctx, c, list(t, streaming, change, octets1))
	values(t, s)
	if _, err := end(open(t, ctx, c, list(t, modeOnce, 0, octets1))); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a second RPC: %v", err)
	}
	if _, err := c.Get(ctx, &gnmipb.GetRequest{Path: []*gnmipb.Path{mustPath(t, "/a")}, Encoding: gnmipb.Encoding_PROTO}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("Get of a refused path: %v", err)
	}
	if _, err := c.Get(ctx, &gnmipb.GetRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("Get of a refused encoding: %v", err)
	}
}

func TestFaultsAuthentication(t *testing.T) {
	d, c, ctx := faulty(t, Faults{Username: "u", Password: "p:1", RequireMetadata: map[string]string{"Token_ID": "x"}})
	good := metadata.AppendToOutgoingContext(ctx, "username", "u", "password", "p:1", "token_id", "x")
	if got := values(t, open(t, good, c, list(t, modeOnce, 0, octets1))); len(got) != 1 {
		t.Errorf("%v", got)
	}
	bad := metadata.AppendToOutgoingContext(ctx, "username", "u", "password", "P:1", "token_id", "x")
	for _, ctx := range []context.Context{ctx, bad} {
		if _, err := c.Capabilities(ctx, &gnmipb.CapabilityRequest{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("Capabilities: %v", err)
		}
		if _, err := c.Get(ctx, &gnmipb.GetRequest{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("Get: %v", err)
		}
		if _, err := c.Set(ctx, &gnmipb.SetRequest{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("Set: %v", err)
		}
	}
	d.Change(func(f *Faults) { f.Basic, f.RequireMetadata = true, nil })
	basic := metadata.AppendToOutgoingContext(ctx, "authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("u:p:1")))
	if got := values(t, open(t, basic, c, list(t, modeOnce, 0, octets1))); len(got) != 1 {
		t.Errorf("%v", got)
	}
	keys := d.RPCs().MetadataKeys
	for _, k := range []string{"authorization", "username", "password", "token_id"} {
		if !slices.Contains(keys, k) {
			t.Errorf("%v lacks %s", keys, k)
		}
	}
	if strings.Contains(strings.Join(keys, " "), "p:1") {
		t.Errorf("a value in %v", keys)
	}
}

// TestFaultsSilence: nothing is sent, or no sync.
func TestFaultsSilence(t *testing.T) {
	d, c, ctx := faulty(t, Faults{SilentAtStart: true})
	short, cancel := context.WithCancel(ctx)
	nothing(t, open(t, short, c, list(t, streaming, sample, "/")), cancel)

	d.Change(func(f *Faults) { *f = Faults{SilentAfterSync: true} })
	short, cancel = context.WithCancel(ctx)
	s := open(t, short, c, list(t, streaming, sample, "/"))
	values(t, s)
	nothing(t, s, cancel)

	d.Change(func(f *Faults) { *f = Faults{NoSync: true} })
	s = open(t, ctx, c, list(t, streaming, sample, octets1))
	for range 5 {
		if r := recv(t, s); r.GetUpdate() == nil {
			t.Errorf("%v", r)
		}
	}
	d.Change(func(f *Faults) { *f = Faults{SilentAtStart: true} })
	d.Change(func(f *Faults) { *f = Faults{CloseAfter: &CloseAfter{Code: codes.Aborted}} }) // of a running RPC
	if _, err := end(s); status.Code(err) != codes.Aborted {
		t.Errorf("%v", err)
	}

	d.Change(func(f *Faults) { *f = Faults{Delay: 50 * time.Millisecond} })
	begin := time.Now()
	if n := len(notifications(t, open(t, ctx, c, list(t, modeOnce, 0, "/")))); n != 3 || time.Since(begin) < 200*time.Millisecond {
		t.Errorf("%d messages after %v", n, time.Since(begin))
	}

	d.Change(func(f *Faults) { *f = Faults{CapabilitiesHang: true} })
	short, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := c.Capabilities(short, &gnmipb.CapabilityRequest{}); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("%v", err)
	}
	d.Change(func(f *Faults) { *f = Faults{CapabilitiesUnimplemented: true} })
	if _, err := c.Capabilities(ctx, &gnmipb.CapabilityRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("%v", err)
	}
}

// TestFaultsForm: the same values, said otherwise.
func TestFaultsForm(t *testing.T) {
	const mtu = "/interfaces/interface[name=Ethernet1]/state/mtu"
	_, err := ParsePath(mtu)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		faults Faults
		path   string
		check  func(n *gnmipb.Notification) bool
	}{
		"timestamp 0": {Faults{Timestamp: FixedTimestamp(0)}, octets1, func(n *gnmipb.Notification) bool { return n.Timestamp == 0 }},
		"far future":  {Faults{Timestamp: FixedTimestamp(1<<63 - 1)}, octets1, func(n *gnmipb.Notification) bool { return n.Timestamp == 1<<63-1 }},
		"recorded":    {Faults{Timestamp: func(r int64) int64 { return r }}, octets1, func(n *gnmipb.Notification) bool { return n.Timestamp == 1700000000000000000 }},
		"as recorded": {Faults{}, octets1, func(n *gnmipb.Notification) bool {
			return len(n.Prefix.Elem) == 3 && n.Prefix.Origin == "openconfig" && !n.Atomic
		}},
		"prefix of 5": {Faults{PrefixElems: 5}, octets1, func(n *gnmipb.Notification) bool {
			return len(n.Prefix.Elem) == 5 && len(n.Update[0].Path.GetElem()) == 0
		}},
		"no prefix":       {Faults{PrefixElems: -1}, octets1, func(n *gnmipb.Notification) bool { return len(n.Prefix.Elem) == 0 && len(n.Update[0].Path.Elem) == 5 }},
		"too long prefix": {Faults{PrefixElems: 9}, octets1, func(n *gnmipb.Notification) bool { return len(n.Prefix.Elem) == 5 }},
		"module": {Faults{ModulePrefix: "oc-if"}, octets1, func(n *gnmipb.Notification) bool {
			return elemsString(join(n.Prefix, n.Update[0].Path)) == "/oc-if:interfaces/interface[name=Ethernet1]/state/counters/in-octets"
		}},
		"module everywhere": {Faults{ModulePrefix: "m", ModuleEverywhere: true}, octets1, func(n *gnmipb.Notification) bool {
			return elemsString(join(n.Prefix, n.Update[0].Path)) == "/m:interfaces/m:interface[name=Ethernet1]/m:state/m:counters/m:in-octets"
		}},
		"element": {Faults{ElementPaths: true}, octets1, func(n *gnmipb.Notification) bool {
			//lint:ignore SA1019 it is what is tested
			got := append(slices.Clone(n.Prefix.Element), n.Update[0].Path.Element...)
			return len(n.Prefix.Elem) == 0 && slices.Equal(got, []string{"interfaces", "interface[name=Ethernet1]", "state", "counters", "in-octets"})
		}},
		"ietf":            {Faults{JSONIETF: true}, octets1, func(n *gnmipb.Notification) bool { return string(n.Update[0].Val.GetJsonIetfVal()) == `"1000001"` }},
		"strings":         {Faults{StringValues: true}, octets1, func(n *gnmipb.Notification) bool { return n.Update[0].Val.GetStringVal() == "1000001" }},
		"doubles":         {Faults{DoubleValues: true}, octets1, func(n *gnmipb.Notification) bool { return n.Update[0].Val.GetDoubleVal() == 1000001 }},
		"double of words": {Faults{DoubleValues: true}, "/interfaces/interface[name=Ethernet2]/state/oper-status", func(n *gnmipb.Notification) bool { return n.Update[0].Val.GetStringVal() == "UP" }},
		"atomic":          {Faults{Atomic: true}, octets1, func(n *gnmipb.Notification) bool { return n.Atomic }},
		"duplicates":      {Faults{Duplicates: 7}, octets1, func(n *gnmipb.Notification) bool { return n.Update[0].Duplicates == 7 }},
	} {
		t.Run(name, func(t *testing.T) {
			_, c, ctx := faulty(t, test.faults)
			got := notifications(t, open(t, ctx, c, list(t, modeOnce, 0, test.path)))
			if len(got) != 1 || len(got[0].Update) != 1 || !test.check(got[0]) {
				t.Errorf("%v", got)
			}
		})
	}

	// The origin.
	rec := &Recording{Notifications: []*gnmipb.Notification{
		{Update: []*gnmipb.Update{{Path: mustPath(t, "/a"), Val: Uint(1)}, {Path: &gnmipb.Path{Origin: "native", Elem: mustPath(t, "/b").Elem}, Val: Uint(1)}}},
	}}
	d := startDevice(t, rec, DeviceOptions{})
	c, ctx := dial(t, d.Addr())
	got := notifications(t, open(t, ctx, c, list(t, modeOnce, 0, "/")))
	if len(got) != 1 || got[0].Prefix != nil || got[0].Update[1].Path.Origin != "native" {
		t.Errorf("origin in the path: %v", got)
	}
	d.Change(func(f *Faults) { f.OriginInPrefix = true })
	got = notifications(t, open(t, ctx, c, list(t, modeOnce, 0, "/")))
	if len(got) != 2 || got[0].Prefix.GetOrigin() != "openconfig" || got[1].Prefix.GetOrigin() != "native" || got[1].Update[0].Path.GetOrigin() != "" {
		t.Errorf("origin in the prefix: %v", got)
	}

	// A change under Atomic sends all that was recorded together.
	d = startDevice(t, load(t), DeviceOptions{Faults: Faults{Atomic: true}})
	c, ctx = dial(t, d.Addr())
	s := open(t, ctx, c, list(t, streaming, change, "/interfaces"))
	values(t, s)
	if err := d.Set(octets1, Uint(2)); err != nil {
		t.Fatal(err)
	}
	if n := recv(t, s).GetUpdate(); !n.Atomic || len(n.Update) != 4 {
		t.Errorf("atomic change: %v", n)
	}
}

func TestIETF(t *testing.T) {
	for _, test := range []struct{ kind, text, want string }{
		{"uint", "18446744073709551615", `"18446744073709551615"`}, {"int", "-1", `"-1"`}, {"double", "1.5", `"1.5"`}, {"bool", "true", "true"},
		{"string", `"a\"b"`, `"a\"b"`}, {"json", `{"a":1}`, `{"a":1}`}, {"bytes", "3f800000", `"P4AAAA=="`}, {"leaflist", `[1,"a"]`, `["1","a"]`},
	} {
		v, err := ParseValue(test.kind, test.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string((&Faults{JSONIETF: true}).value(v).GetJsonIetfVal()); got != test.want {
			t.Errorf("%s %s is %s, want %s", test.kind, test.text, got, test.want)
		}
	}
}

// TestFaultsMessages: messages more than there should be.
func TestFaultsMessages(t *testing.T) {
	d, c, ctx := faulty(t, Faults{EmptyNotifications: true})
	got := notifications(t, open(t, ctx, c, list(t, modeOnce, 0, "/")))
	if len(got) != 6 || len(got[0].Update) != 0 || len(got[1].Update) == 0 {
		t.Errorf("%d: %v", len(got), got)
	}

	d.Change(func(f *Faults) { *f = Faults{Giant: 1 << 20} })
	got = notifications(t, open(t, ctx, c, list(t, modeOnce, 0, octets1)))
	if len(got) != 2 || len(got[1].Update[0].Val.GetJsonIetfVal()) != 1<<20 || PathString(got[1].Update[0].Path) != octets1 {
		t.Errorf("%d notifications", len(got))
	}
	d.Change(func(f *Faults) { f.Giant = 5 << 20 }) // more than gRPC takes
	if _, err := end(open(t, ctx, c, list(t, modeOnce, 0, octets1))); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("%v", err)
	}

	d.Change(func(f *Faults) { *f = Faults{Malformed: true} })
	l := list(t, modeOnce, 0, octets1)
	l.Prefix = &gnmipb.Path{Target: "leaf1"}
	got = notifications(t, open(t, ctx, c, l))
	seen := make(map[string]bool)
	for _, n := range got {
		seen["no notification"] = seen["no notification"] || n == nil
		seen["delete"] = seen["delete"] || len(n.GetDelete()) > 0
		paths := make(map[string]bool)
		for _, u := range n.GetUpdate() {
			seen["no path"] = seen["no path"] || u.Path == nil
			seen["no value"] = seen["no value"] || u.Val == nil
			seen["no type"] = seen["no type"] || u.Val != nil && u.Val.Value == nil
			seen["empty path"] = seen["empty path"] || u.Path != nil && len(u.Path.Elem) == 0
			seen["twice"] = seen["twice"] || paths[PathString(u.Path)]
			paths[PathString(u.Path)] = true
			for _, e := range u.GetPath().GetElem() {
				seen["nameless"] = seen["nameless"] || e.Name == ""
				seen["keys"] = seen["keys"] || len(e.Key) >= 1000
			}
		}
	}
	for _, what := range []string{"no notification", "delete", "no path", "no value", "no type", "empty path", "twice", "nameless", "keys"} {
		if !seen[what] {
			t.Errorf("%s is not among the malformed", what)
		}
	}
	if last := got[len(got)-1]; len(last.Update) != 1 || last.Update[0].Val.GetUintVal() != 1000001 {
		t.Errorf("the good value: %v", last)
	}

	d.Change(func(f *Faults) { *f = Faults{Flood: 2000} })
	s := open(t, ctx, c, list(t, streaming, change, "/"))
	values(t, s)
	begin := time.Now()
	for range 400 {
		recv(t, s)
	}
	if took := time.Since(begin); took < 150*time.Millisecond || took > 5*time.Second {
		t.Errorf("400 messages at 2000 a second took %v", took)
	}
}

func TestDeviceRestart(t *testing.T) {
	d, c, ctx := faulty(t, Faults{})
	if err := d.Set(octets1, Uint(77)); err != nil {
		t.Fatal(err)
	}
	s := open(t, ctx, c, list(t, streaming, change, octets1))
	values(t, s)
	if r := d.RPCs(); r.Streams != 1 || r.Connections != 1 || r.Messages != 2 {
		t.Errorf("%+v", r)
	}
	addr := d.Addr()
	if err := d.Restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := end(s); status.Code(err) != codes.Unavailable {
		t.Errorf("%v", err)
	}
	if d.Addr() != addr {
		t.Errorf("it moved from %s to %s", addr, d.Addr())
	}
	again, ctx := dial(t, addr)
	if got := values(t, open(t, ctx, again, list(t, modeOnce, 0, octets1))); got[octets1].GetUintVal() != 77 {
		t.Errorf("%v", got)
	}
	if r := d.RPCs(); r.Connected < 2 {
		t.Errorf("%+v", r)
	}
	d.Stop()
	d.Stop()
	eventually(t, "no connections", func() bool { r := d.RPCs(); return r.Connections == 0 && r.Streams == 0 })
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Error("it listens after Stop")
	}
	if err := d.Restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := StartDevice(load(t), DeviceOptions{Addr: addr}); err == nil {
		t.Error("no error for a port that is taken")
	}
}

// TestKeepaliveEnforcement: a client that pings too often is told to calm down.
// gRPC's own client cannot ping as often.
func TestKeepaliveEnforcement(t *testing.T) {
	d := startDevice(t, load(t), DeviceOptions{KeepaliveEnforcement: time.Hour})
	conn, err := net.Dial("tcp", d.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(5) {
		var data [8]byte
		binary.BigEndian.PutUint64(data[:], i+1)
		if err := framer.WritePing(false, data); err != nil {
			t.Fatal(err)
		}
	}
	for {
		f, err := framer.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if away, ok := f.(*http2.GoAwayFrame); ok {
			if away.ErrCode != http2.ErrCodeEnhanceYourCalm || !bytes.Equal(away.DebugData(), []byte("too_many_pings")) {
				t.Errorf("%v %s", away.ErrCode, away.DebugData())
			}
			return
		}
	}
}

// TestDeviceConcurrently is for the race detector.
func TestDeviceConcurrently(t *testing.T) {
	d := startDevice(t, &Recording{Notifications: Generate(20, 2)}, DeviceOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	for i := range 4 {
		c, _ := dial(t, d.Addr())
		how := sample
		if i%2 == 0 {
			how = change
		}
		s := open(t, ctx, c, list(t, streaming, how, "/interfaces", "/qos"))
		wg.Go(func() { end(s) })
	}
	for i := range 300 {
		path := "/interfaces/interface[name=Ethernet3]/state/counters/in-octets"
		if err := d.Set(path, Uint(uint64(i))); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			if err := d.Delete(path); err != nil {
				t.Fatal(err)
			}
		}
		d.Change(func(f *Faults) { f.Atomic, f.JSONIETF, f.PrefixElems = i%2 == 0, i%3 == 0, i%5 })
		d.RPCs()
	}
	cancel()
	wg.Wait()
}

func TestGenerate(t *testing.T) {
	got := Generate(3, 8)
	if len(got) != 6 || len(got[0].Update) != 16 || len(got[1].Update) != 40 {
		t.Fatalf("%d notifications", len(got))
	}
	paths := make(map[string]*gnmipb.TypedValue)
	for _, n := range got {
		collect(paths, n)
	}
	if len(paths) != 3*(16+40) {
		t.Errorf("%d paths", len(paths))
	}
	for _, p := range []string{octets1, "/qos/interfaces/interface[interface-id=Ethernet3]/output/queues/queue[name=7]/state/ecn-marked-pkts"} {
		if paths[p] == nil {
			t.Errorf("no %s", p)
		}
	}
	if again := Generate(3, 8); !slices.EqualFunc(got, again, func(a, b *gnmipb.Notification) bool { return proto.Equal(a, b) }) {
		t.Error("it differs the second time")
	}
	if n := len(Generate(2, 0)); n != 2 {
		t.Errorf("without queues: %d notifications", n)
	}
	if reflect.DeepEqual(paths[octets1], paths[octets2]) {
		t.Error("values are the same")
	}
}
