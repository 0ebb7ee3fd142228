package gnmi

import (
	"time"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Profile says how one family of switches names what it tells: a row of THE
// TABLE, pure data.
type Profile struct {
	// Name is the profile's name in the configuration: arista_eos.
	Name string
	// Title is the family's name for people: Arista EOS.
	Title string
	// Checked says which release the paths were read against, and where.
	Checked string
	// Port is the gNMI port that the family uses if nothing else is configured;
	// for the documentation.
	Port int
	// Models are beginnings of names in Capabilities' supported_models that only
	// this family has, in lower case. profile auto looks for them.
	Models []string
	// Organizations are beginnings of organizations there, in lower case.
	Organizations []string
	// MaxStreams is how many RPCs the family lets one collector have at once; 0 if
	// no limit is known.
	MaxStreams int
	// Basic says that the family wants HTTP Basic credentials and ignores a user
	// name in gRPC metadata.
	Basic bool
	// Subscriptions are what is asked for.
	Subscriptions []Subscription
}

// Mode is how a path is subscribed to.
type Mode uint8

const (
	// Sample asks for values at an interval, whether or not they changed.
	Sample Mode = iota
	// OnChange asks for values when they change: for state and names.
	OnChange
	// TargetDefined leaves it to the device.
	TargetDefined
)

// String returns the mode's name in documentation.
func (m Mode) String() string {
	switch m {
	case OnChange:
		return "on change"
	case TargetDefined:
		return "target defined"
	}
	return "sample"
}

// Subscription is one path that is asked for and what is made of the answers.
type Subscription struct {
	// Path is asked for: a gNMI path as a string, such as
	// /interfaces/interface/state/counters. Keys that are left out mean all.
	Path string
	// Origin is the path's origin; "" where the device's default is meant.
	Origin string
	// Target is the prefix's target: SONiC's name of a database.
	Target string
	// Mode is how it is subscribed to.
	Mode Mode
	// Least is the shortest sample interval that makes sense: the device refuses
	// less, or does not look more often itself. 0: what the configuration says.
	Least time.Duration
	// ZeroSuppressed says that the device does not tell counters that are 0, or
	// did not change, again: entries do not expire one by one then, and the
	// stream is begun anew every ten minutes to find what is gone.
	ZeroSuppressed bool
	// Base is the beginning of the answers' paths that the leaves share, a
	// pattern; see Leaf.
	Base string
	// Leaves are what is made of the answers. What fits none is left out.
	Leaves []Leaf
	// Source says where the paths come from.
	Source string
	// Unverified says what could not be checked on a source; "" if all was.
	Unverified string
}

// Leaf is one value in the answers and the metric that it becomes.
//
// Its pattern is its subscription's Base, "/", and Path. A pattern is a path
// whose element names and key values may hold placeholders, each of which gives
// a label: {interface}, {priority}, {traffic_class}, {queue},
// {priority_group}, {pool}, {lane}, {transceiver}; {id} tells list entries apart
// without a label. Alone, a placeholder stands for any text. Next to other
// text, as in Q{queue} or {interface}:{queue}, those that count things
// ({priority}, {traffic_class}, {queue}, {priority_group}, {lane}) stand for
// digits only, the others for the longest text that fits. Key values of a list
// that a pattern leaves out may be anything. Module prefixes (module:name) in
// answers are dropped before they are compared, as are origins.
//
// Names inside JSON values are elements of the path too: an object's members
// follow the path, a list's entries are found by the keys that the pattern
// names, in brackets.
type Leaf struct {
	Path   string
	Metric *metric.Metric
	// Scale multiplies the value; 0 is 1.
	Scale float64
	// Words gives the values of an enumeration's words, without module prefix.
	// A word that is not there gives no sample, and is counted.
	Words map[string]float64
	// Label is, for an info metric, the label that the text is the value of.
	Label metric.Label
	// Ignore lists words that mean that there is no value: N/A.
	Ignore []string
	// Follows says that the value counts only where another leaf of the same
	// place, without Follows, has told something: a temperature of a component
	// is one of a transceiver only if the component is one.
	Follows bool
	// LaneBase is the number of the device's first lane; lanes are from 0.
	LaneBase int
	// Renames says that the leaf gives a name and no metric.
	Renames Rename
	// Unverified says what could not be checked on a source; "" if all was.
	Unverified string
}

// Rename says how a leaf gives names to things that other leaves call by an
// identifier.
type Rename uint8

const (
	// Nothing is renamed.
	Nothing Rename = iota
	// CapturedToValue says that what the pattern captures is an identifier and
	// the value is the name: SONiC's port table, name to alias. What else is
	// captured under the identifier gets the name for a label.
	CapturedToValue
	// ValueToCaptured says that the value is an identifier and what the pattern
	// captures is the name: SONiC's map of buffer pools, name to object.
	ValueToCaptured
)
