package gnmi

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// kept is a store that a test feeds.
type kept struct {
	t *testing.T
	*store
}

func keep(t *testing.T, subs ...Subscription) kept {
	t.Helper()
	prog, err := compile(&Profile{Name: "test", Subscriptions: subs})
	if err != nil {
		t.Fatal(err)
	}
	return kept{t, newStore(prog, make([]time.Duration, len(subs)))}
}

// all is a feed of all subscriptions.
func (k kept) all(round uint32) *feed {
	f := &feed{subscriptions: make([]bool, len(k.prog.profile.Subscriptions)), round: round}
	for i := range f.subscriptions {
		f.subscriptions[i] = true
	}
	return f
}

// take has the store take in notifications in the short form of recordings.
func (k kept) take(f *feed, updates string) {
	k.t.Helper()
	all, err := gnmitest.ParseUpdates(updates)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, n := range all {
		k.apply(f, n)
	}
	k.sound()
}

// sound fails if what the store counts is not what it has.
func (k kept) sound() {
	k.t.Helper()
	if err := k.check(); err != nil {
		k.t.Error(err)
	}
}

// check looks for what must always hold in a store.
func (s *store) check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for key, e := range s.entries {
		n += len(e.slots) + len(e.texts)
		if len(e.slots)+len(e.texts) == 0 {
			return fmt.Errorf("entry %q has no series", key)
		}
		if key != e.key {
			return fmt.Errorf("entry %q is kept as %q", e.key, key)
		}
		c := e.captured()
		for _, f := range []field{fieldPriority, fieldTrafficClass} {
			if c[f] != "" && (len(c[f]) != 1 || c[f] > "7") {
				return fmt.Errorf("there is a %s %q", fieldNames()[f], c[f])
			}
		}
		for _, x := range e.slots {
			if l := &s.prog.leaves[x.leaf]; l.Metric.Type == metric.Counter && x.value < 0 {
				return fmt.Errorf("counter %s is %v", l.Metric.Name, x.value)
			}
		}
	}
	if n != s.series {
		return fmt.Errorf("%d series are counted, and there are %d", s.series, n)
	}
	names := 0
	for _, m := range s.names {
		names += len(m)
	}
	if names > len(s.told) {
		return fmt.Errorf("%d names, of which %d were told", names, len(s.told))
	}
	return nil
}

// shown returns the series, as the text format has them, sorted.
func (k kept) shown() []string {
	var out []string
	for _, s := range k.collect(nil) {
		var labels []string
		for _, l := range append(slices.Clone(s.Metric.Labels), metric.Description, metric.Mode, metric.Neighbor, metric.NeighborIface, metric.FormFactor, metric.Vendor) {
			if v := s.Place.Where.Value(l); v != "" && !slices.Contains(labels, fmt.Sprintf("%s=%s", l, v)) {
				labels = append(labels, fmt.Sprintf("%s=%s", l, v))
			}
		}
		out = append(out, fmt.Sprintf("%s{%s} %v", strings.TrimPrefix(s.Metric.Name, "roce_"), strings.Join(labels, ","), s.Value))
	}
	slices.Sort(out)
	return out
}

