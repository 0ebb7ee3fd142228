package gnmi

import (
	"slices"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// sonicBroadcomProfile is SONiC as Broadcom and Dell have it: OpenConfig's
// models with Broadcom's extension for PFC. Its PFC watchdog has counters in the
// same extension, whose place varies between releases; they are left out. The
// model's name in Capabilities is from general knowledge.
//
// Its queues are called UC-Q3 and MC-Q3, or Q3.
func sonicBroadcomProfile() Profile {
	return Profile{
		Name:    "sonic_broadcom",
		Title:   "SONiC of Broadcom and Dell (Enterprise SONiC)",
		Checked: "Broadcom's openconfig-qos-ext in sonic-mgmt-common f71cf82, OpenConfig as in profile openconfig",
		Port:    8080,
		Models:  []string{"openconfig-qos-ext"},
		Subscriptions: least(20*time.Second, // the switch refuses to sample more often
			slices.Concat([]Subscription{sonicBroadcomPFC()},
				unverified("Which of OpenConfig's leaves a release tells is not known.",
					slices.Concat(openconfigInterfaces(), []Subscription{openconfigQueues()}, openconfigEthernet(), openconfigTransceivers(), openconfigLLDP())))),
	}
}

// sonicBroadcomPFC is PFC frames.
func sonicBroadcomPFC() Subscription {
	return Subscription{
		Path: "/openconfig-qos:qos/interfaces/interface/openconfig-qos-ext:pfc/pfc-priorities/pfc-priority/state/statistics",
		Base: "/qos/interfaces/interface[interface-id={interface}]/pfc/pfc-priorities/pfc-priority[dot1p={priority}]/state/statistics",
		Leaves: []Leaf{
			{Path: "pause-frames-rx", Metric: metric.InterfacePFCFramesReceived},
			{Path: "pause-frames-tx", Metric: metric.InterfacePFCFramesTransmitted},
		},
		Source: "Broadcom's openconfig-qos-ext",
	}
}
