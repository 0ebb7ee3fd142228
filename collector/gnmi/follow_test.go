package gnmi

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// TestSilenceAfterSync has a device that stops to send, on a connection that
// is good. Its old values are not shown, and it is asked anew.
func TestSilenceAfterSync(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	cfg := reads(d.Addr(), small())
	cfg.Interval = 500 * time.Millisecond // time between the silence of all and that of one path
	target := run(t, cfg)
	wants(t, target, bytes1, up1)
	d.Change(func(f *gnmitest.Faults) { f.SilentAfterSync, f.SilentAtStart = true, true })
	shows(t, target, "roce_target_up", 0)
	if l := lines(t, target); l != "" {
		t.Errorf("a silent target has values:\n%s", l)
	}
	troubled(t, target, "went silent on a stream that stays open: nothing came for")
	d.Change(func(f *gnmitest.Faults) { f.SilentAfterSync, f.SilentAtStart = false, false })
	wants(t, target, bytes1, up1)
	shows(t, target, "roce_target_up", 1)
	if n := d.RPCs().Connected; n != 1 {
		t.Errorf("%d connections for a silence", n)
	}
}

// A device that is silent after each sync is asked over and over: each answer
// is fresh, so that there are values.
func TestSilentStreamIsResubscribed(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{SilentAfterSync: true})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1)
	tell(t, d, "/interfaces/interface[name=Ethernet1]/state/counters/in-octets", gnmitest.Uint(7))
	shows(t, target, bytes1, 7)
	eventually(t, "reconnects", func() bool { return health(t, target, "roce_target_reconnects_total") > 0 })
}

// One path of a stream can go silent while others are told.
func TestOnePathGoesSilent(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	p := small()
	p.Subscriptions = append(p.Subscriptions, openconfigQueues())
	cfg := reads(d.Addr(), p)
	cfg.Timing = quick()
	cfg.Timing.BackoffLeast, cfg.Timing.BackoffMost = time.Second, time.Second // the problem is gone with the next stream
	target := run(t, cfg)
	queue := `roce_queue_transmitted_packets_total{interface="Ethernet5",queue="0"}`
	wants(t, target, bytes1, queue)
	takeBack(t, d, "/qos")
	troubled(t, target, "nothing of /qos/interfaces/interface/output/queues/queue/state came")
	loses(t, target, queue)
	wants(t, target, bytes1)
}

func TestSilentAtStart(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{SilentAtStart: true})
	target := run(t, reads(d.Addr(), small()))
	troubled(t, target, "told nothing in time")
	shows(t, target, "roce_target_connected", 1)
	for series, want := range map[string]float64{"roce_target_up": 0, "roce_target_synchronized": 0} {
		if v := health(t, target, series); v != want {
			t.Errorf("%s %v", series, v)
		}
	}
	if has(t, target, "roce_target_last_receive_age_seconds") {
		t.Error("an age of what never came")
	}
	d.Change(func(f *gnmitest.Faults) { f.SilentAtStart = false })
	wants(t, target, bytes1)
	eventually(t, "no problem", func() bool { return target.Status().Problem == "" })
}

// A device that never says that it told all is believed after a while.
func TestNoSyncWithData(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{NoSync: true, RefusePaths: map[string]codes.Code{"/interfaces/interface/state/mtu": codes.InvalidArgument}})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1, up1)
	// It is known only then what there is: what goes is swept and expires.
	eventually(t, "it is settled", func() bool { return target.current().limited(0) })
	shows(t, target, "roce_target_refused_paths", 1)
	if v := health(t, target, "roce_target_synchronized"); v != 0 {
		t.Errorf("synchronized %v", v)
	}
	shows(t, target, "roce_target_up", 1)
	takeBack(t, d, "/interfaces/interface[name=Ethernet1]/state/counters")
	loses(t, target, bytes1)
	wants(t, target, bytes2)
	if n := d.RPCs().Streams; n != 1 {
		t.Errorf("%d streams", n)
	}
}

