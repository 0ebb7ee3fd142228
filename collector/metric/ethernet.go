package metric

// Where the rows of this file come from, for the Source field.
const (
	qbb      = "IEEE 802.1Q clause 36 (PFC, from 802.1Qbb)"
	pause31B = "IEEE 802.3 annex 31B (PAUSE)"
	dcbnl    = "DCB netlink, struct ieee_pfc in include/uapi/linux/dcbnl.h"
	stats    = "ethtool statistics of the drivers, see DRIVERS.md"
	ocIf     = "openconfig-interfaces, /interfaces/interface/state"
	ocEth    = "openconfig-if-ethernet, /interfaces/interface/ethernet/state"
	classNet = "Documentation/ABI/testing/sysfs-class-net"
)

// interfaceCounter makes the row of a counter of an interface, with more labels
// behind it.
func interfaceCounter(name, help, source string, more ...Label) *Metric {
	m := &Metric{Name: "roce_interface_" + name + "_total", Help: help, Type: Counter, Labels: append([]Label{Interface}, more...), Source: source}
	return withUnit(m)
}

// interfaceGauge makes the row of a gauge of an interface.
func interfaceGauge(name, help string, unit Unit, source string, more ...Label) *Metric {
	return &Metric{Name: "roce_interface_" + name, Help: help, Type: Gauge, Unit: unit, Labels: append([]Label{Interface}, more...), Source: source}
}

// State of an interface.
var (
	InterfaceInfo = &Metric{Name: "roce_interface_info", Type: Info,
		Help:   "An interface. On a host that of an RDMA port: driver, firmware, PCI function, the LAG it belongs to, and its role there (see roce_rdma_port_interface_info). On a switch: its description and alias.",
		Labels: []Label{Interface, Driver, Firmware, PCIAddress, Master, Role, Description, Alias}, Source: classNet + "; ETHTOOL_GDRVINFO; " + ocIf}
	InterfaceUp      = interfaceGauge("up", "1 if the interface is operationally up, 0 if not. Absent for software interfaces that do not say.", None, "RFC 2863 ifOperStatus; "+classNet+", operstate")
	InterfaceAdminUp = interfaceGauge("admin_up", "1 if the interface is meant to be up, 0 if it was shut down.", None, "RFC 2863 ifAdminStatus; "+ocIf+"/admin-status")
	InterfaceSpeed   = interfaceGauge("speed_bytes_per_second", "Speed of the link, only while it is up.", BytesPerSecond, classNet+", speed")
	InterfaceMTU     = interfaceGauge("mtu_bytes", "Greatest payload of a frame. RoCE uses the next lower of 256, 512, 1024, 2048, 4096.", Bytes, classNet+", mtu")
)

