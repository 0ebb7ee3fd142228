package gnmi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// wants says whether every series is there.
func wants(t *testing.T, target *Target, series ...string) {
	t.Helper()
	for _, s := range series {
		eventually(t, s, func() bool { return has(t, target, s) })
	}
}

// TestRefusedPathCostsOnlyItself has each of the codes that devices use for what
// they do not know.
func TestRefusedPathCostsOnlyItself(t *testing.T) {
	for _, code := range []codes.Code{codes.InvalidArgument, codes.NotFound, codes.Unimplemented, codes.Internal, codes.Unknown,
		codes.PermissionDenied, codes.FailedPrecondition, codes.OutOfRange} {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			refused := "/qos/interfaces/interface/output/queues/queue/state"
			d := lively(t, gnmitest.Faults{RefusePaths: map[string]codes.Code{refused: code}})
			target := run(t, reads(d.Addr(), openconfigProfile()))
			wants(t, target, bytes1, up1, mtu1, `roce_fec_mode_info{interface="Ethernet5",mode="FEC_RS544"}`,
				`roce_interface_info{description="spine01 uplink",interface="Ethernet6"}`)
			shows(t, target, "roce_target_refused_paths", 1)
			if strings.Contains(lines(t, target), "roce_queue") {
				t.Error("the refused path has values")
			}
			st := target.Status()
			if len(st.Refused) != 1 || !strings.HasPrefix(st.Refused[0], refused+": ") || !strings.Contains(st.Refused[0], "("+code.String()+")") {
				t.Errorf("refused: %q", st.Refused)
			}
			if !st.Up || st.Problem != "" {
				t.Errorf("up %v, problem %q", st.Up, st.Problem)
			}
			// 17 paths in halves: 4 levels of 2, and the streams before and after.
			if n := d.RPCs().Subscribe; n > 14 {
				t.Errorf("%d RPCs to find one path", n)
			}
		})
	}
}

func TestTwoRefusedPathsAreBothFound(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{RefusePaths: map[string]codes.Code{
		"/interfaces/interface/state/oper-status": codes.InvalidArgument,
		"/interfaces/interface/state/mtu":         codes.NotFound,
	}})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1)
	shows(t, target, "roce_target_refused_paths", 2)
	if has(t, target, up1) || has(t, target, mtu1) {
		t.Error("a refused path has values")
	}
}

func TestRefusedPathIsTriedAgain(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{RefusePaths: map[string]codes.Code{"/interfaces/interface/state/mtu": codes.InvalidArgument}})
	cfg := reads(d.Addr(), small())
	cfg.Timing = quick()
	cfg.Timing.Refused = 300 * time.Millisecond
	target := run(t, cfg)
	shows(t, target, "roce_target_refused_paths", 1)
	d.Change(func(f *gnmitest.Faults) { f.RefusePaths = nil })
	shows(t, target, mtu1, 9216)
	shows(t, target, "roce_target_refused_paths", 0)
	if r := target.Status().Refused; len(r) != 0 {
		t.Errorf("still refused: %q", r)
	}
}

// The paths that a device took before can be refused by what runs on it later.
func TestPathThatIsRefusedLaterGoes(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1, mtu1)
	d.Change(func(f *gnmitest.Faults) {
		f.RefusePaths = map[string]codes.Code{"/interfaces/interface/state/mtu": codes.InvalidArgument}
	})
	if err := d.Restart(); err != nil {
		t.Fatal(err)
	}
	shows(t, target, "roce_target_refused_paths", 1)
	loses(t, target, mtu1)
	wants(t, target, bytes1, up1)
}

