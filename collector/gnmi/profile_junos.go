package gnmi

import (
	"slices"
	"strings"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// junosProfile is Juniper's Junos OS Evolved: OpenConfig's models with Juniper's
// additions, and one path of its own. Junos limits how many paths it takes (13
// have been refused), so it is asked for whole containers, state among them. The
// port is what the operator sets; 32767 is usual. What Capabilities call the
// models is from general knowledge.
func junosProfile() Profile {
	return Profile{
		Name:          "juniper_junos",
		Title:         "Juniper Junos OS Evolved",
		Checked:       "Juniper/yang and Juniper/telemetry of 24.4R1-EVO",
		Port:          32767,
		Models:        []string{"jnx-", "junos-"},
		Organizations: []string{"juniper"},
		Subscriptions: slices.Concat(
			[]Subscription{junosECN(), junosEthernet(), junosInterfaces()},
			unverified("Which of these leaves the family tells is not known.", openconfigTransceivers()), []Subscription{junosLLDP()}),
	}
}

const (
	sourceJunosYANG      = "Juniper/yang of 24.4R1-EVO"
	sourceJunosTelemetry = "Juniper/telemetry of 24.4R1-EVO"
)

// junosECN is packets marked with ECN. Queues do not count them. PFC is told
// beside it too, by counters/pfc, and FEC: junosEthernet has them, and two
// sources of one series would take turns.
func junosECN() Subscription {
	return Subscription{
		Path:           "/state/interfaces/interface/counters/errors",
		ZeroSuppressed: true,
		Base:           "/state/interfaces/interface[name={interface}]/counters/errors",
		Leaves:         []Leaf{{Path: "out-ecn-ce-marked-pkts", Metric: metric.InterfaceECNMarkedTransmitted}},
		Source:         sourceJunosTelemetry,
	}
}

// junosEthernet is the link layer with PFC, which Juniper adds to its counters.
func junosEthernet() Subscription {
	s := junosContainer("/interfaces/interface/ethernet/state", "/interfaces/interface[name={interface}]/ethernet/state", sourceEthernet, openconfigEthernet())
	s.ZeroSuppressed = true
	return with(s, "jnx-pfc-statistics from "+sourceJunosYANG,
		Leaf{Path: "counters/jnx-pfc-statistics[priority={priority}]/in-mac-pause-frames", Metric: metric.InterfacePFCFramesReceived},
		Leaf{Path: "counters/jnx-pfc-statistics[priority={priority}]/out-mac-pause-frames", Metric: metric.InterfacePFCFramesTransmitted})
}

// junosInterfaces is state and traffic of interfaces with their queues, which
// Juniper adds to their counters. What the rate limit of a queue dropped has no
// metric; queues on receipt are left out, and so is the MTU: that of Junos counts
// the Ethernet header.
func junosInterfaces() Subscription {
	const queue = "counters/out-queue[queue-number={queue}]/" // no unit of its occupancy was found
	s := junosContainer("/interfaces/interface/state", "/interfaces/interface[name={interface}]/state", sourceInterfaces,
		without(openconfigInterfaces(), metric.InterfaceMTU))
	s.ZeroSuppressed = true
	return with(s, "out-queue from "+sourceJunosYANG,
		Leaf{Path: queue + "pkts", Metric: metric.QueuePacketsTransmitted},
		Leaf{Path: queue + "bytes", Metric: metric.QueueBytesTransmitted},
		Leaf{Path: queue + "tail-drop-pkts", Metric: metric.QueueTailDiscards},
		Leaf{Path: queue + "red-drop-pkts", Metric: metric.QueueWREDDiscards},
		Leaf{Path: queue + "cur-buffer-occupancy", Metric: metric.QueueLength},
		Leaf{Path: queue + "peak-buffer-occupancy", Metric: metric.QueueLengthMaximum})
}

// junosLLDP is who is at the other end.
func junosLLDP() Subscription {
	s := junosContainer("/lldp/interfaces/interface/neighbors/neighbor/state", "/lldp/interfaces/interface[name={interface}]/neighbors/neighbor[id={id}]/state", sourceLLDP, openconfigLLDP())
	s.Least = opticsInterval // neighbors stay
	return s
}

// junosContainer returns one sampled subscription in the place of OpenConfig's,
// all of whose leaves are below base.
func junosContainer(path, base, source string, subs []Subscription) Subscription {
	out := Subscription{Path: path, Base: base, Source: source}
	for _, s := range subs {
		for _, l := range s.Leaves {
			l.Path = strings.TrimPrefix(s.Base+"/"+l.Path, base+"/")
			l.Unverified = strings.TrimSpace("Whether the family tells it is not known. " + l.Unverified)
			out.Leaves = append(out.Leaves, l)
		}
	}
	return out
}
