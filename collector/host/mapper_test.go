package host

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// testMetric makes rows that are not of the vocabulary, so that these tests
// hold whatever it says.
func testMetric(name string, labels ...metric.Label) *metric.Metric {
	return &metric.Metric{Name: name, Type: metric.Counter, Labels: labels}
}

// exposed prints samples as name{values} value, sorted.
func exposed(samples []metric.Sample) string {
	var lines []string
	for _, s := range samples {
		lines = append(lines, fmt.Sprintf("%s %v", strings.ReplaceAll(s.Key(), "\x00", " "), s.Value))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

type named struct {
	name  string
	value uint64
}

func mapAll(m *mapper, from From, readings ...named) string {
	var names []string
	for _, r := range readings {
		names = append(names, r.name)
	}
	m.resolve(from, names)
	var out []metric.Sample
	for _, r := range readings {
		out = m.add(out, m.entry(from, r.name), r.value)
	}
	return exposed(m.finish(out))
}

func TestMapperNamesAndScales(t *testing.T) {
	frames := testMetric("frames_total", metric.Interface, metric.Priority)
	seconds := testMetric("seconds_total", metric.Interface, metric.Priority)
	bytes := testMetric("bytes_total", metric.Interface)
	d := &Driver{Name: "test", Counters: []Counter{
		{From: Statistics, Raw: "rx_prio{priority}_pause", Metric: frames},
		{From: Statistics, Raw: "rx_prio{priority}_pause_duration", Metric: seconds, Scale: 1e-6},
		{From: Statistics, Raw: "words", Metric: bytes, Scale: 4},
	}}
	m := newMapper(newIndex(d, nil), metric.Where{Interface: "eth0"}, RawNone)
	got := mapAll(m, Statistics,
		named{"rx_prio3_pause", 5}, named{"rx_prio3_pause_duration", 1234567}, named{"words", 10},
		named{"rx_prio_pause", 1}, named{"rx_priox_pause", 1}, named{"rx_prio03_pause", 1}, named{"rx_prio1234_pause", 1},
		named{"rx_prio3_pause_transition", 9})
	want := "bytes_total eth0 40\nframes_total eth0 3 5\nseconds_total eth0 3 1.234567"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Of two names for one thing the first of the table wins, whatever the order
// in which the kernel lists them; the other stays raw.
func TestMapperAliases(t *testing.T) {
	cnp := testMetric("cnp_total", metric.Device)
	d := &Driver{Counters: []Counter{{Raw: "new", Metric: cnp}, {Raw: "old", Metric: cnp}}}
	want := "cnp_total d 2\nroce_rdma_hw_raw_total d  old 1"
	for _, order := range [][]named{{{"old", 1}, {"new", 2}}, {{"new", 2}, {"old", 1}}} {
		m := newMapper(newIndex(d, nil), metric.Where{Device: "d"}, RawUnmapped)
		if got := mapAll(m, PortCounters, order...); got != want {
			t.Errorf("order %v: got\n%s\nwant\n%s", order, got, want)
		}
	}
}

func TestMapperParts(t *testing.T) {
	received := testMetric("received_total", metric.Device)
	handled := testMetric("handled_total", metric.Device)
	d := &Driver{Counters: []Counter{
		{Raw: "cnp_handled", Metric: handled},
		{Raw: "cnp_handled", Metric: received, Part: true},
		{Raw: "cnp_ignored", Metric: received, Part: true},
	}}
	m := newMapper(newIndex(d, nil), metric.Where{Device: "d"}, RawUnmapped)
	for round := range uint64(3) { // sums must start anew each time
		got := mapAll(m, PortCounters, named{"cnp_handled", 10 + round}, named{"cnp_ignored", 3})
		want := fmt.Sprintf("handled_total d %d\nreceived_total d %d", 10+round, 13+round)
		if got != want {
			t.Errorf("round %d: got\n%s\nwant\n%s", round, got, want)
		}
	}
	// A part that could not be read must not make the sum look smaller.
	if got, want := mapAll(m, PortCounters, named{"cnp_handled", 20}), "handled_total d 20"; got != want {
		t.Errorf("with a part missing: got\n%s\nwant\n%s", got, want)
	}
}

func TestMapperRaw(t *testing.T) {
	known := testMetric("known_total", metric.Device)
	d := &Driver{Counters: []Counter{{Raw: "known", Metric: known}, {Raw: "gauge", Gauge: true}, {Raw: "dull"}}}
	readings := []named{{"known", 1}, {"gauge", 2}, {"dull", 3}, {"a name", 4}}
	for raw, want := range map[Raw]string{
		RawUnmapped: "known_total d 1\nroce_rdma_hw_raw_level d  gauge 2\nroce_rdma_hw_raw_total d  a name 4\nroce_rdma_hw_raw_total d  dull 3",
		RawAll:      "known_total d 1\nroce_rdma_hw_raw_level d  gauge 2\nroce_rdma_hw_raw_total d  a name 4\nroce_rdma_hw_raw_total d  dull 3\nroce_rdma_hw_raw_total d  known 1",
		RawNone:     "known_total d 1",
	} {
		m := newMapper(newIndex(d, nil), metric.Where{Device: "d"}, raw)
		if got := mapAll(m, PortCounters, readings...); got != want {
			t.Errorf("raw %s: got\n%s\nwant\n%s", raw, got, want)
		}
		if n := m.unknown(); n != 1 {
			t.Errorf("raw %s: %d unknown names; want 1", raw, n)
		}
	}
}

func TestMapperInvalidValue(t *testing.T) {
	x := testMetric("x_total", metric.Device)
	d := &Driver{Invalid: math.MaxUint64, Counters: []Counter{{Raw: "x", Metric: x}}}
	m := newMapper(newIndex(d, nil), metric.Where{Device: "d"}, RawAll)
	if got := mapAll(m, PortCounters, named{"x", math.MaxUint64}, named{"y", math.MaxUint64}); got != "" {
		t.Errorf("got %s; want nothing: the value means that there is no counter", got)
	}
}

// A driver's own row for a file of counters/ takes the place of the common one.
func TestMapperOwnPMARow(t *testing.T) {
	common, own := testMetric("common_total", metric.Device), testMetric("own_total", metric.Device)
	pma := []Counter{{From: PMACounters, Raw: "a", Metric: common}, {From: PMACounters, Raw: "b", Metric: common}}
	d := &Driver{Counters: []Counter{{From: PMACounters, Raw: "a", Metric: own}}}
	m := newMapper(newIndex(d, pma), metric.Where{Device: "d"}, RawNone)
	if got, want := mapAll(m, PMACounters, named{"a", 1}, named{"b", 2}), "common_total d 2\nown_total d 1"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUnwrap(t *testing.T) {
	const m32 = 1<<32 - 1
	for _, c := range []struct {
		name           string
		readings, want []uint64
	}{
		{"grows", []uint64{5, 10, 10, 12}, []uint64{5, 10, 10, 12}},
		{"wraps", []uint64{m32 - 1, 3, 5}, []uint64{m32 - 1, 1<<32 + 3, 1<<32 + 5}},
		{"wraps twice", []uint64{3 << 30, 1 << 29, 3 << 30, 1}, []uint64{3 << 30, 1<<32 + 1<<29, 1<<32 + 3<<30, 1<<33 + 1}},
		{"wraps to 0", []uint64{m32, 0}, []uint64{m32, 1 << 32}},
		{"begins anew", []uint64{1000, 20, 30}, []uint64{1000, 20, 30}},
		{"begins anew after a wrap", []uint64{m32, 99, 10}, []uint64{m32, 1<<32 + 99, 10}},
		{"with 64-bit history added by the kernel, wraps", []uint64{1<<40 + m32, 1<<40 + 7}, []uint64{1<<40 + m32, 1<<40 + 1<<32 + 7}},
		{"with history, begins anew", []uint64{1 << 40, 7}, []uint64{1 << 40, 7}},
	} {
		e := &entry{bits: 32}
		for i, r := range c.readings {
			if got := e.unwrap(r); got != c.want[i] {
				t.Errorf("%s: reading %d (%d) gives %d; want %d", c.name, i, r, got, c.want[i])
			}
		}
	}
}

func FuzzUnwrapNeverLosesAWrap(f *testing.F) {
	f.Add(uint32(1<<32-5), uint32(10))
	f.Fuzz(func(t *testing.T, start, step uint32) {
		// A counter that grows by less than half its range between reads.
		step &= 1<<31 - 1
		e := &entry{bits: 32}
		truth := uint64(start)
		for i := range 20 {
			if got := e.unwrap(truth & (1<<32 - 1)); got != truth {
				t.Fatalf("start %d step %d: read %d gives %d; want %d", start, step, i, got, truth)
			}
			truth += uint64(step)
		}
	})
}

// Microseconds must come out as the decimal fraction they are.
func TestScaledIsExact(t *testing.T) {
	for _, c := range []struct {
		value uint64
		scale float64
		want  string
	}{
		{1234567, 1e-6, "1.234567"}, {3, 1e-6, "3e-06"}, {33, 0.01, "0.33"}, {7, 4, "28"}, {7, 0, "7"},
	} {
		if got := fmt.Sprint(scaled(c.value, c.scale)); got != c.want {
			t.Errorf("scaled(%d, %v) = %s; want %s", c.value, c.scale, got, c.want)
		}
	}
}
