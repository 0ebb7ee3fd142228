package gnmitest

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/openconfig/gnmi/cache"
	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// dial returns a client, and the context of its calls.
func dial(t *testing.T, addr string, opts ...grpc.DialOption) (gnmipb.GNMIClient, context.Context) {
	t.Helper()
	if len(opts) == 0 {
		opts = append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	conn, err := grpc.NewClient(addr, opts...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(func() { cancel(); conn.Close() })
	return gnmipb.NewGNMIClient(conn), ctx
}

func mustPath(t *testing.T, text string) *gnmipb.Path {
	t.Helper()
	p, err := ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// open subscribes.
func open(t *testing.T, ctx context.Context, c gnmipb.GNMIClient, list *gnmipb.SubscriptionList) gnmipb.GNMI_SubscribeClient {
	t.Helper()
	stream, err := c.Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	send(t, stream, list)
	return stream
}

func send(t *testing.T, stream gnmipb.GNMI_SubscribeClient, list *gnmipb.SubscriptionList) {
	t.Helper()
	err := stream.Send(&gnmipb.SubscribeRequest{Request: &gnmipb.SubscribeRequest_Subscribe{Subscribe: list}})
	if err != nil && err != io.EOF { // Recv tells why
		t.Fatal(err)
	}
}

func poll(t *testing.T, stream gnmipb.GNMI_SubscribeClient) {
	t.Helper()
	if err := stream.Send(&gnmipb.SubscribeRequest{Request: &gnmipb.SubscribeRequest_Poll{Poll: &gnmipb.Poll{}}}); err != nil {
		t.Fatal(err)
	}
}

// list of one subscription for each path.
func list(t *testing.T, mode gnmipb.SubscriptionList_Mode, how gnmipb.SubscriptionMode, paths ...string) *gnmipb.SubscriptionList {
	t.Helper()
	l := &gnmipb.SubscriptionList{Mode: mode, Encoding: gnmipb.Encoding_PROTO}
	for _, p := range paths {
		l.Subscription = append(l.Subscription, &gnmipb.Subscription{Path: mustPath(t, p), Mode: how})
	}
	return l
}

func recv(t *testing.T, stream gnmipb.GNMI_SubscribeClient) *gnmipb.SubscribeResponse {
	t.Helper()
	r, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// values receives until the sync: path in words to value.
func values(t *testing.T, stream gnmipb.GNMI_SubscribeClient) map[string]*gnmipb.TypedValue {
	t.Helper()
	out := make(map[string]*gnmipb.TypedValue)
	for {
		r := recv(t, stream)
		if r.GetSyncResponse() {
			return out
		}
		collect(out, r.GetUpdate())
	}
}

func collect(out map[string]*gnmipb.TypedValue, n *gnmipb.Notification) {
	for _, u := range n.GetUpdate() {
		full := append(append([]*gnmipb.PathElem{}, n.GetPrefix().GetElem()...), u.GetPath().GetElem()...)
		out[elemsString(full)] = u.Val
	}
}

const (
	octets1 = "/interfaces/interface[name=Ethernet1]/state/counters/in-octets"
	octets2 = "/interfaces/interface[name=Ethernet2]/state/counters/in-octets"
)

func startServer(t *testing.T, rec *Recording, opts Options) *Server {
	t.Helper()
	s, err := Start(rec, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// load returns the first two interfaces of recording openconfig, whose values
// these tests know.
func load(t *testing.T) *Recording {
	t.Helper()
	r, err := Load("openconfig")
	if err != nil {
		t.Fatal(err)
	}
	r.Notifications = r.Notifications[:3]
	return r
}

func TestServer(t *testing.T) {
	s := startServer(t, load(t), Options{})
	c, ctx := dial(t, s.Addr())
	l := list(t, gnmipb.SubscriptionList_STREAM, gnmipb.SubscriptionMode_ON_CHANGE, "/interfaces")
	l.Prefix = &gnmipb.Path{Origin: "openconfig"}
	stream := open(t, ctx, c, l)
	got := values(t, stream)
	if len(got) != 9 || got[octets1].GetUintVal() != 1000001 || got[octets2].GetUintVal() != 1<<64-1 {
		t.Errorf("%d values: %v", len(got), got)
	}
	at := &gnmipb.Path{Origin: "openconfig"}
	if err := s.Update(&gnmipb.Notification{Prefix: at, Update: []*gnmipb.Update{{Path: mustPath(t, octets1), Val: Uint(7)}}}); err != nil {
		t.Fatal(err)
	}
	n := recv(t, stream).GetUpdate()
	if len(n.GetUpdate()) != 1 || n.Update[0].Val.GetUintVal() != 7 || n.Prefix.GetTarget() != "" {
		t.Errorf("after an update: %v", n)
	}
	if err := s.Update(&gnmipb.Notification{Prefix: at, Delete: []*gnmipb.Path{mustPath(t, "/interfaces/interface[name=Ethernet2]")}}); err != nil {
		t.Fatal(err)
	}
	for range 4 { // the cache deletes leaves
		if n := recv(t, stream).GetUpdate(); len(n.GetDelete()) != 1 {
			t.Errorf("after a delete: %v", n)
		}
	}
	if err := s.Update(&gnmipb.Notification{Timestamp: 1, Prefix: at, Update: []*gnmipb.Update{{Path: mustPath(t, octets1), Val: Uint(8)}}}); !errors.Is(err, cache.ErrStale) {
		t.Errorf("an old update: %v", err)
	}
	for _, n := range []*gnmipb.Notification{
		{Update: []*gnmipb.Update{{Val: JSON("{}")}}},
		{Update: []*gnmipb.Update{{Path: mustPath(t, "/a")}}},
		{Update: []*gnmipb.Update{{Path: mustPath(t, "/meta"), Val: Uint(1)}}},
		{Delete: []*gnmipb.Path{nil}},
		{Atomic: true, Update: []*gnmipb.Update{{Path: mustPath(t, "/a"), Val: Uint(1)}}},
		{Prefix: &gnmipb.Path{Target: "other"}, Update: []*gnmipb.Update{{Path: mustPath(t, "/a"), Val: Uint(1)}}},
	} {
		if err := s.Update(n); err == nil {
			t.Errorf("no error for %v", n)
		}
	}

	caps, err := c.Capabilities(ctx, &gnmipb.CapabilityRequest{})
	if err != nil || caps.GNMIVersion != "0.10.0" {
		t.Errorf("Capabilities: %v, %v", caps, err)
	}
	get, err := c.Get(ctx, &gnmipb.GetRequest{Prefix: at, Path: []*gnmipb.Path{mustPath(t, "/interfaces/interface[name=Ethernet1]")}})
	if err != nil || len(get.GetNotification()) != 5 || get.Notification[0].GetPrefix().GetTarget() != "" {
		t.Errorf("Get: %v, %v", get, err)
	}

	once := list(t, gnmipb.SubscriptionList_ONCE, 0, "/interfaces")
	once.Prefix = at
	stream = open(t, ctx, c, once)
	if got := values(t, stream); len(got) != 5 {
		t.Errorf("ONCE: %v", got)
	}
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("after ONCE: %v", err)
	}
	once.Mode = gnmipb.SubscriptionList_POLL
	stream = open(t, ctx, c, once)
	for i := range 3 {
		if got := values(t, stream); len(got) != 5 {
			t.Errorf("poll %d: %v", i, got)
		}
		poll(t, stream)
	}
	s.Stop()
	values := 0
	for ; values < 20; values++ {
		if _, err = stream.Recv(); err != nil {
			break
		}
	}
	if status.Code(err) != codes.Unavailable {
		t.Errorf("after Stop: %v", err)
	}
}

// TestServerTargets: recorded targets are asked for by name, and echoed.
func TestServerTargets(t *testing.T) {
	rec, err := Parse([]byte("synthetic: targets\n-- a.updates --\n@ target=COUNTERS_DB timestamp=1\nCOUNTERS/Ethernet*/Queues json_ietf {}\n@ timestamp=1\n/a/b uint 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := startServer(t, rec, Options{Target: "leaf1"})
	c, ctx := dial(t, s.Addr())
	if _, err := c.Capabilities(ctx, &gnmipb.CapabilityRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("Capabilities: %v", err)
	}
	for target, want := range map[string]string{"": "/a/b", "leaf1": "/a/b", "COUNTERS_DB": "/COUNTERS/Ethernet*/Queues"} {
		l := list(t, gnmipb.SubscriptionList_ONCE, 0, want)
		l.Prefix = &gnmipb.Path{Target: target}
		stream := open(t, ctx, c, l)
		n := recv(t, stream).GetUpdate()
		got := make(map[string]*gnmipb.TypedValue)
		collect(got, n)
		if len(got) != 1 || got[want] == nil || n.GetPrefix().GetTarget() != target {
			t.Errorf("target %q: %v", target, n)
		}
	}
	if _, err := c.Get(ctx, &gnmipb.GetRequest{Prefix: &gnmipb.Path{Target: "spine"}}); status.Code(err) != codes.NotFound {
		t.Errorf("Get of another target: %v", err)
	}
}
