package metric

// Where the rows of this file come from, for the Source field.
const (
	ocQueue  = "openconfig-qos, /qos/interfaces/interface/output/queues/queue/state"
	saiQueue = "SAI_QUEUE_STAT_"
	saiGroup = "SAI_INGRESS_PRIORITY_GROUP_STAT_"
	saiPool  = "SAI_BUFFER_POOL_STAT_"
	nvBuffer = "NVIDIA shared-buffer paths, see PROFILES.md"
	csqGroup = "CISCO-SWITCH-QOS-MIB csqIfPriGrpInBufUsageTable, in cells of csqServicePoolCellSize"
	csqPool  = "CISCO-SWITCH-QOS-MIB csqSharedPoolUsageTable, in cells of csqServicePoolCellSize"
)

// queueCounter makes the row of a counter of an egress queue of a switch's
// interface.
func queueCounter(name, help, source string) *Metric {
	return withUnit(&Metric{Name: "roce_queue_" + name + "_total", Help: help, Type: Counter, Labels: []Label{Interface, Queue}, Source: source})
}

func queueGauge(name, help, source string) *Metric {
	return withUnit(&Metric{Name: "roce_queue_" + name, Help: help, Type: Gauge, Labels: []Label{Interface, Queue}, Source: source})
}

func groupGauge(name, help, source string) *Metric {
	return withUnit(&Metric{Name: "roce_priority_group_" + name, Help: help, Type: Gauge, Labels: []Label{Interface, PriorityGroup}, Source: source})
}

func poolGauge(name, help, source string) *Metric {
	return withUnit(&Metric{Name: "roce_buffer_pool_" + name, Help: help, Type: Gauge, Labels: []Label{Pool}, Source: source})
}

// watchdogCounter makes the row of a counter of the PFC watchdog. Some devices
// count by queue, some by priority; a series has the label that the device
// counts by.
func watchdogCounter(name, help, source string) *Metric {
	return withUnit(&Metric{Name: "roce_pfc_watchdog_" + name + "_total", Help: help, Type: Counter, Labels: []Label{Interface, Priority, Queue}, Source: source})
}

// Egress queues.
var (
	QueuePacketsTransmitted = queueCounter("transmitted_packets", "Packets sent from the queue.", ocQueue+"/transmit-pkts; "+saiQueue+"PACKETS")
	QueueBytesTransmitted   = queueCounter("transmitted_bytes", "Bytes sent from the queue.", ocQueue+"/transmit-octets; "+saiQueue+"BYTES")
	QueueDiscards           = queueCounter("discarded_packets", "Packets dropped instead of queued: the queue was full or WRED chose them. On a lossless queue any growth is bad.", ocQueue+"/dropped-pkts; "+saiQueue+"DROPPED_PACKETS")
	QueueDiscardedBytes     = queueCounter("discarded_bytes", "Bytes of packets dropped instead of queued.", ocQueue+"/dropped-octets; "+saiQueue+"DROPPED_BYTES")
	QueueWREDDiscards       = queueCounter("wred_discarded_packets", "Packets that WRED dropped: traffic that does not speak ECN.", "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS; wred-dropped-pkts of Arista and NVIDIA")
	QueueWREDDiscardedBytes = queueCounter("wred_discarded_bytes", "Bytes of packets that WRED dropped.", saiQueue+"WRED_DROPPED_BYTES")
	QueueNoBufferDiscards   = queueCounter("no_buffer_discarded_packets", "Packets dropped because the shared buffer had no room.", "NVIDIA no-buffer-uc-dropped-pkts")
	QueueTailDiscards       = queueCounter("tail_discarded_packets", "Packets dropped because the queue was full, where they are counted apart from WRED's.", "Junos out-queue tail-drop-pkts")
	QueueECNMarked          = queueCounter("ecn_marked_packets", "Packets that the queue marked with ECN congestion experienced. Devices differ on whether packets that came marked count too: see PROFILES.md.", ocQueue+"/ecn-marked-pkts; "+saiQueue+"WRED_ECN_MARKED_PACKETS")
	QueueECNMarkedBytes     = queueCounter("ecn_marked_bytes", "Bytes of packets that the queue marked with ECN congestion experienced.", ocQueue+"/ecn-marked-octets; "+saiQueue+"WRED_ECN_MARKED_BYTES")
	QueueECNSelected        = queueCounter("ecn_selected_packets", "Packets that congestion control chose for a mark or a drop, whatever they then got.", ocQueue+"/ecn-selected-pkts")
	QueueECNSelectedBytes   = queueCounter("ecn_selected_bytes", "Bytes of packets that congestion control chose for a mark or a drop.", ocQueue+"/ecn-selected-octets")
	QueueDepth              = queueGauge("depth_bytes", "Bytes in the queue now.", "CISCO-CLASS-BASED-QOS-MIB cbQosQueueingCurrentQDepth")
	QueueDepthHighWatermark = queueGauge("depth_high_watermark_bytes", "Most bytes that were in the queue in the device's last window, or since it was cleared.", saiQueue+"SHARED_WATERMARK_BYTES")
	QueueLength             = queueGauge("length", "How full the queue is, in the device's own unit: bytes or cells, which the model leaves open.", ocQueue+"/avg-queue-len; instant-queue-len of NVIDIA; currQueueDepth of NX-OS; cur-buffer-occupancy of Junos")
	QueueLengthMaximum      = queueGauge("length_maximum", "How full the queue was at most, in the device's own unit: bytes or cells, which the model leaves open.", ocQueue+"/max-queue-len")
)