// Priority-based flow control.
var (
	InterfacePFCEnabled = interfaceGauge("pfc_enabled",
		"1 if PFC is on for the priority, 0 if it is off. Absent where the driver does not say.", None, qbb+"; "+dcbnl, Priority)
	InterfacePFCFramesReceived = interfaceCounter("pfc_frames_received",
		"PFC frames received: the peer tells this port to stop. Intel's drivers count those that stop only, not those that resume.", qbb+"; "+stats, Priority)
	InterfacePFCFramesTransmitted = interfaceCounter("pfc_frames_transmitted",
		"PFC frames sent: this port tells its peer to stop. From a NIC it means that the host is slow. Intel's drivers count those that stop only.", qbb+"; "+stats, Priority)
	InterfacePFCXONFramesReceived    = interfaceCounter("pfc_xon_frames_received", "PFC frames received that say to go on, where they are counted apart.", qbb+"; "+stats, Priority)
	InterfacePFCXONFramesTransmitted = interfaceCounter("pfc_xon_frames_transmitted", "PFC frames sent that say to go on, where they are counted apart.", qbb+"; "+stats, Priority)
	InterfacePFCPauseReceived        = interfaceCounter("pfc_pause_received_seconds",
		"Time that the peer kept the priority stopped. Its rate is the share of time paused.", qbb+"; "+stats, Priority)
	InterfacePFCPauseTransmitted = interfaceCounter("pfc_pause_transmitted_seconds",
		"Time that this port kept its peer's priority stopped. Its rate is the share of time; near 1 is a pause storm.", qbb+"; "+stats, Priority)
	InterfacePFCTransitionsReceived = interfaceCounter("pfc_pause_received_transitions",
		"Times that the priority went over between stopped and running at the peer's word.", qbb+"; "+stats, Priority)
	InterfacePFCTransitionsTransmitted = interfaceCounter("pfc_pause_transmitted_transitions",
		"Times that the peer's priority went over between stopped and running at this port's word.", qbb+"; "+stats, Priority)
	InterfacePFCFramesAllReceived    = interfaceCounter("pfc_frames_all_priorities_received", "PFC frames received, of all priorities. Some drivers count nothing finer.", qbb+"; "+stats)
	InterfacePFCFramesAllTransmitted = interfaceCounter("pfc_frames_all_priorities_transmitted", "PFC frames sent, of all priorities. Some drivers count nothing finer.", qbb+"; "+stats)
	InterfacePauseStormWarnings      = interfaceCounter("pause_storm_warnings",
		"Times that the device came near the limit of its storm watchdog while sending pause.", "mlx5 tx_pause_storm_warning_events")
	InterfacePauseStorms = interfaceCounter("pause_storms",
		"Times that the device's storm watchdog stopped it from sending pause. Packets may have been lost.", "mlx5 tx_pause_storm_error_events")
	InterfaceContinuousPauses     = interfaceCounter("continuous_pauses", "Times that pause went on without end, as the device sees it.", "bnxt_en continuous_pause_events")
	InterfaceContinuousRoCEPauses = interfaceCounter("continuous_roce_pauses", "Times that pause of the RoCE priority went on without end, as the device sees it.", "bnxt_en continuous_roce_pause_events")
)

// Link pause.
var (
	InterfacePauseFramesReceived    = interfaceCounter("pause_frames_received", "Link pause (802.3x) frames received. Not PFC.", pause31B+", aPAUSEMACCtrlFramesReceived")
	InterfacePauseFramesTransmitted = interfaceCounter("pause_frames_transmitted", "Link pause (802.3x) frames sent. Not PFC.", pause31B+", aPAUSEMACCtrlFramesTransmitted")
	InterfacePauseReceived          = interfaceCounter("pause_received_seconds", "Time that the peer kept the whole link stopped by link pause (802.3x).", pause31B+"; "+stats)
	InterfacePauseTransmitted       = interfaceCounter("pause_transmitted_seconds", "Time that this port kept the whole link stopped by link pause (802.3x).", pause31B+"; "+stats)
	InterfacePauseTransitions       = interfaceCounter("pause_received_transitions", "Times that link pause (802.3x) of the peer began or ended.", pause31B+"; "+stats)
)