// limited says whether a subscription's values expire.
func (s *store) limited(subscription int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limits[subscription] != 0
}

func TestNoSyncWithoutData(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{NoSync: true})
	takeBack(t, d, "/interfaces")
	target := run(t, reads(d.Addr(), small()))
	troubled(t, target, "told nothing in time")
	eventually(t, "it is tried again", func() bool { return d.RPCs().Subscribe > 1 })
	if target.Status().Up {
		t.Error("up")
	}
}

// TestHalfOpenConnection has a connection on which nothing moves, and which
// nobody resets.
func TestHalfOpenConnection(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	proxy, err := gnmitest.StartProxy(d.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	target := run(t, reads(proxy.Addr(), small()))
	wants(t, target, bytes1)
	proxy.Freeze()
	shows(t, target, "roce_target_up", 0)
	if l := lines(t, target); l != "" {
		t.Errorf("values over a dead connection:\n%s", l)
	}
	proxy.Thaw()
	wants(t, target, bytes1)
	shows(t, target, "roce_target_up", 1)
	// The other way: it is cut, and the next one is good.
	was := health(t, target, "roce_target_reconnects_total")
	proxy.Cut()
	eventually(t, "a reconnect", func() bool { return health(t, target, "roce_target_reconnects_total") > was })
	wants(t, target, bytes1)
	proxy.Refuse(true)
	proxy.Cut()
	shows(t, target, "roce_target_connected", 0)
	shows(t, target, "roce_target_up", 0)
	proxy.Refuse(false)
	wants(t, target, bytes1)
}

// A device that came back without an interface has none.
func TestWhatIsGoneAfterARestartIsSwept(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	cfg := reads(d.Addr(), small())
	cfg.Interval = time.Minute // values do not expire: the sweep has to find it
	target := run(t, cfg)
	wants(t, target, bytes1, bytes2, up1, up2)
	d.Stop()
	shows(t, target, "roce_target_connected", 0)
	takeBack(t, d, "/interfaces/interface[name=Ethernet2]")
	tell(t, d, "/interfaces/interface[name=Ethernet3]/state/oper-status", gnmitest.String("DOWN"))
	if err := d.Restart(); err != nil {
		t.Fatal(err)
	}
	shows(t, target, `roce_interface_up{interface="Ethernet3"}`, 0)
	loses(t, target, bytes2)
	loses(t, target, up2)
	wants(t, target, bytes1, up1)
	if n := health(t, target, "roce_target_reconnects_total"); n == 0 {
		t.Error("no reconnect is counted")
	}
}

func TestDeviceThatIsNotThere(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	d.Stop()
	target := run(t, reads(d.Addr(), small()))
	troubled(t, target, "nothing listens there")
	st := target.Status()
	if st.Up || st.Connected || st.Received || st.Series != 0 || st.Encoding != "" {
		t.Errorf("%+v", st)
	}
	if err := d.Restart(); err != nil {
		t.Fatal(err)
	}
	wants(t, target, bytes1)
}

// TestStreamsThatAreClosed has streams that end after a while, with any code:
// each begins again on its connection, not more often than the backoff has it.
func TestStreamsThatAreClosed(t *testing.T) {
	for _, code := range []codes.Code{codes.OK, codes.Unavailable, codes.Canceled, codes.Internal, codes.ResourceExhausted, codes.InvalidArgument} {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			d := lively(t, gnmitest.Faults{CloseAfter: &gnmitest.CloseAfter{Messages: 30, Code: code}})
			target := run(t, reads(d.Addr(), small()))
			eventually(t, "it is asked again and again", func() bool { return d.RPCs().Subscribe >= 3 })
			if n := d.RPCs().Connected; n != 1 {
				t.Errorf("%d connections", n)
			}
			if n := health(t, target, "roce_target_reconnects_total"); n < 2 {
				t.Errorf("%v reconnects", n)
			}
			if p := target.Status().Problem; p != "" && code != codes.OK && !strings.Contains(p, "("+code.String()+")") {
				t.Errorf("problem %q", p)
			}
			wants(t, target, bytes1)
			if n := health(t, target, "roce_target_refused_paths"); n != 0 {
				t.Errorf("%v paths are refused: %q", n, target.Status().Refused)
			}
			d.Change(func(f *gnmitest.Faults) { f.CloseAfter = nil })
			shows(t, target, "roce_target_synchronized", 1)
			eventually(t, "no problem", func() bool { return target.Status().Problem == "" })
		})
	}
}

