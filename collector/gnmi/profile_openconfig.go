package gnmi

import (
	"slices"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// openconfigProfile is what OpenConfig's models say of a RoCE fabric. They have
// no PFC: a switch that nothing better is known of shows link pause only.
func openconfigProfile() Profile {
	return Profile{
		Name:    "openconfig",
		Title:   "OpenConfig",
		Checked: "openconfig/public of 2026-07-21: openconfig-interfaces 3.8.1, -if-ethernet 2.18.0, -qos 2.2.0, -platform 0.32.0, -platform-transceiver 1.0.0, -lldp 1.1.0",
		Port:    9339,
		Subscriptions: slices.Concat(
			openconfigInterfaces(), openconfigEthernet(), []Subscription{openconfigQueues()}, openconfigTransceivers(), openconfigLLDP()),
	}
}

const (
	sourceInterfaces  = "openconfig-interfaces 3.8.1"
	sourceEthernet    = "openconfig-if-ethernet 2.18.0"
	sourceQoS         = "openconfig-qos 2.2.0"
	sourcePlatform    = "openconfig-platform 0.32.0"
	sourceTransceiver = "openconfig-platform-transceiver 1.0.0"
	sourceLLDP        = "openconfig-lldp 1.1.0"
)

// opticsInterval is how often transceivers are looked at: their readings move
// slowly, and there are dozens for each module.
const opticsInterval = 30 * time.Second

// openconfigInterfaces is state and traffic of interfaces. State is asked for
// leaf by leaf: a subscription to all of it on change would hold the counters,
// and a leaf that a switch refuses would take the others with it.
func openconfigInterfaces() []Subscription {
	return append(openconfigInterfaceState(), openconfigInterfaceCounters())
}

func openconfigInterfaceState() []Subscription {
	return []Subscription{
		openconfigState("oper-status", Leaf{Metric: metric.InterfaceUp, Words: operStatus(), Ignore: []string{"UNKNOWN"}}),
		openconfigState("admin-status", Leaf{Metric: metric.InterfaceAdminUp, Words: map[string]float64{"UP": 1, "DOWN": 0, "TESTING": 0}}),
		openconfigState("mtu", Leaf{Metric: metric.InterfaceMTU}),
		openconfigState("description", Leaf{Metric: metric.InterfaceInfo, Label: metric.Description}),
		openconfigState("transceiver", Leaf{Metric: metric.TransceiverInterfaceInfo, Label: metric.Transceiver}),
	}
}

func openconfigState(name string, l Leaf) Subscription {
	l.Path = name
	return Subscription{
		Path:   "/interfaces/interface/state/" + name,
		Mode:   OnChange,
		Base:   "/interfaces/interface[name={interface}]/state",
		Leaves: []Leaf{l},
		Source: sourceInterfaces,
	}
}

// operStatus gives openconfig-interfaces' enumeration, as RFC 2863 has it.
func operStatus() map[string]float64 {
	return map[string]float64{"UP": 1, "DOWN": 0, "TESTING": 0, "DORMANT": 0, "NOT_PRESENT": 0, "LOWER_LAYER_DOWN": 0}
}

func openconfigInterfaceCounters() Subscription {
	return Subscription{
		Path: "/interfaces/interface/state/counters",
		Base: "/interfaces/interface[name={interface}]/state/counters",
		Leaves: []Leaf{
			{Path: "in-octets", Metric: metric.InterfaceBytesReceived},
			{Path: "in-pkts", Metric: metric.InterfacePacketsReceived},
			{Path: "in-unicast-pkts", Metric: metric.InterfaceUnicastReceived},
			{Path: "in-multicast-pkts", Metric: metric.InterfaceMulticastReceived},
			{Path: "in-broadcast-pkts", Metric: metric.InterfaceBroadcastReceived},
			{Path: "in-discards", Metric: metric.InterfaceReceiveDiscards},
			{Path: "in-errors", Metric: metric.InterfaceReceiveErrors},
			// if-ethernet's in-crc-errors counts the same frames by another rule.
			{Path: "in-fcs-errors", Metric: metric.InterfaceCRCErrors},
			{Path: "out-octets", Metric: metric.InterfaceBytesTransmitted},
			{Path: "out-pkts", Metric: metric.InterfacePacketsTransmitted},
			{Path: "out-unicast-pkts", Metric: metric.InterfaceUnicastTransmitted},
			{Path: "out-multicast-pkts", Metric: metric.InterfaceMulticastTransmitted},
			{Path: "out-broadcast-pkts", Metric: metric.InterfaceBroadcastTransmitted},
			{Path: "out-discards", Metric: metric.InterfaceTransmitDiscards},
			{Path: "out-errors", Metric: metric.InterfaceTransmitErrors},
			{Path: "carrier-transitions", Metric: metric.InterfaceCarrierTransitions},
		},
		Source: sourceInterfaces,
	}
}

// openconfigEthernet is the link layer: speed, pause of the whole link, FEC.
func openconfigEthernet() []Subscription {
	return []Subscription{
		{
			Path: "/interfaces/interface/ethernet/state/port-speed",
			Mode: OnChange,
			Base: "/interfaces/interface[name={interface}]/ethernet/state",
			Leaves: []Leaf{
				{Path: "port-speed", Metric: metric.InterfaceSpeed, Words: portSpeeds(), Ignore: []string{"SPEED_UNKNOWN"}},
			},
			Source: sourceEthernet,
		},
		{
			Path:   "/interfaces/interface/ethernet/state/fec-mode",
			Mode:   OnChange,
			Base:   "/interfaces/interface[name={interface}]/ethernet/state",
			Leaves: []Leaf{{Path: "fec-mode", Metric: metric.FECModeInfo, Label: metric.Mode}},
			Source: sourceEthernet,
		},
		openconfigEthernetCounters(),
		{
			Path:   "/interfaces/interface/ethernet/state/pre-fec-ber",
			Base:   "/interfaces/interface[name={interface}]/ethernet/state/pre-fec-ber",
			Leaves: []Leaf{{Path: "instant", Metric: metric.FECPreErrorRatio}},
			Source: sourceEthernet,
		},
		{
			Path:   "/interfaces/interface/ethernet/state/post-fec-ber",
			Base:   "/interfaces/interface[name={interface}]/ethernet/state/post-fec-ber",
			Leaves: []Leaf{{Path: "instant", Metric: metric.FECPostErrorRatio}},
			Source: sourceEthernet,
		},
	}
}

// portSpeeds gives the identities of ETHERNET_SPEED in bytes per second.
func portSpeeds() map[string]float64 {
	const megabit = 1e6 / 8
	return map[string]float64{
		"SPEED_10MB": 10 * megabit, "SPEED_100MB": 100 * megabit, "SPEED_1GB": 1e3 * megabit, "SPEED_2500MB": 2500 * megabit,
		"SPEED_5GB": 5e3 * megabit, "SPEED_10GB": 10e3 * megabit, "SPEED_25GB": 25e3 * megabit, "SPEED_40GB": 40e3 * megabit,
		"SPEED_50GB": 50e3 * megabit, "SPEED_100GB": 100e3 * megabit, "SPEED_200GB": 200e3 * megabit, "SPEED_400GB": 400e3 * megabit,
		"SPEED_600GB": 600e3 * megabit, "SPEED_800GB": 800e3 * megabit, "SPEED_1600GB": 1600e3 * megabit,
	}
}

func openconfigEthernetCounters() Subscription {
	return Subscription{
		Path: "/interfaces/interface/ethernet/state/counters",
		Base: "/interfaces/interface[name={interface}]/ethernet/state/counters",
		Leaves: []Leaf{
			{Path: "in-mac-pause-frames", Metric: metric.InterfacePauseFramesReceived,
				Unverified: "The model speaks of PAUSE only; whether a switch counts PFC frames too is up to the vendor."},
			{Path: "out-mac-pause-frames", Metric: metric.InterfacePauseFramesTransmitted,
				Unverified: "The model speaks of PAUSE only; whether a switch counts PFC frames too is up to the vendor."},
			{Path: "in-oversize-frames", Metric: metric.InterfaceOversizeReceived},
			{Path: "in-undersize-frames", Metric: metric.InterfaceUndersizeReceived},
			{Path: "in-fragment-frames", Metric: metric.InterfaceFragmentsReceived},
			{Path: "in-jabber-frames", Metric: metric.InterfaceJabbersReceived},
			{Path: "in-symbol-error", Metric: metric.InterfaceSymbolErrors},
			{Path: "fec-corrected-blocks", Metric: metric.FECCorrected},
			{Path: "fec-uncorrectable-blocks", Metric: metric.FECUncorrectable},
		},
		Source: sourceEthernet,
	}
}

// openconfigQueues is what goes out of queues. interface-id is free text in the
// model; switches use the interface's name.
func openconfigQueues() Subscription {
	return Subscription{
		Path: "/qos/interfaces/interface/output/queues/queue/state",
		Base: "/qos/interfaces/interface[interface-id={interface}]/output/queues/queue[name={queue}]/state",
		Leaves: []Leaf{
			{Path: "transmit-pkts", Metric: metric.QueuePacketsTransmitted},
			{Path: "transmit-octets", Metric: metric.QueueBytesTransmitted},
			{Path: "dropped-pkts", Metric: metric.QueueDiscards},
			{Path: "dropped-octets", Metric: metric.QueueDiscardedBytes},
			{Path: "ecn-marked-pkts", Metric: metric.QueueECNMarked},
			{Path: "ecn-marked-octets", Metric: metric.QueueECNMarkedBytes},
			{Path: "ecn-selected-pkts", Metric: metric.QueueECNSelected},
			{Path: "ecn-selected-octets", Metric: metric.QueueECNSelectedBytes},
			{Path: "avg-queue-len", Metric: metric.QueueLength},
			{Path: "max-queue-len", Metric: metric.QueueLengthMaximum},
		},
		Source: sourceQoS,
	}
}

// openconfigTransceivers is what pluggable modules say of themselves. Fans and
// boards are components with temperatures too.
func openconfigTransceivers() []Subscription {
	return []Subscription{
		{
			Path:   "/components/component/state/temperature",
			Least:  opticsInterval,
			Base:   "/components/component[name={transceiver}]/state/temperature",
			Leaves: []Leaf{{Path: "instant", Metric: metric.TransceiverTemperature, Follows: true}},
			Source: sourcePlatform,
		},
		{
			Path:  "/components/component/transceiver/state",
			Least: opticsInterval,
			Base:  "/components/component[name={transceiver}]/transceiver/state",
			Leaves: []Leaf{
				{Path: "form-factor", Metric: metric.TransceiverInfo, Label: metric.FormFactor},
				{Path: "vendor", Metric: metric.TransceiverInfo, Label: metric.Vendor},
				{Path: "vendor-part", Metric: metric.TransceiverInfo, Label: metric.PartNumber},
				{Path: "serial-no", Metric: metric.TransceiverInfo, Label: metric.SerialNumber},
				{Path: "supply-voltage/instant", Metric: metric.TransceiverVoltage},
			},
			Source: sourceTransceiver,
		},
		{
			Path:  "/components/component/transceiver/physical-channels/channel/state",
			Least: opticsInterval,
			Base:  "/components/component[name={transceiver}]/transceiver/physical-channels/channel[index={lane}]/state",
			Leaves: []Leaf{
				{Path: "input-power/instant", Metric: metric.TransceiverReceived},
				{Path: "output-power/instant", Metric: metric.TransceiverTransmitted},
				{Path: "laser-bias-current/instant", Metric: metric.TransceiverBias, Scale: 1e-3},
				{Path: "laser-temperature/instant", Metric: metric.TransceiverLaserHeat},
				{Path: "host-snr/instant", Metric: metric.TransceiverHostSNR},
				{Path: "media-snr/instant", Metric: metric.TransceiverMediaSNR},
				{Path: "rx-los", Metric: metric.TransceiverNoSignal},
				{Path: "rx-cdr-lol", Metric: metric.TransceiverNoLock},
				{Path: "tx-failure", Metric: metric.TransceiverFault},
			},
			Source: sourceTransceiver,
		},
	}
}

// openconfigLLDP is who is at the other end. Leaf by leaf: the container holds
// the age of the neighbor, which changes all the time.
func openconfigLLDP() []Subscription {
	return []Subscription{
		openconfigNeighbor("system-name", metric.Neighbor),
		openconfigNeighbor("port-id", metric.NeighborIface),
		openconfigNeighbor("port-description", metric.NeighborPortText),
		openconfigNeighbor("chassis-id", metric.NeighborChassis),
	}
}

func openconfigNeighbor(name string, l metric.Label) Subscription {
	return Subscription{
		Path:   "/lldp/interfaces/interface/neighbors/neighbor/state/" + name,
		Mode:   OnChange,
		Base:   "/lldp/interfaces/interface[name={interface}]/neighbors/neighbor[id={id}]/state",
		Leaves: []Leaf{{Path: name, Metric: metric.NeighborInfo, Label: l}},
		Source: sourceLLDP,
	}
}
