package collector

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// Server serves a collector over HTTP: /metrics, /-/healthy, /-/ready and a
// landing page; with a Fleet also /probe, /targets, /config and /-/reload.
type Server struct {
	Collector *Collector
	// Own gives the metrics of the program itself: go_*, process_*.
	Own prometheus.Gatherer
	// Fleet is the targets of the configuration; nil without one.
	Fleet Fleet
	// Timeout is the longest that a scrape takes, whatever time its caller has.
	Timeout time.Duration
	// Version is shown on the landing page.
	Version string
	// Sections returns what the landing page shows beside the sources.
	Sections func() []Section
	Log      *slog.Logger

	compress func(http.Handler) http.HandlerFunc
}

// Section is a part of the landing page: a text, a table, or both.
type Section struct {
	Title  string
	Text   string
	Header []string
	Rows   [][]string
	// Targets says that the first column is names of targets.
	Targets bool
}

// Handler returns the handler of all paths.
func (s *Server) Handler() http.Handler {
	// promhttp compresses at a level that costs more than all else of a large
	// probe, for text that is a fifteenth as long at the least level already.
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed))
	if err != nil {
		wrap = func(h http.Handler) http.HandlerFunc { return h.ServeHTTP }
	}
	s.compress = wrap
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "roce_exporter is healthy.") })
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "roce_exporter is ready.") })
	mux.HandleFunc("GET /{$}", s.landing)
	if s.Fleet != nil {
		s.fleetHandlers(mux)
	}
	return mux
}

func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	// A caller that goes away must not look like a device that does not answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.limit(r))
	defer cancel()
	// Errors of sources are metrics, log lines and the landing page's text; what
	// was read is served.
	families, _ := s.Collector.Gather(ctx)
	s.expose(w, r, func() ([]*dto.MetricFamily, error) {
		own, err := s.Own.Gather()
		return sortedFamilies(families, own), err
	})
}

// expose writes families in the format that the caller wants.
func (s *Server) expose(w http.ResponseWriter, r *http.Request, gather prometheus.GathererFunc) {
	s.compress(promhttp.HandlerFor(gather, promhttp.HandlerOpts{
		ErrorLog:           slog.NewLogLogger(s.Log.Handler(), slog.LevelError),
		ErrorHandling:      promhttp.ContinueOnError,
		EnableOpenMetrics:  true,
		DisableCompression: true,
	})).ServeHTTP(w, r)
}

// minLimit is the least time that a scrape takes at the most.
const minLimit = 100 * time.Millisecond

// limit is how long a scrape may take: Prometheus says in a header when it
// gives up, and needs a little of that time to get the answer.
func (s *Server) limit(r *http.Request) time.Duration {
	seconds, err := strconv.ParseFloat(r.Header.Get("X-Prometheus-Scrape-Timeout-Seconds"), 64)
	if err != nil || math.IsNaN(seconds) || seconds <= 0 || seconds > s.Timeout.Seconds()*2 {
		return s.Timeout
	}
	given := time.Duration(seconds * float64(time.Second))
	reserve := min(given/5, 500*time.Millisecond)
	// Whoever gives less would only find healthy devices too slow.
	return max(min(given-reserve, s.Timeout), minLimit)
}

//go:embed landing.html
var landingHTML string

// landingPage is what the template shows.
type landingPage struct {
	Version  string
	Fleet    bool
	Sources  []State
	Sections []Section
}

func (s *Server) landing(w http.ResponseWriter, _ *http.Request) {
	page, err := template.New("landing").Funcs(template.FuncMap{
		"ago": func(t time.Time) string { return time.Since(t).Round(time.Second).String() + " ago" },
		"ms":  func(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) },
	}).Parse(landingHTML)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	err = page.Execute(w, landingPage{Version: s.Version, Fleet: s.Fleet != nil, Sources: s.Collector.States(), Sections: s.Sections()})
	if err != nil {
		s.Log.Debug("landing page not sent", "err", err)
	}
}
