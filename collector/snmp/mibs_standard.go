package snmp

import "github.com/roce-exporter/roce_exporter/collector/metric"

// perInterface is the index of tables with a row for each interface.
func perInterface() []Part { return []Part{{Kind: Interface}} }

// ifMIB is state and traffic of interfaces. Discards and errors have 32 bits
// only.
func ifMIB() MIB {
	return MIB{
		Name: "if_mib", Title: "IF-MIB", Source: "RFC 2863",
		Tables: []Table{
			{
				Name: "ifXTable", Entry: "1.3.6.1.2.1.31.1.1.1", Index: perInterface(),
				Columns: []Column{
					{Number: 6, Metric: metric.InterfaceBytesReceived},
					{Number: 7, Metric: metric.InterfaceUnicastReceived},
					{Number: 8, Metric: metric.InterfaceMulticastReceived},
					{Number: 9, Metric: metric.InterfaceBroadcastReceived},
					{Number: 10, Metric: metric.InterfaceBytesTransmitted},
					{Number: 11, Metric: metric.InterfaceUnicastTransmitted},
					{Number: 12, Metric: metric.InterfaceMulticastTransmitted},
					{Number: 13, Metric: metric.InterfaceBroadcastTransmitted},
					{Number: 15, Metric: metric.InterfaceSpeed, Scale: 1e6 / 8}, // ifHighSpeed, Mb/s
					{Number: 18, Metric: metric.InterfaceInfo, Label: metric.Description},
				},
			},
			{
				Name: "ifTable", Entry: "1.3.6.1.2.1.2.2.1", Index: perInterface(),
				Columns: []Column{
					{Number: 4, Metric: metric.InterfaceMTU},
					{Number: 5, Metric: metric.InterfaceSpeed, Scale: 1.0 / 8, Fallback: true},
					{Number: 7, Metric: metric.InterfaceAdminUp, Words: map[int64]float64{1: 1, 2: 0, 3: 0}},
					{Number: 8, Metric: metric.InterfaceUp, Words: map[int64]float64{1: 1, 2: 0, 3: 0, 5: 0, 6: 0, 7: 0}},
					{Number: 10, Metric: metric.InterfaceBytesReceived, Fallback: true},
					{Number: 11, Metric: metric.InterfaceUnicastReceived, Fallback: true},
					{Number: 13, Metric: metric.InterfaceReceiveDiscards},
					{Number: 14, Metric: metric.InterfaceReceiveErrors},
					{Number: 16, Metric: metric.InterfaceBytesTransmitted, Fallback: true},
					{Number: 17, Metric: metric.InterfaceUnicastTransmitted, Fallback: true},
					{Number: 19, Metric: metric.InterfaceTransmitDiscards},
					{Number: 20, Metric: metric.InterfaceTransmitErrors},
				},
			},
		},
	}
}

// etherLikeMIB is link pause and errors of Ethernet. Some chips count PFC frames
// as pause too.
func etherLikeMIB() MIB {
	const pfc = "Some chips count PFC frames here too."
	return MIB{
		Name: "etherlike_mib", Title: "EtherLike-MIB", Source: "RFC 3635",
		Tables: []Table{
			{
				Name: "dot3PauseTable", Entry: "1.3.6.1.2.1.10.7.10.1", Index: perInterface(),
				Columns: []Column{
					{Number: 5, Metric: metric.InterfacePauseFramesReceived, Unverified: pfc},
					{Number: 6, Metric: metric.InterfacePauseFramesTransmitted, Unverified: pfc},
					{Number: 3, Metric: metric.InterfacePauseFramesReceived, Fallback: true, Unverified: pfc},
					{Number: 4, Metric: metric.InterfacePauseFramesTransmitted, Fallback: true, Unverified: pfc},
				},
			},
			{
				Name: "dot3HCStatsTable", Entry: "1.3.6.1.2.1.10.7.11.1", Index: perInterface(),
				Columns: []Column{
					{Number: 2, Metric: metric.InterfaceCRCErrors},
					{Number: 4, Metric: metric.InterfaceOversizeReceived},
					{Number: 6, Metric: metric.InterfaceSymbolErrors},
				},
			},
			{
				Name: "dot3StatsTable", Entry: "1.3.6.1.2.1.10.7.2.1", Index: perInterface(),
				Columns: []Column{
					{Number: 3, Metric: metric.InterfaceCRCErrors, Fallback: true},
					{Number: 13, Metric: metric.InterfaceOversizeReceived, Fallback: true},
					{Number: 18, Metric: metric.InterfaceSymbolErrors, Fallback: true},
				},
			},
		},
	}
}