// Ingress priority groups.
var (
	PriorityGroupShared          = groupGauge("shared_bytes", "Shared buffer that the priority group holds now.", csqGroup)
	PriorityGroupSharedWatermark = groupGauge("shared_high_watermark_bytes", "Most shared buffer that the priority group held in the device's last window, or since it was cleared.", saiGroup+"SHARED_WATERMARK_BYTES")
	PriorityGroupHeadroom        = groupGauge("headroom_bytes", "Headroom that the priority group uses now: what came in after PFC had told the peer to stop.", csqGroup)
	PriorityGroupHeadroomMark    = groupGauge("headroom_high_watermark_bytes", "Most headroom that the priority group used in the device's last window, or since it was cleared. Near the configured headroom, lossless traffic is about to be lost.", saiGroup+"XOFF_ROOM_WATERMARK_BYTES; "+nvBuffer)
	PriorityGroupOccupancy       = groupGauge("occupancy", "Shared buffer that the priority group holds now, in the device's own unit: bytes or cells, which its maker does not say.", nvBuffer)
	PriorityGroupOccupancyMost   = groupGauge("occupancy_maximum", "Most shared buffer that the priority group held since it was cleared, in the device's own unit: bytes or cells, which its maker does not say.", nvBuffer)
	PriorityGroupDiscards        = withUnit(&Metric{Name: "roce_priority_group_discarded_packets_total", Type: Counter, Labels: []Label{Interface, PriorityGroup},
		Help: "Packets dropped on receipt because the priority group had no buffer. On a lossless priority any growth is bad.", Source: saiGroup + "DROPPED_PACKETS"})
)

// Buffer pools.
var (
	BufferPoolUsed              = poolGauge("used_bytes", "Bytes of the buffer pool in use now.", csqPool)
	BufferPoolHighWatermark     = poolGauge("high_watermark_bytes", "Most bytes of the buffer pool in use in the device's last window, or since it was cleared.", saiPool+"WATERMARK_BYTES")
	BufferPoolHeadroomWatermark = poolGauge("headroom_high_watermark_bytes", "Most bytes of the pool's shared headroom in use in the device's last window, or since it was cleared.", saiPool+"XOFF_ROOM_WATERMARK_BYTES")
	BufferPoolOccupancy         = poolGauge("occupancy", "How much of the buffer pool is in use now, in the device's own unit: bytes or cells, which its maker does not say.", nvBuffer+"; SR Linux buffer-memory used")
	BufferPoolOccupancyMost     = poolGauge("occupancy_maximum", "How much of the buffer pool was in use at most since it was cleared, in the device's own unit: bytes or cells, which its maker does not say.", nvBuffer)
	BufferPoolSize              = poolGauge("size_bytes", "Bytes that the buffer pool has.", csqPool)
	BufferPoolFree              = poolGauge("free_bytes", "Bytes of the buffer pool that are free now.", csqPool)
)

// PFC watchdog.
var (
	PFCWatchdogStormed = withUnit(&Metric{Name: "roce_pfc_watchdog_stormed", Type: Gauge, Labels: []Label{Interface, Priority, Queue},
		Help: "1 while the watchdog holds the queue for deadlocked by a pause storm, 0 while it works.", Source: "SONiC PFC_WD_STATUS"})
	PFCWatchdogStorms          = watchdogCounter("storms", "Pause storms that the watchdog found and acted on: it dropped or forwarded what the peer wanted stopped.", "SONiC PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED; Arista stuck-count; NX-OS pfcwdShutdownCount; SR Linux deadlock-recovery-occurrences")
	PFCWatchdogRestores        = watchdogCounter("restores", "Times that the watchdog found a storm over and set the queue free.", "SONiC PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED; Arista recovery-count; NX-OS pfcwdRestoredCount")
	PFCWatchdogDiscards        = watchdogCounter("discarded_packets", "Packets that the watchdog dropped during storms, on sending.", "SONiC PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS; NX-OS pfcwdFlushedPackets")
	PFCWatchdogReceiveDiscards = watchdogCounter("received_discarded_packets", "Packets that the watchdog dropped during storms, on receipt.", "SONiC PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS")
)

// queues lists the rows of this file.
func queues() []*Metric {
	return []*Metric{
		QueuePacketsTransmitted, QueueBytesTransmitted, QueueDiscards, QueueDiscardedBytes, QueueWREDDiscards, QueueWREDDiscardedBytes,
		QueueNoBufferDiscards, QueueTailDiscards, QueueECNMarked, QueueECNMarkedBytes, QueueECNSelected, QueueECNSelectedBytes,
		QueueDepth, QueueDepthHighWatermark, QueueLength, QueueLengthMaximum,
		PriorityGroupShared, PriorityGroupSharedWatermark, PriorityGroupHeadroom, PriorityGroupHeadroomMark,
		PriorityGroupOccupancy, PriorityGroupOccupancyMost, PriorityGroupDiscards,
		BufferPoolUsed, BufferPoolHighWatermark, BufferPoolHeadroomWatermark, BufferPoolOccupancy, BufferPoolOccupancyMost,
		BufferPoolSize, BufferPoolFree,
		PFCWatchdogStormed, PFCWatchdogStorms, PFCWatchdogRestores, PFCWatchdogDiscards, PFCWatchdogReceiveDiscards,
	}
}
