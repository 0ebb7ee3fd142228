package metric

const itself = "the exporter"

// What the exporter says of itself.
var (
	ExporterBuildInfo = &Metric{Name: "roce_exporter_build_info", Type: Info, Help: "The program that serves this.",
		Labels: []Label{Version, Revision, GoVersion}, Source: itself}
	ExporterCollectorSuccess = &Metric{Name: "roce_exporter_collector_success", Type: Gauge,
		Help: "1 if the collector could read all there is, 0 if some or all failed. What could be read is served all the same.", Labels: []Label{Collector}, Source: itself}
	ExporterCollectorDuration = &Metric{Name: "roce_exporter_collector_duration_seconds", Type: Gauge, Unit: Seconds,
		Help: "Time that the collector took.", Labels: []Label{Collector}, Source: itself}
	ExporterReadErrors = &Metric{Name: "roce_exporter_read_errors_total", Type: Counter,
		Help:   "Reads that failed, by RDMA device or interface and by reason: the errno, timeout, busy (an earlier read hangs), parse. What the hardware does not have is not counted.",
		Labels: []Label{Collector, Device, Reason}, Source: itself}
	ExporterStuck = &Metric{Name: "roce_exporter_stuck_readers", Type: Gauge,
		Help: "Devices or interfaces whose read hangs in the kernel.", Labels: []Label{Collector}, Source: itself}
	ExporterDevices = &Metric{Name: "roce_exporter_rdma_devices", Type: Gauge,
		Help: "RDMA devices that are read.", Source: itself}
	ExporterUnmapped = &Metric{Name: "roce_exporter_unmapped_counters", Type: Gauge,
		Help: "Counters of a device whose names the exporter's table of its driver does not have. They are exported raw.", Labels: []Label{Device}, Source: itself}
	ExporterTargets = &Metric{Name: "roce_exporter_targets", Type: Gauge,
		Help: "Targets of the configuration that this process reads: with --shard, its own.", Source: itself}
	ExporterTargetsUp = &Metric{Name: "roce_exporter_targets_up", Type: Gauge,
		Help: "Targets whose data is there and fresh.", Source: itself}
	ExporterConfigSuccess = &Metric{Name: "roce_exporter_config_last_reload_successful", Type: Gauge,
		Help: "1 if the configuration was read without a mistake when it was last read. 0: the one before is still in force.", Source: itself}
	ExporterConfigTime = &Metric{Name: "roce_exporter_config_last_reload_success_timestamp_seconds", Type: Gauge, Unit: Seconds,
		Help: "When the configuration in force was read.", Source: itself}
	ExporterDuplicates = &Metric{Name: "roce_exporter_duplicate_samples_total", Type: Counter,
		Help: "Readings dropped because an earlier one claimed the same series. Not 0 is a fault of the exporter.", Source: itself}
)

// exporter lists the rows of this file.
func exporter() []*Metric {
	return []*Metric{ExporterBuildInfo, ExporterCollectorSuccess, ExporterCollectorDuration, ExporterReadErrors, ExporterStuck,
		ExporterDevices, ExporterUnmapped, ExporterTargets, ExporterTargetsUp, ExporterConfigSuccess, ExporterConfigTime, ExporterDuplicates}
}
