package gnmi

import (
	"slices"
	"strings"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// families are two that are made up, and OpenConfig, which is general.
func families() []Profile {
	general := small()
	general.Name = "general"
	family := func(name string) Profile {
		return Profile{Name: name, Models: []string{name + "-"}, Organizations: []string{name + " "}, Subscriptions: []Subscription{
			{Path: "/" + name + "/never", Base: "/" + name + "/never", Leaves: []Leaf{{Path: "{interface}", Metric: metric.InterfaceMTU}}},
			{Path: "/" + name, Base: "/" + name, Leaves: []Leaf{{Path: "{interface}/in", Metric: metric.InterfaceBytesReceived}}},
		}}
	}
	return []Profile{general, family("acme"), family("zeta")}
}

// unknown is a device that tells what the paths say, and no more.
func unknown(t *testing.T, rec *gnmitest.Recording, f gnmitest.Faults, paths ...string) *gnmitest.Device {
	t.Helper()
	d, err := gnmitest.StartDevice(rec, gnmitest.DeviceOptions{MinInterval: 100 * time.Millisecond, Faults: f})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Stop)
	for _, p := range paths {
		tell(t, d, p, gnmitest.Uint(1))
	}
	return d
}

func finds(t *testing.T, d *gnmitest.Device) *Target {
	t.Helper()
	cfg := reads(d.Addr(), Profile{})
	cfg.Profiles, cfg.Auto = families(), true
	cfg.Timing = quick()
	cfg.Timing.Connect, cfg.Timing.Trial = 300*time.Millisecond, 300*time.Millisecond
	return run(t, cfg)
}

const (
	acme1 = "/acme/Ethernet1/in"
	zeta1 = "/zeta/Ethernet1/in"
	open1 = "/interfaces/interface[name=Ethernet1]/state/counters/in-octets"
)

// TestAuto finds out the profile.
func TestAuto(t *testing.T) {
	capable := func(models ...*gnmipb.ModelData) *gnmitest.Recording {
		return &gnmitest.Recording{Capabilities: &gnmipb.CapabilityResponse{SupportedModels: models, SupportedEncodings: []gnmipb.Encoding{gnmipb.Encoding_JSON}}}
	}
	for name, c := range map[string]struct {
		rec   *gnmitest.Recording
		f     gnmitest.Faults
		paths []string
		want  string
	}{
		"by a model's name":           {capable(&gnmipb.ModelData{Name: "Zeta-interfaces"}), gnmitest.Faults{}, []string{acme1, zeta1}, "zeta"},
		"by an organization":          {capable(&gnmipb.ModelData{Name: "x", Organization: "ACME Inc."}), gnmitest.Faults{}, []string{acme1, zeta1}, "acme"},
		"by what it tells":            {capable(&gnmipb.ModelData{Name: "openconfig-interfaces"}), gnmitest.Faults{}, []string{zeta1, open1}, "zeta"},
		"no capabilities":             {&gnmitest.Recording{}, gnmitest.Faults{}, []string{acme1}, "acme"},
		"capabilities that hang":      {&gnmitest.Recording{}, gnmitest.Faults{CapabilitiesHang: true}, []string{zeta1}, "zeta"},
		"the general at last":         {capable(), gnmitest.Faults{}, []string{open1}, "general"},
		"those of others are refused": {&gnmitest.Recording{}, gnmitest.Faults{RefusePaths: map[string]codes.Code{"/acme": codes.NotFound, "/acme/never": codes.NotFound, "/zeta": codes.InvalidArgument}}, []string{open1}, "general"},
		"only one of its paths":       {&gnmitest.Recording{}, gnmitest.Faults{RefusePaths: map[string]codes.Code{"/zeta/never": codes.NotFound}}, []string{zeta1}, "zeta"},
		"no sync":                     {&gnmitest.Recording{}, gnmitest.Faults{NoSync: true}, []string{acme1}, "acme"},
		"another encoding":            {&gnmitest.Recording{}, gnmitest.Faults{Encodings: []gnmipb.Encoding{gnmipb.Encoding_JSON}}, []string{zeta1}, "zeta"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := unknown(t, c.rec, c.f, c.paths...)
			target := finds(t, d)
			shows(t, target, bytes1, 1)
			if p := target.Status().Profile; p != c.want {
				t.Errorf("profile %s", p)
			}
			shows(t, target, "roce_target_up", 1)
			if l := lines(t, target); l != bytes1+" 1" {
				t.Errorf("values:\n%s", l)
			}
		})
	}
}

func TestAutoFindsNothing(t *testing.T) {
	t.Parallel()
	d := unknown(t, &gnmitest.Recording{}, gnmitest.Faults{}, "/else/where")
	target := finds(t, d)
	troubled(t, target, "tells nothing that this family does")
	if st := target.Status(); st.Up || st.Profile != "" || st.Encoding != "" || !st.Connected && st.Problem == "" {
		t.Errorf("%+v", st)
	}
	if l := exposition(t, target); !strings.Contains(strings.Join(l, "\n"), `roce_target_info{protocol="gnmi"} 1`) {
		t.Errorf("%s", l)
	}
	tell(t, d, zeta1, gnmitest.Uint(1)) // it comes to speak
	shows(t, target, bytes1, 1)
	eventually(t, "no problem", func() bool { return target.Status().Problem == "" })
}

