package collector

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// source is the smallest Source: sources of hosts are tested in
// collector/host against a fake kernel.
type source struct {
	name    string
	collect func(ctx context.Context) ([]metric.Sample, error)
}

func (s source) Name() string { return s.name }

func (s source) Collect(ctx context.Context) ([]metric.Sample, error) { return s.collect(ctx) }

func testServer(t *testing.T, log *slog.Logger, sources ...Source) *httptest.Server {
	t.Helper()
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := Server{
		Collector: New(sources, Build{Version: "v0"}, log), Own: prometheus.NewRegistry(), Timeout: 5 * time.Second, Version: "v0", Log: log,
		Sections: func() []Section {
			return []Section{{Title: "Things", Header: []string{"A"}, Rows: [][]string{{"<b>"}}}}
		},
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server
}

func fetch(t *testing.T, url string, header ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(b), answer.Header
}

// wantLines checks that text has each of lines, whole.
func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains("\n"+text, "\n"+l+"\n") {
			t.Errorf("no line %q in\n%s", l, text)
		}
	}
}

func up(device, port string, v float64) metric.Sample {
	return metric.Sample{Series: metric.RDMAPortUp.At(metric.Where{Device: device, Port: port}), Value: v}
}

// A source that fails costs only itself; what it could read is served.
func TestFailureOfOneSource(t *testing.T) {
	var log bytes.Buffer
	fail := errors.Join(errors.New("mlx5_1: state: input/output error"), errors.New("mlx5_2: rate: input/output error"))
	server := testServer(t, slog.New(slog.NewTextHandler(&log, nil)),
		source{"good", func(context.Context) ([]metric.Sample, error) { return []metric.Sample{up("a", "1", 1)}, nil }},
		source{"partial", func(context.Context) ([]metric.Sample, error) { return []metric.Sample{up("b", "1", 0)}, fail }},
		source{"broken", func(context.Context) ([]metric.Sample, error) { panic("boom") }},
	)
	for range 3 {
		code, text, _ := fetch(t, server.URL+"/metrics")
		if code != 200 {
			t.Fatalf("status %d; want 200", code)
		}
		wantLines(t, text,
			`roce_rdma_port_up{device="a",port="1"} 1`,
			`roce_rdma_port_up{device="b",port="1"} 0`,
			`roce_exporter_collector_success{collector="good"} 1`,
			`roce_exporter_collector_success{collector="partial"} 0`,
			`roce_exporter_collector_success{collector="broken"} 0`)
	}
	// Logged when it began, not at every scrape.
	if n := strings.Count(log.String(), "mlx5_1: state: input/output error"); n != 1 {
		t.Errorf("the failure was logged %d times in 3 scrapes; want once", n)
	}
	_, page, _ := fetch(t, server.URL+"/")
	for _, want := range []string{"good", "mlx5_1: state: input/output error", "please report it", "&lt;b&gt;", `href="metrics"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the landing page", want)
		}
	}
}

func TestRecoveryIsLogged(t *testing.T) {
	var log bytes.Buffer
	err := errors.New("mlx5_0: state: input/output error")
	c := New([]Source{source{"s", func(context.Context) ([]metric.Sample, error) { return nil, err }}}, Build{}, slog.New(slog.NewTextHandler(&log, nil)))
	c.Gather(t.Context())
	err = nil
	c.Gather(t.Context())
	if !strings.Contains(log.String(), "level=INFO") || c.States()[0].Errors != nil {
		t.Errorf("log %q, state %+v; want an INFO line and no error", log.String(), c.States())
	}
}

// Two readings that claim one series must neither break the exposition nor
// pass unseen.
func TestDuplicates(t *testing.T) {
	server := testServer(t, nil,
		source{"s", func(context.Context) ([]metric.Sample, error) {
			return []metric.Sample{up("a", "1", 1), up("a", "1", 0), up("a", "2", 1)}, nil
		}})
	fetch(t, server.URL+"/metrics")
	_, text, _ := fetch(t, server.URL+"/metrics")
	wantLines(t, text, `roce_rdma_port_up{device="a",port="1"} 1`, `roce_rdma_port_up{device="a",port="2"} 1`,
		`roce_exporter_duplicate_samples_total 1`)
	if strings.Contains(text, `port="1"} 0`) {
		t.Error("the second reading was exported as well")
	}
}

// Text of the kernel can hold anything.
func TestHostileLabelValues(t *testing.T) {
	server := testServer(t, nil, source{"s", func(context.Context) ([]metric.Sample, error) {
		return []metric.Sample{up("a\"\\\n\xff\x00", "1", 1)}, nil
	}})
	for _, accept := range []string{"text/plain", "application/openmetrics-text;version=1.0.0"} {
		code, text, header := fetch(t, server.URL+"/metrics", "Accept", accept)
		if code != 200 {
			t.Fatalf("%s: status %d: %s", accept, code, text)
		}
		if accept != "text/plain" {
			if !strings.HasPrefix(header.Get("Content-Type"), "application/openmetrics-text") || !strings.HasSuffix(text, "# EOF\n") {
				t.Errorf("OpenMetrics was asked for and not given: %s", header.Get("Content-Type"))
			}
			continue
		}
		parser := expfmt.NewTextParser(2)
		if _, err := parser.TextToMetricFamilies(strings.NewReader(text)); err != nil {
			t.Errorf("the exposition does not parse: %v\n%s", err, text)
		}
	}
}

// The scrape's timeout reaches the sources, with something left for the way
// back; nonsense does not.
func TestScrapeTimeout(t *testing.T) {
	var got time.Duration
	server := testServer(t, nil, source{"s", func(ctx context.Context) ([]metric.Sample, error) {
		deadline, _ := ctx.Deadline()
		got = time.Until(deadline)
		return nil, nil
	}})
	for header, want := range map[string]time.Duration{
		"": 5 * time.Second, "1": 800 * time.Millisecond, "3.0": 2500 * time.Millisecond, "5": 4500 * time.Millisecond, "60": 5 * time.Second,
		"0.001": 100 * time.Millisecond, "0": 5 * time.Second, "-1": 5 * time.Second, "NaN": 5 * time.Second, "1e300": 5 * time.Second, "Inf": 5 * time.Second, "soon": 5 * time.Second,
	} {
		fetch(t, server.URL+"/metrics", "X-Prometheus-Scrape-Timeout-Seconds", header)
		if got > want || got < want-100*time.Millisecond {
			t.Errorf("header %q: sources have %v; want %v", header, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	server := testServer(t, nil)
	for path, want := range map[string]int{
		"/-/healthy": 200, "/-/ready": 200, "/": 200, "/metrics": 200, "/nothing": 404, "/metrics/x": 404, "/probe?target=127.0.0.1": 404,
	} {
		if code, _, _ := fetch(t, server.URL+path); code != want {
			t.Errorf("GET %s = %d; want %d", path, code, want)
		}
	}
	answer, err := http.Post(server.URL+"/metrics", "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /metrics = %d; want 405", answer.StatusCode)
	}
}
