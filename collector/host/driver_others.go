package host

import (
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// hns is HiSilicon Kunpeng. HIP09 and later have counters, HIP08 and virtual
// functions none.
func hns() Driver {
	return Driver{
		Name: "hns", ID: 12, Modules: []string{"hns3", "hns_roce_hw_v2"},
		// drivers/net/ethernet/hisilicon/hns3/hnae3.h, HNAE3_DEV_ID_*VF.
		VirtualFunctions: []string{"0xa22e", "0xa22f"},

		DCBFrames: true,
		Source: "drivers/infiniband/hw/hns/hns_roce_main.c; drivers/net/ethernet/hisilicon/hns3/hns3pf/hclge_main.c. " +
			"It counts packets and no bytes; old firmware leaves the tail of the list at 0.",
		Counters: slices.Concat(
			[]Counter{
				{Raw: "tx_cnp_pkt", Metric: metric.RDMACNPPacketsTransmitted},
				{Raw: "rx_cnp_pkt", Metric: metric.RDMACNPPacketsReceived},
				{Raw: "rx_pkt", Metric: metric.RDMAReceivedPackets},
				{Raw: "tx_pkt", Metric: metric.RDMATransmittedPackets},
				{Raw: "rx_err_pkt", Metric: metric.RDMAReceiveErrors},
				{Raw: "tx_err_pkt", Metric: metric.RDMATransmitErrors},
			},
			raw(PortCounters, "rx_rc_pkt", "rx_uc_pkt", "rx_ud_pkt", "rx_xrc_pkt", "tx_rc_pkt", "tx_uc_pkt", "tx_ud_pkt", "tx_xrc_pkt",
				"trp_get_mpt_err_pkt", "trp_get_irrl_err_pkt", "ecn_doorbell", "rx_buffer", "trp_rx_sof", "cq_cqe", "cq_poe", "cq_notify"),
			[]Counter{
				{From: Statistics, Raw: "mac_rx_pfc_pri{priority}_pkt_num", Metric: metric.InterfacePFCFramesReceived},
				{From: Statistics, Raw: "mac_tx_pfc_pri{priority}_pkt_num", Metric: metric.InterfacePFCFramesTransmitted},
				{From: Statistics, Raw: "mac_rx_pfc_pkt_num", Metric: metric.InterfacePFCFramesAllReceived},
				{From: Statistics, Raw: "mac_tx_pfc_pkt_num", Metric: metric.InterfacePFCFramesAllTransmitted},
				{From: Statistics, Raw: "mac_rx_pfc_pri{priority}_xoff_time", Source: "unit undocumented, unverified: not exported"},
				{From: Statistics, Raw: "mac_tx_pfc_pri{priority}_xoff_time", Source: "unit undocumented, unverified: not exported"},
				{From: Statistics, Raw: "mac_rx_pause_xoff_time", Source: "unit undocumented, unverified: not exported"},
				{From: Statistics, Raw: "mac_tx_pause_xoff_time", Source: "unit undocumented, unverified: not exported"},
				{From: Statistics, Raw: "mac_rx_fcs_err_pkt_num", Metric: metric.InterfaceCRCErrors},
				{From: Statistics, Raw: "mac_rx_mac_pause_num", Metric: metric.InterfacePauseFramesReceived},
				{From: Statistics, Raw: "mac_tx_mac_pause_num", Metric: metric.InterfacePauseFramesTransmitted},
			},
		),
	}
}

// erdma is Alibaba's elastic RDMA, RoCEv2 or iWARP. It knows no congestion.
func erdma() Driver {
	return Driver{
		Name: "erdma", ID: 19, Modules: []string{"erdma"},
		Source: "drivers/infiniband/hw/erdma/erdma_verbs.c",
		Counters: slices.Concat(
			[]Counter{
				{Raw: "rx_bytes_cnt", Metric: metric.RDMAReceivedBytes},
				{Raw: "tx_bytes_cnt", Metric: metric.RDMATransmittedBytes},
				{Raw: "rx_packets_cnt", Metric: metric.RDMAReceivedPackets},
				{Raw: "tx_packets_cnt", Metric: metric.RDMATransmittedPackets},
				{Raw: "rx_bps_limit_drop_cnt", Metric: metric.RDMAReceiveLimitDiscards, Part: true},
				{Raw: "rx_pps_limit_drop_cnt", Metric: metric.RDMAReceiveLimitDiscards, Part: true},
				{Raw: "tx_bps_limit_drop_cnt", Metric: metric.RDMATransmitLimitDiscards, Part: true},
				{Raw: "tx_pps_limit_drop_cnt", Metric: metric.RDMATransmitLimitDiscards, Part: true},
				{Raw: "rx_disable_drop_cnt", Metric: metric.RDMAReceiveDiscards},
				{Raw: "tx_disable_drop_cnt", Metric: metric.RDMATransmitDiscards},
			},
			raw(PortCounters, "tx_reqs_cnt"),
		),
	}
}

// efa is Amazon's Elastic Fabric Adapter: SRD and not RoCE. It knows no
// congestion.
func efa() Driver {
	return Driver{
		Name: "efa", ID: 17, Modules: []string{"efa"},
		Source: "drivers/infiniband/hw/efa/efa_verbs.c. submitted_cmds and completed_cmds grow because they are read.",
		Counters: slices.Concat(
			[]Counter{
				{Raw: "rx_bytes", Metric: metric.RDMAReceivedBytes},
				{Raw: "tx_bytes", Metric: metric.RDMATransmittedBytes},
				{Raw: "rx_pkts", Metric: metric.RDMAReceivedPackets},
				{Raw: "tx_pkts", Metric: metric.RDMATransmittedPackets},
				{Raw: "rx_drops", Metric: metric.RDMAReceiveDiscards},
				{Raw: "retrans_bytes", Metric: metric.RDMARetransmittedBytes},
				{Raw: "retrans_pkts", Metric: metric.RDMARetransmittedPackets},
				{Raw: "retrans_timeout_events", Metric: metric.RDMARetransmissionTimeouts},
				{Raw: "unresponsive_remote_events", Metric: metric.RDMAUnresponsiveRemotes},
				{Raw: "impaired_remote_conn_events", Metric: metric.RDMAImpairedRemotes},
				{Raw: "send_wrs", Metric: metric.RDMASendRequestsTransmitted},
				{Raw: "recv_wrs", Metric: metric.RDMASendRequestsReceived},
				{Raw: "rdma_read_wrs", Metric: metric.RDMAReadRequestsTransmitted},
				{Raw: "rdma_write_wrs", Metric: metric.RDMAWriteRequestsTransmitted},
			},
			raw(PortCounters, "send_bytes", "recv_bytes", "rdma_read_bytes", "rdma_read_wr_err", "rdma_read_resp_bytes", "rdma_write_bytes", "rdma_write_wr_err", "rdma_write_recv_bytes"),
			raw(DeviceCounters, "submitted_cmds", "completed_cmds", "cmds_err", "no_completion_cmds", "keep_alive_rcvd", "alloc_pd_err", "create_qp_err",
				"create_cq_err", "reg_mr_err", "alloc_ucontext_err", "create_ah_err", "mmap_err"),
		),
	}
}

// mana is Microsoft's Azure Network Adapter.
func mana() Driver {
	return Driver{
		Name: "mana", ID: 20, Modules: []string{"mana", "mana_ib"},
		Source: "drivers/infiniband/hw/mana/counters.c (after 6.12); drivers/net/ethernet/microsoft/mana/mana_ethtool.c",
		Counters: slices.Concat(
			[]Counter{
				{Raw: "received_cnps", Metric: metric.RDMACNPPacketsReceived},
				{From: DeviceCounters, Raw: "sent_cnps", Metric: metric.RDMACNPPacketsTransmitted},
				{From: DeviceCounters, Raw: "received_ecns", Metric: metric.RDMAECNMarkedPacketsReceived},
				{From: DeviceCounters, Raw: "qp_congested_events", Metric: metric.RDMACongestionEvents},
				{Raw: "rate_inc_events", Metric: metric.RDMACongestionRateIncreases},
				{Raw: "num_qps_recovered", Metric: metric.RDMACongestionRecoveries},
				{Raw: "num_qps_congested", Metric: metric.RDMACongestedQPs},
				{Raw: "responder_oos", Metric: metric.RDMAOutOfSequencePacketsReceived},
				{Raw: "requester_oos_nak", Metric: metric.RDMAPacketSequenceErrors},
				{Raw: "requester_implicit_nak", Metric: metric.RDMAImpliedNAKSequenceErrors},
				{Raw: "requester_timeout", Metric: metric.RDMALocalACKTimeouts},
				{Raw: "requester_retries_exceeded", Metric: metric.RDMATransportRetriesExceeded},
				{Raw: "requester_rnr_nak", Metric: metric.RDMARNRNAKsReceived},
				{Raw: "responder_rnr_nak", Metric: metric.RDMARNRNAKsTransmitted},
				{Raw: "requester_rnr_nak_retries_exceeded", Metric: metric.RDMARNRRetriesExceeded},
				{Raw: "responder_dup_request", Metric: metric.RDMADuplicateRequests},
				{Raw: "rx_bytes", Metric: metric.RDMAReceivedBytes},
				{Raw: "tx_bytes", Metric: metric.RDMATransmittedBytes},
				{Raw: "rx_packets", Metric: metric.RDMAReceivedPackets},
				{Raw: "tx_packets", Metric: metric.RDMATransmittedPackets},
				{Raw: "rx_send_requests", Metric: metric.RDMASendRequestsReceived},
				{Raw: "rx_write_requests", Metric: metric.RDMAWriteRequestsReceived},
				{Raw: "rx_read_requests", Metric: metric.RDMAReadRequestsReceived},
				{Raw: "responder_local_len_error", Metric: metric.RDMAResponderLocalLengthErrors},
				{Raw: "requestor_local_prot_error", Metric: metric.RDMARequesterLocalProtectionErrors, Source: "spelt so by the driver"},
				{Raw: "responder_rem_access_error", Metric: metric.RDMAResponderRemoteAccessErrors},
				{Raw: "responder_local_qp_error", Metric: metric.RDMAResponderLocalOperationErrors},
				{Raw: "nak_access_error", Metric: metric.RDMARequesterRemoteAccessErrors},
				{Raw: "nak_inv_req", Metric: metric.RDMARequesterRemoteInvalidRequests},
				{Raw: "nak_opp_error", Metric: metric.RDMARequesterRemoteOperationErrors},
			},
			// The ports have the same: a metric must not come twice.
			raw(DeviceCounters, "received_cnp_count", "qp_recovered_events", "rate_inc_events"),
			rawGauge(PortCounters, "current_rate"),
			raw(PortCounters, "dup_rx_requests", "nak_inv_read", "responder_malformed_wqe", "general_hw_error", "total_fatal_error", "requester_readresp_psn_mismatch"),
			[]Counter{
				{From: Statistics, Raw: "hc_tc{traffic_class}_rx_pause_phy", Source: "frames or time: undocumented, unverified, not exported"},
				{From: Statistics, Raw: "hc_tc{traffic_class}_tx_pause_phy", Source: "frames or time: undocumented, unverified, not exported"},
				{From: Statistics, Raw: "hc_tc{traffic_class}_rx_pkt_phy", Metric: metric.InterfaceTrafficClassPacketsReceived},
				{From: Statistics, Raw: "hc_tc{traffic_class}_tx_pkt_phy", Metric: metric.InterfaceTrafficClassPacketsSent},
				{From: Statistics, Raw: "hc_tc{traffic_class}_rx_byte_phy", Metric: metric.InterfaceTrafficClassBytesReceived},
				{From: Statistics, Raw: "hc_tc{traffic_class}_tx_byte_phy", Metric: metric.InterfaceTrafficClassBytesSent},
				{From: Statistics, Raw: "hc_rx_pkt_drop_phy", Metric: metric.InterfaceReceiveDiscards},
				{From: Statistics, Raw: "hc_tx_pkt_drop_phy", Metric: metric.InterfaceTransmitDiscards},
				{From: Statistics, Raw: "hc_rx_discards_no_wqe", Metric: metric.InterfaceOutOfBuffer},
			},
		),
	}
}

// rxe is soft-RoCE, the kernel's RoCE over any network interface.
func rxe() Driver {
	return Driver{
		Name: "rxe", ID: 14, Modules: []string{"rdma_rxe"},
		Source: "drivers/infiniband/sw/rxe/rxe_hw_counters.c",
		Counters: slices.Concat(
			[]Counter{
				{Raw: "rcvd_pkts", Metric: metric.RDMAReceivedPackets},
				{Raw: "sent_pkts", Metric: metric.RDMATransmittedPackets},
				{Raw: "rcvd_bytes", Metric: metric.RDMAReceivedBytes, Source: "after 6.12"},
				{Raw: "sent_bytes", Metric: metric.RDMATransmittedBytes, Source: "after 6.12"},
				{Raw: "out_of_seq_request", Metric: metric.RDMAOutOfSequencePacketsReceived},
				{Raw: "rcvd_seq_err", Metric: metric.RDMAPacketSequenceErrors},
				{Raw: "duplicate_request", Metric: metric.RDMADuplicateRequests},
				{Raw: "completer_retry_err", Metric: metric.RDMALocalACKTimeouts, Source: "retries of the completer: the closest there is"},
				{Raw: "retry_exceeded_err", Metric: metric.RDMATransportRetriesExceeded},
				{Raw: "rcvd_rnr_err", Metric: metric.RDMARNRNAKsReceived},
				{Raw: "send_rnr_err", Metric: metric.RDMARNRNAKsTransmitted},
				{Raw: "retry_rnr_exceeded_err", Metric: metric.RDMARNRRetriesExceeded},
				{Raw: "send_err", Metric: metric.RDMATransmitErrors},
				{Raw: "link_downed", Metric: metric.RDMALinkDowned},
			},
			raw(PortCounters, "ack_deferred", "rdma_sends", "rdma_recvs"),
		),
	}
}

// siw is the kernel's soft iWARP. It has no counters.
func siw() Driver {
	return Driver{Name: "siw", ID: 18, Modules: []string{"siw"}, Source: "drivers/infiniband/sw/siw: no counters"}
}

// cxgb4 is Chelsio, iWARP.
func cxgb4() Driver {
	return Driver{
		Name: "cxgb4", ID: 4, Modules: []string{"cxgb4", "iw_cxgb4"},
		Source: "drivers/infiniband/hw/cxgb4/provider.c; drivers/net/ethernet/chelsio/cxgb4/cxgb4_ethtool.c (names filled up with blanks)",
		Counters: slices.Concat(
			[]Counter{
				{From: DeviceCounters, Raw: "ip4RetransSegs", Metric: metric.RDMARetransmittedPackets, Part: true},
				{From: DeviceCounters, Raw: "ip6RetransSegs", Metric: metric.RDMARetransmittedPackets, Part: true},
			},
			raw(DeviceCounters, "ip4InSegs", "ip4OutSegs", "ip4OutRsts", "ip6InSegs", "ip6OutSegs", "ip6OutRsts"),
			[]Counter{
				{From: Statistics, Raw: "rx_ppp{priority}_frames", Metric: metric.InterfacePFCFramesReceived},
				{From: Statistics, Raw: "tx_ppp{priority}_frames", Metric: metric.InterfacePFCFramesTransmitted},
				{From: Statistics, Raw: "rx_pause_frames", Metric: metric.InterfacePauseFramesReceived},
				{From: Statistics, Raw: "tx_pause_frames", Metric: metric.InterfacePauseFramesTransmitted},
				{From: Statistics, Raw: "rx_bg{priority_group}_frames_dropped", Metric: metric.InterfaceGroupDiscardsReceived},
				{From: Statistics, Raw: "rx_bg{priority_group}_frames_trunc", Metric: metric.InterfaceGroupTruncatedReceived},
			},
		),
	}
}

// qedr is Marvell FastLinQ. It has no RDMA counters.
func qedr() Driver {
	return Driver{
		Name: "qedr", ID: 11, Modules: []string{"qede", "qed", "qedr"},
		Source: "drivers/infiniband/hw/qedr: no counters; drivers/net/ethernet/qlogic/qede/qede_ethtool.c",
		Counters: []Counter{
			{From: Statistics, Raw: "rx_pfc_frames", Metric: metric.InterfacePFCFramesAllReceived},
			{From: Statistics, Raw: "tx_pfc_frames", Metric: metric.InterfacePFCFramesAllTransmitted},
			{From: Statistics, Raw: "rx_pause_frames", Metric: metric.InterfacePauseFramesReceived},
			{From: Statistics, Raw: "tx_pause_frames", Metric: metric.InterfacePauseFramesTransmitted},
		},
	}
}

// ocrdma is Emulex OneConnect. Its own counters are in debugfs only.
func ocrdma() Driver {
	return Driver{Name: "ocrdma", ID: 7, Modules: []string{"be2net", "ocrdma"}, Source: "drivers/infiniband/hw/ocrdma: counters/ only"}
}
