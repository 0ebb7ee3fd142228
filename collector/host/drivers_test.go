package host

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// TestTableOfDrivers holds the rules that the rows must keep.
func TestTableOfDrivers(t *testing.T) {
	vocabulary := metric.Vocabulary()
	names, ids, modules := map[string]bool{}, map[uint32]bool{}, map[string]string{}
	check := func(driver string, rows []Counter) {
		seen := map[partKey]map[string]bool{}
		for _, c := range rows {
			at := driver + " " + c.Raw
			key := partKey{c.From, c.Metric}
			if seen[key] == nil {
				seen[key] = map[string]bool{}
			}
			if seen[key][c.Raw] {
				t.Errorf("%s: there twice", at)
			}
			seen[key][c.Raw] = true
			if c.Bits != 0 && c.Bits != 32 {
				t.Errorf("%s: %d bits; only 32 is handled", at, c.Bits)
			}
			if c.Raw != strings.TrimSpace(c.Raw) || c.Raw == "" {
				t.Errorf("%s: blanks around the name", at)
			}
			_, rest, pattern := strings.Cut(c.Raw, "{")
			placeholder, _, _ := strings.Cut(rest, "}")
			if c.Metric == nil {
				if c.Scale != 0 || c.Part {
					t.Errorf("%s: scale or part without a metric", at)
				}
				continue
			}
			if !slices.Contains(vocabulary, c.Metric) {
				t.Errorf("%s: %s is not in the vocabulary", at, c.Metric.Name)
			}
			if c.Gauge {
				t.Errorf("%s: Gauge is for rows without a metric; the metric's type counts", at)
			}
			for _, l := range []metric.Label{metric.Priority, metric.TrafficClass, metric.PriorityGroup, metric.Queue, metric.Lane} {
				if has := slices.Contains(c.Metric.Labels, l); has != (pattern && placeholder == string(l)) {
					t.Errorf("%s: label %s of %s and the placeholder do not agree", at, l, c.Metric.Name)
				}
			}
			scope := metric.Port
			if c.From == Statistics {
				scope = metric.Interface
			}
			if !slices.Contains(c.Metric.Labels, scope) {
				t.Errorf("%s: %s is not of scope %s", at, c.Metric.Name, scope)
			}
			switch c.Metric.Unit {
			case metric.Seconds:
				if c.Scale != 1e-6 && !strings.Contains(c.Source, "seconds") {
					t.Errorf("%s: in seconds with scale %v, and no word about it", at, c.Scale)
				}
			case metric.Ratio:
				if c.Scale != 0.01 {
					t.Errorf("%s: a ratio with scale %v", at, c.Scale)
				}
			case metric.Bytes:
				if c.Scale != 0 && !strings.Contains(c.Source, "words") {
					t.Errorf("%s: bytes with scale %v, and no word about it", at, c.Scale)
				}
			default:
				if c.Scale != 0 {
					t.Errorf("%s: scale %v without a unit", at, c.Scale)
				}
			}
		}
	}
	for _, d := range Drivers() {
		if names[d.Name] || d.ID == 0 || ids[d.ID] {
			t.Errorf("%s: name or number %d is there twice or missing", d.Name, d.ID)
		}
		names[d.Name], ids[d.ID] = true, true
		for _, m := range d.Modules {
			if modules[m] != "" {
				t.Errorf("%s: %s is %s's already", d.Name, m, modules[m])
			}
			modules[m] = d.Name
		}
		if d.Source == "" {
			t.Errorf("%s: nothing says where its row comes from", d.Name)
		}
		if d.ReadFirst != "" && !slices.ContainsFunc(d.Counters, func(c Counter) bool { return c.Raw == d.ReadFirst }) {
			t.Errorf("%s: %s is none of its counters", d.Name, d.ReadFirst)
		}
		check(d.Name, d.Counters)
	}
	check("counters/", PMA())
	if n := len(PMA()); n != 21 {
		t.Errorf("counters/ has %d rows; the kernel has 21 files", n)
	}
}

// The numbers are those of enum rdma_driver_id in
// include/uapi/rdma/ib_user_ioctl_verbs.h, which counts up from 0.
func TestNumbersOfDrivers(t *testing.T) {
	enum := []string{"unknown", "mlx5", "mlx4", "cxgb3", "cxgb4", "mthca", "bnxt_re", "ocrdma", "nes", "irdma", "vmw_pvrdma", "qedr",
		"hns", "usnic", "rxe", "hfi1", "qib", "efa", "siw", "erdma", "mana", "ionic"}
	for _, d := range Drivers() {
		if want := slices.Index(enum, d.Name); int(d.ID) != want {
			t.Errorf("%s: number %d; the kernel's is %d", d.Name, d.ID, want)
		}
	}
}

// The scan compares device IDs as sysfs prints them.
func TestVirtualFunctionsAreAsInSysfs(t *testing.T) {
	id := regexp.MustCompile(`^0x[0-9a-f]{4}$`)
	for _, d := range Drivers() {
		for i, v := range d.VirtualFunctions {
			if !id.MatchString(v) || slices.Contains(d.VirtualFunctions[:i], v) {
				t.Errorf("%s: virtual function %q is there twice or not as sysfs prints it", d.Name, v)
			}
		}
	}
}

// A name either has a term in the vocabulary or has none, and only what grows
// wraps.
func TestRowsOfOneNameAgree(t *testing.T) {
	type name struct {
		from From
		raw  string
	}
	for _, d := range Drivers() {
		rows := map[name]Counter{}
		for _, c := range d.Counters {
			k := name{c.From, c.Raw}
			if other, ok := rows[k]; ok && ((other.Metric == nil) != (c.Metric == nil) || other.Bits != c.Bits) {
				t.Errorf("%s %s: its rows do not agree", d.Name, c.Raw)
			}
			rows[k] = c
			if c.Bits != 0 && (c.Gauge || c.Metric != nil && c.Metric.Type != metric.Counter) {
				t.Errorf("%s %s: a gauge does not wrap", d.Name, c.Raw)
			}
		}
	}
}

// The number of parts decides when a sum is whole: one part makes none.
func TestPartsAreSeveral(t *testing.T) {
	for _, d := range Drivers() {
		for k, n := range newIndex(&d, PMA()).parts {
			if n < 2 {
				t.Errorf("%s: %s has one part only", d.Name, k.metric.Name)
			}
		}
	}
}