// onChangeRefused refuses paths in subscriptions on change only, as many devices
// do for some.
func TestOnChangeRefusedIsSampled(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{RefuseOnChange: map[string]codes.Code{"/interfaces/interface/state/mtu": codes.InvalidArgument}})
	target := run(t, reads(d.Addr(), small()))
	shows(t, target, mtu1, 9216)
	wants(t, target, bytes1, up1)
	if n := health(t, target, "roce_target_refused_paths"); n != 0 {
		t.Errorf("%v paths are refused", n)
	}
	lists := d.RPCs().Lists
	last := lists[len(lists)-1]
	for _, sub := range last.GetSubscription() {
		name := gnmitest.PathString(sub.GetPath())
		want := gnmipb.SubscriptionMode_ON_CHANGE
		if strings.HasSuffix(name, "/mtu") || strings.HasSuffix(name, "/counters") {
			want = gnmipb.SubscriptionMode_SAMPLE
		}
		if sub.GetMode() != want {
			t.Errorf("%s is asked for by %v", name, sub.GetMode())
		}
		if want == gnmipb.SubscriptionMode_SAMPLE && sub.GetSampleInterval() != uint64(100*time.Millisecond) {
			t.Errorf("%s is sampled every %d ns", name, sub.GetSampleInterval())
		}
	}
	// It lives as what is sampled does: a value that is not told again goes,
	// though no delete comes.
	tell(t, d, "/interfaces/interface[name=Ethernet1]/state/mtu", gnmitest.Uint(1500))
	shows(t, target, mtu1, 1500)
	takeBack(t, d, "/interfaces/interface[name=Ethernet1]/state/mtu")
	loses(t, target, mtu1)
	wants(t, target, up1, bytes1)
}

func TestAllRefusedIsAProblem(t *testing.T) {
	t.Parallel()
	refuse := make(map[string]codes.Code)
	for _, s := range small().Subscriptions {
		refuse[s.Path] = codes.NotFound
	}
	d := lively(t, gnmitest.Faults{RefusePaths: refuse})
	target := run(t, reads(d.Addr(), small()))
	troubled(t, target, "refuses every path of the profile")
	troubled(t, target, "is refused (NotFound)")
	if target.Status().Up {
		t.Error("up")
	}
	d.Change(func(f *gnmitest.Faults) { f.RefusePaths = nil })
	shows(t, target, mtu1, 9216)
	eventually(t, "no problem", func() bool { return target.Status().Problem == "" })
	shows(t, target, "roce_target_refused_paths", 0)
}

// A device of which a part is restarted refuses for a while what it took: it is
// not given up for as long as what it never took.
func TestRefusalOfAllThatWasTakenPasses(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1)
	d.Change(func(f *gnmitest.Faults) { f.CloseAfter = &gnmitest.CloseAfter{Code: codes.Internal} })
	troubled(t, target, "closed after 0 messages (Internal)")
	shows(t, target, "roce_target_refused_paths", 3)
	d.Change(func(f *gnmitest.Faults) { f.CloseAfter = nil })
	wants(t, target, bytes1, up1, mtu1)
	shows(t, target, "roce_target_refused_paths", 0)
	eventually(t, "no problem", func() bool { return target.Status().Problem == "" })
}

func TestRefusedEncodingGivesTheNext(t *testing.T) {
	t.Parallel()
	// It says that it can PROTO.
	d := lively(t, gnmitest.Faults{Encodings: []gnmipb.Encoding{gnmipb.Encoding_JSON}})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1)
	if e := target.Status().Encoding; e != "json" {
		t.Errorf("encoding %q", e)
	}
	if n := health(t, target, `roce_target_info{encoding="json",profile="small",protocol="gnmi"}`); n != 1 {
		t.Errorf("info %v", n)
	}
	if n := health(t, target, "roce_target_refused_paths"); n != 0 {
		t.Errorf("%v paths are refused for their encoding", n)
	}
}

func TestNoEncodingIsAProblem(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{Encodings: []gnmipb.Encoding{gnmipb.Encoding_ASCII}})
	target := run(t, reads(d.Addr(), small()))
	troubled(t, target, "encoding JSON is not supported")
	if e := target.Status().Encoding; e != "" && target.Status().Up {
		t.Errorf("encoding %q", e)
	}
}

func TestConfiguredEncodingIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{Encodings: []gnmipb.Encoding{gnmipb.Encoding_JSON_IETF}})
	cfg := reads(d.Addr(), small())
	e := gnmipb.Encoding_JSON_IETF
	cfg.Encoding = &e
	target := run(t, cfg)
	wants(t, target, bytes1)
	for _, l := range d.RPCs().Lists {
		if l.GetEncoding() != e {
			t.Errorf("asked for %v", l.GetEncoding())
		}
	}
}

