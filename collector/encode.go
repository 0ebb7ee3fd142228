package collector

import (
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// encode turns samples into metric families: the only place where that is
// done. Families are sorted by name and metrics by their labels. Of samples
// that claim the same series the first is kept; the keys of the others are
// returned.
//
// The families are built straight from the client model and not through a
// prometheus.Registry: a registry checks every metric of every scrape for what
// the vocabulary's tests have checked once, at a cost above that of the reads.
func encode(groups [][]metric.Sample) (families []*dto.MetricFamily, duplicates []string) {
	byMetric := make(map[*metric.Metric][]metric.Sample)
	counts := make(map[*metric.Metric]int)
	total := 0
	for _, g := range groups {
		for _, s := range g {
			counts[s.Metric]++
		}
		total += len(g)
	}
	for _, g := range groups {
		for _, s := range g {
			list := byMetric[s.Metric]
			if list == nil {
				list = make([]metric.Sample, 0, counts[s.Metric])
			}
			byMetric[s.Metric] = append(list, s)
		}
	}
	slab := newSlab(total)
	families = make([]*dto.MetricFamily, 0, len(byMetric))
	for m, samples := range byMetric {
		slices.SortStableFunc(samples, func(a, b metric.Sample) int { return a.Compare(b.Series) })
		f := &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: dto.MetricType_GAUGE.Enum(), Metric: make([]*dto.Metric, 0, len(samples))}
		if m.Type == metric.Counter {
			f.Type = dto.MetricType_COUNTER.Enum()
		}
		for i, s := range samples {
			if i > 0 && s.Compare(samples[i-1].Series) == 0 {
				duplicates = append(duplicates, s.Key())
				continue
			}
			f.Metric = append(f.Metric, slab.metric(s))
		}
		families = append(families, f)
	}
	slices.SortFunc(families, func(a, b *dto.MetricFamily) int { return strings.Compare(*a.Name, *b.Name) })
	return families, duplicates
}

// slab allocates the parts of all metrics of one exposition at once.
type slab struct {
	metrics  []dto.Metric
	counters []dto.Counter
	gauges   []dto.Gauge
	values   []float64
}

func newSlab(n int) *slab {
	return &slab{metrics: make([]dto.Metric, n), values: make([]float64, n)}
}

func (s *slab) metric(sample metric.Sample) *dto.Metric {
	m, v := &s.metrics[0], &s.values[0]
	s.metrics, s.values = s.metrics[1:], s.values[1:]
	*v = sample.Value
	m.Label = sample.Memo(func() any { return labelPairs(sample.Series) }).([]*dto.LabelPair)
	if sample.Metric.Type == metric.Counter {
		if len(s.counters) == 0 {
			s.counters = make([]dto.Counter, 128)
		}
		m.Counter = &s.counters[0]
		m.Counter.Value = v
		s.counters = s.counters[1:]
		return m
	}
	if len(s.gauges) == 0 {
		s.gauges = make([]dto.Gauge, 32)
	}
	m.Gauge = &s.gauges[0]
	m.Gauge.Value = v
	s.gauges = s.gauges[1:]
	return m
}

// labelPairs returns the labels of s, sorted by name as the formats want them.
// A label without a value is left out: to Prometheus that is the same.
func labelPairs(s *metric.Series) []*dto.LabelPair {
	var out []*dto.LabelPair
	for _, l := range s.Metric.Labels {
		if v := s.Value(l); v != "" {
			name, value := string(l), strings.ToValidUTF8(v, "\uFFFD")
			out = append(out, &dto.LabelPair{Name: &name, Value: &value})
		}
	}
	slices.SortFunc(out, func(a, b *dto.LabelPair) int { return strings.Compare(*a.Name, *b.Name) })
	return out
}