// Traffic of an interface, as switches count it.
var (
	InterfaceBytesReceived             = interfaceCounter("received_bytes", "Bytes received.", "RFC 2863 ifHCInOctets; "+ocIf+"/counters/in-octets")
	InterfaceBytesTransmitted          = interfaceCounter("transmitted_bytes", "Bytes sent.", "RFC 2863 ifHCOutOctets; "+ocIf+"/counters/out-octets")
	InterfacePacketsReceived           = interfaceCounter("received_packets", "Packets received.", ocIf+"/counters/in-pkts")
	InterfacePacketsTransmitted        = interfaceCounter("transmitted_packets", "Packets sent.", ocIf+"/counters/out-pkts")
	InterfaceUnicastReceived           = interfaceCounter("received_unicast_packets", "Unicast packets received.", "RFC 2863 ifHCInUcastPkts; "+ocIf+"/counters/in-unicast-pkts")
	InterfaceUnicastTransmitted        = interfaceCounter("transmitted_unicast_packets", "Unicast packets sent.", "RFC 2863 ifHCOutUcastPkts; "+ocIf+"/counters/out-unicast-pkts")
	InterfaceMulticastReceived         = interfaceCounter("received_multicast_packets", "Multicast packets received.", "RFC 2863 ifHCInMulticastPkts; "+ocIf+"/counters/in-multicast-pkts")
	InterfaceMulticastTransmitted      = interfaceCounter("transmitted_multicast_packets", "Multicast packets sent.", "RFC 2863 ifHCOutMulticastPkts; "+ocIf+"/counters/out-multicast-pkts")
	InterfaceBroadcastReceived         = interfaceCounter("received_broadcast_packets", "Broadcast packets received.", "RFC 2863 ifHCInBroadcastPkts; "+ocIf+"/counters/in-broadcast-pkts")
	InterfaceBroadcastTransmitted      = interfaceCounter("transmitted_broadcast_packets", "Broadcast packets sent.", "RFC 2863 ifHCOutBroadcastPkts; "+ocIf+"/counters/out-broadcast-pkts")
	InterfaceNonUnicastReceived        = interfaceCounter("received_non_unicast_packets", "Multicast and broadcast packets received, where they are not told apart.", "RFC 1213 ifInNUcastPkts; SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS")
	InterfaceNonUnicastTransmitted     = interfaceCounter("transmitted_non_unicast_packets", "Multicast and broadcast packets sent, where they are not told apart.", "RFC 1213 ifOutNUcastPkts; SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS")
	InterfaceReceiveErrors             = interfaceCounter("received_errors", "Packets received with errors, of all kinds.", "RFC 2863 ifInErrors; "+ocIf+"/counters/in-errors")
	InterfaceCarrierTransitions        = interfaceCounter("carrier_transitions", "Times that the link went up or down.", ocIf+"/counters/carrier-transitions")
	InterfaceOversizeReceived          = interfaceCounter("received_oversize_frames", "Frames received that were too long: the MTU differs at the two ends.", "RFC 2819 etherStatsOversizePkts; "+ocEth+"/counters/in-oversize-frames")
	InterfaceUndersizeReceived         = interfaceCounter("received_undersize_frames", "Frames received that were too short.", "RFC 2819 etherStatsUndersizePkts; "+ocEth+"/counters/in-undersize-frames")
	InterfaceFragmentsReceived         = interfaceCounter("received_fragments", "Frames received that were too short and had a wrong checksum.", "RFC 2819 etherStatsFragments; "+ocEth+"/counters/in-fragment-frames")
	InterfaceJabbersReceived           = interfaceCounter("received_jabbers", "Frames received that were too long and had a wrong checksum.", "RFC 2819 etherStatsJabbers; "+ocEth+"/counters/in-jabber-frames")
	InterfaceECNMarkedTransmitted      = interfaceCounter("transmitted_ecn_marked_packets", "Packets sent with ECN congestion experienced, of all queues.", "Junos out-ecn-ce-marked-pkts")
	InterfaceWREDDiscards              = interfaceCounter("wred_discards", "Packets dropped by WRED on the interface, of all queues.", "SAI_PORT_STAT_WRED_DROPPED_PACKETS")
	InterfacePriorityDiscardsPFC       = interfaceCounter("priority_pfc_discards", "Packets dropped in the PFC buffer of the priority, which should be lossless.", "arista-pfc-buffer-counters-augment dropped-pkts", Priority)
	InterfacePriorityDiscardedBytesPFC = interfaceCounter("priority_pfc_discarded_bytes", "Bytes of packets dropped in the PFC buffer of the priority.", "arista-pfc-buffer-counters-augment dropped-octets", Priority)
	InterfacePriorityBufferHighMark    = interfaceGauge("priority_buffer_high_watermark_bytes", "Most bytes that the priority had in the buffers since the device last looked.", Bytes, "arista-pfc-buffer-counters-augment all-buffers-octets-max-last-poll", Priority)
	InterfacePFCPauseLongestReceived   = interfaceGauge("pfc_pause_received_longest_seconds", "Longest time that the peer kept the priority stopped without a break.", Seconds, "arista-pfc-history pfc-on-max-rx-time", Priority)
)

