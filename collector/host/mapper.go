package host

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Raw says which hw_counters are exported under the names that the kernel
// gives them, in roce_rdma_hw_raw_total.
type Raw string

const (
	RawUnmapped Raw = "unmapped" // those without a name in the vocabulary
	RawAll      Raw = "all"      // all of them
	RawNone     Raw = "none"     // none
)

// index finds the rows of a driver's table by raw name.
type index struct {
	driver   *Driver // nil: a driver that the table does not know
	exact    map[From]map[string][]row
	patterns map[From][]row
	parts    map[partKey]int
}

type row struct {
	*Counter
	order  int // position in the table: where two names mean one metric, the first wins
	prefix string
	suffix string
	label  metric.Label // what stands between prefix and suffix, "" in exact
}

type partKey struct {
	from   From
	metric *metric.Metric
}

// newIndex returns the index of driver d, whose own rows for PMACounters take
// the place of the common ones, pma.
func newIndex(d *Driver, pma []Counter) *index {
	x := &index{
		driver:   d,
		exact:    make(map[From]map[string][]row),
		patterns: make(map[From][]row),
		parts:    make(map[partKey]int),
	}
	own := make(map[string]bool)
	if d != nil {
		for i := range d.Counters {
			x.add(&d.Counters[i], i)
			if d.Counters[i].From == PMACounters {
				own[d.Counters[i].Raw] = true
			}
		}
	}
	for i := range pma {
		if !own[pma[i].Raw] {
			x.add(&pma[i], i)
		}
	}
	return x
}

func (x *index) add(c *Counter, order int) {
	if c.Part {
		x.parts[partKey{c.From, c.Metric}]++
	}
	r := row{Counter: c, order: order}
	before, rest, found := strings.Cut(c.Raw, "{")
	if !found {
		if x.exact[c.From] == nil {
			x.exact[c.From] = make(map[string][]row)
		}
		x.exact[c.From][c.Raw] = append(x.exact[c.From][c.Raw], r)
		return
	}
	label, after, _ := strings.Cut(rest, "}")
	r.prefix, r.suffix, r.label = before, after, metric.Label(label)
	x.patterns[c.From] = append(x.patterns[c.From], r)
}

// gives says whether the driver has rows for m.
func (x *index) gives(from From, m *metric.Metric) bool {
	return x.driver != nil && slices.ContainsFunc(x.driver.Counters, func(c Counter) bool { return c.From == from && c.Metric == m })
}

// match is a row that a raw name fits, and the number that stood for the
// placeholder.
type match struct {
	row
	number string
}

func (x *index) find(from From, raw string) []match {
	var out []match
	for _, r := range x.exact[from][raw] {
		out = append(out, match{row: r})
	}
	for _, r := range x.patterns[from] {
		if len(raw) <= len(r.prefix)+len(r.suffix) ||
			!strings.HasPrefix(raw, r.prefix) || !strings.HasSuffix(raw, r.suffix) {
			continue
		}
		n := raw[len(r.prefix) : len(raw)-len(r.suffix)]
		if smallNumber(n) {
			out = append(out, match{row: r, number: n})
		}
	}
	return out
}

