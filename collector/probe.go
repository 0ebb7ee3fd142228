package collector

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Fleet is the targets of the configuration, as the HTTP side needs them. It is
// safe for concurrent use.
type Fleet interface {
	// Target returns the source of the target of that name; false if this process
	// does not read it.
	Target(name string) (Source, bool)
	// Discovered returns the targets that this process reads, sorted by name.
	Discovered() []Discovered
	// Config returns the configuration in force as YAML, without secrets.
	Config() []byte
	// Reload reads the configuration again. On an error the one before stays in
	// force.
	Reload() error
}

// Discovered is a target as Prometheus's service discovery is told of it.
type Discovered struct {
	Name   string            // what /probe calls it, and its label instance
	Labels map[string]string // of the configuration; names with __meta_ are for relabelling
}

// fleetHandlers adds the paths that there are with a configuration file.
func (s *Server) fleetHandlers(mux *http.ServeMux) {
	mux.HandleFunc("GET /probe", s.probe)
	mux.HandleFunc("GET /targets", s.targets)
	mux.HandleFunc("GET /config", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write(s.Fleet.Config())
	})
	mux.HandleFunc("POST /-/reload", s.reload)
	mux.HandleFunc("PUT /-/reload", s.reload)
	mux.HandleFunc("/-/reload", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", "POST, PUT")
		http.Error(w, "reload by POST: curl -X POST .../-/reload", http.StatusMethodNotAllowed)
	})
}

// probe serves the metrics of one target, which the configuration knows by
// name: nothing that a caller says is ever connected to.
func (s *Server) probe(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("target")
	if name == "" {
		http.Error(w, "want the name of a target of the configuration: /probe?target=NAME; /targets lists them", http.StatusBadRequest)
		return
	}
	source, ok := s.Fleet.Target(name)
	if !ok {
		http.Error(w, fmt.Sprintf("no target %.100q here: want the name of a target of the configuration, as /targets lists them; with --shard each process reads its own ones only", name), http.StatusNotFound)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.limit(r))
	defer cancel()
	samples, err := guarded(ctx, source)
	if err != nil {
		s.Log.Warn("cannot read the target", "target", name, "err", err)
	}
	families, duplicates := encode([][]metric.Sample{samples})
	if len(duplicates) > 0 {
		s.Collector.noteDuplicates(duplicates)
	}
	s.expose(w, r, func() ([]*dto.MetricFamily, error) { return families, nil })
}

// discoveryGroup is an element of what Prometheus's http_sd reads:
// https://prometheus.io/docs/prometheus/latest/http_sd/
type discoveryGroup struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// targets tells Prometheus's http_sd where each target's metrics are: here, at
// /probe. The target's name is its label instance, so that no relabelling is
// needed.
func (s *Server) targets(w http.ResponseWriter, r *http.Request) {
	groups := []discoveryGroup{} // [] and not null
	for _, d := range s.Fleet.Discovered() {
		labels := maps.Clone(d.Labels)
		if labels == nil {
			labels = make(map[string]string)
		}
		labels["instance"] = d.Name
		labels["__param_target"] = d.Name
		labels["__metrics_path__"] = strings.TrimSuffix(r.URL.Path, "/targets") + "/probe"
		labels["__scheme__"] = "http"
		if r.TLS != nil {
			labels["__scheme__"] = "https"
		}
		groups = append(groups, discoveryGroup{Targets: []string{r.Host}, Labels: labels})
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err := json.NewEncoder(w).Encode(groups); err != nil {
		s.Log.Debug("targets not sent", "err", err)
	}
}

func (s *Server) reload(w http.ResponseWriter, _ *http.Request) {
	if err := s.Fleet.Reload(); err != nil {
		http.Error(w, "the configuration before stays in force:\n"+err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, "The configuration was reloaded.")
}

// sortedFamilies returns families of two sources sorted by name.
func sortedFamilies(a, b []*dto.MetricFamily) []*dto.MetricFamily {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}
