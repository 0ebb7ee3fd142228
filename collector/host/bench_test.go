package host_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/roce-exporter/roce_exporter/collector"
	"github.com/roce-exporter/roce_exporter/collector/hosttest"
)

// scraper returns a function that makes one scrape of /metrics, with all of the
// program's path but the network, and the number of series in it.
func scraper(t testing.TB, h *hosttest.Host, live bool) (func(), int) {
	t.Helper()
	own := prometheus.NewRegistry()
	own.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	log := slog.New(slog.DiscardHandler)
	server := collector.Server{Collector: bedOf(t, h, live).collector, Own: own, Timeout: 10 * time.Second, Log: log,
		Sections: func() []collector.Section { return nil }}
	handler := server.Handler()
	request := httptest.NewRequest("GET", "/metrics", nil)
	first := httptest.NewRecorder()
	handler.ServeHTTP(first, request)
	n := 0
	for _, l := range strings.Split(first.Body.String(), "\n") {
		if l != "" && l[0] != '#' {
			n++
		}
	}
	return func() {
		w := discard{http.Header{}}
		handler.ServeHTTP(w, request)
	}, n
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return io.Discard.Write(b) }
func (d discard) WriteHeader(int)             {}

// BenchmarkScrape is the cost of a scrape of an 8-port ConnectX-7 host: from
// files only, and with the kernel answering (whose part, by the fake kernel, is
// dearer than the real one's). cpu-ms/op is the budget's figure: 3 ms.
func BenchmarkScrape(b *testing.B) {
	for name, live := range map[string]bool{"files": false, "live": true} {
		b.Run(name, func(b *testing.B) {
			scrape, series := scraper(b, hosttest.ConnectX7(8), live)
			scrape()
			b.ReportAllocs()
			b.ResetTimer()
			before := cpu()
			n := 0
			for b.Loop() {
				scrape()
				n++
			}
			b.ReportMetric(float64((cpu()-before).Microseconds())/1000/float64(n), "cpu-ms/op")
			b.ReportMetric(float64(series), "series")
		})
	}
}

// cpu returns the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestBudgetAllocation holds the memory that a scrape of an 8-port host
// allocates, encoding included, below 1 MB. Time is the benchmark's matter.
func TestBudgetAllocation(t *testing.T) {
	if raceDetector {
		t.Skip("not with the race detector, whose allocations would be measured; make bench runs it without")
	}
	for _, live := range []bool{false, true} {
		scrape, series := scraper(t, hosttest.ConnectX7(8), live)
		scrape()
		r := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				scrape()
			}
		})
		t.Logf("kernel answering %v: %d series, %d bytes and %d allocations per scrape", live, series, r.AllocedBytesPerOp(), r.AllocsPerOp())
		if series < 400 {
			t.Errorf("only %d series: this is not the host that the budget is for", series)
		}
		if n := r.AllocedBytesPerOp(); n > 1_000_000 {
			t.Errorf("kernel answering %v: a scrape allocates %d bytes; want at most 1,000,000", live, n)
		}
	}
}