// TestFewPathsPerStream has a device that takes two paths in one stream.
func TestFewPathsPerStream(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{MaxSubscriptions: 2})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1, up1, mtu1)
	shows(t, target, "roce_target_streams", 2)
	shows(t, target, "roce_target_synchronized", 1)
	if n := health(t, target, "roce_target_refused_paths"); n != 0 {
		t.Errorf("%v paths are refused", n)
	}
	if n := d.RPCs().Streams; n != 2 {
		t.Errorf("%d streams", n)
	}
}

// origins is a profile whose subscriptions cannot share a stream, so that it
// needs three, of which two have several paths.
func origins(maxStreams int) Profile {
	counters, state := openconfigInterfaceCounters(), openconfigState("oper-status", Leaf{Metric: metric.InterfaceUp, Words: operStatus()})
	mtu := openconfigState("mtu", Leaf{Metric: metric.InterfaceMTU})
	admin := openconfigState("admin-status", Leaf{Metric: metric.InterfaceAdminUp, Words: map[string]float64{"UP": 1, "DOWN": 0}})
	ethernet := openconfigEthernetCounters()
	state.Origin, admin.Origin, ethernet.Origin, mtu.Origin = "openconfig", "openconfig", "other", "openconfig"
	speed := openconfigEthernet()[0]
	speed.Origin = "other"
	return Profile{Name: "origins", MaxStreams: maxStreams, Subscriptions: []Subscription{counters, state, admin, mtu, ethernet, speed}}
}

// A device that allows few RPCs is asked by no more, also while it is found out
// what it takes; where it takes its paths one by one only, some are left out.
func TestMaxStreamsIsKept(t *testing.T) {
	for _, limit := range []int{3, 4, 5, 6} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			t.Parallel()
			d := lively(t, gnmitest.Faults{MaxSubscriptions: 1, MaxRPCs: limit})
			target := run(t, reads(d.Addr(), origins(limit)))
			// Three kinds of streams, and each path beyond costs one more.
			eventually(t, "as many streams as it may have", func() bool {
				return d.RPCs().Streams == limit && target.streams.Load() == int32(limit) && health(t, target, "roce_target_refused_paths") == float64(6-limit)
			})
			wants(t, target, bytes1)
			// A stream that has ended a device can count a little longer.
			for range 30 {
				if n := d.RPCs().Streams; n != limit {
					t.Fatalf("%d streams at once, of %d", n, limit)
				}
				time.Sleep(10 * time.Millisecond)
			}
			for _, r := range target.Status().Refused {
				if !strings.Contains(r, "no more streams") {
					t.Errorf("refused: %q", r)
				}
			}
		})
	}
}

// TestDeviceThatCountsRPCs has a device that refuses the RPC that is one too
// many, and one of the paths.
func TestDeviceThatCountsRPCs(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{MaxRPCs: 1, RefusePaths: map[string]codes.Code{"/interfaces/interface/state/mtu": codes.InvalidArgument}})
	p := small()
	p.MaxStreams = 1
	target := run(t, reads(d.Addr(), p))
	wants(t, target, bytes1, up1)
	shows(t, target, "roce_target_refused_paths", 1)
	if r := target.Status().Refused; len(r) != 1 || !strings.HasPrefix(r[0], "/interfaces/interface/state/mtu: ") {
		t.Errorf("refused: %q", r)
	}
}

