package gnmi

import (
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// cumulusProfile is Cumulus Linux on NVIDIA's Spectrum switches, as its own gNMI
// agent tells of it. Paths of QoS have moved between releases, and the agent
// that was there before has a model of its own: what a switch does not know it
// refuses, which costs the others nothing.
//
// What only NVIDIA has comes first: by OpenConfig's paths alone any switch could
// be taken for one of this family. What Capabilities call NVIDIA's models is from
// general knowledge.
func cumulusProfile() Profile {
	return Profile{
		Name:          "nvidia_cumulus",
		Title:         "NVIDIA Cumulus Linux",
		Checked:       "NVIDIA's gNMI documentation of Cumulus Linux 5.13 to 5.17",
		Port:          9339,
		Models:        []string{"nvidia-"},
		Organizations: []string{"nvidia"},
		Basic:         true,
		Subscriptions: slices.Concat(
			[]Subscription{cumulusPriorities(), cumulusPhysical(), cumulusPriorityGroups(), cumulusQueues(), cumulusPools(), cumulusEarlierPriorities(), cumulusNetQ()},
			unverified("Which of OpenConfig's leaves the agent tells is not known.", cumulusOpenConfig())),
	}
}

const sourceCumulus = "NVIDIA's gNMI documentation of Cumulus Linux 5.15 and 5.16"

// cumulusOpenConfig is what comes by OpenConfig's own paths, less what NVIDIA's
// say too: two sources of one series would take turns.
func cumulusOpenConfig() []Subscription {
	return slices.Concat(openconfigInterfaces(), without(openconfigEthernet(), metric.FECUncorrectable, metric.FECPostErrorRatio),
		openconfigTransceivers(), openconfigLLDP())
}

// cumulusPriorities is PFC. Durations come in microseconds.
func cumulusPriorities() Subscription {
	return Subscription{
		Path: "/qos/interfaces/interface/switch-priority/state",
		Base: "/qos/interfaces/interface[interface-id={interface}]/switch-priority[priority={priority}]/state",
		Leaves: []Leaf{
			{Path: "counters/in-pause-pkts", Metric: metric.InterfacePFCFramesReceived},
			{Path: "counters/out-pause-pkts", Metric: metric.InterfacePFCFramesTransmitted},
			{Path: "counters/in-discards", Metric: metric.InterfacePriorityDiscardsReceived,
				Unverified: "Whether packets dropped for other reasons than a lack of buffers count too is not known."},
			{Path: "in-pause-duration", Metric: metric.InterfacePFCPauseReceived, Scale: 1e-6},
			{Path: "out-pause-duration", Metric: metric.InterfacePFCPauseTransmitted, Scale: 1e-6},
		},
		Source: sourceCumulus,
	}
}

// cumulusEarlierPriorities is PFC as releases before 5.15 spell it. No release
// is known to have both spellings.
func cumulusEarlierPriorities() Subscription {
	return Subscription{
		Path: "/qos/interfaces/interface/state/switch-priority/counters",
		Base: "/qos/interfaces/interface[interface-id={interface}]/state/switch-priority[priority={priority}]/counters",
		Leaves: []Leaf{
			{Path: "in-pause-pkts", Metric: metric.InterfacePFCFramesReceived},
			{Path: "out-pause-pkts", Metric: metric.InterfacePFCFramesTransmitted},
			{Path: "in-discards", Metric: metric.InterfacePriorityDiscardsReceived,
				Unverified: "Whether packets dropped for other reasons than a lack of buffers count too is not known."},
		},
		Source:     "NVIDIA's gNMI documentation of Cumulus Linux before 5.15",
		Unverified: "The beginning of the path was not read, nor which releases have it.",
	}
}

// cumulusNetQ is what the NetQ agent has, which switches had before they got an
// agent of their own. It does not sample. Its out-q-length is left out: nothing
// says of which queue it is.
func cumulusNetQ() Subscription {
	return Subscription{
		Path: "/interfaces/interface/ethernet/counters/state",
		Mode: OnChange,
		Base: "/interfaces/interface[name={interface}]/ethernet/counters/state",
		Leaves: []Leaf{
			{Path: "in-pfc{priority}-packets", Metric: metric.InterfacePFCFramesReceived},
			{Path: "out-pfc{priority}-packets", Metric: metric.InterfacePFCFramesTransmitted},
			{Path: "out-q{queue}-wred-drops", Metric: metric.QueueWREDDiscards},
		},
		Source: "the NetQ agent's model in NVIDIA's documentation of Cumulus Linux before 5.11",
	}
}

// cumulusPhysical is FEC. symbol-errors is left out: whether it counts before or
// after correction was not found.
func cumulusPhysical() Subscription {
	return Subscription{
		Path: "/interfaces/interface/ethernet/phy/state",
		Base: "/interfaces/interface[name={interface}]/ethernet/phy/state",
		Leaves: []Leaf{
			{Path: "rs-fec-uncorrectable-blocks", Metric: metric.FECUncorrectable},
			{Path: "rs-fec-no-error-blocks", Metric: metric.FECErrorFree},
			{Path: "corrected-bits", Metric: metric.FECCorrections},
			{Path: "effective-ber", Metric: metric.FECPostErrorRatio},
		},
		Source: sourceCumulus,
	}
}

// cumulusPriorityGroups is the shared buffer on receipt. Its descriptors count
// packets and are left out, here and below. No unit of the occupancy was found.
func cumulusPriorityGroups() Subscription {
	return Subscription{
		Path: "/qos/interfaces/interface/input/priority-group/state/shared-buffer",
		Base: "/qos/interfaces/interface[interface-id={interface}]/input/priority-group[pg-id={priority_group}]/state/shared-buffer/data",
		Leaves: []Leaf{
			{Path: "instant-occupancy", Metric: metric.PriorityGroupOccupancy},
			{Path: "max-occupancy", Metric: metric.PriorityGroupOccupancyMost},
		},
		Source: sourceCumulus,
	}
}

// cumulusQueues is what goes out of queues, and what they hold, which their
// shared buffer says once more.
func cumulusQueues() Subscription {
	return Subscription{
		Path: "/qos/interfaces/interface/output/queues/queue/state",
		Base: "/qos/interfaces/interface[interface-id={interface}]/output/queues/queue[name={queue}]/state",
		Leaves: []Leaf{
			{Path: "transmit-pkts", Metric: metric.QueuePacketsTransmitted},
			{Path: "transmit-octets", Metric: metric.QueueBytesTransmitted},
			{Path: "ecn-marked-pkts", Metric: metric.QueueECNMarked},
			{Path: "wred-dropped-pkts", Metric: metric.QueueWREDDiscards},
			{Path: "no-buffer-uc-dropped-pkts", Metric: metric.QueueNoBufferDiscards},
			{Path: "instant-queue-len", Metric: metric.QueueLength},
			{Path: "max-queue-len", Metric: metric.QueueLengthMaximum},
		},
		Source: sourceCumulus + "; ecn-marked-pkts is 0 where the switch does not count ECN",
	}
}

// cumulusPools is the switch's buffer pools. What one interface has of a pool is
// told elsewhere and has no metric.
func cumulusPools() Subscription {
	return Subscription{
		Path: "/qos/shared-buffer/pools/pool/state",
		Base: "/qos/shared-buffer/pools/pool[id={pool}]/state/data",
		Leaves: []Leaf{
			{Path: "instant-occupancy", Metric: metric.BufferPoolOccupancy},
			{Path: "max-occupancy", Metric: metric.BufferPoolOccupancyMost},
		},
		Source: sourceCumulus,
	}
}
