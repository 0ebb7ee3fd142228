package metric

import (
	"fmt"
	"slices"
	"strings"
)

// Vocabulary returns every metric that the exporter can serve, sorted by name.
func Vocabulary() []*Metric {
	all := slices.Concat(rdma(), ethernet(), queues(), links(), targets(), exporter())
	slices.SortFunc(all, func(a, b *Metric) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// units are the units that a name can end in, longest first.
var units = []Unit{BytesPerSecond, Seconds, Bytes, Ratio, Celsius, DBm, Amperes, Volts, Decibels}

// withUnit sets the unit that m's name says.
func withUnit(m *Metric) *Metric {
	name := strings.TrimSuffix(m.Name, "_total")
	for _, u := range units {
		if strings.HasSuffix(name, "_"+string(u)) {
			m.Unit = u
			break
		}
	}
	return m
}

// Markdown returns the vocabulary as a document.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Metrics\n\nGenerated from the vocabulary in this folder; `make generate` writes it anew.\n" +
		"A label without a value is absent. What the hardware or the kernel does not have is absent, never 0.\n" +
		"`roce_exporter_read_errors_total` has a series per cause only once there was one.\n" +
		"Beside these, Prometheus's client library serves its own `go_*` and `process_*`.\n")
	for _, section := range []struct {
		title, text string
		rows        []*Metric
	}{
		{"RDMA devices and ports", "Scope: an RDMA device or a port of it. Where a driver counts for the whole device, label port is absent.", rdma()},
		{"Network interfaces", "Scope: an Ethernet interface, of a NIC or of a switch.", ethernet()},
		{"Queues and buffers", "Scope: an egress queue, an ingress priority group, a buffer pool of a switch; its PFC watchdog.", queues()},
		{"Links", "Scope: what a link is made of, and what is at its other end.", links()},
		{"Targets", "What the exporter says of a switch that it reads; served by `/probe?target=NAME` beside the switch's own metrics.", targets()},
		{"The exporter", "", exporter()},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n", section.title)
		if section.text != "" {
			b.WriteString(section.text + "\n\n")
		}
		b.WriteString("| Name | Type | Unit | Labels | Meaning | Defined by |\n|---|---|---|---|---|---|\n")
		for _, m := range section.rows {
			labels := make([]string, len(m.Labels))
			for i, l := range m.Labels {
				labels[i] = string(l)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", m.Name, m.Type, m.Unit, strings.Join(labels, ", "), m.Help, m.Source)
		}
	}
	return b.String()
}