func (k kept) wants(want ...string) {
	k.t.Helper()
	k.sound()
	if got := k.shown(); !slices.Equal(got, want) {
		k.t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

const counters1 = "@ prefix=/interfaces/interface[name=Ethernet1]/state/counters\n"

func TestStoreSetsAndReplaces(t *testing.T) {
	k := keep(t, openconfigInterfaceCounters())
	f := k.all(1)
	k.take(f, counters1+"in-octets uint 1\nout-octets uint 2")
	k.take(f, counters1+"in-octets uint 3\nnot-known uint 4")
	k.wants("interface_received_bytes_total{interface=Ethernet1} 3", "interface_transmitted_bytes_total{interface=Ethernet1} 2")
	k.take(f, counters1+"in-octets string N/A")
	k.wants("interface_transmitted_bytes_total{interface=Ethernet1} 2")
}

// A value of a subscription that the stream did not ask for is another stream's.
func TestStoreTakesOnlyWhatWasAskedFor(t *testing.T) {
	k := keep(t, openconfigInterfaceCounters(), openconfigState("mtu", Leaf{Metric: metric.InterfaceMTU}))
	f := &feed{subscriptions: []bool{true, false}, round: 1}
	k.take(f, "/interfaces/interface[name=Ethernet1]/state/mtu uint 1500")
	k.wants()
	k.take(k.all(1), "/interfaces/interface[name=Ethernet1]/state/mtu uint 1500")
	k.take(f, "-/interfaces/interface[name=Ethernet1]")
	k.wants("interface_mtu_bytes{interface=Ethernet1} 1500")
}

func TestStoreDeletes(t *testing.T) {
	has := counters1 + "in-octets uint 1\nout-octets uint 2\n" +
		"@ prefix=/interfaces/interface[name=Ethernet2]/state/counters\nin-octets uint 3\n" +
		"@ prefix=/qos/interfaces/interface[interface-id=Ethernet1]/output/queues/queue[name=3]/state\ntransmit-pkts uint 4\n" +
		"@ prefix=/qos/interfaces/interface[interface-id=Ethernet2]/output/queues/queue[name=3]/state\ntransmit-pkts uint 5\n" +
		"@ prefix=/qos/interfaces/interface[interface-id=Ethernet2]/output/queues/queue[name=4]/state\ntransmit-pkts uint 6\n"
	const (
		in1, out1 = "interface_received_bytes_total{interface=Ethernet1} 1", "interface_transmitted_bytes_total{interface=Ethernet1} 2"
		in2       = "interface_received_bytes_total{interface=Ethernet2} 3"
		q13       = "queue_transmitted_packets_total{interface=Ethernet1,queue=3} 4"
		q23, q24  = "queue_transmitted_packets_total{interface=Ethernet2,queue=3} 5", "queue_transmitted_packets_total{interface=Ethernet2,queue=4} 6"
	)
	for name, c := range map[string]struct {
		updates string
		want    []string
	}{
		"a leaf":               {"-/interfaces/interface[name=Ethernet1]/state/counters/in-octets", []string{in2, out1, q13, q23, q24}},
		"an ancestor":          {"-/interfaces/interface[name=Ethernet1]", []string{in2, q13, q23, q24}},
		"without keys":         {"-/interfaces/interface", []string{q13, q23, q24}},
		"the top":              {"-/interfaces", []string{q13, q23, q24}},
		"a key that is all":    {"-/interfaces/interface[name=*]/state", []string{q13, q23, q24}},
		"any element":          {"-/interfaces/*/state/counters/in-octets", []string{out1, q13, q23, q24}},
		"any below":            {"-/...", nil},
		"some keys":            {"-/qos/interfaces/interface[interface-id=Ethernet2]/output/queues/queue", []string{in1, in2, out1, q13}},
		"the other keys":       {"-/qos/interfaces/interface/output/queues/queue[name=3]", []string{in1, in2, out1, q24}},
		"another name":         {"-/interfaces/interface[name=Ethernet3]", []string{in1, in2, out1, q13, q23, q24}},
		"below a leaf":         {"-/interfaces/interface[name=Ethernet1]/state/counters/in-octets/more", []string{in1, in2, out1, q13, q23, q24}},
		"with module names":    {"-/openconfig-interfaces:interfaces/interface[name=Ethernet1]/state/counters/in-octets", []string{in2, out1, q13, q23, q24}},
		"the prefix's":         {"@ prefix=/interfaces/interface[name=Ethernet1]\n-/", []string{in2, q13, q23, q24}},
		"delete and update":    {"-/interfaces/interface[name=Ethernet1]\n/interfaces/interface[name=Ethernet1]/state/counters/in-octets uint 1", []string{in1, in2, q13, q23, q24}},
		"atomic":               {"@ atomic prefix=/interfaces/interface[name=Ethernet1]/state/counters\nin-octets uint 1", []string{in1, in2, q13, q23, q24}},
		"atomic and empty":     {"@ atomic prefix=/interfaces/interface[name=Ethernet1]", []string{in2, q13, q23, q24}},
		"atomic without place": {"@ atomic\n/interfaces/interface[name=Ethernet1]/state/counters/in-octets uint 1", []string{in1, in2, out1, q13, q23, q24}},
	} {
		t.Run(name, func(t *testing.T) {
			k := keep(t, openconfigInterfaceCounters(), openconfigQueues())
			f := k.all(1)
			k.take(f, has)
			k.take(f, c.updates)
			k.wants(c.want...)
		})
	}
}

// Keys of the prefix's last element can come in each path, as an element
// without a name: one path's do not become the next one's.
func TestKeysThatBelongToThePrefix(t *testing.T) {
	k := keep(t, openconfigInterfaceCounters())
	elem := func(names ...string) (out []*gnmipb.PathElem) {
		for _, n := range names {
			out = append(out, &gnmipb.PathElem{Name: n})
		}
		return out
	}
	at := func(name string, v uint64) *gnmipb.Update {
		e := elem("state", "counters", "in-octets")
		if name != "" {
			e = append([]*gnmipb.PathElem{{Key: map[string]string{"name": name}}}, e...)
		}
		return &gnmipb.Update{Path: &gnmipb.Path{Elem: e}, Val: gnmitest.Uint(v)}
	}
	k.apply(k.all(1), &gnmipb.Notification{Prefix: &gnmipb.Path{Elem: elem("interfaces", "interface")},
		Update: []*gnmipb.Update{at("Ethernet1", 1), at("Ethernet2", 2), at("", 3)}})
	k.wants("interface_received_bytes_total{interface=Ethernet1} 1", "interface_received_bytes_total{interface=Ethernet2} 2")
}

func TestSweepDropsWhatARoundDidNotTell(t *testing.T) {
	k := keep(t, openconfigInterfaceCounters(), openconfigState("mtu", Leaf{Metric: metric.InterfaceMTU}))
	k.take(k.all(1), counters1+"in-octets uint 1\n@ prefix=/interfaces/interface[name=Ethernet2]/state\ncounters/in-octets uint 2\nmtu uint 1500")
	counters := &feed{subscriptions: []bool{true, false}, round: 2}
	k.take(counters, counters1+"in-octets uint 1")
	k.sweep(counters)
	k.wants("interface_mtu_bytes{interface=Ethernet2} 1500", "interface_received_bytes_total{interface=Ethernet1} 1")
	k.sweep(k.all(3))
	k.wants()
}

func TestExpire(t *testing.T) {
	k := keep(t, openconfigInterfaceCounters(), openconfigState("mtu", Leaf{Metric: metric.InterfaceMTU}))
	k.take(k.all(1), counters1+"in-octets uint 1\nout-octets uint 2\n@ prefix=/interfaces/interface[name=Ethernet2]/state\nmtu uint 1500\ncounters/in-octets uint 1")
	k.runs(0, 10*time.Second, 10*time.Second)
	k.runs(1, 0, 10*time.Second) // on change: it lives as its stream does
	later := func(d time.Duration) { k.start = k.start.Add(-d) }
	later(8 * time.Second)
	k.take(k.all(1), counters1+"in-octets uint 2")
	later(8 * time.Second)
	k.take(k.all(1), counters1+"in-octets uint 3")
	// Ethernet2's counters are too old; a counter that is left out while others
	// of its interface come has longer.
	k.wants("interface_mtu_bytes{interface=Ethernet2} 1500", "interface_received_bytes_total{interface=Ethernet1} 3", "interface_transmitted_bytes_total{interface=Ethernet1} 2")
	for range 2 {
		later(8 * time.Second)
		k.take(k.all(1), counters1+"in-octets uint 4")
	}
	k.wants("interface_mtu_bytes{interface=Ethernet2} 1500", "interface_received_bytes_total{interface=Ethernet1} 4")
	if expired, _, _ := k.health(); expired != 1 {
		t.Errorf("%d entries expired", expired)
	}
	k.ended(k.all(1))
	later(11 * time.Second)
	k.wants()
}

// ports is SONiC's way: counters by an object's identifier, and a table of
// names.
func ports(r Rename) []Subscription {
	name := Leaf{Path: "{interface}", Renames: ValueToCaptured}
	if r == CapturedToValue {
		name = Leaf{Path: "{interface}", Renames: CapturedToValue}
	}
	return []Subscription{
		{Path: "/NAMES", Mode: OnChange, Base: "/NAMES", Leaves: []Leaf{name}},
		{Path: "/COUNTERS", Base: "/COUNTERS/{interface}", Leaves: []Leaf{{Path: "OCTETS", Metric: metric.InterfaceBytesReceived}}},
	}
}

func TestValueIsIdentifier(t *testing.T) {
	k := keep(t, ports(ValueToCaptured)...)
	f := k.all(1)
	k.take(f, "/COUNTERS/oid1/OCTETS uint 1")
	k.wants("interface_received_bytes_total{interface=oid1} 1")
	k.take(f, `/NAMES json {"Ethernet1": "oid1", "Ethernet2": "oid2"}`)
	k.take(f, "/COUNTERS/oid2/OCTETS uint 2")
	k.wants("interface_received_bytes_total{interface=Ethernet1} 1", "interface_received_bytes_total{interface=Ethernet2} 2")
	if ids := k.identifiers(fieldInterface); !slices.Equal(ids, []string{"oid1", "oid2"}) {
		t.Errorf("identifiers %q", ids)
	}
	// The object is made anew, under another identifier.
	k.take(f, "/NAMES/Ethernet2 string oid3\n/COUNTERS/oid3/OCTETS uint 3\n-/COUNTERS/oid2")
	k.wants("interface_received_bytes_total{interface=Ethernet1} 1", "interface_received_bytes_total{interface=Ethernet2} 3")
	if ids := k.identifiers(fieldInterface); !slices.Equal(ids, []string{"oid1", "oid3"}) {
		t.Errorf("identifiers %q", ids)
	}
}

func TestCapturedIsIdentifier(t *testing.T) {
	k := keep(t, ports(CapturedToValue)...)
	f := k.all(1)
	k.take(f, "/NAMES/Ethernet0 string etp1\n/COUNTERS/Ethernet0/OCTETS uint 1")
	k.wants("interface_received_bytes_total{interface=etp1} 1")
	k.take(f, "/NAMES/Ethernet0 string etp1b")
	k.wants("interface_received_bytes_total{interface=etp1b} 1")
	k.take(f, "-/NAMES/Ethernet0")
	k.wants("interface_received_bytes_total{interface=Ethernet0} 1")
}

// Names go as values do.
func TestNamesGo(t *testing.T) {
	for _, r := range []Rename{CapturedToValue, ValueToCaptured} {
		tell := func(k kept) {
			k.take(k.all(1), "/NAMES/a string b\n/NAMES/c string d")
			if n := len(k.names[fieldInterface]); n != 2 {
				t.Fatalf("%d names", n)
			}
		}
		gone := func(k kept, how string, left int) {
			t.Helper()
			k.sound()
			if n := len(k.names[fieldInterface]); n != left || len(k.told) != left {
				t.Errorf("%v, %s: %d names", r, how, n)
			}
		}
		for del, left := range map[string]int{"-/NAMES": 0, "-/NAMES/a": 1, "-/NAMES/b": 2, "-/NAMES/*": 0} {
			k := keep(t, ports(r)...)
			tell(k)
			k.take(k.all(1), del)
			gone(k, del, left)
		}
		k := keep(t, ports(r)...)
		tell(k)
		f := k.all(2)
		k.take(f, "/NAMES/a string b")
		k.sweep(f)
		gone(k, "sweep", 1)
		k = keep(t, ports(r)...)
		tell(k)
		k.runs(0, time.Second, time.Second)
		k.start = k.start.Add(-2 * time.Second)
		k.expire()
		gone(k, "for a while", 2)
		k.start = k.start.Add(-2 * time.Second)
		k.expire()
		gone(k, "for long", 0)
	}
}

func TestNamesAreBounded(t *testing.T) {
	k := keep(t, ports(CapturedToValue)...)
	k.room(100)
	for i := range 100 {
		k.take(k.all(1), fmt.Sprintf("/NAMES/a%d string b%d", i, i))
	}
	if n := len(k.names[fieldInterface]); n != 10 {
		t.Errorf("%d names", n)
	}
}

func optics() []Subscription {
	return append(openconfigTransceivers(), openconfigState("transceiver", Leaf{Metric: metric.TransceiverInterfaceInfo, Label: metric.Transceiver}))
}

// A transceiver is of the interface that says so, unless several do.
func TestTransceiversAreLinked(t *testing.T) {
	k := keep(t, optics()...)
	f := k.all(1)
	k.take(f, "/components/component[name=T1]/transceiver/state/supply-voltage/instant double 3.3")
	k.wants("transceiver_supply_voltage_volts{transceiver=T1} 3.3")
	k.take(f, "/interfaces/interface[name=Ethernet1]/state/transceiver string T1")
	k.wants("transceiver_interface_info{interface=Ethernet1,transceiver=T1} 1", "transceiver_supply_voltage_volts{interface=Ethernet1,transceiver=T1} 3.3")
	k.take(f, "/interfaces/interface[name=Ethernet2]/state/transceiver string T1")
	k.wants("transceiver_interface_info{interface=Ethernet1,transceiver=T1} 1", "transceiver_interface_info{interface=Ethernet2,transceiver=T1} 1",
		"transceiver_supply_voltage_volts{transceiver=T1} 3.3")
	k.take(f, "-/interfaces/interface[name=Ethernet1]/state/transceiver")
	k.wants("transceiver_interface_info{interface=Ethernet2,transceiver=T1} 1", "transceiver_supply_voltage_volts{interface=Ethernet2,transceiver=T1} 3.3")
	k.take(f, "-/interfaces/interface[name=Ethernet2]")
	k.wants("transceiver_supply_voltage_volts{transceiver=T1} 3.3")
	if len(k.links) != 0 {
		t.Errorf("links %v", k.links)
	}
}

// A component's temperature is a transceiver's only where something else says
// that it is one.
func TestFollows(t *testing.T) {
	k := keep(t, optics()...)
	f := k.all(1)
	k.take(f, "/components/component[name=Fan1]/state/temperature/instant double 30\n/components/component[name=T1]/state/temperature/instant double 50")
	k.wants()
	k.take(f, "/components/component[name=T1]/transceiver/state/form-factor string QSFP")
	k.wants("transceiver_info{transceiver=T1,form_factor=QSFP} 1", "transceiver_temperature_celsius{transceiver=T1} 50")
	k.take(f, "-/components/component[name=T1]/transceiver")
	k.wants()
}

func TestTwoNeighborsOfAnInterface(t *testing.T) {
	k := keep(t, openconfigLLDP()...)
	f := k.all(1)
	neighbor := "/lldp/interfaces/interface[name=Ethernet1]/neighbors/neighbor[id=%d]/state/%s string %s\n"
	k.take(f, fmt.Sprintf(neighbor+neighbor, 1, "system-name", "spine1", 2, "system-name", "spine2"))
	k.take(f, fmt.Sprintf(neighbor, 3, "chassis-id", "only")) // nobody to name
	k.wants("neighbor_info{interface=Ethernet1,neighbor=spine1} 1", "neighbor_info{interface=Ethernet1,neighbor=spine2} 1")
	// Two that are told alike are one series: a second one would be an error of
	// the whole exposition.
	k.take(f, fmt.Sprintf(neighbor, 2, "system-name", "spine1"))
	k.wants("neighbor_info{interface=Ethernet1,neighbor=spine1} 1")
	k.take(f, "-/lldp/interfaces/interface[name=Ethernet1]/neighbors/neighbor[id=1]")
	k.wants("neighbor_info{interface=Ethernet1,neighbor=spine1} 1")
}

// Names can make one series of two.
func TestOneSeriesOfTwoIdentifiers(t *testing.T) {
	k := keep(t, ports(CapturedToValue)...)
	k.take(k.all(1), "/NAMES/a string x\n/NAMES/b string x\n/COUNTERS/a/OCTETS uint 1\n/COUNTERS/b/OCTETS uint 2")
	k.wants("interface_received_bytes_total{interface=x} 1")
}

// TestChurnLeavesNothing has interfaces, transceivers and names that come and
// go: the store is as small after it as before.
func TestChurnLeavesNothing(t *testing.T) {
	k := keep(t, slices.Concat(ports(ValueToCaptured), optics(), openconfigLLDP(), []Subscription{openconfigInterfaceCounters()})...)
	for i := range 200 {
		f := k.all(uint32(i) + 1)
		k.take(f, fmt.Sprintf("/NAMES/e%d string oid%d\n/COUNTERS/oid%d/OCTETS uint 1\n/interfaces/interface[name=E%d]/state/transceiver string T%d\n"+
			"/interfaces/interface[name=E%d]/state/counters/in-octets uint 1\n/components/component[name=T%d]/transceiver/state/vendor string v%d\n"+
			"/lldp/interfaces/interface[name=E%d]/neighbors/neighbor[id=%d]/state/system-name string s%d", i, i, i, i, i, i, i, i, i, i, i))
		k.collect(nil)
		switch i % 3 {
		case 0:
			k.take(f, "-/...")
		case 1:
			k.take(f, "-/NAMES\n-/COUNTERS\n-/interfaces\n-/components\n-/lldp")
		case 2: // the sweep of the next round
		}
		k.sweep(f)
	}
	k.sweep(k.all(1000))
	k.collect(nil)
	k.sound()
	if n := len(k.entries) + len(k.told) + len(k.names[fieldInterface]) + len(k.links) + len(k.sorted) + k.series; n != 0 {
		t.Errorf("entries %d, told %d, names %d, links %d, sorted %d, series %d", len(k.entries), len(k.told), len(k.names[fieldInterface]), len(k.links), len(k.sorted), k.series)
	}
}

// TestCollectBesideAStream is for the race detector.
func TestCollectBesideAStream(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{Flood: 5000})
	target := run(t, reads(d.Addr(), openconfigProfile()))
	wants(t, target, bytes1)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				samples, err := target.Collect(t.Context())
				if err != nil {
					t.Error(err)
				}
				for _, s := range samples {
					_ = s.Key()
				}
				target.Status()
			}
		})
	}
	for i := range 100 {
		tell(t, d, fmt.Sprintf("/interfaces/interface[name=N%d]/state/oper-status", i%10), gnmitest.String("UP"))
		if i%10 == 9 {
			takeBack(t, d, fmt.Sprintf("/interfaces/interface[name=N%d]", i%10))
		}
	}
	all.Wait()
	if err := target.current().check(); err != nil {
		t.Error(err)
	}
}