// TestBackoff has devices that end everything at once: they are not asked as
// fast as they answer.
func TestBackoff(t *testing.T) {
	for name, f := range map[string]gnmitest.Faults{
		"cleanly":     {CloseAfter: &gnmitest.CloseAfter{Code: codes.OK}},
		"unavailable": {CloseAfter: &gnmitest.CloseAfter{Code: codes.Unavailable}},
		"half way":    {CloseAfter: &gnmitest.CloseAfter{Messages: 1, Code: codes.Unavailable}},
		"password":    {Username: "admin", Password: "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := lively(t, f)
			cfg := reads(d.Addr(), small())
			cfg.Timing = quick()
			cfg.Timing.BackoffMost = 300 * time.Millisecond
			target := run(t, cfg)
			calls := func() int { r := d.RPCs(); return r.Subscribe + r.Capabilities }
			begun := time.Now()
			eventually(t, "it is tried again", func() bool { return calls() >= 8 })
			// 20, 40, 80, 160, 300, 300, ... ms, and a quarter less each.
			if most := 8 + int(time.Since(begun)/(200*time.Millisecond)); calls() > most {
				t.Errorf("%d calls, of which %d should be the most", calls(), most)
			}
			if target.Status().Problem == "" {
				t.Error("no problem")
			}
		})
	}
}

func TestBackoffGrowsAndIsBounded(t *testing.T) {
	b := &backoff{least: time.Second, most: time.Minute}
	want := time.Second
	for range 100 {
		if d := b.next(); d < want*3/4 || d > want*5/4 {
			t.Fatalf("%v, not about %v", d, want)
		}
		want = min(2*want, time.Minute)
	}
	b.reset()
	if d := b.next(); d > 5*time.Second/4 {
		t.Errorf("%v after a reset", d)
	}
}

// TestDeletes has each kind of delete, on change.
func TestDeletes(t *testing.T) {
	for name, c := range map[string]struct{ path, gone, left string }{
		"leaf":      {"/interfaces/interface[name=Ethernet1]/state/oper-status", up1, mtu1},
		"container": {"/interfaces/interface[name=Ethernet1]/state", mtu1, up2},
		"interface": {"/interfaces/interface[name=Ethernet1]", up1, up2},
	} {
		for shape, f := range map[string]gnmitest.Faults{
			"":              {},
			", in a prefix": {PrefixElems: 99},
			", as elements": {ElementPaths: true},
			", by module":   {ModulePrefix: "openconfig-interfaces"},
		} {
			t.Run(name+shape, func(t *testing.T) {
				t.Parallel()
				d := lively(t, f)
				target := run(t, reads(d.Addr(), small()))
				wants(t, target, c.gone, c.left)
				takeBack(t, d, c.path)
				loses(t, target, c.gone)
				wants(t, target, c.left)
				if n := health(t, target, "roce_target_deletes_total"); n == 0 {
					t.Error("no delete is counted")
				}
			})
		}
	}
}

// An interface that goes, of which only samples are told, is not deleted: it is
// told no more.
func TestInterfaceThatIsNotSampledAnyMoreExpires(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	p := small()
	p.Subscriptions = p.Subscriptions[:1]
	target := run(t, reads(d.Addr(), p))
	wants(t, target, bytes1, bytes2)
	takeBack(t, d, "/interfaces/interface[name=Ethernet2]")
	loses(t, target, bytes2)
	wants(t, target, bytes1)
	if n := health(t, target, "roce_target_expired_entries_total"); n != 1 {
		t.Errorf("%v entries expired", n)
	}
	if n := health(t, target, "roce_target_deletes_total"); n != 0 {
		t.Errorf("%v deletes", n)
	}
}

