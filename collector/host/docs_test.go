package host

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

var update = flag.Bool("update", false, "write generated files and goldens anew")

// summary is the README's table: what operators ask for, by driver.
var summary = []struct {
	what    string
	metrics []*metric.Metric
}{
	{"RDMA bytes", []*metric.Metric{metric.RDMAReceivedBytes, metric.RDMATransmittedBytes}},
	{"CNP sent", []*metric.Metric{metric.RDMACNPPacketsTransmitted}},
	{"CNP received", []*metric.Metric{metric.RDMACNPPacketsReceived, metric.RDMACNPPacketsHandled}},
	{"ECN-marked received", []*metric.Metric{metric.RDMAECNMarkedPacketsReceived}},
	{"Out of sequence", []*metric.Metric{metric.RDMAOutOfSequencePacketsReceived}},
	{"ACK timeouts", []*metric.Metric{metric.RDMALocalACKTimeouts}},
	{"Retries exceeded", []*metric.Metric{metric.RDMATransportRetriesExceeded}},
	{"RNR NAK received", []*metric.Metric{metric.RDMARNRNAKsReceived}},
	{"PFC frames per priority", []*metric.Metric{metric.InterfacePFCFramesReceived}},
	{"PFC time per priority", []*metric.Metric{metric.InterfacePFCPauseReceived}},
	{"Discards per priority", []*metric.Metric{metric.InterfacePriorityDiscardsReceived}},
}

// TestREADMETable keeps the README's table of drivers true.
func TestREADMETable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| |")
	for _, d := range Drivers() {
		b.WriteString(" " + d.Name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(Drivers())) + "\n")
	for _, row := range summary {
		b.WriteString("| " + row.what + " |")
		for _, d := range Drivers() {
			has := slices.ContainsFunc(append(d.Counters, applicablePMA(d)...), func(c Counter) bool {
				return c.Metric != nil && slices.Contains(row.metrics, c.Metric)
			})
			if has {
				b.WriteString(" yes |")
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteString("\n")
	}
	replaceBetween(t, "../../README.md", "<!-- drivers -->", "<!-- /drivers -->", b.String())
}

// applicablePMA are the rows of counters/ for the drivers that have that
// directory (struct ib_device_ops.process_mad is set).
func applicablePMA(d Driver) []Counter {
	if slices.Contains([]string{"mlx5", "mlx4", "bnxt_re", "ocrdma"}, d.Name) {
		return PMA()
	}
	return nil
}

// TestDriversMarkdown keeps DRIVERS.md, the whole table, true.
func TestDriversMarkdown(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What each driver gives\n\nGenerated from the table of drivers; `make generate` writes it anew. A name without a\nmetric is exported raw, in `roce_rdma_hw_raw_total` or `roce_rdma_hw_raw_level`, if it is one of `hw_counters`\nor `counters`, and not at all if it is one of the ethtool statistics.\n")
	from := map[From]string{PortCounters: "hw_counters", DeviceCounters: "device's hw_counters", PMACounters: "counters", Statistics: "ethtool"}
	section := func(name, source string, rows []Counter) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| From | Name | Metric | Remarks |\n|---|---|---|---|\n", name, source)
		for _, c := range rows {
			var remarks []string
			m := ""
			if c.Metric != nil {
				m = "`" + c.Metric.Name + "`"
			}
			if c.Scale != 0 && c.Scale != 1 {
				remarks = append(remarks, fmt.Sprintf("times %g", c.Scale))
			}
			if c.Bits != 0 {
				remarks = append(remarks, fmt.Sprintf("wraps at %d bits, unwrapped", c.Bits))
			}
			if c.Part {
				remarks = append(remarks, "summed")
			}
			if c.Gauge {
				remarks = append(remarks, "gauge")
			}
			if c.Source != "" {
				remarks = append(remarks, c.Source)
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", from[c.From], c.Raw, m, strings.Join(remarks, "; "))
		}
	}
	section("Every driver with counters/", "IBTA port counters, Documentation/ABI/stable/sysfs-class-infiniband.", PMA())
	for _, d := range Drivers() {
		section(d.Name, d.Source, d.Counters)
	}
	golden(t, "DRIVERS.md", b.String())
}

// golden compares got with file, or writes it with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it by make generate", err)
	}
	if string(want) != got {
		t.Errorf("%s is not what the code says; look at the difference that make generate makes.\n%s", file, firstDifference(string(want), got))
	}
}

// replaceBetween compares or writes the part of file between two markers.
func replaceBetween(t *testing.T, file, begin, end, got string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), begin+"\n")
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no part between %s and %s", file, begin, end)
	}
	golden(t, file, head+begin+"\n"+got+end+tail)
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d:\nfile: %s\ncode: %s", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("file has %d lines, code gives %d", len(w), len(g))
}
