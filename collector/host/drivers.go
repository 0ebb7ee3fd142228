package host

import (
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Drivers is THE TABLE of drivers: one row each, in a file of its own. A new
// driver is one literal and one recording in collector/hosttest/recordings.
//
// Where a driver gives one metric under several names, over its versions or
// builds, the first row whose name exists gives it; the others are exported
// raw. PMA counters come before those of hw_counters.
func Drivers() []Driver {
	return []Driver{mlx5(), mlx4(), bnxtRE(), irdma(), ionic(), hns(), erdma(), efa(), mana(), rxe(), siw(), cxgb4(), qedr(), ocrdma()}
}

// raw returns rows of names that the vocabulary has no term for.
func raw(from From, names ...string) []Counter {
	rows := make([]Counter, len(names))
	for i, n := range names {
		rows[i] = Counter{From: from, Raw: n}
	}
	return rows
}

// rawGauge is raw for values that go up and down.
func rawGauge(from From, names ...string) []Counter {
	rows := raw(from, names...)
	for i := range rows {
		rows[i].Gauge = true
	}
	return rows
}

// PMA returns the rows of ports/<port>/counters, which mean the same for every
// driver that has the directory.
func PMA() []Counter {
	return []Counter{
		{From: PMACounters, Raw: "port_rcv_data", Metric: metric.RDMAReceivedBytes, Scale: 4, Source: "in 4-octet words"},
		{From: PMACounters, Raw: "port_xmit_data", Metric: metric.RDMATransmittedBytes, Scale: 4, Source: "in 4-octet words"},
		{From: PMACounters, Raw: "port_rcv_packets", Metric: metric.RDMAReceivedPackets},
		{From: PMACounters, Raw: "port_xmit_packets", Metric: metric.RDMATransmittedPackets},
		{From: PMACounters, Raw: "unicast_rcv_packets", Metric: metric.RDMAReceivedUnicastPackets},
		{From: PMACounters, Raw: "unicast_xmit_packets", Metric: metric.RDMATransmittedUnicastPackets},
		{From: PMACounters, Raw: "multicast_rcv_packets", Metric: metric.RDMAReceivedMulticastPackets},
		{From: PMACounters, Raw: "multicast_xmit_packets", Metric: metric.RDMATransmittedMulticastPackets},
		{From: PMACounters, Raw: "symbol_error", Metric: metric.RDMASymbolErrors},
		{From: PMACounters, Raw: "link_error_recovery", Metric: metric.RDMALinkErrorRecoveries},
		{From: PMACounters, Raw: "link_downed", Metric: metric.RDMALinkDowned},
		{From: PMACounters, Raw: "port_rcv_errors", Metric: metric.RDMAPortReceiveErrors},
		{From: PMACounters, Raw: "port_rcv_remote_physical_errors", Metric: metric.RDMAPortReceiveRemotePhysical},
		{From: PMACounters, Raw: "port_rcv_switch_relay_errors", Metric: metric.RDMAPortReceiveSwitchRelay},
		{From: PMACounters, Raw: "port_xmit_discards", Metric: metric.RDMAPortTransmitDiscards},
		{From: PMACounters, Raw: "port_xmit_constraint_errors", Metric: metric.RDMAPortTransmitConstraintErrors},
		{From: PMACounters, Raw: "port_rcv_constraint_errors", Metric: metric.RDMAPortReceiveConstraintErrors},
		{From: PMACounters, Raw: "local_link_integrity_errors", Metric: metric.RDMALocalLinkIntegrityErrors},
		{From: PMACounters, Raw: "excessive_buffer_overrun_errors", Metric: metric.RDMAExcessiveBufferOverruns},
		{From: PMACounters, Raw: "VL15_dropped", Metric: metric.RDMAVL15Dropped},
		{From: PMACounters, Raw: "port_xmit_wait", Metric: metric.RDMAPortTransmitWait},
	}
}
