package host

import (
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// irdma is Intel E800 and later, and X722 (iWARP), over the network drivers
// ice, i40e and idpf. Counters of the third generation have names with spaces.
func irdma() Driver {
	return Driver{
		Name: "irdma", ID: 9, Modules: []string{"ice", "i40e", "idpf", "irdma"},
		DCBFrames: true,
		Source: "drivers/infiniband/hw/irdma/verbs.c (names); drivers/net/ethernet/intel/ice/ice_ethtool.c, i40e/i40e_ethtool.c. " +
			"The driver ignores failures of the statistics command and gives the values of before. In-tree builds switch DCQCN off, so that the CNP counters stay 0. " +
			"The network drivers count PFC frames that stop (XOFF) and that resume (XON), and no time.",
		Counters: slices.Concat(
			[]Counter{
				{Raw: "cnpSent", Metric: metric.RDMACNPPacketsTransmitted},
				{Raw: "cnpHandled", Metric: metric.RDMACNPPacketsHandled},
				{Raw: "cnpIgnored", Metric: metric.RDMACNPPacketsIgnored},
				{Raw: "cnpHandled", Metric: metric.RDMACNPPacketsReceived, Part: true},
				{Raw: "cnpIgnored", Metric: metric.RDMACNPPacketsReceived, Part: true},
				{Raw: "RxECNMrkd", Metric: metric.RDMAECNMarkedPacketsReceived},
				{Raw: "Rcvd Out of order packets", Metric: metric.RDMAOutOfSequencePacketsReceived, Source: "third generation"},
				{Raw: "Nak Sequence Error", Metric: metric.RDMAPacketSequenceErrors, Source: "third generation"},
				{Raw: "Nak Sequence Error Implied", Metric: metric.RDMAImpliedNAKSequenceErrors, Source: "third generation"},
				{Raw: "RTO", Metric: metric.RDMALocalACKTimeouts, Source: "third generation"},
				{Raw: "RNR received", Metric: metric.RDMARNRNAKsReceived, Source: "third generation"},
				{Raw: "RNR sent", Metric: metric.RDMARNRNAKsTransmitted, Source: "third generation"},
				{Raw: "CRC errors", Metric: metric.RDMAICRCErrorsReceived, Source: "third generation"},
				{Raw: "RetransSegs", Metric: metric.RDMARetransmittedPackets, Source: "later name"},
				{Raw: "tcpRetransSegs", Metric: metric.RDMARetransmittedPackets, Source: "name up to 6.12"},
				{Raw: "ip4InOctets", Metric: metric.RDMAReceivedBytes, Part: true},
				{Raw: "ip6InOctets", Metric: metric.RDMAReceivedBytes, Part: true},
				{Raw: "ip4OutOctets", Metric: metric.RDMATransmittedBytes, Part: true},
				{Raw: "ip6OutOctets", Metric: metric.RDMATransmittedBytes, Part: true},
				{Raw: "ip4InPkts", Metric: metric.RDMAReceivedPackets, Part: true},
				{Raw: "ip6InPkts", Metric: metric.RDMAReceivedPackets, Part: true},
				{Raw: "ip4OutPkts", Metric: metric.RDMATransmittedPackets, Part: true},
				{Raw: "ip6OutPkts", Metric: metric.RDMATransmittedPackets, Part: true},
				{Raw: "ip4InDiscards", Metric: metric.RDMAReceiveDiscards, Part: true},
				{Raw: "ip6InDiscards", Metric: metric.RDMAReceiveDiscards, Part: true},
				{Raw: "InRdmaReads", Metric: metric.RDMAReadRequestsReceived, Source: "later name"},
				{Raw: "iwInRdmaReads", Metric: metric.RDMAReadRequestsReceived, Source: "name up to 6.12"},
				{Raw: "InRdmaWrites", Metric: metric.RDMAWriteRequestsReceived, Source: "later name"},
				{Raw: "iwInRdmaWrites", Metric: metric.RDMAWriteRequestsReceived, Source: "name up to 6.12"},
				{Raw: "InRdmaSends", Metric: metric.RDMASendRequestsReceived, Source: "later name"},
				{Raw: "iwInRdmaSends", Metric: metric.RDMASendRequestsReceived, Source: "name up to 6.12"},
				{Raw: "OutRdmaReads", Metric: metric.RDMAReadRequestsTransmitted, Source: "later name"},
				{Raw: "iwOutRdmaReads", Metric: metric.RDMAReadRequestsTransmitted, Source: "name up to 6.12"},
				{Raw: "OutRdmaWrites", Metric: metric.RDMAWriteRequestsTransmitted, Source: "later name"},
				{Raw: "iwOutRdmaWrites", Metric: metric.RDMAWriteRequestsTransmitted, Source: "name up to 6.12"},
				{Raw: "OutRdmaSends", Metric: metric.RDMASendRequestsTransmitted, Source: "later name"},
				{Raw: "iwOutRdmaSends", Metric: metric.RDMASendRequestsTransmitted, Source: "name up to 6.12"},
				{Raw: "Rx atomics", Metric: metric.RDMAAtomicRequestsReceived, Source: "third generation"},
				{Raw: "Tx atomics", Metric: metric.RDMAAtomicRequestsTransmitted, Source: "third generation"},
			},
			raw(PortCounters, "ip4InTruncatedPkts", "ip4OutNoRoutes", "ip6InTruncatedPkts", "ip6OutNoRoutes", "rxVlanErrors",
				"ip4InReasmRqd", "ip4InMcastPkts", "ip4InMcastOctets", "ip4OutSegRqd", "ip4OutMcastPkts", "ip4OutMcastOctets",
				"ip6InReasmRqd", "ip6InMcastPkts", "ip6InMcastOctets", "ip6OutSegRqd", "ip6OutMcastPkts", "ip6OutMcastOctets",
				"RxUDP", "TxUDP", "tcpInOptErrors", "InOptErrors", "tcpInProtoErrors", "InProtoErrors", "tcpInSegs", "InSegs", "tcpOutSegs", "OutSegs",
				"iwRdmaBnd", "RdmaBnd", "iwRdmaInv", "RdmaInv", "ord limit count", "ird limit count"),
			[]Counter{
				{From: Statistics, Raw: "rx_priority_{priority}_xoff.nic", Metric: metric.InterfacePFCFramesReceived, Source: "ice"},
				{From: Statistics, Raw: "tx_priority_{priority}_xoff.nic", Metric: metric.InterfacePFCFramesTransmitted, Source: "ice"},
				{From: Statistics, Raw: "rx_priority_{priority}_xon.nic", Metric: metric.InterfacePFCXONFramesReceived, Source: "ice"},
				{From: Statistics, Raw: "tx_priority_{priority}_xon.nic", Metric: metric.InterfacePFCXONFramesTransmitted, Source: "ice"},
				{From: Statistics, Raw: "rx_dropped.nic", Metric: metric.InterfaceReceiveDiscards, Source: "ice"},
				{From: Statistics, Raw: "rx_crc_errors.nic", Metric: metric.InterfaceCRCErrors, Source: "ice"},
				{From: Statistics, Raw: "mac_local_faults.nic", Metric: metric.InterfaceLocalFaults, Source: "ice"},
				{From: Statistics, Raw: "mac_remote_faults.nic", Metric: metric.InterfaceRemoteFaults, Source: "ice"},
				{From: Statistics, Raw: "tx_dropped_link_down.nic", Metric: metric.InterfaceTransmitDiscards, Source: "ice"},
				{From: Statistics, Raw: "link_xoff_rx.nic", Metric: metric.InterfacePauseFramesReceived, Source: "ice; those that stop (XOFF) only"},
				{From: Statistics, Raw: "link_xoff_tx.nic", Metric: metric.InterfacePauseFramesTransmitted, Source: "ice; those that stop (XOFF) only"},
				{From: Statistics, Raw: "port.rx_priority_{priority}_xoff_rx", Metric: metric.InterfacePFCFramesReceived, Source: "i40e"},
				{From: Statistics, Raw: "port.tx_priority_{priority}_xoff_tx", Metric: metric.InterfacePFCFramesTransmitted, Source: "i40e"},
				{From: Statistics, Raw: "port.rx_priority_{priority}_xon_rx", Metric: metric.InterfacePFCXONFramesReceived, Source: "i40e"},
				{From: Statistics, Raw: "port.tx_priority_{priority}_xon_tx", Metric: metric.InterfacePFCXONFramesTransmitted, Source: "i40e"},
				{From: Statistics, Raw: "port.rx_priority_{priority}_xon_2_xoff", Metric: metric.InterfacePFCTransitionsReceived, Source: "i40e"},
				{From: Statistics, Raw: "port.link_xoff_rx", Metric: metric.InterfacePauseFramesReceived, Source: "i40e; those that stop (XOFF) only"},
				{From: Statistics, Raw: "port.link_xoff_tx", Metric: metric.InterfacePauseFramesTransmitted, Source: "i40e; those that stop (XOFF) only"},
				{From: Statistics, Raw: "port.rx_discards", Metric: metric.InterfaceReceiveDiscards, Source: "i40e"},
				{From: Statistics, Raw: "port.tx_dropped_link_down", Metric: metric.InterfaceTransmitDiscards, Source: "i40e"},
				{From: Statistics, Raw: "port.rx_crc_errors", Metric: metric.InterfaceCRCErrors, Source: "i40e"},
				{From: Statistics, Raw: "port.mac_local_faults", Metric: metric.InterfaceLocalFaults, Source: "i40e"},
				{From: Statistics, Raw: "port.mac_remote_faults", Metric: metric.InterfaceRemoteFaults, Source: "i40e"},
			},
		),
	}
}
