package snmp

import "github.com/roce-exporter/roce_exporter/collector/metric"

// Requests are PFC frames that a device sent, indications those that it
// received, in every document that has the words (IEEE8021-PFC-MIB).

// byPriority is the index of tables with a row for each interface and priority
// from 0.
func byPriority() []Part { return []Part{{Kind: Interface}, {Kind: Priority}} }

// ciscoPFC is PFC of NX-OS and of SONiC. The totals of an interface are left
// out: SONiC's are those of priority 3. The waiting times are of the pause that
// goes on now, and no counter.
func ciscoPFC() MIB {
	return MIB{
		Name: "cisco_pfc_ext", Title: "CISCO-PFC-EXT-MIB", Agents: []string{enterpriseCisco, enterpriseNetSNMP},
		Source: "CISCO-PFC-EXT-MIB; sonic-snmpagent e09fd380",
		Tables: []Table{
			{
				Name: "cpfcIfPriorityTable", Entry: "1.3.6.1.4.1.9.9.813.1.2.1", Index: byPriority(),
				Columns: []Column{
					{Number: 2, Metric: metric.InterfacePFCFramesTransmitted},
					{Number: 3, Metric: metric.InterfacePFCFramesReceived},
				},
			},
			{
				Name: "cpfcWatchdogIfQueueInfoTable", Entry: "1.3.6.1.4.1.9.9.813.1.3.1", Index: []Part{{Kind: Interface}, {Kind: Queue}},
				Columns: []Column{
					{Number: 2, Metric: metric.PFCWatchdogStormed, Words: map[int64]float64{1: 0, 2: 1}},
					{Number: 3, Metric: metric.PFCWatchdogStorms},
					{Number: 4, Metric: metric.PFCWatchdogRestores},
					{Number: 5, Metric: metric.PFCWatchdogDiscards},
					{Number: 8, Metric: metric.PFCWatchdogReceiveDiscards},
				},
				Unverified: "Which releases fill it is not known.",
			},
		},
	}
}

// ciscoQoS is what goes out of queues of NX-OS and SONiC, by QoS group. The last
// part of the index says what a row counts. SONiC numbers groups from 1, queue
// and all.
func ciscoQoS() MIB {
	const outbound = 2
	return MIB{
		Name: "cisco_switch_qos", Title: "CISCO-SWITCH-QOS-MIB", Agents: []string{enterpriseCisco, enterpriseNetSNMP},
		Source: "CISCO-SWITCH-QOS-MIB; sonic-snmpagent e09fd380",
		Tables: []Table{{
			Name: "csqIfQosGroupStatsTable", Entry: "1.3.6.1.4.1.9.9.580.1.5.5.1",
			Index: []Part{{Kind: Interface}, {Kind: Ignored, Only: []uint32{outbound}}, {Kind: Queue}, {Kind: Select, Only: []uint32{1, 2, 5, 6}}},
			Columns: []Column{
				{Number: 4, When: 1, Metric: metric.QueuePacketsTransmitted},
				{Number: 4, When: 2, Metric: metric.QueueBytesTransmitted},
				{Number: 4, When: 5, Metric: metric.QueueDiscards},
				{Number: 4, When: 6, Metric: metric.QueueDiscardedBytes},
			},
			Unverified: "Unicast only; multicast queues share the groups' numbers.",
		}},
	}
}

// aristaPFC is PFC of EOS and its watchdog, whose counters are Integer32.
func aristaPFC() MIB {
	return MIB{
		Name: "arista_pfc", Title: "ARISTA-PFC-MIB", Agents: []string{enterpriseArista}, Source: "ARISTA-PFC-MIB",
		Tables: []Table{
			{
				Name: "aristaPfcIfTable", Entry: "1.3.6.1.4.1.30065.3.11.1.1.1", Index: byPriority(),
				Columns: []Column{
					{Number: 3, Metric: metric.InterfacePFCFramesTransmitted},
					{Number: 4, Metric: metric.InterfacePFCFramesReceived},
				},
			},
			{
				Name: "aristaPfcWatchdogTable", Entry: "1.3.6.1.4.1.30065.3.11.1.2.1", Index: []Part{{Kind: Interface}, {Kind: Ignored}, {Kind: Queue}},
				Columns: []Column{
					{Number: 4, Metric: metric.PFCWatchdogStorms},
					{Number: 5, Metric: metric.PFCWatchdogRestores},
				},
			},
		},
	}
}

