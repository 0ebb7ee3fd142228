package host

import (
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// mlx4 is NVIDIA ConnectX-3. It counts neither ECN nor CNP.
func mlx4() Driver {
	return Driver{
		Name: "mlx4", ID: 2, Modules: []string{"mlx4_core", "mlx4_en"},
		// drivers/net/ethernet/mellanox/mlx4/main.c, mlx4_pci_table.
		VirtualFunctions: []string{"0x1002", "0x1004"},

		Source: "drivers/infiniband/hw/mlx4/main.c (rq: responder, sq: requester; 32 bits); drivers/net/ethernet/mellanox/mlx4/en_ethtool.c, mlx4_stats.h (durations in microseconds). " +
			"Unicast and multicast files of counters/ exist on RoCE and are not filled.",
		Counters: slices.Concat(
			mlx4Diagnostics(PortCounters), mlx4Diagnostics(DeviceCounters),
			[]Counter{
				{From: DeviceCounters, Raw: "num_cqovf", Bits: 32},
				{From: DeviceCounters, Raw: "rq_num_udsdprd", Metric: metric.RDMAReceiveDiscards, Bits: 32, Source: "UD packets dropped by the responder"},
				// Files that are there and never filled.
				{From: PMACounters, Raw: "unicast_rcv_packets", Source: "not filled on RoCE"},
				{From: PMACounters, Raw: "unicast_xmit_packets", Source: "not filled on RoCE"},
				{From: PMACounters, Raw: "multicast_rcv_packets", Source: "not filled on RoCE"},
				{From: PMACounters, Raw: "multicast_xmit_packets", Source: "not filled on RoCE"},
				{From: Statistics, Raw: "rx_pause_prio_{priority}", Metric: metric.InterfacePFCFramesReceived},
				{From: Statistics, Raw: "tx_pause_prio_{priority}", Metric: metric.InterfacePFCFramesTransmitted},
				{From: Statistics, Raw: "rx_pause_duration_prio_{priority}", Metric: metric.InterfacePFCPauseReceived, Scale: 1e-6},
				{From: Statistics, Raw: "tx_pause_duration_prio_{priority}", Metric: metric.InterfacePFCPauseTransmitted, Scale: 1e-6},
				{From: Statistics, Raw: "rx_pause_transition_prio_{priority}", Metric: metric.InterfacePFCTransitionsReceived},
				{From: Statistics, Raw: "tx_pause_transition_prio_{priority}", Metric: metric.InterfacePFCTransitionsTransmitted},
				{From: Statistics, Raw: "rx_pause_duration", Metric: metric.InterfacePauseReceived, Scale: 1e-6},
				{From: Statistics, Raw: "tx_pause_duration", Metric: metric.InterfacePauseTransmitted, Scale: 1e-6},
				{From: Statistics, Raw: "rx_pause_transition", Metric: metric.InterfacePauseTransitions},
				{From: Statistics, Raw: "rx_crc_errors", Metric: metric.InterfaceCRCErrors},
				{From: Statistics, Raw: "rx_prio_{priority}_packets", Metric: metric.InterfacePriorityPacketsReceived},
				{From: Statistics, Raw: "tx_prio_{priority}_packets", Metric: metric.InterfacePriorityPacketsTransmitted},
				{From: Statistics, Raw: "rx_prio_{priority}_bytes", Metric: metric.InterfacePriorityBytesReceived},
				{From: Statistics, Raw: "tx_prio_{priority}_bytes", Metric: metric.InterfacePriorityBytesTransmitted},
			},
		),
	}
}

// mlx4Diagnostics are the diagnostic counters: of the port where the firmware
// has them per port, else of the device.
func mlx4Diagnostics(from From) []Counter {
	return []Counter{
		{From: from, Raw: "rq_num_oos", Metric: metric.RDMAOutOfSequencePacketsReceived, Bits: 32},
		{From: from, Raw: "sq_num_oos", Metric: metric.RDMAPacketSequenceErrors, Bits: 32},
		{From: from, Raw: "sq_num_to", Metric: metric.RDMALocalACKTimeouts, Bits: 32},
		{From: from, Raw: "sq_num_tree", Metric: metric.RDMATransportRetriesExceeded, Bits: 32},
		{From: from, Raw: "sq_num_rnr", Metric: metric.RDMARNRNAKsReceived, Bits: 32},
		{From: from, Raw: "rq_num_rnr", Metric: metric.RDMARNRNAKsTransmitted, Bits: 32},
		{From: from, Raw: "sq_num_rree", Metric: metric.RDMARNRRetriesExceeded, Bits: 32},
		{From: from, Raw: "rq_num_dup", Metric: metric.RDMADuplicateRequests, Bits: 32},
		{From: from, Raw: "rq_num_lle", Metric: metric.RDMAResponderLocalLengthErrors, Bits: 32},
		{From: from, Raw: "rq_num_lqpoe", Metric: metric.RDMAResponderLocalOperationErrors, Bits: 32},
		{From: from, Raw: "sq_num_lqpoe", Metric: metric.RDMARequesterLocalOperationErrors, Bits: 32},
		{From: from, Raw: "sq_num_lpe", Metric: metric.RDMARequesterLocalProtectionErrors, Bits: 32},
		{From: from, Raw: "rq_num_wrfe", Metric: metric.RDMAResponderFlushErrors, Bits: 32},
		{From: from, Raw: "sq_num_wrfe", Metric: metric.RDMARequesterFlushErrors, Bits: 32},
		{From: from, Raw: "sq_num_rire", Metric: metric.RDMARequesterRemoteInvalidRequests, Bits: 32},
		{From: from, Raw: "sq_num_rae", Metric: metric.RDMARequesterRemoteAccessErrors, Bits: 32},
		{From: from, Raw: "rq_num_rae", Metric: metric.RDMAResponderRemoteAccessErrors, Bits: 32},
		{From: from, Raw: "sq_num_roe", Metric: metric.RDMARequesterRemoteOperationErrors, Bits: 32},
		{From: from, Raw: "sq_num_lle", Bits: 32},
		{From: from, Raw: "rq_num_lpe", Bits: 32},
		{From: from, Raw: "sq_num_mwbe", Bits: 32},
		{From: from, Raw: "sq_num_bre", Bits: 32},
		{From: from, Raw: "rq_num_rire", Bits: 32},
	}
}
