package gnmi

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/protobuf/proto"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// everyProfile are the profiles, and those of tests, which have all kinds of
// leaves.
func everyProfile() []Profile {
	tests := Profile{Name: "tests", Subscriptions: append(append(ports(ValueToCaptured), ports(CapturedToValue)[0]),
		Subscription{Path: "/a", Base: "/a[name={transceiver}]", Leaves: []Leaf{
			{Path: "Q{queue}-{priority}", Metric: metric.InterfacePFCFramesReceived},
			{Path: "lane[index={lane}]/power", Metric: metric.TransceiverReceived, LaneBase: 1, Scale: 1e300},
			{Path: "vendor", Metric: metric.TransceiverInfo, Label: metric.Vendor},
			{Path: "temperature", Metric: metric.TransceiverTemperature, Follows: true},
		}})}
	return append(Profiles(), tests)
}

// FuzzApply takes in what a device might send: the first byte is the profile, then
// come messages, the first three bytes of each its length and how it is taken in.
func FuzzApply(f *testing.F) {
	profiles := everyProfile()
	add := func(profile int, all ...*gnmipb.SubscribeResponse) {
		in := []byte{byte(profile)}
		for _, m := range all {
			b, err := proto.Marshal(m)
			if err != nil {
				f.Fatal(err)
			}
			if len(b) < 1<<16 {
				in = append(append(in, byte(len(b)), byte(len(b)>>8), 0), b...)
			}
		}
		f.Add(in)
	}
	sync := &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_SyncResponse{SyncResponse: true}}
	for p := range profiles[:len(profiles)-1] {
		rec, err := gnmitest.Load(profiles[p].Name)
		if err != nil {
			f.Fatal(err)
		}
		for i, n := range rec.Notifications {
			m := &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: n}}
			var gone []*gnmipb.Path
			for _, u := range n.GetUpdate() {
				gone = append(gone, u.GetPath())
			}
			del := &gnmipb.Notification{Prefix: n.GetPrefix(), Delete: gone, Atomic: i%3 == 0}
			add(p, m, sync, &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: del}})
		}
	}
	all, err := gnmitest.ParseUpdates("/NAMES json {\"a\":\"b\",\"c\":[\"d\"]}\n/COUNTERS/b/OCTETS uint 1\n/a[name=T]/Q3-4 int -1\n/a[name=T] json {\"lane\":[{\"index\":\"1\",\"power\":-2}]}\n" +
		"-/NAMES\n@ atomic prefix=/a[name=T]\nvendor string v\n-/...\n@ prefix=/a\n-/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range all {
		add(len(profiles)-1, &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: n}})
	}
	var programs []*program
	for i := range profiles {
		prog, err := compile(&profiles[i])
		if err != nil {
			f.Fatal(err)
		}
		programs = append(programs, prog)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 {
			return
		}
		prog := programs[int(in[0])%len(programs)]
		if err := takeAll(t, prog, in[1:]); err != nil {
			t.Fatalf("profile %s: %v", prog.profile.Name, err)
		}
	})
}

// takeAll takes the messages in and says what does not hold after them.
func takeAll(t *testing.T, prog *program, in []byte) error {
	target := &Target{cfg: Config{Name: "leaf1", Interval: time.Second, Timing: quick(), Log: slog.New(slog.DiscardHandler)},
		programs: []*program{prog}, base: time.Now(), refused: make(map[string]refused)}
	target.use(prog)
	r := &reader{t: target, store: target.current()}
	subs := make([]bool, len(prog.profile.Subscriptions))
	for i := range subs {
		subs[i] = true
	}
	a := &asking{reader: r, follower: &follower{reader: r, group: &group{}}, feed: feed{subscriptions: subs}}
	target.streams.Store(1)
	target.unsynced.Store(1)
	for len(in) >= 3 {
		n, how := int(in[0])|int(in[1])<<8, in[2]
		in = in[3:]
		b := in[:min(n, len(in))]
		in = in[len(b):]
		var m gnmipb.SubscribeResponse
		if proto.Unmarshal(b, &m) != nil {
			continue
		}
		r.store.start = r.store.start.Add(-time.Duration(how&3) * time.Second)
		if how&4 != 0 {
			r.store.begin(&a.feed, target.round.Add(1))
		}
		if how&8 != 0 {
			r.store.sweep(&a.feed)
		}
		if how&16 != 0 {
			r.store.ended(&a.feed)
			r.store.expire()
		}
		if err := a.message(&m); err != nil && strings.Contains(err.Error(), "panic") {
			return err
		}
		if err := r.store.check(); err != nil {
			return err
		}
	}
	samples, err := target.Collect(t.Context())
	if err != nil {
		return err
	}
	series := make(map[string]bool)
	for _, s := range samples {
		if series[s.Key()] {
			return fmt.Errorf("series %s comes twice", s.Key())
		}
		series[s.Key()] = true
		if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
			return fmt.Errorf("%s is %v", s.Key(), s.Value)
		}
		for _, l := range s.Metric.Labels {
			if v := s.Place.Where.Value(l); !utf8.ValidString(v) || len(v) > maxText {
				return fmt.Errorf("label %s of %s is %q", l, s.Metric.Name, v)
			}
		}
	}
	if len(samples)%8 != 0 {
		return nil // it costs more than all the rest
	}
	w := httptest.NewRecorder()
	serverOf(target).ServeHTTP(w, httptest.NewRequest("GET", "/probe?target=leaf1", nil))
	if body := w.Body.String(); w.Code != 200 || !utf8.ValidString(body) || strings.Count(body, "# TYPE roce_target_up ") != 1 {
		return fmt.Errorf("/probe: %d", w.Code)
	}
	return nil
}

