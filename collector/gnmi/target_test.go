package gnmi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/roce-exporter/roce_exporter/collector"
	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// quick are the times of tests: a life in seconds.
func quick() Timing {
	return Timing{
		Connect: 2 * time.Second, Sync: time.Second, Trial: 500 * time.Millisecond, Slack: 100 * time.Millisecond,
		Keepalive: 10 * time.Second, BackoffLeast: 20 * time.Millisecond, BackoffMost: 200 * time.Millisecond,
		Denied: 50 * time.Millisecond, Refused: time.Hour, Anew: time.Hour, Expire: 50 * time.Millisecond, Look: 20 * time.Millisecond,
	}
}

// recording loads a recording.
func recording(t *testing.T, name string) *gnmitest.Recording {
	t.Helper()
	rec, err := gnmitest.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// device starts a device that says what a recording does.
func device(t *testing.T, name string, o gnmitest.DeviceOptions) *gnmitest.Device {
	t.Helper()
	d, err := gnmitest.StartDevice(recording(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Stop)
	return d
}

// run runs a target until the test ends.
func run(t *testing.T, cfg Config) *Target {
	t.Helper()
	if cfg.Name == "" {
		cfg.Name = "leaf1"
	}
	if cfg.Interval == 0 {
		cfg.Interval = time.Second
	}
	if cfg.Timing == (Timing{}) {
		cfg.Timing = quick()
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	target, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); target.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return target
}

// small is a profile of counters, which are sampled, and of state, which is told
// on change.
func small() Profile {
	return Profile{Name: "small", Subscriptions: []Subscription{
		openconfigInterfaceCounters(),
		openconfigState("oper-status", Leaf{Metric: metric.InterfaceUp, Words: operStatus()}),
		openconfigState("mtu", Leaf{Metric: metric.InterfaceMTU}),
	}}
}

// lively starts a device of the OpenConfig model that samples every 100 ms.
func lively(t *testing.T, f gnmitest.Faults) *gnmitest.Device {
	t.Helper()
	return device(t, "openconfig", gnmitest.DeviceOptions{MinInterval: 100 * time.Millisecond, Faults: f})
}

// reads is a target's configuration for a device of lively.
func reads(addr string, p Profile) Config {
	return Config{Address: addr, Profiles: []Profile{p}, Interval: 100 * time.Millisecond}
}

// Series of what devices of the OpenConfig model tell.
const (
	bytes1 = `roce_interface_received_bytes_total{interface="Ethernet1"}`
	bytes2 = `roce_interface_received_bytes_total{interface="Ethernet2"}`
	up1    = `roce_interface_up{interface="Ethernet1"}`
	up2    = `roce_interface_up{interface="Ethernet2"}`
	mtu1   = `roce_interface_mtu_bytes{interface="Ethernet1"}`
)

// has says whether the target has a series.
func has(t testing.TB, target *Target, series string) bool {
	t.Helper()
	_, ok := value(t, target, series)
	return ok
}

// health returns the value of a metric about how the target is read.
func health(t testing.TB, target *Target, series string) float64 {
	t.Helper()
	v, ok := value(t, target, series)
	if !ok {
		t.Fatalf("there is no %s", series)
	}
	return v
}

// shows waits until a series has the value.
func shows(t *testing.T, target *Target, series string, want float64) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s %v", series, want), func() bool {
		v, ok := value(t, target, series)
		return ok && v == want
	})
}

// loses waits until a series is gone.
func loses(t *testing.T, target *Target, series string) {
	t.Helper()
	eventually(t, "no "+series, func() bool { return !has(t, target, series) })
}

// troubled waits until the target's problem has a text in it.
func troubled(t *testing.T, target *Target, text string) {
	t.Helper()
	was := "" // the last one, for the message
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if p := target.Status().Problem; p != "" {
			was = p
		}
		if strings.Contains(was, text) {
			return
		}
	}
	t.Fatalf("no problem with %q in it; the last was %q", text, was)
}

// tell sets a value of a device.
func tell(t *testing.T, d *gnmitest.Device, path string, v *gnmipb.TypedValue) {
	t.Helper()
	if err := d.Set(path, v); err != nil {
		t.Fatal(err)
	}
}

// takeBack deletes a path of a device.
func takeBack(t *testing.T, d *gnmitest.Device, path string) {
	t.Helper()
	if err := d.Delete(path); err != nil {
		t.Fatal(err)
	}
}

// exposition returns the lines of the target's /probe, without comments.
func exposition(t testing.TB, target *Target) []string {
	t.Helper()
	w := httptest.NewRecorder()
	serverOf(target).ServeHTTP(w, httptest.NewRequest("GET", "/probe?target=leaf1", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("/probe: %d: %s", w.Code, w.Body)
	}
	var out []string
	for l := range strings.Lines(w.Body.String()) {
		if !strings.HasPrefix(l, "#") {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}

// lines returns what /probe says of the switch, without the target's health.
func lines(t testing.TB, target *Target) string {
	t.Helper()
	all := exposition(t, target)
	return strings.Join(slices.DeleteFunc(all, func(l string) bool { return strings.HasPrefix(l, "roce_target_") }), "\n")
}

// value returns the value of a series of the target; ok says whether it is
// there. The series is as in the text format: name{label="value"}.
func value(t testing.TB, target *Target, series string) (v float64, ok bool) {
	t.Helper()
	for _, l := range exposition(t, target) {
		if rest, found := strings.CutPrefix(l, series+" "); found {
			v, err := strconv.ParseFloat(rest, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v, true
		}
	}
	return 0, false
}

// serverOf returns the handler that serves target at /probe?target=leaf1.
func serverOf(target *Target) http.Handler {
	log := slog.New(slog.DiscardHandler)
	server := collector.Server{Collector: collector.New(nil, collector.Build{}, log), Own: prometheus.NewRegistry(), Timeout: 10 * time.Second,
		Log: log, Fleet: oneTarget{target}}
	return server.Handler()
}

type oneTarget struct{ target *Target }

func (o oneTarget) Target(string) (collector.Source, bool) { return o.target, true }
func (o oneTarget) Discovered() []collector.Discovered     { return nil }
func (o oneTarget) Config() []byte                         { return nil }
func (o oneTarget) Reload() error                          { return nil }

// eventually waits for a condition; on timeout it fails with what.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}

// room lets the store keep no more than n series.
func (s *store) room(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = n
}
