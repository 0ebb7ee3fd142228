// Package snmp reads switches over SNMP. What it asks for is in THE TABLE, see
// MIBs; the types of values come from there and never from the wire, because
// agents put gauges in Counter64 and counters in Integer32.
package snmp

import "github.com/roce-exporter/roce_exporter/collector/metric"

// MIB is tables that one document defines: a row of THE TABLE, pure data.
type MIB struct {
	Name  string // in the configuration: cisco_pfc_ext
	Title string // of the document: CISCO-PFC-EXT-MIB
	// Agents are beginnings of the sysObjectID of agents that are asked for it;
	// none: all are.
	Agents []string
	Tables []Table
	// Source says where the objects come from.
	Source string
	// Unverified says what could not be checked on a source; "" if all was.
	Unverified string
}

// Table is one conceptual table (RFC 2578 section 7.1.12).
type Table struct {
	Name    string // ifXTable
	Entry   string // OID of its entry, in digits: a row's value is at Entry.column.index
	Index   []Part
	Columns []Column
	// Unverified says what could not be checked on a source; "" if all was.
	Unverified string
}

// Kind is what a part of a row's index is.
type Kind uint8

const (
	// Interface is an ifIndex: label interface, by the interface's name.
	Interface Kind = iota
	// Priority is an 802.1Q priority.
	Priority
	// TrafficClass is an 802.1Q traffic class.
	TrafficClass
	// Queue is an egress queue.
	Queue
	// PriorityGroup is an ingress priority group.
	PriorityGroup
	// Select chooses rows, or the metric of a column, and is no label.
	Select
	// Ignored tells rows apart that have the same labels; the first one counts.
	Ignored
)

// Part is how one sub-identifier of a row's index is read.
type Part struct {
	Kind Kind
	// Base is the number of the first: 1 where priorities are 1 to 8.
	Base uint32
	// Only are the values of rows that are wanted; none: all.
	Only []uint32
}

// Column is one column of a table and the metric that it becomes.
type Column struct {
	Number uint32
	// When is the value of the index's part Select that the metric is for; 0: any.
	When   uint32
	Metric *metric.Metric
	// Scale multiplies the value; 0 is 1.
	Scale float64
	// Words gives the values of an enumeration's numbers. One that is not there
	// gives no sample.
	Words map[int64]float64
	// Label is, for an info metric, the label that the text is the value of.
	Label metric.Label
	// Fixed is a label that the column's number means; nil: none.
	Fixed *Fixed
	// Fallback says that the column is used only for rows of which no other one
	// tells the metric: 32 bits where there may be 64.
	Fallback bool
	// Unverified says what could not be checked on a source; "" if all was.
	Unverified string
}

// Fixed is what a column's number says of its values.
type Fixed struct {
	Kind  Kind
	Value uint32
}