// FuzzDecodeJSON takes JSON apart, whatever it is.
func FuzzDecodeJSON(f *testing.F) {
	for _, s := range []string{"1", "-1", "1.5e3", `"1"`, `"18446744073709551615"`, "null", "[null]", `{"a":[1]}`, "1]", "", `"\ud800"`, "true", "1e999", "[[[[", `"QUYAAA=="`, "-0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, tree, err := decodeJSON(b)
		if valid := json.Valid(b); valid != (err == nil) {
			t.Fatalf("%q is JSON: %v, and decoded: %v", b, valid, err)
		}
		if err != nil || tree != nil {
			return
		}
		v, why := s.number()
		if why == usable && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Fatalf("%q is %v", b, v)
		}
		if !utf8.ValidString(s.word()) {
			t.Fatalf("%q is the word %q", b, s.word())
		}
		var number json.Number
		if json.Unmarshal(b, &number) == nil && number != "" {
			if want, err := number.Float64(); err == nil && (why != usable || v != want) {
				t.Fatalf("%q is %v %q, want %v", b, v, why, want)
			}
		}
	})
}

// FuzzNumber reads numbers from texts.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1", " 1 ", "-1", "N/A", "inf", "nan", "0x1", "1_0", "QUYAAA==", "true", "", "18446744073709551616"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, why := scalar{text: s}.number()
		if why == usable && (math.IsNaN(v) || math.IsInf(v, 0)) || why != usable && why != noValue && why != wrongType {
			t.Fatalf("%q is %v %q", s, v, why)
		}
	})
}

// FuzzPath has old elements, and identifiers that are filled into paths.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"a", "a[k=v]", `a\/b]=[`, "", "[", "a[b", "{pool}", "*", "...", `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		//lint:ignore SA1019 devices still send it
		old := &gnmipb.Path{Element: []string{s, "b"}}
		out, err := appendElems(nil, old)
		if err != nil || len(out) == 0 || out[len(out)-1].GetName() != "b" || s != "" && len(out) < 2 {
			t.Fatalf("%q: %v %v", s, out, err)
		}
		for _, e := range out {
			if e.GetName() == "" {
				t.Fatalf("%q: an element without a name", s)
			}
		}
		pattern, err := ygot.StringToStructuredPath("/a/{pool}/b[k={pool}x]")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for fill := range combinations([]field{fieldPool}, [][]string{{s}}) {
			n++
			p := filled(pattern, fill)
			if p.Elem[1].GetName() != s || p.Elem[2].GetKey()["k"] != s+"x" || len(p.Elem) != 3 {
				t.Fatalf("%q: %v", s, p)
			}
		}
		if n != 1 || pattern.Elem[1].GetName() != "{pool}" {
			t.Fatalf("%d paths, and the pattern is %v", n, pattern)
		}
	})
}

// FuzzTemplate matches texts with templates. What fits gives the text again when
// its placeholders are filled.
func FuzzTemplate(f *testing.F) {
	for _, s := range [][2]string{{"{interface}:{queue}", "a:b:3"}, {"Q{queue}", "Q7"}, {"{interface}", ""}, {"{", ""}, {"}{", "x"}, {"a{lane}b{interface}c", "a1bxc"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, s, text string) {
		tpl, err := parseTemplate(s)
		if err != nil {
			return
		}
		if len(tpl.texts) != len(tpl.fields)+1 {
			t.Fatalf("%q is %+v", s, tpl)
		}
		var c captures
		if !tpl.match(text, &c) {
			return
		}
		seen := make(map[field]bool)
		again := tpl.texts[0]
		for i, x := range tpl.fields {
			if seen[x] {
				return // one placeholder twice has the last text
			}
			seen[x] = true
			if c[x] == "" {
				t.Fatalf("%q fits %q with an empty %s", text, s, fieldNames()[x])
			}
			again += c[x] + tpl.texts[i+1]
		}
		if again != text {
			t.Fatalf("%q fits %q as %q", text, s, again)
		}
	})
}
