package gnmi

import (
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// nxosProfile is Cisco NX-OS: queues, marks and PFC by its own model, the rest
// by OpenConfig's, less what NX-OS says that it does not support there. NX-OS
// lets a collector have eight RPCs, and tells counters only as a container. What
// Capabilities call its model is from general knowledge.
func nxosProfile() Profile {
	return Profile{
		Name:       "cisco_nxos",
		Title:      "Cisco NX-OS",
		Checked:    "YangModels/yang: NX-OS 10.6(3) OpenConfig deviations, 9.3(2) native model",
		Port:       50051,
		Models:     []string{"cisco-nx-os-"},
		MaxStreams: 8,
		Subscriptions: slices.Concat(
			[]Subscription{nxosQueues(), openconfigInterfaceCounters()},
			openconfigInterfaceState(), without(openconfigEthernet(), metric.FECModeInfo),
			unverified("Which of OpenConfig's leaves NX-OS tells was not read.", slices.Concat(openconfigTransceivers(), openconfigLLDP()))),
	}
}

// nxosQueues is what goes out of queues, whose names are those of their classes,
// with PFC of the class and its watchdog. NX-OS numbers the classes of its usual
// policy with eight queues like the priorities; PFC of others has no priority
// that could be told.
func nxosQueues() Subscription {
	const (
		class    = "[cmapName={queue}][statType={id}]/"
		priority = "[cmapName=c-out-8q-q{priority}][statType={id}]/"
		doubt    = "The priority is taken from the name of the class; a network-qos policy can give it another one."
	)
	return Subscription{
		Origin: "device",
		Path:   "/System/ipqos-items/queuing-items/policy-items/out-items/intf-items/If-list/queCmap-items/QueuingStats-list",
		Base:   "/System/ipqos-items/queuing-items/policy-items/out-items/intf-items/If-list[name={interface}]/queCmap-items",
		Leaves: []Leaf{
			{Path: "QueuingStats-list" + class + "txPackets", Metric: metric.QueuePacketsTransmitted},
			{Path: "QueuingStats-list" + class + "txBytes", Metric: metric.QueueBytesTransmitted},
			{Path: "QueuingStats-list" + class + "dropPackets", Metric: metric.QueueDiscards},
			{Path: "QueuingStats-list" + class + "dropBytes", Metric: metric.QueueDiscardedBytes},
			{Path: "QueuingStats-list" + class + "randDropPackets", Metric: metric.QueueWREDDiscards},
			{Path: "QueuingStats-list" + class + "randDropBytes", Metric: metric.QueueWREDDiscardedBytes},
			{Path: "QueuingStats-list" + class + "randEcnMarkedPackets", Metric: metric.QueueECNMarked},
			{Path: "QueuingStats-list" + class + "currQueueDepth", Metric: metric.QueueLength},
			{Path: "QueuingStats-list" + class + "maxQueueDepth", Metric: metric.QueueLengthMaximum},
			{Path: "QueuingStats-list" + class + "pfcwdShutdownCount", Metric: metric.PFCWatchdogStorms},
			{Path: "QueuingStats-list" + class + "pfcwdRestoredCount", Metric: metric.PFCWatchdogRestores},
			{Path: "QueuingStats-list" + class + "pfcwdFlushedPackets", Metric: metric.PFCWatchdogDiscards},
			{Path: "QueuingStats-list" + priority + "pfcRxPpp", Metric: metric.InterfacePFCFramesReceived, Unverified: doubt},
			{Path: "QueuingStats-list" + priority + "pfcTxPpp", Metric: metric.InterfacePFCFramesTransmitted, Unverified: doubt},
		},
		Source:     "NX-OS device YANG of 9.3(2)",
		Unverified: "Releases from 10 on were not read for it, nor whether a class has entries of several types; then one of them is told.",
	}
}
