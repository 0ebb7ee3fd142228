package gnmi

import (
	"time"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// sonicProfile is SONiC as the community has it: the databases of the switch,
// by the paths that sonic-gnmi makes of them. A table comes as one JSON object
// whose numbers are texts. It is asked for by interface and table, never as a
// whole: COUNTERS of 128 ports is more than SONiC's own gRPC lets it send.
//
// What Capabilities call its model is from general knowledge.
func sonicProfile() Profile {
	return Profile{
		Name:    "sonic",
		Title:   "SONiC (community)",
		Checked: "sonic-gnmi 5ec1c20b of 2026-08-19 and sonic-swss e6b0c5b5d",
		Port:    8080,
		Models:  []string{"sonic-db"},
		Subscriptions: []Subscription{
			sonicPorts(), sonicQueues(), sonicWatchdog(), sonicPriorityGroups(), sonicRates(), sonicPools(), sonicPoolWatermarks(),
			sonicPortTable(), sonicTransceivers(), sonicOptics(), sonicNeighbors(),
		},
	}
}

const (
	sonicCounters  = "COUNTERS_DB"
	sourceSONiC    = "sonic-gnmi, sonic_data_client/virtual_db.go; fields from SAI's saiport.h, saiqueue.h and saibuffer.h"
	sourceSONiCDB  = "sonic-gnmi, sonic_data_client/db_client.go"
	sonicUnread    = "The table and its fields are from general knowledge; sonic-swss was not read for them."
	sonicWatermark = 60 * time.Second // SONiC reads watermarks no more often
)

// sonicPorts is traffic, pause, PFC and FEC of interfaces, which SONiC reads
// every second. PFC time is there where the platform's PFC watchdog counts it, in
// microseconds; the fields without _US count pause quanta and are left out.
func sonicPorts() Subscription {
	return Subscription{
		Target: sonicCounters,
		Path:   "/COUNTERS/Ethernet*",
		Base:   "/COUNTERS/Ethernet*/{interface}",
		Leaves: []Leaf{
			{Path: "SAI_PORT_STAT_IF_IN_OCTETS", Metric: metric.InterfaceBytesReceived},
			{Path: "SAI_PORT_STAT_IF_IN_UCAST_PKTS", Metric: metric.InterfaceUnicastReceived},
			{Path: "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS", Metric: metric.InterfaceNonUnicastReceived},
			{Path: "SAI_PORT_STAT_IF_IN_DISCARDS", Metric: metric.InterfaceReceiveDiscards},
			{Path: "SAI_PORT_STAT_IF_IN_ERRORS", Metric: metric.InterfaceReceiveErrors},
			{Path: "SAI_PORT_STAT_IF_OUT_OCTETS", Metric: metric.InterfaceBytesTransmitted},
			{Path: "SAI_PORT_STAT_IF_OUT_UCAST_PKTS", Metric: metric.InterfaceUnicastTransmitted},
			{Path: "SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS", Metric: metric.InterfaceNonUnicastTransmitted},
			{Path: "SAI_PORT_STAT_IF_OUT_DISCARDS", Metric: metric.InterfaceTransmitDiscards},
			{Path: "SAI_PORT_STAT_IF_OUT_ERRORS", Metric: metric.InterfaceTransmitErrors},
			{Path: "SAI_PORT_STAT_WRED_DROPPED_PACKETS", Metric: metric.InterfaceWREDDiscards},
			{Path: "SAI_PORT_STAT_PAUSE_RX_PKTS", Metric: metric.InterfacePauseFramesReceived},
			{Path: "SAI_PORT_STAT_PAUSE_TX_PKTS", Metric: metric.InterfacePauseFramesTransmitted},
			{Path: "SAI_PORT_STAT_PFC_{priority}_RX_PKTS", Metric: metric.InterfacePFCFramesReceived},
			{Path: "SAI_PORT_STAT_PFC_{priority}_TX_PKTS", Metric: metric.InterfacePFCFramesTransmitted},
			{Path: "SAI_PORT_STAT_PFC_{priority}_ON2OFF_RX_PKTS", Metric: metric.InterfacePFCTransitionsReceived,
				Unverified: "SAI speaks of transitions from on to off; whether both directions count was not read."},
			{Path: "SAI_PORT_STAT_PFC_{priority}_RX_PAUSE_DURATION_US", Metric: metric.InterfacePFCPauseReceived, Scale: 1e-6},
			{Path: "SAI_PORT_STAT_PFC_{priority}_TX_PAUSE_DURATION_US", Metric: metric.InterfacePFCPauseTransmitted, Scale: 1e-6},
			{Path: "SAI_PORT_STAT_IF_IN_FEC_CORRECTABLE_FRAMES", Metric: metric.FECCorrected},
			{Path: "SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES", Metric: metric.FECUncorrectable},
			{Path: "SAI_PORT_STAT_IF_IN_FEC_SYMBOL_ERRORS", Metric: metric.FECSymbolErrors},
			{Path: "SAI_PORT_STAT_IF_IN_FEC_CORRECTED_BITS", Metric: metric.FECCorrections},
		},
		Source: sourceSONiC,
	}
}

// sonicQueues is what goes out of queues. SONiC reads them every 10 s. Marks are
// there once counterpoll wredqueue is on. The watermark has an entry of its own
// beside the counters.
func sonicQueues() Subscription {
	const stat = "{interface}:{queue}/SAI_QUEUE_STAT_"
	return Subscription{
		Target: sonicCounters,
		Path:   "/COUNTERS/Ethernet*/Queues",
		Base:   "/COUNTERS/Ethernet*/Queues",
		Least:  10 * time.Second,
		Leaves: []Leaf{
			{Path: stat + "PACKETS", Metric: metric.QueuePacketsTransmitted},
			{Path: stat + "BYTES", Metric: metric.QueueBytesTransmitted},
			{Path: stat + "DROPPED_PACKETS", Metric: metric.QueueDiscards},
			{Path: stat + "DROPPED_BYTES", Metric: metric.QueueDiscardedBytes},
			{Path: stat + "WRED_ECN_MARKED_PACKETS", Metric: metric.QueueECNMarked},
			{Path: stat + "WRED_ECN_MARKED_BYTES", Metric: metric.QueueECNMarkedBytes},
			{Path: stat + "WRED_DROPPED_PACKETS", Metric: metric.QueueWREDDiscards},
			{Path: stat + "WRED_DROPPED_BYTES", Metric: metric.QueueWREDDiscardedBytes},
			{Path: "{interface}:{queue}:periodic/SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", Metric: metric.QueueDepthHighWatermark},
		},
		Source: sourceSONiC,
	}
}

// sonicWatchdog is the PFC watchdog, by queue.
func sonicWatchdog() Subscription {
	return Subscription{
		Target: sonicCounters,
		Path:   "/COUNTERS/Ethernet*/Pfcwd",
		Base:   "/COUNTERS/Ethernet*/Pfcwd/{interface}:{queue}",
		Leaves: []Leaf{
			{Path: "PFC_WD_STATUS", Metric: metric.PFCWatchdogStormed, Words: map[string]float64{"operational": 0, "stormed": 1},
				Unverified: "The words are from general knowledge."},
			{Path: "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", Metric: metric.PFCWatchdogStorms},
			{Path: "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", Metric: metric.PFCWatchdogRestores},
			{Path: "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS", Metric: metric.PFCWatchdogDiscards, Unverified: "The name is from general knowledge."},
			{Path: "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS", Metric: metric.PFCWatchdogReceiveDiscards, Unverified: "The name is from general knowledge."},
		},
		Source: sourceSONiC,
	}
}

// sonicPriorityGroups is the most that priority groups held in SONiC's window of
// two minutes.
func sonicPriorityGroups() Subscription {
	const stat = "SAI_INGRESS_PRIORITY_GROUP_STAT_"
	return Subscription{
		Target: sonicCounters,
		Path:   "/PERIODIC_WATERMARKS/Ethernet*/PriorityGroups",
		Base:   "/PERIODIC_WATERMARKS/Ethernet*/PriorityGroups/{interface}:{priority_group}",
		Least:  sonicWatermark,
		Leaves: []Leaf{
			{Path: stat + "SHARED_WATERMARK_BYTES", Metric: metric.PriorityGroupSharedWatermark},
			{Path: stat + "XOFF_ROOM_WATERMARK_BYTES", Metric: metric.PriorityGroupHeadroomMark},
		},
		Source: sourceSONiC,
	}
}

// sonicRates is error ratios before and after FEC. Rates of traffic are
// Prometheus's matter, and fields that end in _last SONiC's own.
func sonicRates() Subscription {
	return Subscription{
		Target: sonicCounters,
		Path:   "/RATES/Ethernet*",
		Base:   "/RATES/Ethernet*/{interface}",
		Leaves: []Leaf{
			{Path: "FEC_PRE_BER", Metric: metric.FECPreErrorRatio},
			{Path: "FEC_POST_BER", Metric: metric.FECPostErrorRatio},
		},
		Source: sourceSONiC,
	}
}

// sonicPools gives buffer pools, which have identifiers, their names.
func sonicPools() Subscription {
	return Subscription{
		Target: sonicCounters,
		Path:   "/COUNTERS_BUFFER_POOL_NAME_MAP",
		Base:   "/COUNTERS_BUFFER_POOL_NAME_MAP",
		Least:  sonicWatermark,
		Leaves: []Leaf{{Path: "{pool}", Renames: ValueToCaptured}},
		Source: sourceSONiCDB,
	}
}

// sonicPoolWatermarks is the most that buffer pools held in SONiC's window.
func sonicPoolWatermarks() Subscription {
	return Subscription{
		Target: sonicCounters,
		Path:   "/PERIODIC_WATERMARKS/{pool}",
		Base:   "/PERIODIC_WATERMARKS/{pool}",
		Least:  sonicWatermark,
		Leaves: []Leaf{
			{Path: "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", Metric: metric.BufferPoolHighWatermark},
			{Path: "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES", Metric: metric.BufferPoolHeadroomWatermark},
		},
		Source:     sourceSONiCDB,
		Unverified: "That pools are in this table as in USER_WATERMARKS was not read.",
	}
}

// sonicPortTable is state of interfaces, and their names: counters come under
// the vendor's alias. Speed is in Mb/s.
func sonicPortTable() Subscription {
	return Subscription{
		Target: "APPL_DB",
		Path:   "/PORT_TABLE",
		Base:   "/PORT_TABLE/{interface}",
		Leaves: []Leaf{
			{Path: "alias", Renames: ValueToCaptured},
			{Path: "alias", Metric: metric.InterfaceInfo, Label: metric.Alias},
			{Path: "description", Metric: metric.InterfaceInfo, Label: metric.Description, Ignore: []string{"N/A"}},
			{Path: "oper_status", Metric: metric.InterfaceUp, Words: map[string]float64{"up": 1, "down": 0}},
			{Path: "admin_status", Metric: metric.InterfaceAdminUp, Words: map[string]float64{"up": 1, "down": 0}},
			{Path: "speed", Metric: metric.InterfaceSpeed, Scale: 1e6 / 8, Ignore: []string{"N/A"}},
			{Path: "mtu", Metric: metric.InterfaceMTU, Ignore: []string{"N/A"}},
		},
		Source:     sourceSONiCDB,
		Unverified: sonicUnread,
	}
}

// sonicTransceivers is who made the modules.
func sonicTransceivers() Subscription {
	return Subscription{
		Target: "STATE_DB",
		Path:   "/TRANSCEIVER_INFO",
		Base:   "/TRANSCEIVER_INFO/{interface}",
		Least:  sonicWatermark,
		Leaves: []Leaf{
			{Path: "type", Metric: metric.TransceiverInfo, Label: metric.FormFactor, Ignore: []string{"N/A"}},
			{Path: "manufacturer", Metric: metric.TransceiverInfo, Label: metric.Vendor, Ignore: []string{"N/A"}},
			{Path: "model", Metric: metric.TransceiverInfo, Label: metric.PartNumber, Ignore: []string{"N/A"}},
			{Path: "serial", Metric: metric.TransceiverInfo, Label: metric.SerialNumber, Ignore: []string{"N/A"}},
		},
		Source:     sourceSONiCDB,
		Unverified: sonicUnread,
	}
}

// sonicOptics is what modules measure, which SONiC reads once a minute. Powers
// are in dBm, currents in mA.
func sonicOptics() Subscription {
	return Subscription{
		Target: "STATE_DB",
		Path:   "/TRANSCEIVER_DOM_SENSOR",
		Base:   "/TRANSCEIVER_DOM_SENSOR/{interface}",
		Least:  sonicWatermark,
		Leaves: []Leaf{
			{Path: "temperature", Metric: metric.TransceiverTemperature, Ignore: []string{"N/A"}},
			{Path: "voltage", Metric: metric.TransceiverVoltage, Ignore: []string{"N/A"}},
			{Path: "rx{lane}power", Metric: metric.TransceiverReceived, LaneBase: 1, Ignore: []string{"N/A"}},
			{Path: "tx{lane}power", Metric: metric.TransceiverTransmitted, LaneBase: 1, Ignore: []string{"N/A"}},
			{Path: "tx{lane}bias", Metric: metric.TransceiverBias, LaneBase: 1, Scale: 1e-3, Ignore: []string{"N/A"}},
		},
		Source:     sourceSONiCDB,
		Unverified: sonicUnread,
	}
}

// sonicNeighbors is who is at the other end.
func sonicNeighbors() Subscription {
	return Subscription{
		Target: "APPL_DB",
		Path:   "/LLDP_ENTRY_TABLE",
		Base:   "/LLDP_ENTRY_TABLE/{interface}",
		Least:  opticsInterval,
		Leaves: []Leaf{
			{Path: "lldp_rem_sys_name", Metric: metric.NeighborInfo, Label: metric.Neighbor},
			{Path: "lldp_rem_port_id", Metric: metric.NeighborInfo, Label: metric.NeighborIface},
			{Path: "lldp_rem_port_desc", Metric: metric.NeighborInfo, Label: metric.NeighborPortText},
			{Path: "lldp_rem_chassis_id", Metric: metric.NeighborInfo, Label: metric.NeighborChassis},
		},
		Source:     sourceSONiCDB,
		Unverified: sonicUnread,
	}
}