// Traffic and loss by priority and traffic class.
var (
	InterfacePriorityBytesReceived       = interfaceCounter("priority_received_bytes", "Bytes received with the priority. On bnxt priorities that share a queue show the same number.", stats, Priority)
	InterfacePriorityBytesTransmitted    = interfaceCounter("priority_transmitted_bytes", "Bytes sent with the priority. On bnxt priorities that share a queue show the same number.", stats, Priority)
	InterfacePriorityPacketsReceived     = interfaceCounter("priority_received_packets", "Packets received with the priority.", stats, Priority)
	InterfacePriorityPacketsTransmitted  = interfaceCounter("priority_transmitted_packets", "Packets sent with the priority.", stats, Priority)
	InterfacePriorityDiscardsReceived    = interfaceCounter("priority_received_discards", "Packets of the priority dropped on receipt for lack of buffers. On a lossless priority any growth is bad.", stats, Priority)
	InterfacePriorityBufferDiscards      = interfaceCounter("priority_received_buffer_discards", "Packets of the priority dropped because its receive buffer was full.", stats, Priority)
	InterfacePriorityCongestionDiscards  = interfaceCounter("priority_received_congestion_discards", "Packets of the priority dropped because of congestion in the device.", stats, Priority)
	InterfacePriorityECNMarked           = interfaceCounter("priority_ecn_marked_packets", "Packets of the priority that the device marked with ECN on receipt.", stats, Priority)
	InterfaceTrafficClassBytesReceived   = interfaceCounter("traffic_class_received_bytes", "Bytes received in the traffic class.", stats, TrafficClass)
	InterfaceTrafficClassBytesSent       = interfaceCounter("traffic_class_transmitted_bytes", "Bytes sent in the traffic class.", stats, TrafficClass)
	InterfaceTrafficClassPacketsReceived = interfaceCounter("traffic_class_received_packets", "Packets received in the traffic class.", stats, TrafficClass)
	InterfaceTrafficClassPacketsSent     = interfaceCounter("traffic_class_transmitted_packets", "Packets sent in the traffic class.", stats, TrafficClass)
	InterfaceQueueBytesReceived          = interfaceCounter("queue_received_bytes", "Bytes received in the class-of-service queue.", stats, Queue)
	InterfaceQueueBytesTransmitted       = interfaceCounter("queue_transmitted_bytes", "Bytes sent in the class-of-service queue.", stats, Queue)
	InterfaceQueuePacketsReceived        = interfaceCounter("queue_received_packets", "Packets received in the class-of-service queue.", stats, Queue)
	InterfaceQueuePacketsTransmitted     = interfaceCounter("queue_transmitted_packets", "Packets sent in the class-of-service queue.", stats, Queue)
	InterfaceQueueDiscardsReceived       = interfaceCounter("queue_received_discards", "Packets dropped on receipt in the class-of-service queue.", stats, Queue)
	InterfaceQueueDiscardBytesReceived   = interfaceCounter("queue_received_discarded_bytes", "Bytes of packets dropped on receipt in the class-of-service queue.", stats, Queue)
	InterfaceGroupDiscardsReceived       = interfaceCounter("priority_group_received_discards", "Packets dropped on receipt in the buffer group.", stats, PriorityGroup)
	InterfaceGroupTruncatedReceived      = interfaceCounter("priority_group_received_truncated", "Packets cut off on receipt in the buffer group.", stats, PriorityGroup)
)

