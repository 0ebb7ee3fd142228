package host

import "github.com/roce-exporter/roce_exporter/collector/metric"

// From says which kernel interface a counter's raw name belongs to.
type From uint8

const (
	// PortCounters is ports/<port>/hw_counters of an RDMA device, or RDMA
	// netlink's statistics of the port, which have the same names.
	PortCounters From = iota
	// DeviceCounters is the hw_counters directory of the device itself.
	DeviceCounters
	// PMACounters is ports/<port>/counters, the same names for every driver
	// (Documentation/ABI/stable/sysfs-class-infiniband).
	PMACounters
	// Statistics is the driver's ethtool statistics (ethtool -S) of a network
	// interface.
	Statistics
)

// Driver is one row of the table of drivers: what a driver calls its counters
// and what they are in the vocabulary.
type Driver struct {
	Name string // RDMA driver, as users know it: mlx5, bnxt_re
	// ID is the driver's number in RDMA netlink (enum rdma_driver_id in
	// include/uapi/rdma/ib_user_ioctl_verbs.h), 0 for none.
	ID uint32
	// Modules are the names that the driver has in device/driver links and in
	// ETHTOOL_GDRVINFO: mlx5_core, bnxt_en. An RDMA device's link names the PCI
	// driver below it, not the RDMA driver.
	Modules []string
	// VirtualFunctions are the PCI device IDs of virtual functions, where they
	// differ from those of physical ones, as sysfs prints them.
	VirtualFunctions []string
	// ReadFirst is the hw_counters file whose read refreshes all the others, if
	// the driver has such a one.
	ReadFirst string
	// Invalid is a value that means "this counter does not exist", if the
	// driver has such a one; 0 for none.
	Invalid uint64
	// PauseHasPFC says that the link pause (802.3x) frame counters of this
	// driver count PFC frames as well: they are not exported as link pause
	// while PFC is enabled on any priority.
	PauseHasPFC bool
	// DCBFrames says that DCB netlink's PFC requests and indications are filled
	// and fresh, so that they may serve where Statistics has no PFC frames.
	DCBFrames bool
	Counters  []Counter
	Source    string // kernel file or document behind the row
}

// Counter maps one raw name to the vocabulary.
type Counter struct {
	From From
	// Raw is the name as the kernel gives it. {priority}, {traffic_class},
	// {priority_group}, {queue} and {lane} stand for a decimal number that
	// becomes that label: "rx_prio{priority}_pause".
	Raw string
	// Metric is the row of the vocabulary. nil: known, has no term there, and is
	// exported under its raw name (hw_counters) or not at all (Statistics).
	Metric *metric.Metric
	// Scale times the raw value is the value in base units; 0 means 1. It is
	// the only place where units convert.
	Scale float64
	// Bits is the width at which the hardware counter wraps: 32, or 0 for 64.
	Bits int
	// Gauge says that the raw value goes up and down, for rows without a
	// Metric.
	Gauge bool
	// Part says that the metric is the sum of all rows of this driver and From
	// that name it with Part set; it is exported only where all of them exist.
	Part bool
	// Source is where the fact comes from when it is not the driver's Source,
	// and what is unverified about it.
	Source string
}
