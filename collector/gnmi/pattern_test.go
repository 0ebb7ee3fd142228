package gnmi

import (
	"strings"
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

func TestTemplates(t *testing.T) {
	for _, c := range []struct{ template, text, want string }{ // want: what is captured, "-": it does not fit
		{"name", "name", ""}, {"name", "names", "-"}, {"name", "", "-"},
		{"{interface}", "Ethernet1/1", "Ethernet1/1"}, {"{interface}", "", "-"}, {"{queue}", "best-effort", "best-effort"},
		{"Q{queue}", "Q7", "7"}, {"Q{queue}", "Qx", "-"}, {"Q{queue}", "Q", "-"}, {"Q{queue}", "Q7x", "-"}, {"Q{queue}", "7", "-"},
		{"{interface}:{queue}", "Ethernet1:3", "Ethernet1,3"}, {"{interface}:{queue}", "a:b:3", "a:b,3"}, {"{interface}:{queue}", "a:", "-"},
		{"{interface}:{queue}", ":3", "-"}, {"{interface}:{queue}", "a", "-"}, {"{interface}:{queue}", "a:b", "-"},
		{"{interface}|{priority_group}", "Ethernet0|3", "Ethernet0,3"},
		{"UC{queue}-{priority}", "UC3-4", "4,3"}, {"UC{queue}-{priority}", "UC3-", "-"},
		{"x{interface}y", "xAy", "A"}, {"x{interface}y", "xy", "-"}, {"x{interface}y", "xAyy", "Ay"}, {"x{interface}y", "xA", "-"},
		{"{transceiver}-{lane}-rx", "T-1-2-rx", "T-1,2"},
	} {
		tpl, err := parseTemplate(c.template)
		if err != nil {
			t.Fatal(c.template, err)
		}
		var got captures
		fits := tpl.match(c.text, &got)
		var parts []string
		for _, v := range got {
			if v != "" {
				parts = append(parts, v)
			}
		}
		switch text := strings.Join(parts, ","); {
		case !fits && c.want != "-":
			t.Errorf("%q does not fit %q", c.text, c.template)
		case fits && text != c.want:
			t.Errorf("%q fits %q as %q, want %q", c.text, c.template, text, c.want)
		}
	}
}

func TestTemplatesThatAreNone(t *testing.T) {
	for _, s := range []string{"{", "{interface", "{nothing}", "{}", "}{", "{{interface}}"} {
		if tpl, err := parseTemplate(s); err == nil {
			t.Errorf("%q is %+v", s, tpl)
		}
	}
}

func TestModulesAreDropped(t *testing.T) {
	for in, want := range map[string]string{
		"openconfig-interfaces:interfaces": "interfaces", "interfaces": "interfaces", "a.b_c-1:x": "x", ":x": ":x", "x:": "x:",
		"Eth 1:2": "Eth 1:2", "1/1:2": "1/1:2", "oid:0x1": "0x1", "a:b:c": "b:c", "": "",
	} {
		if got := unqualified(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestProfilesThatAreMistaken has what compile refuses.
func TestProfilesThatAreMistaken(t *testing.T) {
	good := openconfigInterfaceCounters()
	for name, s := range map[string][]Subscription{
		"a placeholder of no name": {{Base: "/a[k={nothing}]", Leaves: good.Leaves}},
		"one that does not end":    {{Base: "/a/{interface", Leaves: good.Leaves}},
		"no path":                  {{Base: "/a[k=", Leaves: good.Leaves}},
		"too many":                 make([]Subscription, 65),
	} {
		if _, err := New(Config{Name: "leaf1", Profiles: []Profile{{Name: "mistaken", Subscriptions: s}}}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := New(Config{Name: "leaf1"}); err == nil {
		t.Error("a target without a profile")
	}
}

// TestJSONTrees has values as trees, told at whatever height.
func TestJSONTrees(t *testing.T) {
	const want = `interface_received_bytes_total{interface=Ethernet1} 12345678901234567890|interface_transmitted_bytes_total{interface=Ethernet1} 2`
	in, out := `"in-octets":"12345678901234567890"`, `"out-octets":2`
	for name, updates := range map[string]string{
		"leaves":             counters1 + "in-octets json 12345678901234567890\nout-octets json_ietf \"2\"",
		"container":          "/interfaces/interface[name=Ethernet1]/state/counters json_ietf {" + in + "," + out + "}",
		"above it":           `/interfaces/interface[name=Ethernet1]/state json {"counters":{` + in + "," + out + "}}",
		"list":               `/interfaces/interface json [{"name":"Ethernet1","state":{"counters":{` + in + "," + out + "}}}]",
		"list without [":     `/interfaces/interface json {"name":"Ethernet1","state":{"counters":{` + in + "," + out + "}}}",
		"above the list":     `/interfaces json {"interface":[{"name":"Ethernet1","state":{"counters":{` + in + "," + out + "}}}]}",
		"root":               `/ json {"interfaces":{"interface":[{"name":"Ethernet1","state":{"counters":{` + in + "," + out + "}}}]}}",
		"modules":            `/oc-if:interfaces json_ietf {"oc-if:interface":[{"oc-if:name":"Ethernet1","state":{"oc-if:counters":{` + in + "," + out + "}}}]}",
		"others beside them": `/interfaces json {"x":[1,[2],{"y":null}],"interface":[7,{"name":{}},{"name":null},{},{"name":"Ethernet1","state":{"counters":{` + in + "," + out + `,"more":{"in-octets":9}}}}]}`,
		"leaf-lists of one":  "/interfaces/interface[name=Ethernet1]/state/counters json {" + `"in-octets":["12345678901234567890"],"out-octets":[2]}`,
	} {
		k := keep(t, openconfigInterfaceCounters())
		k.take(k.all(1), updates)
		if got := strings.Join(k.shown(), "|"); got != strings.ReplaceAll(want, "12345678901234567890", "1.2345678901234567e+19") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Lanes are numbered from 0, whatever the device does.
func TestLanes(t *testing.T) {
	sub := Subscription{Path: "/a", Base: "/a[name={transceiver}]/lane[index={lane}]", Leaves: []Leaf{{Path: "power", Metric: metric.TransceiverReceived, LaneBase: 1}}}
	k := keep(t, sub)
	f := k.all(1)
	for _, lane := range []string{"0", "1", "4", "x", "-1", "65536", "99999999999999999999"} {
		k.take(f, "/a[name=T1]/lane[index="+lane+"]/power double -1")
	}
	k.wants("transceiver_received_power_dbm{transceiver=T1,lane=0} -1", "transceiver_received_power_dbm{transceiver=T1,lane=3} -1")
	if _, unusual, _ := k.health(); unusual[outOfRange] != 5 {
		t.Errorf("unusable: %v", unusual)
	}
	k.take(f, "-/a[name=T1]/lane[index=4]")
	k.wants("transceiver_received_power_dbm{transceiver=T1,lane=0} -1")
}

// The same name is a leaf in one place and a container in another.
func TestPatternsShareTheirBeginning(t *testing.T) {
	k := keep(t, Subscription{Path: "/a", Base: "/a/{interface}", Leaves: []Leaf{
		{Path: "up", Metric: metric.InterfaceUp},
		{Path: "{priority}/frames", Metric: metric.InterfacePFCFramesReceived},
	}}, Subscription{Path: "/a/all", Base: "/a/all", Leaves: []Leaf{{Path: "{interface}/mtu", Metric: metric.InterfaceMTU}}})
	k.take(k.all(1), "/a/E1/up uint 1\n/a/E1/3/frames uint 4\n/a/all/E2/mtu uint 5\n/a/all/up uint 0")
	k.wants("interface_mtu_bytes{interface=E2} 5", "interface_pfc_frames_received_total{interface=E1,priority=3} 4", "interface_up{interface=E1} 1", "interface_up{interface=all} 0")
}
