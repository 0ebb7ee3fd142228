package host

import (
	"math"
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// ionic is AMD Pensando: DSC and Pollara. The names of its counters come from
// the firmware; those known are AMD's own tools'.
func ionic() Driver {
	return Driver{
		Name: "ionic", ID: 21, Modules: []string{"ionic"},
		Invalid: math.MaxUint64,
		Source:  "drivers/infiniband/hw/ionic/ionic_hw_stats.c (names are read from the device); names as AMD's node-scraper and RCCL telemetry use them; drivers/net/ethernet/pensando/ionic/ionic_stats.c",
		Counters: slices.Concat(
			[]Counter{
				{Raw: "tx_rdma_cnp_pkts", Metric: metric.RDMACNPPacketsTransmitted},
				{Raw: "rx_rdma_cnp_pkts", Metric: metric.RDMACNPPacketsReceived},
				{Raw: "rx_rdma_ecn_pkts", Metric: metric.RDMAECNMarkedPacketsReceived},
				{Raw: "resp_rx_outouf_seq", Metric: metric.RDMAOutOfSequencePacketsReceived, Source: "spelt so by the firmware"},
				{Raw: "req_rx_pkt_seq_err", Metric: metric.RDMAPacketSequenceErrors},
				{Raw: "resp_tx_pkt_seq_err", Metric: metric.RDMAPacketSequenceErrorsTransmitted},
				{Raw: "req_rx_impl_nak_seq_err", Metric: metric.RDMAImpliedNAKSequenceErrors},
				{Raw: "tx_rdma_ack_timeout", Metric: metric.RDMALocalACKTimeouts},
				{Raw: "req_tx_retry_excd_err", Metric: metric.RDMATransportRetriesExceeded},
				{Raw: "req_rx_rnr_retry_err", Metric: metric.RDMARNRNAKsReceived},
				{Raw: "resp_tx_rnr_retry_err", Metric: metric.RDMARNRNAKsTransmitted},
				{Raw: "resp_rx_dup_request", Metric: metric.RDMADuplicateRequests},
				{Raw: "resp_rx_outof_buf", Metric: metric.RDMAOutOfBufferDiscards},
				{Raw: "tx_rdma_retx_bytes", Metric: metric.RDMARetransmittedBytes},
				{Raw: "tx_rdma_retx_pkts", Metric: metric.RDMARetransmittedPackets},
				{Raw: "rx_rdma_mtu_discard_pkts", Metric: metric.RDMAReceiveDiscards},
				{Raw: "rx_rdma_ucast_bytes", Metric: metric.RDMAReceivedBytes, Part: true},
				{Raw: "rx_rdma_mcast_bytes", Metric: metric.RDMAReceivedBytes, Part: true},
				{Raw: "tx_rdma_ucast_bytes", Metric: metric.RDMATransmittedBytes, Part: true},
				{Raw: "tx_rdma_mcast_bytes", Metric: metric.RDMATransmittedBytes, Part: true},
				{Raw: "rx_rdma_ucast_pkts", Metric: metric.RDMAReceivedPackets, Part: true},
				{Raw: "rx_rdma_mcast_pkts", Metric: metric.RDMAReceivedPackets, Part: true},
				{Raw: "tx_rdma_ucast_pkts", Metric: metric.RDMATransmittedPackets, Part: true},
				{Raw: "tx_rdma_mcast_pkts", Metric: metric.RDMATransmittedPackets, Part: true},
				{Raw: "rx_rdma_ucast_pkts", Metric: metric.RDMAReceivedUnicastPackets},
				{Raw: "tx_rdma_ucast_pkts", Metric: metric.RDMATransmittedUnicastPackets},
				{Raw: "rx_rdma_mcast_pkts", Metric: metric.RDMAReceivedMulticastPackets},
				{Raw: "tx_rdma_mcast_pkts", Metric: metric.RDMATransmittedMulticastPackets},
				{Raw: "req_rx_cqe_err", Metric: metric.RDMARequesterCompletionErrors},
				{Raw: "resp_rx_cqe_err", Metric: metric.RDMAResponderCompletionErrors},
				{Raw: "req_rx_cqe_flush", Metric: metric.RDMARequesterFlushErrors},
				{Raw: "resp_rx_cqe_flush", Metric: metric.RDMAResponderFlushErrors},
				{Raw: "req_rx_rmt_acc_err", Metric: metric.RDMARequesterRemoteAccessErrors},
				{Raw: "resp_tx_rmt_acc_err", Metric: metric.RDMAResponderRemoteAccessErrors},
				{Raw: "req_rx_rmt_req_err", Metric: metric.RDMARequesterRemoteInvalidRequests},
				{Raw: "req_rx_oper_err", Metric: metric.RDMARequesterRemoteOperationErrors},
				{Raw: "req_tx_loc_acc_err", Metric: metric.RDMARequesterLocalProtectionErrors},
				{Raw: "req_tx_loc_oper_err", Metric: metric.RDMARequesterLocalOperationErrors},
				{Raw: "resp_rx_loc_oper_err", Metric: metric.RDMAResponderLocalOperationErrors},
				{Raw: "resp_rx_loc_len_err", Metric: metric.RDMAResponderLocalLengthErrors},
			},
			raw(PortCounters, "req_rx_dup_response", "req_rx_inval_pkts", "req_tx_mem_mgmt_err", "req_tx_loc_sgl_inv_err", "resp_rx_inval_request",
				"resp_rx_outof_atomic", "resp_tx_rmt_inval_req_err", "resp_tx_rmt_oper_err", "resp_tx_loc_sgl_inv_err", "resp_rx_s0_table_err",
				"tx_rdma_ccl_cts_bytes", "tx_rdma_ccl_cts_pkts", "rx_rdma_ccl_cts_bytes", "rx_rdma_ccl_cts_pkts", "resp_rx_ccl_cts_outouf_seq",
				"tx_rdma_ccl_cts_ack_timeout", "tx_rdma_ccl_cts_retx_bytes", "tx_rdma_ccl_cts_retx_pkts", "rdma_retx_rto"),
			[]Counter{
				{From: Statistics, Raw: "rx_pripause_{priority}_1us_count", Metric: metric.InterfacePFCPauseReceived, Scale: 1e-6},
				{From: Statistics, Raw: "tx_pripause_{priority}_1us_count", Metric: metric.InterfacePFCPauseTransmitted, Scale: 1e-6},
				{From: Statistics, Raw: "frames_rx_pripause", Metric: metric.InterfacePFCFramesAllReceived},
				{From: Statistics, Raw: "frames_tx_pripause", Metric: metric.InterfacePFCFramesAllTransmitted},
				{From: Statistics, Raw: "frames_rx_pri_{priority}", Source: "frames of the priority, or its PFC frames: unverified, not exported"},
				{From: Statistics, Raw: "frames_tx_pri_{priority}", Source: "frames of the priority, or its PFC frames: unverified, not exported"},
				{From: Statistics, Raw: "frames_rx_pause", Metric: metric.InterfacePauseFramesReceived},
				{From: Statistics, Raw: "frames_tx_pause", Metric: metric.InterfacePauseFramesTransmitted},
				{From: Statistics, Raw: "rx_pause_1us_count", Metric: metric.InterfacePauseReceived, Scale: 1e-6},
				{From: Statistics, Raw: "frames_rx_dropped", Metric: metric.InterfaceReceiveDiscards},
				{From: Statistics, Raw: "hw_tx_dropped", Metric: metric.InterfaceTransmitDiscards},
				{From: Statistics, Raw: "hw_rx_over_errors", Metric: metric.InterfaceOutOfBuffer, Source: "rx_queue_empty, ionic_lif.c"},
				{From: Statistics, Raw: "hw_rx_missed_errors", Source: "failed DMA and descriptors, ionic_lif.c: not a lack of buffers"},
				{From: Statistics, Raw: "frames_rx_bad_fcs", Metric: metric.InterfaceCRCErrors},
			},
		),
	}
}
