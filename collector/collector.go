// Package collector gathers samples from sources and turns them into
// Prometheus metrics, at one place, and serves them over HTTP.
package collector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Source is one part of what can be read: RDMA counters, driver statistics.
type Source interface {
	// Name is what the source is called in flags and labels.
	Name() string
	// Collect returns what could be read and, joined, an error for what could
	// not. What the hardware or the kernel does not have is neither. It returns
	// soon after ctx is done. Safe for concurrent use.
	Collect(ctx context.Context) ([]metric.Sample, error)
}

// Collector gathers from a fixed list of sources. It is safe for concurrent
// use.
type Collector struct {
	sources []Source
	build   *metric.Series
	log     *slog.Logger

	mu         sync.Mutex
	states     map[string]*State
	duplicates float64
}

// State is how a source's last collection went.
type State struct {
	Name     string
	Time     time.Time // of its end; zero before the first
	Duration time.Duration
	Samples  int
	Errors   []string // what could not be read, sorted
}

// Build is what roce_exporter_build_info says of the program.
type Build struct{ Version, Revision, GoVersion string }

// New returns a collector of sources. log may be nil.
func New(sources []Source, build Build, log *slog.Logger) *Collector {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c := &Collector{sources: sources, log: log, states: make(map[string]*State)}
	c.build = metric.ExporterBuildInfo.At(metric.Where{Attributes: []metric.Attribute{
		{Label: metric.Version, Value: build.Version},
		{Label: metric.Revision, Value: build.Revision},
		{Label: metric.GoVersion, Value: build.GoVersion},
	}})
	for _, s := range sources {
		c.states[s.Name()] = &State{Name: s.Name()}
	}
	return c
}

// States returns how each source's last collection went, in the order of the
// sources.
func (c *Collector) States() []State {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []State
	for _, s := range c.sources {
		out = append(out, *c.states[s.Name()])
	}
	return out
}

// Gather collects from all sources at once and returns metric families sorted
// by name. The error joins those of the sources; the families are good all the
// same.
func (c *Collector) Gather(ctx context.Context) ([]*dto.MetricFamily, error) {
	results := make([][]metric.Sample, len(c.sources))
	errs := make([]error, len(c.sources))
	var wg sync.WaitGroup
	for i, s := range c.sources {
		wg.Go(func() { results[i], errs[i] = c.collect(ctx, s) })
	}
	wg.Wait()
	results = append(results, []metric.Sample{
		{Series: c.build, Value: 1},
		{Series: metric.ExporterDuplicates.At(metric.Where{}), Value: c.dropped()},
	})
	families, duplicates := encode(results)
	if len(duplicates) > 0 {
		c.noteDuplicates(duplicates)
	}
	return families, errors.Join(errs...)
}

// collect runs one source and notes how it went.
func (c *Collector) collect(ctx context.Context, s Source) (samples []metric.Sample, err error) {
	start := time.Now()
	samples, err = guarded(ctx, s)
	took := time.Since(start)
	c.note(s.Name(), start.Add(took), took, len(samples), err)
	where := metric.Where{Attributes: []metric.Attribute{{Label: metric.Collector, Value: s.Name()}}}
	success := 1.0
	if err != nil {
		success = 0
	}
	return append(samples,
		metric.Sample{Series: metric.ExporterCollectorSuccess.At(where), Value: success},
		metric.Sample{Series: metric.ExporterCollectorDuration.At(where), Value: took.Seconds()},
	), err
}

// guarded keeps a fault in one source from ending the program.
func guarded(ctx context.Context, s Source) (samples []metric.Sample, err error) {
	defer func() {
		if p := recover(); p != nil {
			samples, err = nil, fmt.Errorf("fault in the exporter, please report it: %v\n%s", p, debug.Stack())
		}
	}()
	return s.Collect(ctx)
}

// note records a source's state and logs what changed: a failure is logged
// when it begins and when it ends, not at every scrape.
func (c *Collector) note(name string, end time.Time, took time.Duration, samples int, err error) {
	now := lines(err)
	c.mu.Lock()
	defer c.mu.Unlock()
	st := c.states[name]
	before := make(map[string]bool, len(st.Errors))
	for _, e := range st.Errors {
		before[e] = true
	}
	for _, e := range now {
		if !before[e] {
			c.log.Warn("cannot read", "collector", name, "err", e)
		}
		delete(before, e)
	}
	for e := range before {
		c.log.Info("reads again, or is gone", "collector", name, "was", e)
	}
	*st = State{Name: name, Time: end, Duration: took, Samples: samples, Errors: now}
}

// lines returns the joined errors in err, a sorted line each, without
// repetition.
func lines(err error) []string {
	if err == nil {
		return nil
	}
	seen := make(map[string]bool)
	var walk func(error)
	walk = func(e error) {
		if joined, ok := e.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				walk(e)
			}
			return
		}
		seen[e.Error()] = true
	}
	walk(err)
	out := make([]string, 0, len(seen))
	for l := range seen {
		out = append(out, l)
	}
	sort.Strings(out)
	return out
}

func (c *Collector) dropped() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.duplicates
}

func (c *Collector) noteDuplicates(keys []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.duplicates == 0 {
		c.log.Warn("two readings claim one series, the first is kept; please report it",
			"series", strings.ReplaceAll(keys[0], "\x00", " "))
	}
	c.duplicates += float64(len(keys))
}
