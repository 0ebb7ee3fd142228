package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roce-exporter/roce_exporter/collector"
	"github.com/roce-exporter/roce_exporter/collector/gnmi"
	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
)

// bed is a fleet that runs, served over HTTP, and what it logs.
type bed struct {
	t     *testing.T
	dir   string
	fleet *Fleet
	url   string
	log   *logged
}

// logged is what was logged, with debug.
type logged struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// quick are the times of tests.
func quick() gnmi.Timing {
	t := gnmi.DefaultTiming()
	t.Connect, t.Sync, t.Trial, t.Slack = 2*time.Second, 2*time.Second, time.Second, 100*time.Millisecond
	t.BackoffLeast, t.BackoffMost, t.Denied = 20*time.Millisecond, 100*time.Millisecond, 50*time.Millisecond
	t.Expire, t.Look = 50*time.Millisecond, 20*time.Millisecond
	return t
}

// start runs a fleet of files, by name; roce.yml is the configuration.
func start(t *testing.T, shard Shard, files map[string]string) *bed {
	t.Helper()
	b := &bed{t: t, dir: t.TempDir(), log: &logged{}}
	for name, text := range files {
		b.write(name, text)
	}
	log := slog.New(slog.NewTextHandler(io.MultiWriter(t.Output(), b.log), &slog.HandlerOptions{Level: slog.LevelDebug}))
	f, err := New(Options{Path: filepath.Join(b.dir, "roce.yml"), Shard: shard, Timing: quick(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	b.fleet = f
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	server := httptest.NewServer((&collector.Server{
		Collector: collector.New([]collector.Source{f}, collector.Build{}, log), Own: prometheus.NewRegistry(), Timeout: 5 * time.Second, Log: log, Fleet: f,
		Sections: func() []collector.Section { return []collector.Section{f.Section()} },
	}).Handler())
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *bed) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		b.t.Fatal(err)
	}
}

// call makes a request and returns the answer's code and text.
func (b *bed) call(method, path string) (int, string) {
	b.t.Helper()
	r, err := http.NewRequest(method, b.url+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func (b *bed) get(path string) string {
	b.t.Helper()
	code, body := b.call("GET", path)
	if code != http.StatusOK {
		b.t.Fatalf("GET %s: %d %s", path, code, body)
	}
	return body
}

// has says whether a line is in an answer.
func (b *bed) has(path, line string) bool {
	return strings.Contains("\n"+b.get(path), "\n"+line+"\n")
}

func (b *bed) eventually(what string, condition func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if condition() {
			return
		}
	}
	b.t.Fatalf("never: %s", what)
}

func device(t *testing.T, o gnmitest.DeviceOptions) *gnmitest.Device {
	t.Helper()
	rec, err := gnmitest.Load("openconfig")
	if err != nil {
		t.Fatal(err)
	}
	d, err := gnmitest.StartDevice(rec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Stop)
	return d
}

// plain is a configuration of targets on addresses, without TLS.
func plain(addresses map[string]string) string {
	s := "defaults: {profile: openconfig, tls: {plaintext: true}, sample_interval: 1s}\ntargets:\n"
	for name, address := range addresses {
		s += fmt.Sprintf("  - {name: %s, address: '%s', labels: {rack: r-%s}}\n", name, address, name)
	}
	return s
}

func TestProbeServesATargetByName(t *testing.T) {
	d := device(t, gnmitest.DeviceOptions{})
	b := start(t, Shard{}, map[string]string{"roce.yml": plain(map[string]string{"leaf1": d.Addr()})})
	b.eventually("up", func() bool { return b.has("/probe?target=leaf1", "roce_target_up 1") })
	if !b.has("/probe?target=leaf1", `roce_interface_received_bytes_total{interface="Ethernet1"} 1.000001e+06`) {
		t.Errorf("no counter in\n%s", b.get("/probe?target=leaf1"))
	}
	metrics := b.get("/metrics")
	for _, want := range []string{"roce_exporter_targets 1", "roce_exporter_targets_up 1", "roce_exporter_config_last_reload_successful 1"} {
		if !strings.Contains(metrics, "\n"+want+"\n") {
			t.Errorf("/metrics has no %s", want)
		}
	}
	for _, not := range []string{"roce_target_", "roce_interface_", "leaf1"} {
		if strings.Contains(metrics, not) {
			t.Errorf("/metrics has %s of a target", not)
		}
	}
	landing := b.get("/")
	if !strings.Contains(landing, `<a href="probe?target=leaf1">leaf1</a>`) || !strings.Contains(landing, "1 of 1 are up") {
		t.Errorf("the landing page does not show the target:\n%s", landing)
	}
}

// What a caller says is never connected to.
func TestProbeDialsNothingThatACallerNames(t *testing.T) {
	d := device(t, gnmitest.DeviceOptions{})
	b := start(t, Shard{}, map[string]string{"roce.yml": "targets: []\n"})
	for query, want := range map[string]int{"": 400, "?target=": 400, "?target=" + d.Addr(): 404, "?target=leaf9": 404, "?target=%0a%22%3Cb%3E": 404} {
		code, body := b.call("GET", "/probe"+query)
		if code != want || !strings.Contains(body, "/targets") || strings.Contains(body, "<b>\n") {
			t.Errorf("/probe%s: %d %q; want %d and where to find names", query, code, body, want)
		}
	}
	if n := d.RPCs().Connected; n != 0 {
		t.Errorf("the device was called %d times", n)
	}
}

func TestTargetsTellsServiceDiscovery(t *testing.T) {
	b := start(t, Shard{}, map[string]string{"roce.yml": plain(map[string]string{"leaf2": "127.0.0.1:1", "leaf1": "127.0.0.1:2"})})
	var groups []struct {
		Targets []string
		Labels  map[string]string
	}
	if err := json.Unmarshal([]byte(b.get("/targets")), &groups); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(b.url, "http://")
	want := map[string]string{
		"instance": "leaf1", "rack": "r-leaf1", "__param_target": "leaf1", "__metrics_path__": "/probe", "__scheme__": "http",
		"__meta_roce_kind": "gnmi", "__meta_roce_profile": "openconfig", "__meta_roce_address": "127.0.0.1:2",
	}
	if len(groups) != 2 || fmt.Sprint(groups[0].Labels) != fmt.Sprint(want) || fmt.Sprint(groups[0].Targets) != "["+host+"]" {
		t.Errorf("got %v\nwant first %v at %s", groups, want, host)
	}
	empty := start(t, Shard{}, map[string]string{"roce.yml": "targets: []\n"})
	if got := strings.TrimSpace(empty.get("/targets")); got != "[]" {
		t.Errorf("without targets: %s; Prometheus wants []", got)
	}
}

func TestShardServesItsOwnTargetsOnly(t *testing.T) {
	addresses := make(map[string]string)
	for i := range 20 {
		addresses[fmt.Sprintf("leaf%d", i)] = "127.0.0.1:1"
	}
	seen := make(map[string]int)
	for i := range 3 {
		s, err := NewShard(i, 3)
		if err != nil {
			t.Fatal(err)
		}
		b := start(t, s, map[string]string{"roce.yml": plain(addresses)})
		listed := b.get("/targets")
		for name := range addresses {
			code, _ := b.call("GET", "/probe?target="+name)
			if here := strings.Contains(listed, fmt.Sprintf("%q", name)); here != (code == 200) {
				t.Errorf("shard %d: %s is listed: %v, /probe says %d", i, name, here, code)
			}
			if code == 200 {
				seen[name]++
			}
		}
	}
	for name := range addresses {
		if seen[name] != 1 {
			t.Errorf("%s is served by %d shards", name, seen[name])
		}
	}
}

// A reload restarts what is set otherwise, and nothing else.
func TestReloadLeavesAloneWhatDidNotChange(t *testing.T) {
	one, two := device(t, gnmitest.DeviceOptions{}), device(t, gnmitest.DeviceOptions{})
	b := start(t, Shard{}, map[string]string{"roce.yml": plain(map[string]string{"leaf1": one.Addr(), "leaf2": two.Addr()})})
	for _, n := range []string{"leaf1", "leaf2"} {
		b.eventually("up", func() bool { return b.has("/probe?target="+n, "roce_target_up 1") })
	}
	calls := one.RPCs().Subscribe
	text := strings.Replace(plain(map[string]string{"leaf1": one.Addr(), "leaf3": two.Addr()}), "r-leaf1", "moved", 1)
	b.write("roce.yml", text)
	if code, body := b.call("POST", "/-/reload"); code != 200 {
		t.Fatalf("reload: %d %s", code, body)
	}
	if code, _ := b.call("GET", "/probe?target=leaf2"); code != 404 {
		t.Errorf("leaf2 is gone from the configuration; /probe says %d", code)
	}
	b.eventually("leaf3 up", func() bool { return b.has("/probe?target=leaf3", "roce_target_up 1") })
	if !b.has("/probe?target=leaf1", "roce_target_up 1") || one.RPCs().Subscribe != calls {
		t.Errorf("leaf1 was begun anew: %d calls, and %d before", one.RPCs().Subscribe, calls)
	}
	if !strings.Contains(b.get("/targets"), `"rack":"moved"`) {
		t.Error("the new label is not in /targets")
	}
	b.eventually("the stream of leaf2 ends", func() bool { return two.RPCs().Connections == 1 })
}

func TestReloadKeepsTheConfigurationBeforeAMistake(t *testing.T) {
	d := device(t, gnmitest.DeviceOptions{})
	good := plain(map[string]string{"leaf1": d.Addr()})
	b := start(t, Shard{}, map[string]string{"roce.yml": good})
	b.eventually("up", func() bool { return b.has("/probe?target=leaf1", "roce_target_up 1") })
	b.write("roce.yml", good+"    adress: x\n")
	code, body := b.call("POST", "/-/reload")
	if code != 500 || !strings.Contains(body, "roce.yml:") {
		t.Errorf("reload of a wrong file: %d %s; want 500 and the line", code, body)
	}
	if !b.has("/metrics", "roce_exporter_config_last_reload_successful 0") || !b.has("/probe?target=leaf1", "roce_target_up 1") {
		t.Error("want reload_successful 0 and the target as before")
	}
	b.write("roce.yml", good)
	if code, body := b.call("POST", "/-/reload"); code != 200 {
		t.Errorf("reload of a good file: %d %s", code, body)
	}
	if !b.has("/metrics", "roce_exporter_config_last_reload_successful 1") {
		t.Error("want reload_successful 1")
	}
	if code, _ := b.call("GET", "/-/reload"); code != http.StatusMethodNotAllowed {
		t.Errorf("GET /-/reload: %d", code)
	}
}

func TestTargetFilesAreReadAgainWhenTheyChange(t *testing.T) {
	d := device(t, gnmitest.DeviceOptions{})
	group := func(names ...string) string {
		s := "- labels: {row: a}\n  targets:\n"
		for _, n := range names {
			s += fmt.Sprintf("    - {name: %s, address: '%s'}\n", n, d.Addr())
		}
		return s
	}
	b := start(t, Shard{}, map[string]string{
		"roce.yml": "refresh_interval: 1s\ndefaults: {profile: openconfig, tls: {plaintext: true}, sample_interval: 1s}\ntarget_files: ['more/*.yml']\n",
	})
	b.write("more/a.yml", group("leaf1"))
	b.eventually("leaf1", func() bool { code, _ := b.call("GET", "/probe?target=leaf1"); return code == 200 })
	b.write("more/a.yml", group("leaf1", "leaf2"))
	b.eventually("leaf2", func() bool { code, _ := b.call("GET", "/probe?target=leaf2"); return code == 200 })
	b.write("more/a.yml", "- targets: [leaf1\n")
	b.eventually("the mistake is told", func() bool { return b.has("/metrics", "roce_exporter_config_last_reload_successful 0") })
	b.eventually("up all the same", func() bool { return b.has("/probe?target=leaf2", "roce_target_up 1") })
	b.write("more/a.yml", group("leaf2"))
	b.eventually("the mended file", func() bool {
		code, _ := b.call("GET", "/probe?target=leaf1")
		return code == 404 && b.has("/metrics", "roce_exporter_config_last_reload_successful 1")
	})
}

// secret is in every place where a secret can be.
const secret = "c0rrect-h0rse"

func TestSecretsAreNeverShown(t *testing.T) {
	authority, err := gnmitest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := authority.Certificate("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	files, err := authority.WriteFiles(t.TempDir(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, gnmitest.DeviceOptions{TLS: authority.ServerConfig(certificate, false),
		Faults: gnmitest.Faults{Username: "admin", Password: "another"}})
	t.Setenv("ROCE_TEST_TOKEN", secret+"-token")
	b := start(t, Shard{}, map[string]string{
		"password": secret + "\n",
		"roce.yml": "credentials:\n  lab: {username: admin, password_file: password, metadata: {x-token: {env: ROCE_TEST_TOKEN}}}\n" +
			"defaults: {profile: openconfig, credentials: lab, tls: {ca_file: '" + files.CA + "'}, sample_interval: 1s}\n" +
			"targets: [{name: leaf1, address: '" + d.Addr() + "'}]\n",
	})
	b.eventually("refused", func() bool { return strings.Contains(b.get("/"), "Unauthenticated") })
	shown := b.get("/") + b.get("/config") + b.get("/metrics") + b.get("/targets") + b.get("/probe?target=leaf1") + b.log.String()
	if strings.Contains(shown, secret) {
		t.Errorf("the secret is shown:\n%s", shown)
	}
	if !strings.Contains(b.get("/config"), "password_file:") {
		t.Errorf("/config does not say where the password is:\n%s", b.get("/config"))
	}
	// The right one is taken from the file without a reload.
	b.write("password", "another\n")
	b.eventually("up", func() bool { return b.has("/probe?target=leaf1", "roce_target_up 1") })
}