// Loss and errors of the port.
var (
	InterfaceReceiveDiscards        = interfaceCounter("received_discards", "Packets dropped on receipt at the physical port for lack of buffers. In a lossless fabric any growth is bad.", "RFC 2863 ifInDiscards; "+stats)
	InterfaceTransmitDiscards       = interfaceCounter("transmitted_discards", "Packets dropped instead of sent at the physical port.", "RFC 2863 ifOutDiscards; "+stats)
	InterfaceTransmitErrors         = interfaceCounter("transmitted_errors", "Packets not sent at the physical port because of an error.", "RFC 2863 ifOutErrors; "+stats)
	InterfaceOutOfBuffer            = interfaceCounter("received_out_of_buffer", "Packets dropped because the interface's own receive queues had no buffer. RDMA traffic is not in it.", stats)
	InterfaceBufferThreshold        = interfaceCounter("received_buffer_threshold_passed", "Times that the receive buffer was more than 85 % full.", "mlx5 rx_buffer_passed_thres_phy; bnxt_en rx_buffer_passed_threshold (threshold undocumented, unverified)")
	InterfaceSteeringMisses         = interfaceCounter("received_steering_misses", "Packets received that no steering rule fitted, dropped.", "mlx5 rx_steer_missed_packets")
	InterfaceDownDiscards           = interfaceCounter("received_down_discards", "Packets dropped because the interface was administratively down.", "mlx5 rx_if_down_packets")
	InterfaceInternalQueueOverflows = interfaceCounter("internal_queue_out_of_buffer", "Times that an internal queue of the device had no buffer.", "mlx5 dev_internal_queue_oob")
	InterfaceCRCErrors              = interfaceCounter("received_crc_errors", "Frames received with a wrong checksum.", "IEEE 802.3 aFrameCheckSequenceErrors; "+stats)
	InterfaceSymbolErrors           = interfaceCounter("received_symbol_errors", "Symbol errors on receipt.", "IEEE 802.3 aSymbolErrorDuringCarrier; "+stats)
	InterfacePCSSymbolErrors        = interfaceCounter("received_pcs_symbol_errors", "Symbols that FEC could not correct, or wrong blocks where there is no FEC.", "mlx5 rx_pcs_symbol_err_phy; bnxt_en rx_pcs_symbol_err")
	InterfaceCorrectedBits          = interfaceCounter("received_fec_corrections", "Bits that FEC corrected. Never zero at 50 Gb/s a lane and above; its share of all bits is the error rate before FEC.", "mlx5 rx_corrected_bits_phy; bnxt_en rx_corrected_bits")
	InterfaceLaneErrors             = interfaceCounter("received_lane_errors", "Errors on a lane before FEC.", "mlx5 rx_err_lane_<lane>_phy", Lane)
	InterfaceLinkDownEvents         = interfaceCounter("link_down_events", "Times that the link went down for a physical reason.", stats)
	InterfaceLocalFaults            = interfaceCounter("local_faults", "Local faults of the MAC.", "IEEE 802.3 clause 46; ice mac_local_faults.nic, i40e port.mac_local_faults")
	InterfaceRemoteFaults           = interfaceCounter("remote_faults", "Remote faults that the peer's MAC told of.", "IEEE 802.3 clause 46; ice mac_remote_faults.nic, i40e port.mac_remote_faults")
	InterfaceModuleUnplugs          = interfaceCounter("module_unplugs", "Times that the transceiver was taken out.", "mlx5 module_unplug")
	InterfaceModuleBusStuck         = interfaceCounter("module_bus_stuck", "Times that the transceiver's management bus was stuck.", "mlx5 module_bus_stuck")
	InterfaceModuleHighTemperature  = interfaceCounter("module_high_temperature", "Times that the transceiver was too hot.", "mlx5 module_high_temp")
	InterfaceModuleBadShorted       = interfaceCounter("module_bad_shorted", "Times that the cable or transceiver was found bad or shorted.", "mlx5 module_bad_shorted")
)

// RDMA traffic that the network driver counts, and the PCIe side.
var (
	InterfaceRDMAReceivedBytes      = interfaceCounter("rdma_received_bytes", "RDMA unicast bytes of this function received, as the network driver counts them.", "mlx5 rx_vport_rdma_unicast_bytes")
	InterfaceRDMATransmittedBytes   = interfaceCounter("rdma_transmitted_bytes", "RDMA unicast bytes of this function sent, as the network driver counts them.", "mlx5 tx_vport_rdma_unicast_bytes")
	InterfaceRDMAReceivedPackets    = interfaceCounter("rdma_received_packets", "RDMA unicast packets of this function received, as the network driver counts them.", "mlx5 rx_vport_rdma_unicast_packets")
	InterfaceRDMATransmittedPackets = interfaceCounter("rdma_transmitted_packets", "RDMA unicast packets of this function sent, as the network driver counts them.", "mlx5 tx_vport_rdma_unicast_packets")
	InterfacePCIReadStalled         = interfaceGauge("pcie_read_stalled_ratio", "Share of the last second in which the device waited for credits for PCIe reads.", Ratio, "mlx5 outbound_pci_stalled_rd")
	InterfacePCIWriteStalled        = interfaceGauge("pcie_write_stalled_ratio", "Share of the last second in which the device waited for credits for PCIe writes.", Ratio, "mlx5 outbound_pci_stalled_wr")
	InterfacePCIReadStalledTime     = interfaceCounter("pcie_read_stalled_seconds", "Seconds in which more than 30 % of the time was spent waiting for credits for PCIe reads.", "mlx5 outbound_pci_stalled_rd_events")
	InterfacePCIWriteStalledTime    = interfaceCounter("pcie_write_stalled_seconds", "Seconds in which more than 30 % of the time was spent waiting for credits for PCIe writes.", "mlx5 outbound_pci_stalled_wr_events")
	InterfacePCISignalErrors        = interfaceCounter("pcie_signal_integrity_errors", "Errors on the PCIe link on receipt: the slot, riser or card is bad.", "mlx5 rx_pci_signal_integrity")
	InterfacePCIBufferOverflows     = interfaceCounter("pcie_outbound_buffer_overflows", "Packets dropped because the buffer towards PCIe was full.", "mlx5 outbound_pci_buffer_overflow")
)