// TestShapes has what devices send in other shapes: the same series come of all
// of them.
func TestShapes(t *testing.T) {
	shapes := map[string]gnmitest.Faults{
		"as it is":             {},
		"element paths":        {ElementPaths: true},
		"origin in the prefix": {OriginInPrefix: true},
		"no prefix":            {PrefixElems: -1},
		"prefix of one":        {PrefixElems: 1},
		"prefix of three":      {PrefixElems: 3},
		"all in the prefix":    {PrefixElems: 99},
		"module":               {ModulePrefix: "openconfig-interfaces"},
		"modules":              {ModulePrefix: "openconfig-interfaces", ModuleEverywhere: true},
		"JSON_IETF":            {JSONIETF: true},
		"texts":                {StringValues: true},
		"doubles":              {DoubleValues: true},
		"atomic":               {Atomic: true, PrefixElems: 99},
		"duplicates":           {Duplicates: 7},
		"empty notifications":  {EmptyNotifications: true},
		"1970":                 {Timestamp: gnmitest.FixedTimestamp(1)},
		"far future":           {Timestamp: gnmitest.FixedTimestamp(1<<63 - 1)},
		"before all time":      {Timestamp: gnmitest.FixedTimestamp(-1 << 63)},
		"malformed":            {Malformed: true},
		"old, in IETF's JSON":  {ElementPaths: true, JSONIETF: true, ModulePrefix: "m", EmptyNotifications: true},
	}
	want := map[string]float64{
		bytes1: 1000001, bytes2: 18446744073709551615, up1: 1, mtu1: 9216,
		`roce_interface_received_errors_total{interface="Ethernet1"}`:             3,
		`roce_interface_speed_bytes_per_second{interface="Ethernet5"}`:            5e10,
		`roce_fec_before_error_ratio{interface="Ethernet5"}`:                      1.7e-08,
		`roce_interface_info{description="spine01 uplink",interface="Ethernet6"}`: 1,
	}
	p := small()
	p.Subscriptions = append(p.Subscriptions, openconfigEthernet()...)
	p.Subscriptions = append(p.Subscriptions, openconfigState("description", Leaf{Metric: metric.InterfaceInfo, Label: metric.Description}))
	for name, f := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := lively(t, f)
			target := run(t, reads(d.Addr(), p))
			for series, v := range want {
				shows(t, target, series, v)
			}
			shows(t, target, "roce_target_synchronized", 1)
		})
	}
}

func TestClockOffset(t *testing.T) {
	for name, c := range map[string]struct {
		stamp    int64
		from, to float64
	}{
		"1970":    {1, -4e9, -1e9},
		"future":  {1<<63 - 1, 1e9, 9.3e9},
		"minimum": {-1 << 63, -9.3e9, -9e9},
		"none":    {0, -1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := lively(t, gnmitest.Faults{Timestamp: gnmitest.FixedTimestamp(c.stamp)})
			target := run(t, reads(d.Addr(), small()))
			wants(t, target, bytes1)
			if v := health(t, target, "roce_target_clock_offset_seconds"); v < c.from || v > c.to {
				t.Errorf("offset %v", v)
			}
			// The device's clock does not make its values old.
			if v := health(t, target, "roce_target_last_receive_age_seconds"); v < 0 || v > 5 {
				t.Errorf("age %v", v)
			}
		})
	}
}

func TestDuplicatesAreCounted(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{Duplicates: 7})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1)
	eventually(t, "seven to one", func() bool {
		n := health(t, target, "roce_target_coalesced_updates_total")
		return n >= 7 && int(n)%7 == 0
	})
}

const unusables = `roce_target_unusable_values_total{reason="%s"}`