// smallNumber says whether s is a decimal number of at most three digits
// without leading zeros, as a priority, queue or lane is.
func smallNumber(s string) bool {
	if len(s) == 0 || len(s) > 3 || len(s) > 1 && s[0] == '0' {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

// mapper turns the raw readings of one place, a port, device or interface,
// into samples. It remembers what each raw name means there and the state that
// 32-bit counters need. One goroutine may use it at a time.
type mapper struct {
	index   *index
	where   metric.Where
	raw     Raw // RawNone for ethtool statistics: they have no raw family
	entries map[From]map[string]*entry
	claimed map[string]bool // series that some raw name feeds already
	sums    map[partKey]*sum
	order   []*sum
}

// entry is what one raw name means.
type entry struct {
	targets []target
	known   bool // it has a row in the table
	bits    int
	primed  bool
	last    uint64 // reading before
	total   uint64 // last, with the wraps added
}

type target struct {
	series *metric.Series
	scale  float64
	sum    *sum // instead of series
}

type sum struct {
	series *metric.Series
	want   int // parts that make it whole
	got    int
	value  float64
}

func newMapper(x *index, where metric.Where, raw Raw) *mapper {
	return &mapper{
		index: x, where: where, raw: raw,
		entries: make(map[From]map[string]*entry),
		claimed: make(map[string]bool),
		sums:    make(map[partKey]*sum),
	}
}

// resolve makes the entries for names, in the table's order, so that it does
// not depend on the order of a listing which of two names for one metric wins.
func (m *mapper) resolve(from From, names []string) {
	type pending struct {
		name  string
		match []match
		order int
	}
	var todo []pending
	for _, n := range names {
		if m.entries[from][n] == nil {
			p := pending{name: n, match: m.index.find(from, n), order: math.MaxInt}
			if len(p.match) > 0 {
				p.order = p.match[0].order
			}
			todo = append(todo, p)
		}
	}
	sort.SliceStable(todo, func(i, j int) bool { return todo[i].order < todo[j].order })
	for _, p := range todo {
		m.enter(from, p.name, p.match)
	}
}

// entry returns what raw name means here.
func (m *mapper) entry(from From, name string) *entry {
	if e := m.entries[from][name]; e != nil {
		return e
	}
	return m.enter(from, name, m.index.find(from, name))
}

func (m *mapper) enter(from From, name string, matches []match) *entry {
	e := &entry{known: len(matches) > 0}
	gauge, mapped := false, false
	for _, r := range matches {
		e.bits = max(e.bits, r.Bits)
		gauge = gauge || r.Gauge || r.Metric != nil && r.Metric.Type == metric.Gauge
		if r.Metric == nil {
			continue
		}
		if r.Part {
			s := m.sum(from, r)
			if s != nil {
				e.targets = append(e.targets, target{sum: s, scale: r.Scale})
				mapped = true
			}
			continue
		}
		if s := m.claim(r.Metric, label(m.where, r.label, r.number)); s != nil {
			e.targets = append(e.targets, target{series: s, scale: r.Scale})
			mapped = true
		}
	}
	if m.raw == RawAll || m.raw == RawUnmapped && !mapped {
		family := metric.RDMAHardwareCounter
		if gauge {
			family = metric.RDMAHardwareGauge
		}
		w := m.where
		w.Counter = name
		if s := m.claim(family, w); s != nil {
			e.targets = append(e.targets, target{series: s})
		}
	}
	if m.entries[from] == nil {
		m.entries[from] = make(map[string]*entry)
	}
	m.entries[from][name] = e
	return e
}

// claim returns the series of x at w, or nil if another raw name feeds it.
func (m *mapper) claim(x *metric.Metric, w metric.Where) *metric.Series {
	s := x.At(w)
	if m.claimed[s.Key()] {
		return nil
	}
	m.claimed[s.Key()] = true
	return s
}

func (m *mapper) sum(from From, r match) *sum {
	k := partKey{from, r.Metric}
	if s, ok := m.sums[k]; ok {
		return s
	}
	var s *sum
	if series := m.claim(r.Metric, m.where); series != nil {
		s = &sum{series: series, want: m.index.parts[k]}
		m.order = append(m.order, s)
	}
	m.sums[k] = s
	return s
}

// add appends the samples of one reading to out.
func (m *mapper) add(out []metric.Sample, e *entry, value uint64) []metric.Sample {
	if d := m.index.driver; d != nil && d.Invalid != 0 && value == d.Invalid {
		return out
	}
	if e.bits == 32 {
		value = e.unwrap(value)
	}
	for _, t := range e.targets {
		v := scaled(value, t.scale)
		if t.sum != nil {
			t.sum.got++
			t.sum.value += v
			continue
		}
		out = append(out, metric.Sample{Series: t.series, Value: v})
	}
	return out
}

// finish ends a round of readings: sums of which all parts came are appended
// to out.
func (m *mapper) finish(out []metric.Sample) []metric.Sample {
	for _, s := range m.order {
		if s.got == s.want {
			out = append(out, metric.Sample{Series: s.series, Value: s.value})
		}
		s.got, s.value = 0, 0
	}
	return out
}

// unknown counts the names seen that the table does not have.
func (m *mapper) unknown() int {
	n := 0
	for _, names := range m.entries {
		for _, e := range names {
			if !e.known {
				n++
			}
		}
	}
	return n
}

// unwrap returns the reading of a 32-bit counter with its wraps added since
// the first read. A reading that is smaller than the one before is a wrap if
// less than half the range passed in between, and else a counter that began
// anew: at full message rate a counter of packets wraps after minutes, so half
// the range is more than any scrape interval lets pass.
//
// The kernel may add 64-bit values of counters bound to queue pairs to what
// the hardware gives (drivers/infiniband/core/counters.c), so a reading can
// exceed 32 bits, and only the difference is looked at.
func (e *entry) unwrap(value uint64) uint64 {
	switch passed := value + 1<<32 - e.last; {
	case !e.primed, value < e.last && (e.last-value > 1<<32 || passed >= 1<<31):
		e.total = value
	case value < e.last:
		e.total += passed
	default:
		e.total += value - e.last
	}
	e.primed = true
	e.last = value
	return e.total
}

// scaled converts a raw value to base units. Division is exact where a
// multiplication with 1e-6 is not.
func scaled(value uint64, scale float64) float64 {
	switch {
	case scale == 0 || scale == 1:
		return float64(value)
	case scale < 1:
		return float64(value) / math.Round(1/scale)
	}
	return float64(value) * scale
}

// label returns w with the placeholder's label set.
func label(w metric.Where, l metric.Label, number string) metric.Where {
	switch l {
	case "":
	case metric.Priority:
		w.Priority = number
	case metric.TrafficClass:
		w.TrafficClass = number
	case metric.PriorityGroup:
		w.PriorityGroup = number
	case metric.Queue:
		w.Queue = number
	case metric.Lane:
		w.Lane = number
	default:
		panic(fmt.Sprintf("the table of drivers uses placeholder {%s}, which no label stands for", l))
	}
	return w
}
