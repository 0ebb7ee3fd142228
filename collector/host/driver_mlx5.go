package host

import (
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// mlx5 is NVIDIA ConnectX-4 and later, and BlueField.
func mlx5() Driver {
	q := mlx5QCounters(PortCounters)
	return Driver{
		Name: "mlx5", ID: 1, Modules: []string{"mlx5_core"},
		// drivers/net/ethernet/mellanox/mlx5/core/main.c, mlx5_core_pci_table.
		VirtualFunctions: []string{"0x1012", "0x1014", "0x1016", "0x1018", "0x101a", "0x101c", "0x101e", "0xa2d3"},

		ReadFirst:   "rx_write_requests",
		PauseHasPFC: true,
		Source: "drivers/infiniband/hw/mlx5/counters.c; drivers/net/ethernet/mellanox/mlx5/core/en_stats.c; " +
			"Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst. " +
			"That the link pause counters count PFC frames as well was seen on Spectrum and is unverified on ConnectX.",
		Counters: slices.Concat(
			q,
			// In switchdev mode they are the device's.
			mlx5QCounters(DeviceCounters),
			mlx5VportCounters(),
			[]Counter{
				// Optional counters, over RDMA netlink only, while switched on.
				{Raw: "cc_rx_ce_pkts", Metric: metric.RDMAECNMarkedPacketsReceived, Source: "optional counter"},
				{Raw: "cc_rx_cnp_pkts", Metric: metric.RDMACNPPacketsReceived, Source: "optional counter"},
				{Raw: "cc_tx_cnp_pkts", Metric: metric.RDMACNPPacketsTransmitted, Source: "optional counter"},
				{Raw: "rdma_rx_bytes", Metric: metric.RDMAReceivedBytes, Source: "optional counter"},
				{Raw: "rdma_tx_bytes", Metric: metric.RDMATransmittedBytes, Source: "optional counter"},
				{Raw: "rdma_rx_packets", Metric: metric.RDMAReceivedPackets, Source: "optional counter"},
				{Raw: "rdma_tx_packets", Metric: metric.RDMATransmittedPackets, Source: "optional counter"},
			},
			mlx5Statistics(),
		),
	}
}

// mlx5QCounters are the counters of the queue counter set, which are 32 bits
// wide, and those of congestion control and the port, which are 64.
func mlx5QCounters(from From) []Counter {
	return []Counter{
		{From: from, Raw: "rx_write_requests", Metric: metric.RDMAWriteRequestsReceived, Bits: 32},
		{From: from, Raw: "rx_read_requests", Metric: metric.RDMAReadRequestsReceived, Bits: 32},
		{From: from, Raw: "rx_atomic_requests", Metric: metric.RDMAAtomicRequestsReceived, Bits: 32},
		{From: from, Raw: "rx_dct_connect", Bits: 32},
		{From: from, Raw: "out_of_buffer", Metric: metric.RDMAOutOfBufferDiscards, Bits: 32},
		{From: from, Raw: "out_of_sequence", Metric: metric.RDMAOutOfSequencePacketsReceived, Bits: 32},
		{From: from, Raw: "duplicate_request", Metric: metric.RDMADuplicateRequests, Bits: 32},
		{From: from, Raw: "rnr_nak_retry_err", Metric: metric.RDMARNRNAKsReceived, Bits: 32},
		{From: from, Raw: "packet_seq_err", Metric: metric.RDMAPacketSequenceErrors, Bits: 32},
		{From: from, Raw: "implied_nak_seq_err", Metric: metric.RDMAImpliedNAKSequenceErrors, Bits: 32},
		{From: from, Raw: "local_ack_timeout_err", Metric: metric.RDMALocalACKTimeouts, Bits: 32},
		{From: from, Raw: "resp_local_length_error", Metric: metric.RDMAResponderLocalLengthErrors, Bits: 32},
		{From: from, Raw: "resp_cqe_error", Metric: metric.RDMAResponderCompletionErrors, Bits: 32},
		{From: from, Raw: "req_cqe_error", Metric: metric.RDMARequesterCompletionErrors, Bits: 32},
		{From: from, Raw: "req_remote_invalid_request", Metric: metric.RDMARequesterRemoteInvalidRequests, Bits: 32},
		{From: from, Raw: "req_remote_access_errors", Metric: metric.RDMARequesterRemoteAccessErrors, Bits: 32},
		{From: from, Raw: "resp_remote_access_errors", Metric: metric.RDMAResponderRemoteAccessErrors, Bits: 32},
		{From: from, Raw: "resp_cqe_flush_error", Metric: metric.RDMAResponderFlushErrors, Bits: 32},
		{From: from, Raw: "req_cqe_flush_error", Metric: metric.RDMARequesterFlushErrors, Bits: 32},
		{From: from, Raw: "req_transport_retries_exceeded", Metric: metric.RDMATransportRetriesExceeded, Bits: 32},
		{From: from, Raw: "req_rnr_retries_exceeded", Metric: metric.RDMARNRRetriesExceeded, Bits: 32},
		{From: from, Raw: "roce_adp_retrans", Metric: metric.RDMAAdaptiveRetransmissions, Bits: 32},
		{From: from, Raw: "roce_adp_retrans_to", Metric: metric.RDMAAdaptiveRetransmissionTimeouts, Bits: 32},
		{From: from, Raw: "roce_slow_restart", Metric: metric.RDMASlowRestarts, Bits: 32},
		{From: from, Raw: "roce_slow_restart_cnps", Metric: metric.RDMASlowRestartCNPs, Bits: 32},
		{From: from, Raw: "roce_slow_restart_trans", Metric: metric.RDMASlowRestartTransitions, Bits: 32},
		{From: from, Raw: "rp_cnp_handled", Metric: metric.RDMACNPPacketsHandled},
		{From: from, Raw: "rp_cnp_ignored", Metric: metric.RDMACNPPacketsIgnored},
		{From: from, Raw: "rp_cnp_handled", Metric: metric.RDMACNPPacketsReceived, Part: true},
		{From: from, Raw: "rp_cnp_ignored", Metric: metric.RDMACNPPacketsReceived, Part: true},
		{From: from, Raw: "np_ecn_marked_roce_packets", Metric: metric.RDMAECNMarkedPacketsReceived},
		{From: from, Raw: "np_cnp_sent", Metric: metric.RDMACNPPacketsTransmitted},
		{From: from, Raw: "rx_icrc_encapsulated", Metric: metric.RDMAICRCErrorsReceived},
	}
}

// mlx5VportCounters are those that the ports of representors have in switchdev
// mode, where the firmware has them: of the function that is represented.
func mlx5VportCounters() []Counter {
	var rows []Counter
	for _, c := range mlx5QCounters(PortCounters) {
		if c.Bits == 32 {
			rows = append(rows, Counter{Raw: "vport_" + c.Raw, Bits: 32, Source: "of the function that the representor stands for"})
		}
	}
	return rows
}

func mlx5Statistics() []Counter {
	return []Counter{
		// PFC: listed for priorities that have it enabled only.
		{From: Statistics, Raw: "rx_prio{priority}_pause", Metric: metric.InterfacePFCFramesReceived},
		{From: Statistics, Raw: "tx_prio{priority}_pause", Metric: metric.InterfacePFCFramesTransmitted},
		{From: Statistics, Raw: "rx_prio{priority}_pause_duration", Metric: metric.InterfacePFCPauseReceived, Scale: 1e-6},
		{From: Statistics, Raw: "tx_prio{priority}_pause_duration", Metric: metric.InterfacePFCPauseTransmitted, Scale: 1e-6},
		{From: Statistics, Raw: "rx_prio{priority}_pause_transition", Metric: metric.InterfacePFCTransitionsReceived},
		// Link pause: listed while it is on only. rx_pause_ctrl_phy and
		// tx_pause_ctrl_phy count PFC frames as well and are not used.
		{From: Statistics, Raw: "rx_global_pause_duration", Metric: metric.InterfacePauseReceived, Scale: 1e-6},
		{From: Statistics, Raw: "tx_global_pause_duration", Metric: metric.InterfacePauseTransmitted, Scale: 1e-6},
		{From: Statistics, Raw: "rx_global_pause_transition", Metric: metric.InterfacePauseTransitions},
		{From: Statistics, Raw: "rx_global_pause", Source: "the pause source gives it"},
		{From: Statistics, Raw: "tx_global_pause", Source: "the pause source gives it"},
		{From: Statistics, Raw: "rx_pause_ctrl_phy", Source: "counts PFC frames as well; unverified on ConnectX"},
		{From: Statistics, Raw: "tx_pause_ctrl_phy", Source: "counts PFC frames as well; unverified on ConnectX"},
		{From: Statistics, Raw: "tx_pause_storm_warning_events", Metric: metric.InterfacePauseStormWarnings},
		{From: Statistics, Raw: "tx_pause_storm_error_events", Metric: metric.InterfacePauseStorms},
		{From: Statistics, Raw: "rx_prio{priority}_bytes", Metric: metric.InterfacePriorityBytesReceived},
		{From: Statistics, Raw: "tx_prio{priority}_bytes", Metric: metric.InterfacePriorityBytesTransmitted},
		{From: Statistics, Raw: "rx_prio{priority}_packets", Metric: metric.InterfacePriorityPacketsReceived},
		{From: Statistics, Raw: "tx_prio{priority}_packets", Metric: metric.InterfacePriorityPacketsTransmitted},
		{From: Statistics, Raw: "rx_prio{priority}_discards", Metric: metric.InterfacePriorityDiscardsReceived},
		{From: Statistics, Raw: "rx_prio{priority}_buf_discard", Metric: metric.InterfacePriorityBufferDiscards},
		{From: Statistics, Raw: "rx_prio{priority}_cong_discard", Metric: metric.InterfacePriorityCongestionDiscards},
		{From: Statistics, Raw: "rx_prio{priority}_marked", Metric: metric.InterfacePriorityECNMarked},
		{From: Statistics, Raw: "rx_discards_phy", Metric: metric.InterfaceReceiveDiscards},
		{From: Statistics, Raw: "tx_discards_phy", Metric: metric.InterfaceTransmitDiscards},
		{From: Statistics, Raw: "tx_errors_phy", Metric: metric.InterfaceTransmitErrors},
		{From: Statistics, Raw: "rx_out_of_buffer", Metric: metric.InterfaceOutOfBuffer},
		{From: Statistics, Raw: "rx_buffer_passed_thres_phy", Metric: metric.InterfaceBufferThreshold},
		{From: Statistics, Raw: "rx_steer_missed_packets", Metric: metric.InterfaceSteeringMisses},
		{From: Statistics, Raw: "rx_if_down_packets", Metric: metric.InterfaceDownDiscards},
		{From: Statistics, Raw: "dev_internal_queue_oob", Metric: metric.InterfaceInternalQueueOverflows},
		{From: Statistics, Raw: "rx_crc_errors_phy", Metric: metric.InterfaceCRCErrors},
		{From: Statistics, Raw: "rx_symbol_err_phy", Metric: metric.InterfaceSymbolErrors},
		{From: Statistics, Raw: "rx_pcs_symbol_err_phy", Metric: metric.InterfacePCSSymbolErrors},
		{From: Statistics, Raw: "rx_corrected_bits_phy", Metric: metric.InterfaceCorrectedBits},
		{From: Statistics, Raw: "rx_err_lane_{lane}_phy", Metric: metric.InterfaceLaneErrors},
		{From: Statistics, Raw: "link_down_events_phy", Metric: metric.InterfaceLinkDownEvents},
		{From: Statistics, Raw: "module_unplug", Metric: metric.InterfaceModuleUnplugs},
		{From: Statistics, Raw: "module_bus_stuck", Metric: metric.InterfaceModuleBusStuck},
		{From: Statistics, Raw: "module_high_temp", Metric: metric.InterfaceModuleHighTemperature},
		{From: Statistics, Raw: "module_bad_shorted", Metric: metric.InterfaceModuleBadShorted},
		{From: Statistics, Raw: "rx_vport_rdma_unicast_bytes", Metric: metric.InterfaceRDMAReceivedBytes},
		{From: Statistics, Raw: "tx_vport_rdma_unicast_bytes", Metric: metric.InterfaceRDMATransmittedBytes},
		{From: Statistics, Raw: "rx_vport_rdma_unicast_packets", Metric: metric.InterfaceRDMAReceivedPackets},
		{From: Statistics, Raw: "tx_vport_rdma_unicast_packets", Metric: metric.InterfaceRDMATransmittedPackets},
		{From: Statistics, Raw: "outbound_pci_stalled_rd", Metric: metric.InterfacePCIReadStalled, Scale: 0.01, Source: "percent of the last second"},
		{From: Statistics, Raw: "outbound_pci_stalled_wr", Metric: metric.InterfacePCIWriteStalled, Scale: 0.01, Source: "percent of the last second"},
		{From: Statistics, Raw: "outbound_pci_stalled_rd_events", Metric: metric.InterfacePCIReadStalledTime, Source: "seconds in which it was more than 30 %"},
		{From: Statistics, Raw: "outbound_pci_stalled_wr_events", Metric: metric.InterfacePCIWriteStalledTime, Source: "seconds in which it was more than 30 %"},
		{From: Statistics, Raw: "rx_pci_signal_integrity", Metric: metric.InterfacePCISignalErrors},
		{From: Statistics, Raw: "outbound_pci_buffer_overflow", Metric: metric.InterfacePCIBufferOverflows},
	}
}