// aristaQueues is what goes out of queues of EOS. Unicast and multicast queues
// have numbers of their own.
func aristaQueues() MIB {
	return MIB{
		Name: "arista_queue", Title: "ARISTA-QUEUE-MIB", Agents: []string{enterpriseArista}, Source: "ARISTA-QUEUE-MIB; a walk of a 7280R with EOS 4.33.6M",
		Tables: []Table{{
			Name: "aristaEgressQueueTable", Entry: "1.3.6.1.4.1.30065.3.6.1.2.1", Index: []Part{{Kind: Interface}, {Kind: Queue}, {Kind: Ignored}},
			Columns: []Column{
				{Number: 4, Metric: metric.QueuePacketsTransmitted},
				{Number: 5, Metric: metric.QueueBytesTransmitted},
				{Number: 6, Metric: metric.QueueDiscards},
				{Number: 7, Metric: metric.QueueDiscardedBytes},
				{Number: 8, Metric: metric.QueueTailDiscards},
				{Number: 9, Metric: metric.QueueNoBufferDiscards},
			},
		}},
	}
}

// aristaECN is packets that EOS marked.
func aristaECN() MIB {
	return MIB{
		Name: "arista_qos", Title: "ARISTA-QOS-MIB", Agents: []string{enterpriseArista}, Source: "ARISTA-QOS-MIB; a walk of a 7280R with EOS 4.33.6M",
		Tables: []Table{{
			Name: "aristaEcnQueueTable", Entry: "1.3.6.1.4.1.30065.3.13.1.9.1", Index: []Part{{Kind: Interface}, {Kind: Queue}},
			Columns: []Column{{Number: 4, Metric: metric.QueueECNMarked}},
		}},
	}
}

// mellanoxQoS is pause, PFC, buffers and queues of Onyx. The document gives
// durations in milliseconds, and others in ticks, which are left out.
func mellanoxQoS() MIB {
	const duration = "Milliseconds by the document; not seen on a device."
	return MIB{
		Name: "mellanox_qos", Title: "MELLANOX-QOS-MIB", Agents: []string{enterpriseMellanox}, Source: "MELLANOX-QOS-MIB",
		Tables: []Table{
			{
				Name: "mellanoxQosPfcTable", Entry: "1.3.6.1.4.1.33049.15.1.2.1", Index: byPriority(),
				Columns: []Column{
					{Number: 3, Metric: metric.InterfacePFCFramesReceived},
					{Number: 4, Metric: metric.InterfacePFCPauseReceived, Scale: 1e-3, Unverified: duration},
					{Number: 5, Metric: metric.InterfacePFCFramesTransmitted},
					{Number: 6, Metric: metric.InterfacePFCPauseTransmitted, Scale: 1e-3, Unverified: duration},
				},
				Unverified: "That the second part of the index is the priority was not read.",
			},
			{
				Name: "mellanoxQosPriorityGroupTable", Entry: "1.3.6.1.4.1.33049.15.1.3.1", Index: []Part{{Kind: Interface}, {Kind: PriorityGroup}},
				Columns: []Column{{Number: 6, Metric: metric.PriorityGroupDiscards}},
			},
			{
				Name: "mellanoxQosTrafficClassTable", Entry: "1.3.6.1.4.1.33049.15.1.4.1", Index: []Part{{Kind: Interface}, {Kind: Queue}},
				Columns: []Column{
					{Number: 3, Metric: metric.QueuePacketsTransmitted},
					{Number: 4, Metric: metric.QueueBytesTransmitted},
					{Number: 8, Metric: metric.QueueNoBufferDiscards},
					{Number: 9, Metric: metric.QueueWREDDiscards},
				},
			},
			{
				Name: "mellanoxQosPortTable", Entry: "1.3.6.1.4.1.33049.15.1.5.1", Index: perInterface(),
				Columns: []Column{
					{Number: 2, Metric: metric.InterfacePauseFramesReceived},
					{Number: 3, Metric: metric.InterfacePauseFramesTransmitted},
				},
			},
		},
		Unverified: "No device that has the document's tables was seen.",
	}
}

// dellPFC is PFC of Dell OS9. Its buffers are gauges in cells of unknown size and
// are left out. OS10 has no such document.
func dellPFC() MIB {
	return MIB{
		Name: "dell_fpstats", Title: "DELL-NETWORKING-FPSTATS-MIB", Agents: []string{enterpriseDell}, Source: "DELL-NETWORKING-FPSTATS-MIB",
		Tables: []Table{{
			Name: "dellNetPfcPerPrioTable", Entry: "1.3.6.1.4.1.6027.3.27.1.11.1", Index: byPriority(),
			Columns: []Column{
				{Number: 2, Metric: metric.InterfacePFCFramesTransmitted},
				{Number: 3, Metric: metric.InterfacePFCFramesReceived},
			},
		}},
	}
}

