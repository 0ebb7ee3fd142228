package gnmi

import (
	"slices"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Profiles returns THE TABLE: one row for each family of switches, in files of
// their own. What a row could not be checked on is in its Unverified fields.
// Its order is that of the documentation, the model that all know first.
func Profiles() []Profile {
	return []Profile{
		openconfigProfile(),
		sonicProfile(),
		sonicBroadcomProfile(),
		aristaProfile(),
		nxosProfile(),
		cumulusProfile(),
		srlinuxProfile(),
		junosProfile(),
	}
}

// Labels returns the labels that series of switches have, by any profile, sorted.
func Labels() []metric.Label {
	var out []metric.Label
	names := fieldNames()
	for i, name := range names {
		if field(i) != fieldID {
			out = append(out, name)
		}
	}
	for _, p := range Profiles() {
		for _, s := range p.Subscriptions {
			for _, l := range s.Leaves {
				if l.Label != "" {
					out = append(out, l.Label)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// without returns subs less the leaves that feed one of the metrics: what a
// family says it does not support. A subscription that has none left is dropped.
func without(subs []Subscription, metrics ...*metric.Metric) []Subscription {
	var out []Subscription
	for _, s := range subs {
		s.Leaves = slices.DeleteFunc(slices.Clone(s.Leaves), func(l Leaf) bool { return slices.Contains(metrics, l.Metric) })
		if len(s.Leaves) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// with returns s with the leaves that a family adds to its container.
func with(s Subscription, source string, leaves ...Leaf) Subscription {
	s.Leaves = slices.Concat(s.Leaves, leaves)
	s.Source += "; " + source
	return s
}

// unverified returns subs with a doubt about each of them.
func unverified(doubt string, subs []Subscription) []Subscription {
	out := slices.Clone(subs)
	for i := range out {
		if out[i].Unverified != "" {
			out[i].Unverified += " "
		}
		out[i].Unverified += doubt
	}
	return out
}

// least returns subs, of which the sampled ones are not asked more often than d.
func least(d time.Duration, subs []Subscription) []Subscription {
	out := slices.Clone(subs)
	for i := range out {
		if out[i].Mode == Sample {
			out[i].Least = max(out[i].Least, d)
		}
	}
	return out
}