func TestAutoIsRefusedEverything(t *testing.T) {
	t.Parallel()
	refuse := make(map[string]codes.Code)
	for _, p := range families() {
		for _, s := range p.Subscriptions {
			refuse[s.Path] = codes.NotFound
		}
	}
	d := unknown(t, &gnmitest.Recording{}, gnmitest.Faults{RefusePaths: refuse}, open1)
	target := finds(t, d)
	troubled(t, target, "is refused")
}

// What is told while a profile is looked for is not counted as read, nor shown.
func TestAutoLooksAside(t *testing.T) {
	t.Parallel()
	d := unknown(t, &gnmitest.Recording{}, gnmitest.Faults{SilentAtStart: true}, acme1)
	target := finds(t, d)
	troubled(t, target, "tells nothing that this family does")
	if n := health(t, target, "roce_target_messages_total"); n != 0 {
		t.Errorf("%v messages", n)
	}
}

// A target can become one of another family: what it was is forgotten.
func TestAutoFindsAnotherFamily(t *testing.T) {
	t.Parallel()
	d := unknown(t, &gnmitest.Recording{}, gnmitest.Faults{}, acme1, "/acme/Ethernet2/in")
	target := finds(t, d)
	wants(t, target, bytes1, bytes2)
	d.Stop()
	takeBack(t, d, "/acme")
	tell(t, d, zeta1, gnmitest.Uint(5))
	if err := d.Restart(); err != nil {
		t.Fatal(err)
	}
	shows(t, target, bytes1, 5)
	if has(t, target, bytes2) {
		t.Error("what the other family told is still there")
	}
	if p := target.Status().Profile; p != "zeta" {
		t.Errorf("profile %s", p)
	}
}

// The profiles of THE TABLE are found by what the recordings of their families
// tell.
func TestAutoFindsFamilies(t *testing.T) {
	for _, p := range Profiles() {
		for how, f := range map[string]gnmitest.Faults{"by models": {}, "by what it tells": {CapabilitiesUnimplemented: true}} {
			t.Run(p.Name+" "+how, func(t *testing.T) {
				t.Parallel()
				d := device(t, p.Name, gnmitest.DeviceOptions{TimeScale: 0.01, Faults: f})
				cfg := reads(d.Addr(), Profile{})
				cfg.Profiles, cfg.Auto = Profiles(), true
				target := run(t, cfg)
				eventually(t, "a profile", func() bool { return target.Status().Series > 0 })
				if found := target.Status().Profile; found != p.Name {
					t.Errorf("it is %s", found)
				}
			})
		}
	}
}

// What every switch tells does not make it one of a family.
func TestAutoLooksAtWhatIsOwn(t *testing.T) {
	profiles := families()
	profiles[1].Subscriptions = append([]Subscription{openconfigInterfaceCounters()}, profiles[1].Subscriptions...)
	target, err := New(Config{Name: "leaf1", Profiles: profiles, Auto: true, Timing: quick()})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int{{0, 1, 2}, {1, 2}, {0, 1}} {
		if own := target.own(target.programs[i]); !slices.Equal(own, want) {
			t.Errorf("%s: %d", profiles[i].Name, own)
		}
	}
}

func TestEncodingsAreTriedInOrder(t *testing.T) {
	target, err := New(Config{Name: "leaf1", Profiles: []Profile{small()}, Timing: quick()})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		caps *gnmipb.CapabilityResponse
		want string
	}{
		"none told": {nil, "[PROTO JSON_IETF JSON]"},
		"others":    {&gnmipb.CapabilityResponse{SupportedEncodings: []gnmipb.Encoding{gnmipb.Encoding_ASCII}}, "[PROTO JSON_IETF JSON]"},
		"some":      {&gnmipb.CapabilityResponse{SupportedEncodings: []gnmipb.Encoding{gnmipb.Encoding_JSON, gnmipb.Encoding_JSON_IETF}}, "[JSON_IETF JSON]"},
	} {
		var names []string
		for _, e := range target.encodings(c.caps) {
			names = append(names, e.String())
		}
		if got := "[" + strings.Join(names, " ") + "]"; got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Paths of another family are taken, and nothing is at them.
func TestWrongProfileIsTold(t *testing.T) {
	t.Parallel()
	d := unknown(t, &gnmitest.Recording{}, gnmitest.Faults{}, acme1)
	target := run(t, reads(d.Addr(), families()[2]))
	troubled(t, target, "nothing of it is what profile zeta asks for")
	tell(t, d, zeta1, gnmitest.Uint(1))
	shows(t, target, bytes1, 1)
	eventually(t, "no problem", func() bool { return target.Status().Problem == "" })
}
