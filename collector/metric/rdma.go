package metric

// Where the rows of this file come from, for the Source field.
const (
	ibta     = "IBTA Architecture Specification vol. 1"
	rocev2   = "IBTA Annex A17 (RoCEv2)"
	sysfsABI = "Documentation/ABI/stable/sysfs-class-infiniband"
	pma      = ibta + ", PortCounters and PortCountersExtended; " + sysfsABI
	nldev    = "RDMA netlink, drivers/infiniband/core/nldev.c"
	hwcount  = "hw_counters of the drivers, see DRIVERS.md"
)

// portLabels are the labels of what is counted at a port. Where a driver
// counts for the whole device, port is absent.
func portLabels(more ...Label) []Label { return append([]Label{Device, Port}, more...) }

// rdmaCounter makes the row of a counter of a port.
func rdmaCounter(name, help, source string) *Metric {
	m := &Metric{Name: "roce_rdma_" + name + "_total", Help: help, Type: Counter, Labels: portLabels(), Source: source}
	return withUnit(m)
}

// rdmaGauge makes the row of a gauge of a port.
func rdmaGauge(name, help string, unit Unit, source string) *Metric {
	return &Metric{Name: "roce_rdma_" + name, Help: help, Type: Gauge, Unit: unit, Labels: portLabels(), Source: source}
}

// Devices and ports.
var (
	RDMADeviceInfo = &Metric{Name: "roce_rdma_device_info", Type: Info,
		Help:   "An RDMA device: its driver, firmware, adapter, PCI function and protocol. What the kernel does not say is absent.",
		Labels: []Label{Device, Driver, Firmware, Board, HCAType, HardwareRevision, PCIAddress, Function, ParentPCIAddress, NUMANode, NodeGUID, SystemImageGUID, Protocol},
		Source: sysfsABI + "; " + nldev}
	RDMAPortInfo = &Metric{Name: "roce_rdma_port_info", Type: Info,
		Help:   "An RDMA port and its own network interface. Protocol is roce or iw; link layer Ethernet alone does not tell them apart.",
		Labels: portLabels(Interface, LinkLayer, Protocol), Source: nldev + "; " + sysfsABI}
	RDMAPortInterfaceInfo = &Metric{Name: "roce_rdma_port_interface_info", Type: Info,
		Help:   "A network interface that belongs to an RDMA port. Role is port, lag_member, lag, vlan, macvlan, representor or other. Join PFC with RDMA counters over it, with role port or lag_member, which name each interface once.",
		Labels: portLabels(Interface, Role), Source: nldev + "; gid_attrs/ndevs, " + sysfsABI}
	RDMAPortUp    = rdmaGauge("port_up", "1 if the port is ACTIVE, 0 in any other state.", None, ibta+", PortInfo.PortState")
	RDMAPortState = rdmaGauge("port_state",
		"State of the port: 1 DOWN, 2 INIT, 3 ARMED, 4 ACTIVE, 5 ACTIVE_DEFER; 0 means no change or unknown.", None, ibta+", PortInfo.PortState; enum ib_port_state")
	RDMAPortPhysicalState = rdmaGauge("port_physical_state",
		"Physical state of the port: 1 Sleep, 2 Polling, 3 Disabled, 4 PortConfigurationTraining, 5 LinkUp, 6 LinkErrorRecovery, 7 Phy Test.", None, ibta+", PortInfo.PortPhysicalState")
	RDMAPortRate = rdmaGauge("port_rate_bytes_per_second",
		"Rate of the port, only while it is ACTIVE: a port that is down shows an invented one. Above 400 Gb/s drivers may show 400.", BytesPerSecond, sysfsABI+", rate")
	RDMANetnsModeInfo = &Metric{Name: "roce_rdma_netns_mode_info", Type: Info,
		Help:   "Whether network namespaces share the RDMA devices (shared) or each device belongs to one (exclusive).",
		Labels: []Label{Mode}, Source: nldev + ", RDMA_NLDEV_SYS_ATTR_NETNS_MODE"}
	RDMAGIDs = &Metric{Name: "roce_rdma_port_gids", Type: Gauge,
		Help:   "GIDs in use on the port, by RoCE version. RoCE needs one of the version that the fabric uses.",
		Labels: portLabels(RoCEVersion), Source: rocev2 + "; gid_attrs/types, " + sysfsABI}
)

