package metric

// What the exporter says of a switch that it reads, beside the switch's own
// metrics. Box identity is Prometheus's label instance.
var (
	TargetUp = &Metric{Name: "roce_target_up", Type: Gauge, Source: itself,
		Help: "1 if the target's data is there and fresh. 0: it cannot be reached, refuses, or went silent; then none of its own metrics are served."}
	TargetInfo = &Metric{Name: "roce_target_info", Type: Info, Labels: []Label{Protocol, Profile, Encoding}, Source: itself,
		Help: "How the target is read: protocol, the profile in force, and the encoding that was agreed on."}
	TargetConnected = &Metric{Name: "roce_target_connected", Type: Gauge, Source: itself,
		Help: "1 while there is a connection to the target."}
	TargetSynchronized = &Metric{Name: "roce_target_synchronized", Type: Gauge, Source: itself,
		Help: "1 if every stream of the target has told its whole initial state."}
	TargetStreams = &Metric{Name: "roce_target_streams", Type: Gauge, Source: itself,
		Help: "Streams that run to the target now."}
	TargetReceiveAge = &Metric{Name: "roce_target_last_receive_age_seconds", Type: Gauge, Unit: Seconds, Source: itself,
		Help: "Time since the last message of the target came, by the exporter's clock. Absent before the first."}
	TargetClockOffset = &Metric{Name: "roce_target_clock_offset_seconds", Type: Gauge, Unit: Seconds, Source: itself,
		Help: "Time stamp of the target's last message less the exporter's clock. Far from 0: the device's clock is wrong, or it stamps the last change. Nothing depends on it."}
	TargetMessages = &Metric{Name: "roce_target_messages_total", Type: Counter, Source: itself,
		Help: "Messages of the target that came."}
	TargetUpdates = &Metric{Name: "roce_target_updates_total", Type: Counter, Source: itself,
		Help: "Values of the target that came, whether or not a metric is made of them."}
	TargetDeletes = &Metric{Name: "roce_target_deletes_total", Type: Counter, Source: itself,
		Help: "Deletes of paths that came from the target."}
	TargetCoalesced = &Metric{Name: "roce_target_coalesced_updates_total", Type: Counter, Source: itself,
		Help: "Values that the target says it left out because the exporter or the network was too slow."}
	TargetReceivedBytes = &Metric{Name: "roce_target_received_bytes_total", Type: Counter, Unit: Bytes, Source: itself,
		Help: "Bytes of the target's messages, uncompressed."}
	TargetReconnects = &Metric{Name: "roce_target_reconnects_total", Type: Counter, Source: itself,
		Help: "Times that a stream of the target ended or was given up and is begun again."}
	TargetRefusedPaths = &Metric{Name: "roce_target_refused_paths", Type: Gauge, Source: itself,
		Help: "Paths that the target refuses. They cost the others nothing, are on the landing page, and are tried again once an hour."}
	TargetUnusable = &Metric{Name: "roce_target_unusable_values_total", Type: Counter, Labels: []Label{Reason}, Source: itself,
		Help: "Values of the target from which no metric could be made: type, range, name (an unknown word of an enumeration), message (malformed), limit (more entries than the exporter keeps)."}
	TargetExpired = &Metric{Name: "roce_target_expired_entries_total", Type: Counter, Source: itself,
		Help: "Interfaces, queues and the like that were dropped because the target told nothing of them any more."}
)

// targets lists the rows of this file.
func targets() []*Metric {
	return []*Metric{
		TargetUp, TargetInfo, TargetConnected, TargetSynchronized, TargetStreams, TargetReceiveAge, TargetClockOffset, TargetMessages, TargetUpdates,
		TargetDeletes, TargetCoalesced, TargetReceivedBytes, TargetReconnects, TargetRefusedPaths, TargetUnusable, TargetExpired,
	}
}