// Counters that a device tells only when they change stay as they are. What is
// gone is found when the stream is begun anew.
func TestZeroSuppressed(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	cfg := reads(d.Addr(), small())
	cfg.Profiles[0].Subscriptions = cfg.Profiles[0].Subscriptions[:1]
	cfg.Profiles[0].Subscriptions[0].ZeroSuppressed = true
	cfg.Timing = quick()
	cfg.Timing.Anew = 1500 * time.Millisecond
	target := run(t, cfg)
	wants(t, target, bytes1, bytes2)
	takeBack(t, d, "/interfaces/interface[name=Ethernet2]")
	loses(t, target, bytes2)
	if n := d.RPCs().Subscribe; n < 2 {
		t.Errorf("%d RPCs", n)
	}
	wants(t, target, bytes1)
	if n := health(t, target, "roce_target_expired_entries_total"); n != 0 {
		t.Errorf("%v entries expired", n)
	}
	if n := health(t, target, "roce_target_reconnects_total"); n != 0 {
		t.Errorf("%v reconnects, where nothing is wrong", n)
	}
}

// TestMethods has targets that are asked, by either method.
func TestMethods(t *testing.T) {
	for name, method := range map[string]Method{"poll": Poll, "get": Get} {
		configure := func(d *gnmitest.Device) Config {
			cfg := reads(d.Addr(), small())
			cfg.Method = method
			return cfg
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := lively(t, gnmitest.Faults{})
			target := run(t, configure(d))
			wants(t, target, bytes1, bytes2, up1, up2, mtu1)
			shows(t, target, "roce_target_synchronized", 1)
			tell(t, d, "/interfaces/interface[name=Ethernet1]/state/oper-status", gnmitest.String("DOWN"))
			tell(t, d, "/interfaces/interface[name=Ethernet1]/state/counters/in-octets", gnmitest.Uint(5))
			shows(t, target, up1, 0)
			shows(t, target, bytes1, 5)
			takeBack(t, d, "/interfaces/interface[name=Ethernet2]")
			loses(t, target, bytes2)
			loses(t, target, up2)
			wants(t, target, bytes1, mtu1)
			if v := health(t, target, "roce_target_up"); v != 1 {
				t.Errorf("up %v", v)
			}
			if n := health(t, target, "roce_target_expired_entries_total"); n != 0 {
				t.Errorf("%v entries expired: the next answer did not say that they are gone", n)
			}
		})
		t.Run(name+", a path refused", func(t *testing.T) {
			t.Parallel()
			d := lively(t, gnmitest.Faults{RefusePaths: map[string]codes.Code{"/interfaces/interface/state/mtu": codes.NotFound}})
			target := run(t, configure(d))
			wants(t, target, bytes1, up1)
			shows(t, target, "roce_target_refused_paths", 1)
		})
		t.Run(name+", no answer", func(t *testing.T) {
			t.Parallel()
			d := lively(t, gnmitest.Faults{})
			target := run(t, configure(d))
			wants(t, target, bytes1)
			d.Change(func(f *gnmitest.Faults) { f.GetHang, f.SilentAfterSync, f.SilentAtStart = true, true, true })
			troubled(t, target, "told nothing in time")
			if l := lines(t, target); l != "" {
				t.Errorf("old values:\n%s", l)
			}
			d.Change(func(f *gnmitest.Faults) { f.GetHang, f.SilentAfterSync, f.SilentAtStart = false, false, false })
			wants(t, target, bytes1)
			eventually(t, "no problem", func() bool { return target.Status().Problem == "" })
		})
		t.Run(name+", never an answer", func(t *testing.T) {
			t.Parallel()
			d := lively(t, gnmitest.Faults{SilentAtStart: true, GetHang: true})
			target := run(t, configure(d))
			troubled(t, target, "told nothing in time")
		})
	}
}

