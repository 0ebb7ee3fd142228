package snmp

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// labels returns the labels that the index and the column give.
func labels(t *Table, c *Column) []metric.Label {
	of := map[Kind]metric.Label{Interface: metric.Interface, Priority: metric.Priority, TrafficClass: metric.TrafficClass,
		Queue: metric.Queue, PriorityGroup: metric.PriorityGroup}
	var out []metric.Label
	for _, p := range t.Index {
		if l, ok := of[p.Kind]; ok {
			out = append(out, l)
		}
	}
	if c.Fixed != nil {
		out = append(out, of[c.Fixed.Kind])
	}
	if c.Label != "" {
		out = append(out, c.Label)
	}
	return out
}

func TestMIBsAreWellFormed(t *testing.T) {
	names := make(map[string]bool)
	digits := regexp.MustCompile(`^[0-9]+(\.[0-9]+)+$`)
	for _, m := range MIBs() {
		if names[m.Name] || !regexp.MustCompile(`^[a-z0-9_]+$`).MatchString(m.Name) || m.Title == "" || m.Source == "" {
			t.Errorf("%s: name, title or source", m.Name)
		}
		names[m.Name] = true
		for _, table := range m.Tables {
			if !digits.MatchString(table.Entry) || len(table.Index) == 0 || len(table.Columns) == 0 {
				t.Errorf("%s: entry %s, index, or columns", table.Name, table.Entry)
			}
			for i := range table.Columns {
				if err := check(&table, &table.Columns[i]); err != "" {
					t.Errorf("%s %s.%d: %s", m.Name, table.Name, table.Columns[i].Number, err)
				}
			}
		}
	}
}

func check(table *Table, c *Column) string {
	switch {
	case c.Metric == nil || c.Number == 0:
		return "no metric, or no number"
	case (c.Label != "") != (c.Metric.Type == metric.Info):
		return "an info metric has a label, others have none"
	case c.When != 0 && !slices.ContainsFunc(table.Index, func(p Part) bool { return p.Kind == Select && slices.Contains(p.Only, c.When) }):
		return "no part of the index selects it"
	case c.Scale < 0:
		return "scale"
	}
	have := labels(table, c)
	for _, l := range have {
		if !slices.Contains(c.Metric.Labels, l) {
			return "the metric has no label " + string(l)
		}
	}
	if !slices.Contains(have, metric.Interface) {
		return "no interface"
	}
	return ""
}

// TestMIBsFitRealWalks looks into walks of real switches, where there are any,
// whether the tables are where THE TABLE says, with indexes as long as it says.
func TestMIBsFitRealWalks(t *testing.T) {
	const dir = "../../../shared/recordings/snmp"
	for file, tables := range map[string][]string{
		"arista_eos_7280r": {"ifTable", "aristaPfcIfTable", "aristaEgressQueueTable", "aristaEcnQueueTable"},
		"cumulus_bgp":      {"ifTable", "ifXTable", "dot3StatsTable", "pfcClTable", "tcClTable"},
		"arista_thola":     {"dot3PauseTable", "dot3HCStatsTable"},
	} {
		f, err := os.Open(filepath.Join(dir, file+".snmprec"))
		if os.IsNotExist(err) {
			t.Skip("no walks here")
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var oids []string
		for s := bufio.NewScanner(f); s.Scan(); {
			oid, _, _ := strings.Cut(s.Text(), "|")
			oids = append(oids, oid)
		}
		for _, m := range MIBs() {
			for _, table := range m.Tables {
				if !slices.Contains(tables, table.Name) {
					continue
				}
				rows := 0
				for _, c := range table.Columns {
					prefix := table.Entry + "." + fmtUint(c.Number) + "."
					for _, o := range oids {
						if rest, ok := strings.CutPrefix(o, prefix); ok {
							rows++
							if n := len(strings.Split(rest, ".")); n != len(table.Index) {
								t.Errorf("%s: %s has an index of %d parts; want %d", file, o, n, len(table.Index))
							}
						}
					}
				}
				if rows == 0 {
					t.Errorf("%s: nothing of %s", file, table.Name)
				}
				t.Logf("%s: %d values of %s", file, rows, table.Name)
			}
		}
	}
}

func fmtUint(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