// Congestion control.
var (
	RDMACNPPacketsTransmitted = rdmaCounter("cnp_packets_transmitted",
		"Congestion Notification Packets sent, as receiver of marked packets. Fewer than marks is normal: CNPs are paced.", rocev2+"; "+hwcount)
	RDMACNPPacketsReceived = rdmaCounter("cnp_packets_received",
		"Congestion Notification Packets received: the network asks this port to slow down. On mlx5 the sum of handled and ignored.", rocev2+"; "+hwcount)
	RDMACNPPacketsHandled = rdmaCounter("cnp_packets_handled",
		"Congestion Notification Packets that slowed a flow down.", rocev2+"; "+hwcount)
	RDMACNPPacketsIgnored = rdmaCounter("cnp_packets_ignored",
		"Congestion Notification Packets ignored. Growth means that congestion control is off at this sender.", rocev2+"; "+hwcount)
	RDMAECNMarkedPacketsReceived = rdmaCounter("ecn_marked_packets_received",
		"RoCE packets received with ECN congestion experienced: a switch on the way had a long queue.", "RFC 3168; "+rocev2+"; "+hwcount)
	RDMASlowRestarts            = rdmaCounter("slow_restarts", "Times that a flow started slowly after a pause.", "mlx5 roce_slow_restart")
	RDMASlowRestartCNPs         = rdmaCounter("slow_restart_cnp_packets", "Congestion Notification Packets that slow restart made.", "mlx5 roce_slow_restart_cnps")
	RDMASlowRestartTransitions  = rdmaCounter("slow_restart_transitions", "Times that a flow changed to slow restart.", "mlx5 roce_slow_restart_trans")
	RDMACongestedQPs            = rdmaGauge("congested_qps", "Queue pairs that are slowed down by congestion now.", None, "mana num_qps_congested")
	RDMACongestionEvents        = rdmaCounter("congestion_events", "Times that a queue pair was slowed down by congestion.", "mana qp_congested_events")
	RDMACongestionRecoveries    = rdmaCounter("congestion_recoveries", "Times that a queue pair recovered from congestion.", "mana qp_recovered_events, num_qps_recovered")
	RDMACongestionRateIncreases = rdmaCounter("congestion_rate_increases", "Times that congestion control raised a rate.", "mana rate_inc_events")
)