// pools is a profile whose second path is asked for once for each pool of which
// the first one tells.
func pools() Profile {
	return Profile{Name: "pools", Subscriptions: []Subscription{
		{Path: "/NAMES", Mode: OnChange, Base: "/NAMES", Leaves: []Leaf{{Path: "{pool}", Renames: ValueToCaptured}}},
		{Path: "/WATERMARKS/{pool}", Base: "/WATERMARKS/{pool}", Leaves: []Leaf{{Path: "BYTES", Metric: metric.BufferPoolUsed}}},
	}}
}

// TestPathsOfIdentifiers has paths that are known only when the target has told
// what there is, and that change with it.
func TestPathsOfIdentifiers(t *testing.T) {
	t.Parallel()
	d, err := gnmitest.StartDevice(&gnmitest.Recording{}, gnmitest.DeviceOptions{MinInterval: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Stop)
	series := func(pool string) string { return metric.BufferPoolUsed.Name + `{pool="` + pool + `"}` }
	tell(t, d, "/WATERMARKS/oid:0x1/BYTES", gnmitest.Uint(1))
	tell(t, d, "/WATERMARKS/oid:0x2/BYTES", gnmitest.Uint(2))
	tell(t, d, `/WATERMARKS/a\/b]=\[/BYTES`, gnmitest.Uint(3))
	tell(t, d, "/NAMES/other", gnmitest.String("oid:0x9"))
	tell(t, d, "/NAMES/ingress", gnmitest.String("oid:0x1"))
	target := run(t, reads(d.Addr(), pools()))
	shows(t, target, series("ingress"), 1)
	asked := func() []string {
		var out []string
		lists := d.RPCs().Lists
		for _, s := range lists[len(lists)-1].GetSubscription() {
			out = append(out, gnmitest.PathString(s.GetPath()))
		}
		return out
	}
	if a := asked(); !slices.Equal(a, []string{"/WATERMARKS/oid:0x1", "/WATERMARKS/oid:0x9"}) {
		t.Errorf("asked for %q", a)
	}
	tell(t, d, "/NAMES/egress", gnmitest.String("oid:0x2"))
	shows(t, target, series("egress"), 2)
	shows(t, target, series("ingress"), 1)
	// It becomes another object, whose identifier is full of what paths are made of.
	tell(t, d, "/NAMES/egress", gnmitest.String("a/b]=["))
	shows(t, target, series("egress"), 3)
	loses(t, target, series("oid:0x2"))
	takeBack(t, d, "/NAMES/egress")
	loses(t, target, series("egress"))
	eventually(t, "it is not asked for any more", func() bool { return slices.Equal(asked(), []string{"/WATERMARKS/oid:0x1", "/WATERMARKS/oid:0x9"}) })
	if n := health(t, target, "roce_target_reconnects_total"); n != 0 {
		t.Errorf("%v reconnects", n)
	}
}

// Refused paths of identifiers that are gone are forgotten with them.
func TestRefusalsDoNotPileUp(t *testing.T) {
	t.Parallel()
	refuse := make(map[string]codes.Code)
	for i := range 5 {
		refuse[fmt.Sprintf("/WATERMARKS/oid%d", i)] = codes.NotFound
	}
	d, err := gnmitest.StartDevice(&gnmitest.Recording{}, gnmitest.DeviceOptions{MinInterval: 100 * time.Millisecond, Faults: gnmitest.Faults{RefusePaths: refuse}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Stop)
	tell(t, d, "/WATERMARKS/good/BYTES", gnmitest.Uint(1))
	tell(t, d, "/NAMES/good", gnmitest.String("good"))
	tell(t, d, "/NAMES/bad", gnmitest.String("oid0"))
	target := run(t, reads(d.Addr(), pools()))
	for i := range 5 {
		tell(t, d, "/NAMES/bad", gnmitest.String(fmt.Sprintf("oid%d", i)))
		eventually(t, "one is refused", func() bool {
			r := target.Status().Refused
			return len(r) == 1 && strings.HasPrefix(r[0], fmt.Sprintf("/WATERMARKS/oid%d: ", i))
		})
	}
	takeBack(t, d, "/NAMES/bad")
	shows(t, target, "roce_target_refused_paths", 0)
	shows(t, target, metric.BufferPoolUsed.Name+`{pool="good"}`, 1)
}

// TestReplayServer reads openconfig's own server.
func TestReplayServer(t *testing.T) {
	t.Parallel()
	s, err := gnmitest.Start(recording(t, "openconfig"), gnmitest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	p := small()
	p.Subscriptions = p.Subscriptions[1:]
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		s.Origin = "openconfig" // the cache keeps origins apart, and wants keys
		s.Path = strings.Replace(s.Path, "/interface/", "/interface[name=*]/", 1)
	}
	target := run(t, reads(s.Addr(), p))
	wants(t, target, up1, up2, mtu1)
	gone, err := gnmitest.ParseUpdates("@ origin=openconfig\n-/interfaces/interface[name=Ethernet2]")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(gone[0]); err != nil {
		t.Fatal(err)
	}
	loses(t, target, up2)
	wants(t, target, up1, mtu1)
}

// What a device's documentation asks for is in the request.
func TestRequests(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	p := small()
	p.Subscriptions[1].Target, p.Subscriptions[1].Origin = "DB", "native"
	p.Subscriptions[2].Mode = TargetDefined
	p.Subscriptions[0].Least = 2 * time.Second
	cfg := reads(d.Addr(), p)
	cfg.PathTarget = "switch"
	target := run(t, cfg)
	wants(t, target, bytes1, up1, mtu1)
	lists := d.RPCs().Lists
	if len(lists) != 2 {
		t.Fatalf("%d RPCs", len(lists))
	}
	for _, l := range lists {
		for _, s := range l.GetSubscription() {
			target, origin, mode, interval := "switch", "", gnmipb.SubscriptionMode_SAMPLE, uint64(2*time.Second)
			switch s.GetPath().GetElem()[3].GetName() {
			case "oper-status":
				target, origin, mode, interval = "DB", "native", gnmipb.SubscriptionMode_ON_CHANGE, 0
			case "mtu":
				mode, interval = gnmipb.SubscriptionMode_TARGET_DEFINED, 0
			}
			if l.GetPrefix().GetTarget() != target || s.GetPath().GetOrigin() != origin || s.GetMode() != mode || s.GetSampleInterval() != interval {
				t.Errorf("%v %v", l.GetPrefix(), s)
			}
		}
		if l.GetMode() != gnmipb.SubscriptionList_STREAM || l.GetEncoding() != gnmipb.Encoding_PROTO || l.GetUpdatesOnly() || l.GetAllowAggregation() {
			t.Errorf("%v", l)
		}
	}
}

// Run returns soon after its context ends, whatever the target does, and leaves
// no goroutine that writes to its log.
func TestRunEnds(t *testing.T) {
	for name, f := range map[string]gnmitest.Faults{
		"while it reads":     {},
		"while it waits":     {SilentAtStart: true},
		"while it backs off": {CloseAfter: &gnmitest.CloseAfter{Code: codes.Unavailable}},
		"before it knows":    {CapabilitiesHang: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := lively(t, f)
			cfg := reads(d.Addr(), small())
			cfg.Name, cfg.Timing, cfg.Log = "leaf1", quick(), slog.New(slog.DiscardHandler)
			target, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); target.Run(ctx) }()
			eventually(t, "an RPC", func() bool { r := d.RPCs(); return r.Subscribe+r.Capabilities > 0 })
			cancel()
			select {
			case <-done:
			case <-time.After(5 * time.Second):
				t.Fatal("it runs on")
			}
			if target.streams.Load() != 0 || target.unsynced.Load() < 0 {
				t.Errorf("%d streams, %d not synchronized", target.streams.Load(), target.unsynced.Load())
			}
		})
	}
}
