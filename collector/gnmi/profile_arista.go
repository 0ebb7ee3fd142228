package gnmi

import (
	"slices"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// aristaProfile is Arista EOS: OpenConfig's models with Arista's additions, less
// what EOS says that it does not support. Whatever a release does not know yet it
// refuses, or does not tell. EOS stamps values with the time of their last
// change. What Capabilities call its models is from general knowledge.
//
// EOS before 4.24.0F has PFC by native paths only, whose names depend on the
// chip; they are left out.
func aristaProfile() Profile {
	return Profile{
		Name:          "arista_eos",
		Title:         "Arista EOS",
		Checked:       "aristanetworks/yang of EOS 4.36.1F (63be023)",
		Port:          6030,
		Models:        []string{"arista-"},
		Organizations: []string{"arista"},
		Subscriptions: slices.Concat(
			[]Subscription{aristaPFC(), openconfigInterfaceCounters(), aristaQueues()}, openconfigInterfaceState(), aristaEthernet(), []Subscription{aristaWatchdog()},
			openconfigTransceivers(), openconfigLLDP()),
	}
}

const sourceArista = "aristanetworks/yang of EOS 4.36.1F"

// aristaPFC is PFC: frames from EOS 4.24.0F, buffers from 4.34.1F, time from
// 4.35.0F. Times are in nanoseconds.
func aristaPFC() Subscription {
	return Subscription{
		Path: "/interfaces/interface/ethernet/pfc/priorities/priority/state",
		Base: "/interfaces/interface[name={interface}]/ethernet/pfc/priorities/priority[index={priority}]/state",
		Leaves: []Leaf{
			{Path: "in-frames", Metric: metric.InterfacePFCFramesReceived},
			{Path: "out-frames", Metric: metric.InterfacePFCFramesTransmitted},
			{Path: "dropped-pkts", Metric: metric.InterfacePriorityDiscardsPFC},
			{Path: "dropped-octets", Metric: metric.InterfacePriorityDiscardedBytesPFC},
			{Path: "all-buffers-octets-max-last-poll", Metric: metric.InterfacePriorityBufferHighMark},
			{Path: "rx-transitions", Metric: metric.InterfacePFCTransitionsReceived},
			{Path: "pfc-on-total-rx-time", Metric: metric.InterfacePFCPauseReceived, Scale: 1e-9},
			{Path: "pfc-on-max-rx-time", Metric: metric.InterfacePFCPauseLongestReceived, Scale: 1e-9},
		},
		Source: "arista-intf-augments, arista-pfc-buffer-counters-augment and arista-pfc-history of " + sourceArista,
	}
}

// aristaQueues is what goes out of queues.
func aristaQueues() Subscription {
	s := without([]Subscription{openconfigQueues()}, metric.QueueLength, metric.QueueLengthMaximum, metric.QueueECNMarkedBytes, metric.QueueECNSelectedBytes)[0]
	return with(s, "wred-dropped-pkts from "+sourceArista+"; EOS's ecn-marked-pkts counts what was selected for a mark", Leaf{Path: "wred-dropped-pkts", Metric: metric.QueueWREDDiscards})
}

// aristaEthernet is the link layer. EOS has no FEC in OpenConfig.
func aristaEthernet() []Subscription {
	return without(openconfigEthernet(), metric.FECModeInfo, metric.FECPreErrorRatio, metric.FECPostErrorRatio, metric.FECCorrected, metric.FECUncorrectable)
}

// aristaWatchdog is the PFC watchdog, by queue. Its counters have 32 bits.
func aristaWatchdog() Subscription {
	return Subscription{
		Path: "/interfaces/interface/ethernet/pfc/watchdog/tx-queues/tx-queue/state",
		Base: "/interfaces/interface[name={interface}]/ethernet/pfc/watchdog/tx-queues/tx-queue[index={queue}][queue-type={id}]/state",
		Leaves: []Leaf{
			{Path: "stuck-count", Metric: metric.PFCWatchdogStorms},
			{Path: "recovery-count", Metric: metric.PFCWatchdogRestores},
		},
		Source:     "arista-intf-augments of " + sourceArista,
		Unverified: "Whether queues of two types can share an index was not found; then one of them is told.",
	}
}
