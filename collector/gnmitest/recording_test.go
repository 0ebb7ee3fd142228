package gnmitest

import (
	"slices"
	"strings"
	"testing"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// TestRecordings: every embedded recording is read, and every path in it is one.
func TestRecordings(t *testing.T) {
	if !slices.Contains(Names(), "openconfig") {
		t.Errorf("Names() = %v lacks openconfig", Names())
	}
	for _, name := range Names() {
		r, err := Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(r.Notifications) == 0 {
			t.Errorf("%s has no notifications", name)
		}
	}
	if _, err := Load("nothing"); err == nil {
		t.Error("no error for a recording that is not there")
	}
	r, err := Load("openconfig")
	if err != nil {
		t.Fatal(err)
	}
	if r.Capabilities.GetGNMIVersion() != "0.10.0" || !strings.HasPrefix(r.Comment, "synthetic: ") || len(r.Notifications) < 3 {
		t.Errorf("openconfig is read as %v", r)
	}
	if got := r.Notifications[2].Update[1].Val.GetUintVal(); got != 1<<64-1 {
		t.Errorf("in-octets of Ethernet2: %d", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no comment":         "-- a.updates --\n/a uint 1\n",
		"colon":              "c\n-- a:b.updates --\n/a uint 1\n",
		"unknown member":     "c\n-- a.json --\n{}\n",
		"prototext":          "c\n-- a.textpb --\nfoo: 1\n",
		"capabilities twice": "c\n-- capabilities.textpb --\n-- capabilities.textpb --\n",
		"updates":            "c\n-- a.updates --\n/a uint x\n",
	} {
		if r, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: %v, want an error", name, r)
		}
	}
}

func TestParseUpdates(t *testing.T) {
	got, err := ParseUpdates(`
# comment
/a uint 1
@ target=COUNTERS_DB origin=openconfig prefix=/interfaces/interface[name=Ethernet 1] timestamp=17 atomic
/state/x int -2
-/state/y
-z string a dash begins a relative path
@timestamp=1
/b bool true
/b double 1.5
/b float 0.25
/b string two words
/b string "a\nline"
/b json {"a": 1}
/b json_ietf "12"
/b bytes 3f800000
/b leaflist [1, -2, 1.5, "x", true, 18446744073709551615]
/b decimal -12345/2
/b ascii text
/b string
`)
	if err != nil {
		t.Fatal(err)
	}
	var want []*gnmipb.Notification
	for _, text := range []string{
		`update: { path: { elem: { name: "a" } } val: { uint_val: 1 } }`,
		`timestamp: 17 atomic: true
		prefix: { target: "COUNTERS_DB" origin: "openconfig" elem: { name: "interfaces" } elem: { name: "interface" key: { key: "name" value: "Ethernet 1" } } }
		update: { path: { elem: { name: "state" } elem: { name: "x" } } val: { int_val: -2 } }
		update: { path: { elem: { name: "-z" } } val: { string_val: "a dash begins a relative path" } }
		delete: { elem: { name: "state" } elem: { name: "y" } }`,
		`timestamp: 1
		update: { path: { elem: { name: "b" } } val: { bool_val: true } }
		update: { path: { elem: { name: "b" } } val: { double_val: 1.5 } }
		update: { path: { elem: { name: "b" } } val: { float_val: 0.25 } }
		update: { path: { elem: { name: "b" } } val: { string_val: "two words" } }
		update: { path: { elem: { name: "b" } } val: { string_val: "a\nline" } }
		update: { path: { elem: { name: "b" } } val: { json_val: "{\"a\": 1}" } }
		update: { path: { elem: { name: "b" } } val: { json_ietf_val: "\"12\"" } }
		update: { path: { elem: { name: "b" } } val: { bytes_val: "\x3f\x80\x00\x00" } }
		update: { path: { elem: { name: "b" } } val: { leaflist_val: {
			element: { uint_val: 1 } element: { int_val: -2 } element: { double_val: 1.5 }
			element: { string_val: "x" } element: { bool_val: true } element: { uint_val: 18446744073709551615 } } } }
		update: { path: { elem: { name: "b" } } val: { decimal_val: { digits: -12345 precision: 2 } } }
		update: { path: { elem: { name: "b" } } val: { ascii_val: "text" } }
		update: { path: { elem: { name: "b" } } val: { string_val: "" } }`,
	} {
		n := &gnmipb.Notification{}
		if err := prototext.Unmarshal([]byte(text), n); err != nil {
			t.Fatal(err)
		}
		want = append(want, n)
	}
	if len(got) != len(want) {
		t.Fatalf("%d notifications, want %d: %v", len(got), len(want), got)
	}
	for i := range want {
		if !proto.Equal(got[i], want[i]) {
			t.Errorf("notification %d is\n%v, want\n%v", i, got[i], want[i])
		}
	}
	for _, text := range []string{
		"@ foo=1", "@ atomic=1", "@ target", "@ timestamp=x", "@ prefix=//", "@ target=a target=b",
		"/a", "/a uint", "/a uint -1", "/a uint 1 2", "/a number 1", "/a json {", "/a bytes f", "/a leaflist {}", "/a leaflist [[1]]",
		"/a leaflist [1] 2", "/a decimal 1", "/a decimal x/1", "/a bool maybe", `/a string "x`, "-/a uint 1", "//a uint 1", "/a string \xff", `/a string "\xff"`,
	} {
		if got, err := ParseUpdates("# line 1\n" + text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		} else if !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: the error %q names no line", text, err)
		}
	}
}

// FuzzParseUpdates: whatever is read can be sent, and its paths written and
// read back.
func FuzzParseUpdates(f *testing.F) {
	f.Add("@ target=COUNTERS_DB origin=openconfig prefix=/interfaces timestamp=17 atomic\n/a[name=a\\]b]/c uint 1\n-/d")
	f.Add("/b leaflist [1, -2, 1.5, \"x\", true]\n/b decimal -12345/2\n/b string \"a\\n\"\n/b bytes 00ff\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParseUpdates(text)
		if err != nil {
			return
		}
		for _, n := range all {
			b, err := proto.Marshal(n)
			if err != nil {
				t.Fatalf("it cannot be sent: %v", err)
			}
			back := &gnmipb.Notification{}
			if err := proto.Unmarshal(b, back); err != nil {
				t.Fatal(err)
			}
			paths := append([]*gnmipb.Path{n.GetPrefix()}, n.Delete...)
			for _, u := range n.Update {
				if u.Val.GetValue() == nil {
					t.Fatalf("%v has no value", u)
				}
				paths = append(paths, u.Path)
			}
			for _, p := range paths {
				again, err := ParsePath(PathString(p))
				if err != nil || !proto.Equal(again, &gnmipb.Path{Elem: p.GetElem()}) {
					t.Fatalf("%v, written as %q, is read as %v, %v", p, PathString(p), again, err)
				}
			}
		}
	})
}
