package gnmi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roce-exporter/roce_exporter/collector"
	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
)

// quick are the times of tests: a life in seconds.
func quick() Timing {
	return Timing{
		Connect: 2 * time.Second, Sync: 2 * time.Second, Trial: time.Second, Slack: 100 * time.Millisecond,
		Keepalive: 10 * time.Second, BackoffLeast: 20 * time.Millisecond, BackoffMost: 200 * time.Millisecond,
		Denied: 50 * time.Millisecond, Refused: time.Hour, Anew: time.Hour, Expire: 50 * time.Millisecond, Look: 20 * time.Millisecond,
	}
}

// profile returns a row of THE TABLE.
func profile(t *testing.T, name string) Profile {
	t.Helper()
	all := Profiles()
	i := slices.IndexFunc(all, func(p Profile) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("no profile %s", name)
	}
	return all[i]
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