// TestUnusableValuesAreCounted has values that make no sense, each counted by
// its reason; the series that had a value before has none after it.
func TestUnusableValuesAreCounted(t *testing.T) {
	counter, status := "/interfaces/interface[name=Ethernet1]/state/counters/in-octets", "/interfaces/interface[name=Ethernet1]/state/oper-status"
	long := strings.Repeat("x", maxText+1)
	for name, c := range map[string]struct {
		path   string
		value  *gnmipb.TypedValue
		reason unusable
		series string
	}{
		"a text for a number":     {counter, gnmitest.String("many"), wrongType, bytes1},
		"a negative counter":      {counter, gnmitest.Int(-1), outOfRange, bytes1},
		"JSON that is none":       {counter, gnmitest.JSON("{"), malformed, ""},
		"a word of no meaning":    {status, gnmitest.String("SIDEWAYS"), unknownWord, up1},
		"a number for a word":     {status, gnmitest.Uint(7), unknownWord, up1},
		"a list for a number":     {counter, &gnmipb.TypedValue{Value: &gnmipb.TypedValue_LeaflistVal{LeaflistVal: &gnmipb.ScalarArray{Element: []*gnmipb.TypedValue{gnmitest.Uint(1), gnmitest.Uint(2)}}}}, malformed, ""},
		"a name that is too long": {"/interfaces/interface[name=" + long + "]/state/counters/in-octets", gnmitest.Uint(1), outOfRange, ""},
		"a name with a zero":      {"/interfaces/interface[name=a\x00b]/state/counters/in-octets", gnmitest.Uint(1), outOfRange, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := lively(t, gnmitest.Faults{})
			target := run(t, reads(d.Addr(), small()))
			wants(t, target, bytes1, up1)
			series := fmt.Sprintf(unusables, c.reason)
			if n := health(t, target, series); n != 0 {
				t.Fatalf("%s %v before it comes", series, n)
			}
			tell(t, d, c.path, c.value)
			eventually(t, series, func() bool { return health(t, target, series) > 0 })
			if c.series != "" {
				loses(t, target, c.series)
			}
			wants(t, target, bytes2, up2)
		})
	}
}

// N/A and infinities are rightly no value.
func TestNoValueIsNotCounted(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	p := small()
	p.Subscriptions = append(p.Subscriptions, openconfigTransceivers()...)
	for i := range p.Subscriptions {
		p.Subscriptions[i].Least = 0
	}
	target := run(t, reads(d.Addr(), p))
	eventually(t, "light", func() bool { return strings.Contains(lines(t, target), `lane="0",transceiver="Transceiver5"} -1.18`) })
	tell(t, d, "/components/component[name=Transceiver5]/transceiver/physical-channels/channel[index=0]/state/input-power/instant", gnmitest.String("-inf"))
	eventually(t, "no light", func() bool { return !strings.Contains(lines(t, target), `lane="0",transceiver="Transceiver5"} -1.18`) })
	for _, r := range reasons() {
		if n := health(t, target, fmt.Sprintf(unusables, r)); n != 0 {
			t.Errorf("%v values are unusable for reason %s", n, r)
		}
	}
}

// TestPriorityNine has a priority that Ethernet does not know.
func TestPriorityNine(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	path := "/qos/interfaces/interface[interface-id=Ethernet1]/switch-priority[priority=%d]/state/counters/in-pause-pkts"
	tell(t, d, fmt.Sprintf(path, 3), gnmitest.Uint(33))
	tell(t, d, fmt.Sprintf(path, 9), gnmitest.Uint(99))
	target := run(t, reads(d.Addr(), Profile{Name: "priorities", Subscriptions: []Subscription{cumulusPriorities()}}))
	shows(t, target, `roce_interface_pfc_frames_received_total{interface="Ethernet1",priority="3"}`, 33)
	if has(t, target, `roce_interface_pfc_frames_received_total{interface="Ethernet1",priority="9"}`) {
		t.Error("there is a priority 9")
	}
	if n := health(t, target, fmt.Sprintf(unusables, outOfRange)); n == 0 {
		t.Error("it is not counted")
	}
}

// TestMalformedMessages has all kinds of messages that make no sense, all the
// time: nothing else is the worse for it.
func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{Malformed: true})
	target := run(t, reads(d.Addr(), openconfigProfile()))
	wants(t, target, bytes1, bytes2, up1, mtu1)
	if n := health(t, target, fmt.Sprintf(unusables, malformed)); n == 0 {
		t.Error("nothing malformed is counted")
	}
	if n := health(t, target, "roce_target_reconnects_total"); n != 0 {
		t.Errorf("%v reconnects", n)
	}
}

func TestMessageBeyondFourMebibytesIsTaken(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{Giant: 9 << 20})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1, up1)
	eventually(t, "all of it", func() bool { return health(t, target, "roce_target_received_bytes_total") > 9<<20 })
	shows(t, target, "roce_target_synchronized", 1)
	if n := health(t, target, "roce_target_reconnects_total"); n != 0 {
		t.Errorf("%v reconnects", n)
	}
}