// ethernet lists the rows of this file.
func ethernet() []*Metric {
	return []*Metric{
		InterfaceInfo, InterfaceUp, InterfaceAdminUp, InterfaceSpeed, InterfaceMTU,
		InterfacePFCEnabled, InterfacePFCFramesReceived, InterfacePFCFramesTransmitted, InterfacePFCXONFramesReceived, InterfacePFCXONFramesTransmitted,
		InterfacePFCPauseReceived, InterfacePFCPauseTransmitted, InterfacePFCTransitionsReceived, InterfacePFCTransitionsTransmitted,
		InterfacePFCFramesAllReceived, InterfacePFCFramesAllTransmitted, InterfacePauseStormWarnings, InterfacePauseStorms,
		InterfaceContinuousPauses, InterfaceContinuousRoCEPauses,
		InterfacePauseFramesReceived, InterfacePauseFramesTransmitted, InterfacePauseReceived, InterfacePauseTransmitted, InterfacePauseTransitions,
		InterfaceBytesReceived, InterfaceBytesTransmitted, InterfacePacketsReceived, InterfacePacketsTransmitted,
		InterfaceUnicastReceived, InterfaceUnicastTransmitted, InterfaceMulticastReceived, InterfaceMulticastTransmitted,
		InterfaceBroadcastReceived, InterfaceBroadcastTransmitted, InterfaceNonUnicastReceived, InterfaceNonUnicastTransmitted,
		InterfaceReceiveErrors, InterfaceCarrierTransitions, InterfaceOversizeReceived, InterfaceUndersizeReceived,
		InterfaceFragmentsReceived, InterfaceJabbersReceived, InterfaceECNMarkedTransmitted, InterfaceWREDDiscards,
		InterfacePriorityDiscardsPFC, InterfacePriorityDiscardedBytesPFC, InterfacePriorityBufferHighMark, InterfacePFCPauseLongestReceived,
		InterfacePriorityBytesReceived, InterfacePriorityBytesTransmitted, InterfacePriorityPacketsReceived, InterfacePriorityPacketsTransmitted,
		InterfacePriorityDiscardsReceived, InterfacePriorityBufferDiscards, InterfacePriorityCongestionDiscards, InterfacePriorityECNMarked,
		InterfaceTrafficClassBytesReceived, InterfaceTrafficClassBytesSent, InterfaceTrafficClassPacketsReceived, InterfaceTrafficClassPacketsSent,
		InterfaceQueueBytesReceived, InterfaceQueueBytesTransmitted, InterfaceQueuePacketsReceived, InterfaceQueuePacketsTransmitted,
		InterfaceQueueDiscardsReceived, InterfaceQueueDiscardBytesReceived, InterfaceGroupDiscardsReceived, InterfaceGroupTruncatedReceived,
		InterfaceReceiveDiscards, InterfaceTransmitDiscards, InterfaceTransmitErrors, InterfaceOutOfBuffer, InterfaceBufferThreshold,
		InterfaceSteeringMisses, InterfaceDownDiscards, InterfaceInternalQueueOverflows,
		InterfaceCRCErrors, InterfaceSymbolErrors, InterfacePCSSymbolErrors, InterfaceCorrectedBits, InterfaceLaneErrors, InterfaceLinkDownEvents,
		InterfaceLocalFaults, InterfaceRemoteFaults,
		InterfaceModuleUnplugs, InterfaceModuleBusStuck, InterfaceModuleHighTemperature, InterfaceModuleBadShorted,
		InterfaceRDMAReceivedBytes, InterfaceRDMATransmittedBytes, InterfaceRDMAReceivedPackets, InterfaceRDMATransmittedPackets,
		InterfacePCIReadStalled, InterfacePCIWriteStalled, InterfacePCIReadStalledTime, InterfacePCIWriteStalledTime,
		InterfacePCISignalErrors, InterfacePCIBufferOverflows,
	}
}
