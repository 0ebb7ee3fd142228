package gnmi

import (
	"crypto/tls"
	"fmt"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	fake "github.com/openconfig/gnmi/testing/fake/gnmi"
	fakepb "github.com/openconfig/gnmi/testing/fake/proto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
)

// TestFakeServer reads the server that openconfig has for tests of collectors,
// over TLS: it knows no Capabilities, and tells what it is configured to,
// whatever it is asked for.
func TestFakeServer(t *testing.T) {
	t.Parallel()
	if err := gnmitest.Quiet(); err != nil {
		t.Fatal(err)
	}
	ours := authority(t)
	cert, err := ours.Certificate("localhost")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now().UnixNano()
	at := func(d time.Duration, updates string) *gnmipb.SubscribeResponse {
		n, err := gnmitest.ParseUpdates(updates)
		if err != nil || len(n) != 1 {
			t.Fatal(n, err)
		}
		n[0].Timestamp = start + d.Nanoseconds()
		return &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: n[0]}}
	}
	sync := &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_SyncResponse{SyncResponse: true}}
	responses := []*gnmipb.SubscribeResponse{
		at(0, "@ prefix=/interfaces/interface[name=Ethernet1]/state\ncounters/in-octets uint 1\noper-status string UP\nmtu uint 9216"),
		at(0, "@ prefix=/interfaces/interface[name=Ethernet2]/state\ncounters/in-octets uint 2\noper-status string UP"),
		sync,
	}
	// It waits between messages as their timestamps have it.
	for i := range 20 {
		responses = append(responses, at(time.Duration(i+1)*100*time.Millisecond, fmt.Sprintf("/interfaces/interface[name=Ethernet1]/state/counters/in-octets uint %d", i+10)))
		if i == 10 {
			responses = append(responses, at(1100*time.Millisecond, "-/interfaces/interface[name=Ethernet2]/state/oper-status"))
		}
	}
	agent, err := fake.New(&fakepb.Config{Target: "leaf1", ClientType: fakepb.Config_GRPC_GNMI, DisableSync: true, DisableEof: true, EnableDelay: true,
		Generator: &fakepb.Config_Fixed{Fixed: &fakepb.FixedGenerator{Responses: responses}}},
		[]grpc.ServerOption{grpc.Creds(credentials.NewTLS(ours.ServerConfig(cert, false)))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(agent.Close)
	cfg := reads(agent.Address(), small())
	cfg.TLS = func() (*tls.Config, error) { return &tls.Config{RootCAs: ours.Pool()}, nil }
	cfg.PathTarget = "leaf1"
	cfg.Interval = time.Second
	target := run(t, cfg)
	wants(t, target, bytes1, bytes2, up1, up2)
	shows(t, target, mtu1, 9216)
	shows(t, target, bytes1, 29)
	loses(t, target, up2)
	wants(t, target, up1)
	if n := health(t, target, "roce_target_deletes_total"); n != 1 {
		t.Errorf("%v deletes", n)
	}
	if n := len(agent.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}