// Loss, retransmission, errors.
var (
	RDMAOutOfSequencePacketsReceived = rdmaCounter("out_of_sequence_packets_received",
		"Packets received out of sequence, as responder. In a fabric without packet spraying that is loss.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAPacketSequenceErrors = rdmaCounter("packet_sequence_errors",
		"NAKs for a packet sequence error received, as requester: the peer lost packets of ours. Recoverable.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAPacketSequenceErrorsTransmitted = rdmaCounter("packet_sequence_errors_transmitted",
		"NAKs for a packet sequence error sent, as responder.", ibta+", chapter 9 (transport); ionic resp_tx_pkt_seq_err")
	RDMAImpliedNAKSequenceErrors = rdmaCounter("implied_nak_sequence_errors",
		"Acknowledgements beyond what was expected, which mean that a read or atomic response was lost.", ibta+", chapter 9 (transport); "+hwcount)
	RDMALocalACKTimeouts = rdmaCounter("local_ack_timeouts",
		"Times that no acknowledgement came in time. Recoverable; a steady rate means loss or a dead peer.", ibta+", chapter 9 (transport); "+hwcount)
	RDMATransportRetriesExceeded = rdmaCounter("transport_retries_exceeded",
		"Requests given up after all retries: a connection broke. Any growth is bad.", ibta+", chapter 9 (transport); "+hwcount)
	RDMARNRNAKsReceived = rdmaCounter("rnr_naks_received",
		"Receiver-not-ready NAKs received: the peer had no receive buffer posted. Not the network.", ibta+", chapter 9 (transport); "+hwcount)
	RDMARNRNAKsTransmitted = rdmaCounter("rnr_naks_transmitted",
		"Receiver-not-ready NAKs sent: this host had no receive buffer posted.", ibta+", chapter 9 (transport); "+hwcount)
	RDMARNRRetriesExceeded = rdmaCounter("rnr_retries_exceeded",
		"Requests given up because the peer stayed not ready.", ibta+", chapter 9 (transport); "+hwcount)
	RDMADuplicateRequests = rdmaCounter("duplicate_requests_received",
		"Requests received that were executed before: the peer retransmitted.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAAdaptiveRetransmissions        = rdmaCounter("adaptive_retransmissions", "Retransmissions by the adaptive algorithm.", "mlx5 roce_adp_retrans")
	RDMAAdaptiveRetransmissionTimeouts = rdmaCounter("adaptive_retransmission_timeouts", "Timeouts of the adaptive retransmission.", "mlx5 roce_adp_retrans_to")
	RDMARetransmittedPackets           = rdmaCounter("retransmitted_packets", "RDMA packets sent again.", hwcount)
	RDMARetransmittedBytes             = rdmaCounter("retransmitted_bytes", "Bytes of RDMA packets sent again.", hwcount)
	RDMARetransmissionTimeouts         = rdmaCounter("retransmission_timeouts", "Timeouts that made packets be sent again.", "efa retrans_timeout_events")
	RDMAOutOfBufferDiscards            = rdmaCounter("out_of_buffer_discards",
		"Packets dropped because no receive work request was posted. Not the network.", hwcount)
	RDMAICRCErrorsReceived = rdmaCounter("icrc_errors_received",
		"RoCE packets received with a wrong invariant CRC: damaged on the way. On mlx5 of the physical port.", ibta+", chapter 7 (link); "+hwcount)
	RDMAReceiveErrors                  = rdmaCounter("received_errors", "RDMA packets received with an error.", hwcount)
	RDMATransmitErrors                 = rdmaCounter("transmitted_errors", "RDMA packets not sent because of an error.", hwcount)
	RDMAReceiveDiscards                = rdmaCounter("received_discards", "RDMA packets dropped on receipt.", hwcount)
	RDMATransmitDiscards               = rdmaCounter("transmitted_discards", "RDMA packets dropped instead of sent.", hwcount)
	RDMARequesterCompletionErrors      = rdmaCounter("requester_completion_errors", "Work completed with an error, as requester. Grows when jobs end normally as well.", hwcount)
	RDMAResponderCompletionErrors      = rdmaCounter("responder_completion_errors", "Work completed with an error, as responder. Grows when jobs end normally as well.", hwcount)
	RDMARequesterFlushErrors           = rdmaCounter("requester_flush_errors", "Work flushed, as requester. Normal when a job ends.", hwcount)
	RDMAResponderFlushErrors           = rdmaCounter("responder_flush_errors", "Work flushed, as responder. Normal when a job ends.", hwcount)
	RDMARequesterRemoteAccessErrors    = rdmaCounter("requester_remote_access_errors", "NAKs for a remote access error received: wrong key or range at the peer.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAResponderRemoteAccessErrors    = rdmaCounter("responder_remote_access_errors", "Requests refused for a wrong key or range.", ibta+", chapter 9 (transport); "+hwcount)
	RDMARequesterRemoteInvalidRequests = rdmaCounter("requester_remote_invalid_requests", "NAKs for an invalid request received.", ibta+", chapter 9 (transport); "+hwcount)
	RDMARequesterRemoteOperationErrors = rdmaCounter("requester_remote_operation_errors", "NAKs for a remote operational error received.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAResponderLocalLengthErrors     = rdmaCounter("responder_local_length_errors", "Messages received that were longer than the buffer posted.", ibta+", chapter 10 (verbs); "+hwcount)
	RDMARequesterLocalProtectionErrors = rdmaCounter("requester_local_protection_errors", "Work refused for a wrong local key or range.", ibta+", chapter 10 (verbs); "+hwcount)
	RDMARequesterLocalOperationErrors  = rdmaCounter("requester_local_operation_errors", "Work that failed by an error of the local queue pair, as requester.", ibta+", chapter 10 (verbs); "+hwcount)
	RDMAResponderLocalOperationErrors  = rdmaCounter("responder_local_operation_errors", "Work that failed by an error of the local queue pair, as responder.", ibta+", chapter 10 (verbs); "+hwcount)
	RDMAUnresponsiveRemotes            = rdmaCounter("unresponsive_remotes", "Times that a peer did not answer.", "efa unresponsive_remote_events")
	RDMAImpairedRemotes                = rdmaCounter("impaired_remotes", "Times that the connection to a peer was impaired.", "efa impaired_remote_conn_events")
	RDMATransmitLimitDiscards          = rdmaCounter("transmitted_limit_discards", "Packets dropped because the instance's transmit limit was reached.", "erdma tx_bps_limit_drop_cnt, tx_pps_limit_drop_cnt")
	RDMAReceiveLimitDiscards           = rdmaCounter("received_limit_discards", "Packets dropped because the instance's receive limit was reached.", "erdma rx_bps_limit_drop_cnt, rx_pps_limit_drop_cnt")
)

// Traffic.
var (
	RDMAReceivedBytes               = rdmaCounter("received_bytes", "RDMA bytes received. Of this function, not of the whole port, on mlx5.", pma+", port_rcv_data (4-octet words); "+hwcount)
	RDMATransmittedBytes            = rdmaCounter("transmitted_bytes", "RDMA bytes sent. Of this function, not of the whole port, on mlx5.", pma+", port_xmit_data (4-octet words); "+hwcount)
	RDMAReceivedPackets             = rdmaCounter("received_packets", "RDMA packets received.", pma+", port_rcv_packets; "+hwcount)
	RDMATransmittedPackets          = rdmaCounter("transmitted_packets", "RDMA packets sent.", pma+", port_xmit_packets; "+hwcount)
	RDMAReceivedUnicastPackets      = rdmaCounter("received_unicast_packets", "RDMA unicast packets received.", pma+", unicast_rcv_packets")
	RDMATransmittedUnicastPackets   = rdmaCounter("transmitted_unicast_packets", "RDMA unicast packets sent.", pma+", unicast_xmit_packets")
	RDMAReceivedMulticastPackets    = rdmaCounter("received_multicast_packets", "RDMA multicast packets received.", pma+", multicast_rcv_packets")
	RDMATransmittedMulticastPackets = rdmaCounter("transmitted_multicast_packets", "RDMA multicast packets sent.", pma+", multicast_xmit_packets")
	RDMAWriteRequestsReceived       = rdmaCounter("write_requests_received", "RDMA write requests received.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAReadRequestsReceived        = rdmaCounter("read_requests_received", "RDMA read requests received.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAAtomicRequestsReceived      = rdmaCounter("atomic_requests_received", "Atomic requests received.", ibta+", chapter 9 (transport); "+hwcount)
	RDMASendRequestsReceived        = rdmaCounter("send_requests_received", "Send requests received.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAWriteRequestsTransmitted    = rdmaCounter("write_requests_transmitted", "RDMA write requests sent.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAReadRequestsTransmitted     = rdmaCounter("read_requests_transmitted", "RDMA read requests sent.", ibta+", chapter 9 (transport); "+hwcount)
	RDMAAtomicRequestsTransmitted   = rdmaCounter("atomic_requests_transmitted", "Atomic requests sent.", ibta+", chapter 9 (transport); "+hwcount)
	RDMASendRequestsTransmitted     = rdmaCounter("send_requests_transmitted", "Send requests sent.", ibta+", chapter 9 (transport); "+hwcount)
)

// The IBTA's port counters, sysfs directory counters/. On RoCE they tell
// little; their 4-, 8- and 16-bit fields stick at their greatest value.
var (
	RDMASymbolErrors                 = rdmaCounter("symbol_errors", "Minor link errors on the physical lanes. 16 bits; sticks at 65535.", pma)
	RDMALinkErrorRecoveries          = rdmaCounter("link_error_recoveries", "Times that the link recovered from errors. 8 bits; sticks at 255.", pma)
	RDMALinkDowned                   = rdmaCounter("link_downed", "Times that the link went down. Of counters/ it is 8 bits wide and sticks at 255.", pma)
	RDMAPortReceiveErrors            = rdmaCounter("port_received_errors", "Packets with an error received at the port. 16 bits; sticks at 65535.", pma)
	RDMAPortReceiveRemotePhysical    = rdmaCounter("port_received_remote_physical_errors", "Packets received that were marked bad on the way. 16 bits; sticks at 65535.", pma)
	RDMAPortReceiveSwitchRelay       = rdmaCounter("port_received_switch_relay_errors", "Packets that a switch could not forward. 16 bits; sticks at 65535.", pma)
	RDMAPortTransmitDiscards         = rdmaCounter("port_transmitted_discards", "Packets dropped instead of sent because the port was down or congested. 16 bits; sticks at 65535.", pma)
	RDMAPortTransmitConstraintErrors = rdmaCounter("port_transmitted_constraint_errors", "Packets not sent because of partition or raw filters. 8 bits; sticks at 255.", pma)
	RDMAPortReceiveConstraintErrors  = rdmaCounter("port_received_constraint_errors", "Packets received and dropped because of partition or raw filters. 8 bits; sticks at 255.", pma)
	RDMALocalLinkIntegrityErrors     = rdmaCounter("local_link_integrity_errors", "Times that local physical errors went over the threshold. 4 bits; sticks at 15.", pma)
	RDMAExcessiveBufferOverruns      = rdmaCounter("excessive_buffer_overrun_errors", "Times that buffer overruns persisted. 4 bits; sticks at 15.", pma)
	RDMAVL15Dropped                  = rdmaCounter("vl15_dropped", "Management packets dropped for lack of buffers. 16 bits; sticks at 65535.", pma)
	RDMAPortTransmitWait             = rdmaCounter("port_transmitted_wait", "Ticks of the port's clock in which data waited to be sent. The length of a tick is the hardware's.", pma)
)

// What the vocabulary has no name for.
var (
	RDMAHardwareCounter = &Metric{Name: "roce_rdma_hw_raw_total", Type: Counter,
		Help:   "A counter of hw_counters or counters under the name that the kernel gives it, which label counter holds; in the driver's unit.",
		Labels: portLabels(CounterName), Source: hwcount}
	RDMAHardwareGauge = &Metric{Name: "roce_rdma_hw_raw_level", Type: Gauge,
		Help:   "A file of hw_counters that goes up and down, under the name that the kernel gives it, which label counter holds; in the driver's unit.",
		Labels: portLabels(CounterName), Source: hwcount}
)

// rdma lists the rows of this file.
func rdma() []*Metric {
	return []*Metric{
		RDMADeviceInfo, RDMAPortInfo, RDMAPortInterfaceInfo, RDMAPortUp, RDMAPortState, RDMAPortPhysicalState, RDMAPortRate, RDMAGIDs, RDMANetnsModeInfo,
		RDMACNPPacketsTransmitted, RDMACNPPacketsReceived, RDMACNPPacketsHandled, RDMACNPPacketsIgnored, RDMAECNMarkedPacketsReceived,
		RDMASlowRestarts, RDMASlowRestartCNPs, RDMASlowRestartTransitions, RDMACongestedQPs, RDMACongestionEvents, RDMACongestionRecoveries, RDMACongestionRateIncreases,
		RDMAOutOfSequencePacketsReceived, RDMAPacketSequenceErrors, RDMAPacketSequenceErrorsTransmitted, RDMAImpliedNAKSequenceErrors, RDMALocalACKTimeouts,
		RDMATransportRetriesExceeded, RDMARNRNAKsReceived, RDMARNRNAKsTransmitted, RDMARNRRetriesExceeded, RDMADuplicateRequests,
		RDMAAdaptiveRetransmissions, RDMAAdaptiveRetransmissionTimeouts, RDMARetransmittedPackets, RDMARetransmittedBytes, RDMARetransmissionTimeouts,
		RDMAOutOfBufferDiscards, RDMAICRCErrorsReceived, RDMAReceiveErrors, RDMATransmitErrors, RDMAReceiveDiscards, RDMATransmitDiscards,
		RDMARequesterCompletionErrors, RDMAResponderCompletionErrors, RDMARequesterFlushErrors, RDMAResponderFlushErrors,
		RDMARequesterRemoteAccessErrors, RDMAResponderRemoteAccessErrors, RDMARequesterRemoteInvalidRequests, RDMARequesterRemoteOperationErrors,
		RDMAResponderLocalLengthErrors, RDMARequesterLocalProtectionErrors, RDMARequesterLocalOperationErrors, RDMAResponderLocalOperationErrors,
		RDMAUnresponsiveRemotes, RDMAImpairedRemotes, RDMATransmitLimitDiscards, RDMAReceiveLimitDiscards,
		RDMAReceivedBytes, RDMATransmittedBytes, RDMAReceivedPackets, RDMATransmittedPackets,
		RDMAReceivedUnicastPackets, RDMATransmittedUnicastPackets, RDMAReceivedMulticastPackets, RDMATransmittedMulticastPackets,
		RDMAWriteRequestsReceived, RDMAReadRequestsReceived, RDMAAtomicRequestsReceived, RDMASendRequestsReceived,
		RDMAWriteRequestsTransmitted, RDMAReadRequestsTransmitted, RDMAAtomicRequestsTransmitted, RDMASendRequestsTransmitted,
		RDMASymbolErrors, RDMALinkErrorRecoveries, RDMALinkDowned, RDMAPortReceiveErrors, RDMAPortReceiveRemotePhysical, RDMAPortReceiveSwitchRelay,
		RDMAPortTransmitDiscards, RDMAPortTransmitConstraintErrors, RDMAPortReceiveConstraintErrors, RDMALocalLinkIntegrityErrors,
		RDMAExcessiveBufferOverruns, RDMAVL15Dropped, RDMAPortTransmitWait,
		RDMAHardwareCounter, RDMAHardwareGauge,
	}
}
