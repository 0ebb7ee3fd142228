package gnmi

import (
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// srlinuxProfile is Nokia's SR Linux by its own models. Requests have no origin:
// SR Linux takes none for its own models. The port is from general knowledge.
func srlinuxProfile() Profile {
	return Profile{
		Name:    "nokia_srlinux",
		Title:   "Nokia SR Linux",
		Checked: "srlinux-yang-models v25.3.1 (not the port)",
		Port:    57400,
		// Model names come alone or behind their namespace.
		Models: []string{"srl_nokia-", "urn:srl_nokia/"},
		Subscriptions: slices.Concat(
			[]Subscription{srlinuxTraffic()}, srlinuxState(), []Subscription{srlinuxEthernet(), srlinuxPFC(), srlinuxQueues(), srlinuxQueueDepth(), srlinuxBuffers(), srlinuxTransceivers()},
			srlinuxLLDP()),
	}
}

const (
	sourceSRLinuxInterfaces = "srl_nokia-interfaces of srlinux-yang-models v25.3.1"
	sourceSRLinuxQoS        = "srl_nokia-qos of srlinux-yang-models v25.3.1"
	srlinuxNamed            = "The name is from general knowledge; the model was not read for it."
)

// srlinuxTraffic is traffic of interfaces. Counters begin at 0 when they are
// cleared.
func srlinuxTraffic() Subscription {
	return Subscription{
		Path: "/interface/statistics",
		Base: "/interface[name={interface}]/statistics",
		Leaves: []Leaf{
			{Path: "in-octets", Metric: metric.InterfaceBytesReceived},
			{Path: "in-packets", Metric: metric.InterfacePacketsReceived},
			{Path: "in-unicast-packets", Metric: metric.InterfaceUnicastReceived},
			{Path: "in-multicast-packets", Metric: metric.InterfaceMulticastReceived},
			{Path: "in-broadcast-packets", Metric: metric.InterfaceBroadcastReceived},
			{Path: "in-discarded-packets", Metric: metric.InterfaceReceiveDiscards},
			{Path: "in-error-packets", Metric: metric.InterfaceReceiveErrors},
			{Path: "in-fcs-error-packets", Metric: metric.InterfaceCRCErrors},
			{Path: "out-octets", Metric: metric.InterfaceBytesTransmitted},
			{Path: "out-packets", Metric: metric.InterfacePacketsTransmitted},
			{Path: "out-unicast-packets", Metric: metric.InterfaceUnicastTransmitted},
			{Path: "out-multicast-packets", Metric: metric.InterfaceMulticastTransmitted},
			{Path: "out-broadcast-packets", Metric: metric.InterfaceBroadcastTransmitted},
			{Path: "out-discarded-packets", Metric: metric.InterfaceTransmitDiscards},
			{Path: "out-error-packets", Metric: metric.InterfaceTransmitErrors},
			{Path: "carrier-transitions", Metric: metric.InterfaceCarrierTransitions},
		},
		Source:     sourceSRLinuxInterfaces,
		Unverified: "The container was read, the names in it are from general knowledge.",
	}
}

// srlinuxState is state of interfaces. Their MTU is left out: it counts the
// Ethernet header.
func srlinuxState() []Subscription {
	return []Subscription{
		srlinuxLeaf("oper-state", Leaf{Metric: metric.InterfaceUp, Words: map[string]float64{"up": 1, "down": 0}}),
		srlinuxLeaf("admin-state", Leaf{Metric: metric.InterfaceAdminUp, Words: map[string]float64{"enable": 1, "disable": 0}}),
		srlinuxLeaf("description", Leaf{Metric: metric.InterfaceInfo, Label: metric.Description}),
		srlinuxLeaf("ethernet/port-speed", Leaf{Metric: metric.InterfaceSpeed, Words: srlinuxSpeeds()}),
	}
}

func srlinuxLeaf(path string, l Leaf) Subscription {
	l.Path = path
	return Subscription{
		Path:       "/interface/" + path,
		Mode:       OnChange,
		Base:       "/interface[name={interface}]",
		Leaves:     []Leaf{l},
		Source:     sourceSRLinuxInterfaces,
		Unverified: "The path is from general knowledge; the model was not read for it.",
	}
}

// srlinuxSpeeds gives the words of port-speed in bytes per second.
func srlinuxSpeeds() map[string]float64 {
	const gigabit = 1e9 / 8
	return map[string]float64{
		"10M": gigabit / 100, "100M": gigabit / 10, "1G": gigabit, "2500M": 2.5 * gigabit, "10G": 10 * gigabit, "25G": 25 * gigabit, "40G": 40 * gigabit,
		"50G": 50 * gigabit, "100G": 100 * gigabit, "200G": 200 * gigabit, "400G": 400 * gigabit, "800G": 800 * gigabit,
	}
}

// srlinuxEthernet is the link layer: pause of the whole link. FEC has a container
// beside it whose names were not found.
func srlinuxEthernet() Subscription {
	return Subscription{
		Path: "/interface/ethernet/statistics",
		Base: "/interface[name={interface}]/ethernet/statistics",
		Leaves: []Leaf{
			{Path: "in-mac-pause-frames", Metric: metric.InterfacePauseFramesReceived,
				Unverified: "Whether PFC frames count too is not known."},
			{Path: "out-mac-pause-frames", Metric: metric.InterfacePauseFramesTransmitted,
				Unverified: "Whether PFC frames count too is not known."},
			{Path: "in-oversize-frames", Metric: metric.InterfaceOversizeReceived, Unverified: srlinuxNamed},
			{Path: "in-fragment-frames", Metric: metric.InterfaceFragmentsReceived, Unverified: srlinuxNamed},
			{Path: "in-jabber-frames", Metric: metric.InterfaceJabbersReceived, Unverified: srlinuxNamed},
		},
		Source: sourceSRLinuxInterfaces,
	}
}

// srlinuxPFC is PFC and its watchdog. pfc-transitions is left out: the direction
// is not said. interface-id is free text in the model, here and below; examples
// use the interface's name.
func srlinuxPFC() Subscription {
	const index = "That index is the 802.1Q priority, from 0, was not read."
	return Subscription{
		Path: "/qos/interfaces/interface/pfc/statistics/pfc-priority",
		Base: "/qos/interfaces/interface[interface-id={interface}]/pfc/statistics/pfc-priority[index={priority}]",
		Leaves: []Leaf{
			{Path: "pfc-pause-frames-received", Metric: metric.InterfacePFCFramesReceived, Unverified: index},
			{Path: "pfc-pause-frames-generated", Metric: metric.InterfacePFCFramesTransmitted, Unverified: index},
			{Path: "deadlock-recovery-occurrences", Metric: metric.PFCWatchdogStorms, Unverified: index},
		},
		Source: sourceSRLinuxQoS,
	}
}

// srlinuxQueues is what goes out of queues.
func srlinuxQueues() Subscription {
	return Subscription{
		Path: "/qos/interfaces/interface/output/queues/queue/queue-statistics/aggregate-statistics",
		Base: "/qos/interfaces/interface[interface-id={interface}]/output/queues/queue[queue-name={queue}]/queue-statistics/aggregate-statistics",
		Leaves: []Leaf{
			{Path: "transmitted-packets", Metric: metric.QueuePacketsTransmitted},
			{Path: "transmitted-octets", Metric: metric.QueueBytesTransmitted},
			{Path: "dropped-packets", Metric: metric.QueueDiscards},
			{Path: "dropped-octets", Metric: metric.QueueDiscardedBytes},
			{Path: "ecn-marked-packets", Metric: metric.QueueECNMarked},
			{Path: "ecn-marked-octets", Metric: metric.QueueECNMarkedBytes},
		},
		Source: sourceSRLinuxQoS,
	}
}

// srlinuxQueueDepth is how full queues were in the shortest of the windows that
// the model has, 1, 5 and 15.
func srlinuxQueueDepth() Subscription {
	return Subscription{
		Path: "/qos/interfaces/interface/output/queues/queue/queue-depth",
		Base: "/qos/interfaces/interface[interface-id={interface}]/output/queues/queue[queue-name={queue}]/queue-depth",
		Leaves: []Leaf{
			{Path: "average-1", Metric: metric.QueueLength},
			{Path: "high-watermark-1", Metric: metric.QueueLengthMaximum},
		},
		Source:     sourceSRLinuxQoS,
		Unverified: "That the container is right below the queue, and that the windows are minutes, was not read.",
	}
}

// srlinuxBuffers is packet memory of the first slot: that of a switch which has
// but one. A chassis has forwarding complexes of the same names in every slot,
// which label pool cannot tell apart. No unit was found.
func srlinuxBuffers() Subscription {
	return Subscription{
		Path: "/platform/linecard[slot=1]/forwarding-complex/buffer-memory",
		Base: "/platform/linecard[slot=1]/forwarding-complex[name={pool}]/buffer-memory",
		Leaves: []Leaf{
			{Path: "used", Metric: metric.BufferPoolOccupancy},
		},
		Source: "srl_nokia-platform of srlinux-yang-models v25.3.1",
	}
}

// srlinuxTransceivers is what pluggable modules say of themselves. They have no
// name but that of their interface.
func srlinuxTransceivers() Subscription {
	const (
		lane = "That channels are numbered from 1 was not read."
		bias = "That channels are numbered from 1, and that the unit is mA, was not read."
	)
	return Subscription{
		Path:  "/interface/transceiver",
		Least: opticsInterval,
		Base:  "/interface[name={interface}]/transceiver",
		Leaves: []Leaf{
			{Path: "form-factor", Metric: metric.TransceiverInfo, Label: metric.FormFactor, Unverified: srlinuxNamed},
			{Path: "vendor", Metric: metric.TransceiverInfo, Label: metric.Vendor, Unverified: srlinuxNamed},
			{Path: "vendor-part-number", Metric: metric.TransceiverInfo, Label: metric.PartNumber, Unverified: srlinuxNamed},
			{Path: "vendor-serial-number", Metric: metric.TransceiverInfo, Label: metric.SerialNumber, Unverified: srlinuxNamed},
			{Path: "temperature/latest-value", Metric: metric.TransceiverTemperature, Unverified: srlinuxNamed},
			{Path: "voltage/latest-value", Metric: metric.TransceiverVoltage, Unverified: srlinuxNamed},
			{Path: "channel[index={lane}]/input-power/latest-value", Metric: metric.TransceiverReceived, LaneBase: 1, Unverified: lane},
			{Path: "channel[index={lane}]/output-power/latest-value", Metric: metric.TransceiverTransmitted, LaneBase: 1, Unverified: lane},
			{Path: "channel[index={lane}]/laser-bias-current/latest-value", Metric: metric.TransceiverBias, LaneBase: 1, Scale: 1e-3, Unverified: bias},
		},
		Source: sourceSRLinuxInterfaces,
	}
}

// srlinuxLLDP is who is at the other end, leaf by leaf as in openconfigLLDP.
func srlinuxLLDP() []Subscription {
	return []Subscription{
		srlinuxNeighbor("system-name", metric.Neighbor),
		srlinuxNeighbor("port-id", metric.NeighborIface),
		srlinuxNeighbor("port-description", metric.NeighborPortText),
		srlinuxNeighbor("chassis-id", metric.NeighborChassis),
	}
}

func srlinuxNeighbor(name string, l metric.Label) Subscription {
	return Subscription{
		Path:       "/system/lldp/interface/neighbor/" + name,
		Mode:       OnChange,
		Base:       "/system/lldp/interface[name={interface}]/neighbor[id={id}]",
		Leaves:     []Leaf{{Path: name, Metric: metric.NeighborInfo, Label: l}},
		Source:     "srl_nokia-lldp",
		Unverified: "The path is from general knowledge; the model was not read for it.",
	}
}
