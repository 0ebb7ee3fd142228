package gnmi

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

var update = flag.Bool("update", false, "write PROFILES.md and the goldens anew")

func TestMarkdownIsCurrent(t *testing.T) {
	if *update {
		if err := os.WriteFile("PROFILES.md", []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile("PROFILES.md")
	if err != nil || string(b) != Markdown() {
		t.Errorf("PROFILES.md is not what the profiles say (%v); make generate writes it anew", err)
	}
}

// summary is the README's table: what operators ask for, by family.
func summary() []struct {
	what    string
	metrics []*metric.Metric
} {
	return []struct {
		what    string
		metrics []*metric.Metric
	}{
		{"Traffic, errors, discards", []*metric.Metric{metric.InterfaceBytesReceived}},
		{"Link pause (802.3x) frames", []*metric.Metric{metric.InterfacePauseFramesReceived}},
		{"PFC frames per priority", []*metric.Metric{metric.InterfacePFCFramesReceived}},
		{"PFC time per priority", []*metric.Metric{metric.InterfacePFCPauseReceived}},
		{"PFC watchdog", []*metric.Metric{metric.PFCWatchdogStorms, metric.PFCWatchdogStormed}},
		{"Queues: packets, discards", []*metric.Metric{metric.QueueDiscards, metric.QueueTailDiscards, metric.QueueWREDDiscards}},
		{"Queues: ECN-marked", []*metric.Metric{metric.QueueECNMarked}},
		{"Queues: depth or watermark", []*metric.Metric{metric.QueueDepth, metric.QueueDepthHighWatermark, metric.QueueLength, metric.QueueLengthMaximum}},
		{"Priority groups, headroom", []*metric.Metric{metric.PriorityGroupOccupancy, metric.PriorityGroupSharedWatermark, metric.PriorityGroupHeadroomMark}},
		{"Buffer pools", []*metric.Metric{metric.BufferPoolOccupancy, metric.BufferPoolHighWatermark}},
		{"FEC", []*metric.Metric{metric.FECCorrected, metric.FECUncorrectable}},
		{"Optics", []*metric.Metric{metric.TransceiverReceived}},
		{"Neighbours (LLDP)", []*metric.Metric{metric.NeighborInfo}},
	}
}

// TestREADMETable keeps the README's table of switches true.
func TestREADMETable(t *testing.T) {
	profiles := Profiles()
	var b strings.Builder
	b.WriteString("| |")
	for _, p := range profiles {
		b.WriteString(" `" + p.Name + "` |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(profiles)) + "\n")
	for _, row := range summary() {
		b.WriteString("| " + row.what + " |")
		for i := range profiles {
			b.WriteString(" " + profiles[i].gives(row.metrics) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("| Checked against |")
	for _, p := range profiles {
		b.WriteString(" " + p.Checked + " |")
	}
	b.WriteString("\n")
	const file = "../../README.md"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(old), "<!-- switches -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- /switches -->")
	if !ok || !ok2 {
		t.Fatal("the README has no table of switches")
	}
	now := head + "<!-- switches -->\n" + b.String() + "<!-- /switches -->" + tail
	switch {
	case now == string(old):
	case *update:
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the README's table of switches is not what the profiles say; make generate writes it anew")
	}
}

// gives says whether p has one of metrics, and whether that is verified.
func (p *Profile) gives(metrics []*metric.Metric) string {
	word := ""
	for _, s := range p.Subscriptions {
		for _, l := range s.Leaves {
			if l.Metric == nil || !slices.Contains(metrics, l.Metric) {
				continue
			}
			if s.Unverified == "" && l.Unverified == "" {
				return "yes"
			}
			word = "unverified"
		}
	}
	return word
}