// juniperCoS is what goes out of queues of Junos. Juniper has no PFC in SNMP.
func juniperCoS() MIB {
	return MIB{
		Name: "juniper_cos", Title: "JUNIPER-COS-MIB", Agents: []string{enterpriseJuniper}, Source: "JUNIPER-COS-MIB",
		Tables: []Table{{
			Name: "jnxCosQstatTable", Entry: "1.3.6.1.4.1.2636.3.15.4.1", Index: []Part{{Kind: Interface}, {Kind: Queue}},
			Columns: []Column{
				{Number: 7, Metric: metric.QueuePacketsTransmitted},
				{Number: 9, Metric: metric.QueueBytesTransmitted},
				{Number: 11, Metric: metric.QueueTailDiscards},
				{Number: 13, Metric: metric.QueueWREDDiscards},
				{Number: 23, Metric: metric.QueueWREDDiscardedBytes},
				{Number: 53, Metric: metric.QueueDiscards},
				{Number: 55, Metric: metric.QueueDiscardedBytes},
			},
		}},
	}
}

// huaweiPFC is PFC of Huawei, whose priorities are the classes BE to CS7, from 1.
func huaweiPFC() MIB {
	return MIB{
		Name: "huawei_fcoe", Title: "HUAWEI-FCOE-MIB", Agents: []string{enterpriseHuawei}, Source: "HUAWEI-FCOE-MIB",
		Tables: []Table{{
			Name: "hwDcbPfcFrameStatisticsTable", Entry: "1.3.6.1.4.1.2011.5.25.303.4.1.1", Index: []Part{{Kind: Interface}, {Kind: Priority, Base: 1}},
			Columns: []Column{
				{Number: 3, Metric: metric.InterfacePFCFramesReceived},
				{Number: 4, Metric: metric.InterfacePFCFramesTransmitted},
			},
		}},
		Unverified: "Which CE switches have it is not known.",
	}
}

// huaweiPause is link pause of Huawei.
func huaweiPause() MIB {
	return MIB{
		Name: "huawei_if_ext", Title: "HUAWEI-IF-EXT-MIB", Agents: []string{enterpriseHuawei}, Source: "HUAWEI-IF-EXT-MIB",
		Tables: []Table{{
			Name: "hwIfEtherStatTable", Entry: "1.3.6.1.4.1.2011.5.25.41.1.6.1.1", Index: perInterface(),
			Columns: []Column{
				{Number: 18, Metric: metric.InterfacePauseFramesReceived, Fallback: true},
				{Number: 22, Metric: metric.InterfacePauseFramesTransmitted, Fallback: true},
			},
		}},
	}
}

// h3cQueues is what goes out of queues of H3C. Its PFC has rates only, and no
// counters.
func h3cQueues() MIB {
	return MIB{
		Name: "h3c_ifqos2", Title: "HH3C-IFQOS2-MIB", Agents: []string{enterpriseH3C}, Source: "HH3C-IFQOS2-MIB",
		Tables: []Table{{
			Name: "hh3cIfQoSHardwareQueueRunInfoTable", Entry: "1.3.6.1.4.1.25506.2.65.1.1.2.1.1", Index: []Part{{Kind: Interface}, {Kind: Queue}},
			Columns: []Column{
				{Number: 1, Metric: metric.QueuePacketsTransmitted},
				{Number: 2, Metric: metric.QueueDiscards},
				{Number: 3, Metric: metric.QueueBytesTransmitted},
				{Number: 6, Metric: metric.QueueDiscardedBytes},
			},
		}},
	}
}

// fastpathPFC is PFC of Broadcom's FASTPATH and ICOS, in 32 bits that are no
// counters on the wire.
func fastpathPFC() MIB {
	return MIB{
		Name: "fastpath_pfc", Title: "NETGEAR-PFC-MIB", Agents: []string{enterpriseFASTPATH}, Source: "NETGEAR-PFC-MIB",
		Tables: []Table{{
			Name: "agentPfcIntfPriorityStatsTable", Entry: "1.3.6.1.4.1.4413.1.1.47.1.3.1", Index: byPriority(),
			Columns: []Column{
				{Number: 1, Metric: metric.InterfacePFCFramesReceived},
				{Number: 2, Metric: metric.InterfacePFCFramesTransmitted},
			},
			Unverified: "The table's name is not the document's.",
		}},
	}
}

// alcatelPFC is PFC of Alcatel-Lucent's AOS 7 and 8.
func alcatelPFC() MIB {
	return MIB{
		Name: "alcatel_dcb", Title: "ALCATEL-IND1-DCBX-MIB", Agents: []string{enterpriseAlcatel}, Source: "AOS 7 and 8",
		Tables: []Table{{
			Name: "alaDcbxPfcTable", Entry: "1.3.6.1.4.1.6486.801.1.2.1.72.1.1.1.4.1", Index: byPriority(),
			Columns: []Column{
				{Number: 4, Metric: metric.InterfacePFCFramesReceived},
				{Number: 5, Metric: metric.InterfacePFCFramesTransmitted},
			},
			Unverified: "The names of the document and the table are not known.",
		}},
	}
}
