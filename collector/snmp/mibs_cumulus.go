package snmp

import "github.com/roce-exporter/roce_exporter/collector/metric"

// cumulusCounters is PFC, queues and discards of Cumulus Linux. Priorities and
// traffic classes are in the columns' numbers: each column is a table of its own
// with one fixed label.
func cumulusCounters() MIB {
	return MIB{
		Name: "cumulus_counters", Title: "CUMULUS-COUNTERS-MIB", Agents: []string{enterpriseCumulus, enterpriseNetSNMP},
		Source: "CUMULUS-COUNTERS-MIB; a walk of Cumulus Linux 5.9.2",
		Tables: []Table{
			{
				Name: "pfcClTable", Entry: "1.3.6.1.4.1.40310.2.2.3.1", Index: perInterface(),
				Columns: cumulusPFC(),
			},
			{
				Name: "tcClTable", Entry: "1.3.6.1.4.1.40310.2.2.4.1", Index: perInterface(),
				Columns: cumulusQueues(),
			},
		},
	}
}

// cumulusPFC is InPfc and OutPfc of each priority n, in columns 4+2n and 5+2n.
func cumulusPFC() []Column {
	out := []Column{
		{Number: 2, Metric: metric.InterfacePauseFramesReceived},
		{Number: 3, Metric: metric.InterfacePauseFramesTransmitted},
	}
	for n := range uint32(8) {
		fixed := Fixed{Kind: Priority, Value: n}
		out = append(out,
			Column{Number: 4 + 2*n, Fixed: &fixed, Metric: metric.InterfacePFCFramesReceived},
			Column{Number: 5 + 2*n, Fixed: &fixed, Metric: metric.InterfacePFCFramesTransmitted})
	}
	return out
}

// cumulusQueues is packets and discards of each traffic class n, in columns 2+3n
// to 4+3n. Its classes are Spectrum's egress queues.
func cumulusQueues() []Column {
	var out []Column
	for n := range uint32(8) {
		fixed := Fixed{Kind: Queue, Value: n}
		out = append(out,
			Column{Number: 2 + 3*n, Fixed: &fixed, Metric: metric.QueuePacketsTransmitted},
			Column{Number: 3 + 3*n, Fixed: &fixed, Metric: metric.QueueNoBufferDiscards},
			Column{Number: 4 + 3*n, Fixed: &fixed, Metric: metric.QueueWREDDiscards})
	}
	return out
}