// A message that is too large is not taken in. The target is read again as soon
// as it is sensible.
func TestMessageThatIsTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a gigabyte")
	}
	p := small()
	p.Subscriptions = p.Subscriptions[:1]
	d := lively(t, gnmitest.Faults{Giant: maxMessage + 1})
	cfg := reads(d.Addr(), p)
	cfg.Timing = quick()
	cfg.Timing.Sync, cfg.Timing.Trial = 20*time.Second, 20*time.Second
	target := run(t, cfg)
	troubled(t, target, "received message larger than max")
	d.Change(func(f *gnmitest.Faults) { f.Giant = 0 })
	wants(t, target, bytes1)
}

// TestFlood has a device that tells as fast as it can. What is kept does not
// grow, and questions are answered.
func TestFlood(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{Flood: 20000})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1)
	series := target.Status().Series
	eventually(t, "many messages", func() bool { return health(t, target, "roce_target_messages_total") > 5000 })
	if n := target.Status().Series; n != series {
		t.Errorf("%d series became %d", series, n)
	}
	tell(t, d, "/interfaces/interface[name=Ethernet1]/state/counters/in-octets", gnmitest.Uint(5))
	shows(t, target, bytes1, 5)
}

// TestTooManySeries has a device that invents names.
func TestTooManySeries(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	cfg := reads(d.Addr(), small())
	target := run(t, cfg)
	target.current().room(100)
	for i := range 70 {
		tell(t, d, fmt.Sprintf("/interfaces/interface[name=X%d]/state/counters/in-octets", i), gnmitest.Uint(1))
	}
	series := fmt.Sprintf(unusables, tooManySeries)
	eventually(t, "what is left out is counted", func() bool { return health(t, target, series) > 0 })
	if n := target.Status().Series; n > 100 {
		t.Errorf("%d series", n)
	}
	// What goes makes room.
	for i := range 70 {
		takeBack(t, d, fmt.Sprintf("/interfaces/interface[name=X%d]", i))
	}
	tell(t, d, "/interfaces/interface[name=Y]/state/counters/in-octets", gnmitest.Uint(1))
	wants(t, target, `roce_interface_received_bytes_total{interface="Y"}`)
}

// TestHealthOfTarget has the metrics about how a target is read.
func TestHealthOfTarget(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	target := run(t, reads(d.Addr(), small()))
	wants(t, target, bytes1)
	shows(t, target, "roce_target_synchronized", 1)
	for series, want := range map[string]float64{
		"roce_target_up": 1, "roce_target_connected": 1, "roce_target_streams": 1, "roce_target_reconnects_total": 0,
		"roce_target_refused_paths": 0, "roce_target_deletes_total": 0, "roce_target_coalesced_updates_total": 0,
		`roce_target_info{encoding="proto",profile="small",protocol="gnmi"}`: 1,
	} {
		if v := health(t, target, series); v != want {
			t.Errorf("%s %v", series, v)
		}
	}
	for _, series := range []string{"roce_target_messages_total", "roce_target_updates_total", "roce_target_received_bytes_total"} {
		was := health(t, target, series)
		if was == 0 {
			t.Errorf("%s 0", series)
		}
		eventually(t, series+" grows", func() bool { return health(t, target, series) > was })
	}
	if age := health(t, target, "roce_target_last_receive_age_seconds"); age < 0 || age > 5 {
		t.Errorf("age %v", age)
	}
	takeBack(t, d, "/interfaces/interface[name=Ethernet1]/state/oper-status")
	shows(t, target, "roce_target_deletes_total", 1)
	d.Stop()
	shows(t, target, "roce_target_connected", 0)
	shows(t, target, "roce_target_streams", 0)
	shows(t, target, "roce_target_synchronized", 0)
	eventually(t, "reconnects", func() bool { return health(t, target, "roce_target_reconnects_total") > 0 })
	shows(t, target, "roce_target_up", 0)
	if s := lines(t, target); s != "" {
		t.Errorf("a target that is down has values:\n%s", s)
	}
	if st := target.Status(); !st.Received || st.Up || st.Connected || !slices.Contains([]string{"", "small"}, st.Profile) {
		t.Errorf("status %+v", st)
	}
}