// What a new stream tells is not old because the one before was lost, though it
// has not told all yet.
func TestStateToldAnewIsNotOld(t *testing.T) {
	k := keep(t, openconfigState("mtu", Leaf{Metric: metric.InterfaceMTU}))
	first := k.all(1)
	k.take(first, "/interfaces/interface[name=Ethernet1]/state/mtu uint 1500\n/interfaces/interface[name=Ethernet2]/state/mtu uint 1500")
	k.runs(0, 0, 10*time.Second)
	k.ended(first)
	k.start = k.start.Add(-time.Minute)
	second := k.all(0)
	k.begin(second, 2)
	k.take(second, "/interfaces/interface[name=Ethernet1]/state/mtu uint 9000")
	k.wants("interface_mtu_bytes{interface=Ethernet1} 9000")
	k.start = k.start.Add(-time.Minute)
	k.wants("interface_mtu_bytes{interface=Ethernet1} 9000")
	k.sweep(second)
	k.runs(0, 0, 10*time.Second)
	k.wants("interface_mtu_bytes{interface=Ethernet1} 9000")
	// Streams that end before they told all keep what they told for the while that
	// is left to it.
	third := k.all(0)
	k.ended(second)
	k.begin(third, 3)
	k.take(third, "/interfaces/interface[name=Ethernet1]/state/mtu uint 9001")
	k.ended(third)
	k.wants("interface_mtu_bytes{interface=Ethernet1} 9001")
	k.start = k.start.Add(-time.Minute)
	k.wants()
}

// A path that no stream asks for any more has no values, whoever told them while
// it was found out.
func TestRefusedPathKeepsNoState(t *testing.T) {
	k := keep(t, openconfigState("mtu", Leaf{Metric: metric.InterfaceMTU}))
	k.take(k.all(2), "/interfaces/interface[name=Ethernet1]/state/mtu uint 1500")
	k.gone(0, 2)
	k.start = k.start.Add(-time.Second)
	k.wants()
}

// A stream that began anew does not tell one value of an entry.
func TestSweepDropsSingleValues(t *testing.T) {
	k := keep(t, openconfigInterfaceCounters())
	k.take(k.all(1), counters1+"in-octets uint 1\nout-octets uint 2")
	k.start = k.start.Add(-time.Second)
	second := k.all(0)
	k.begin(second, 2)
	k.take(second, counters1+"in-octets uint 3")
	k.sweep(second)
	k.wants("interface_received_bytes_total{interface=Ethernet1} 3")
}
