package gnmi

import (
	"slices"
	"strings"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// health returns the samples about how the target is read.
func (t *Target) health(s *store) []metric.Sample {
	t.mu.Lock()
	connected, refused, agreed, encoding := t.connected, len(t.refused), t.agreed, t.encoding
	t.mu.Unlock()
	at := func(m *metric.Metric, v float64) metric.Sample {
		return metric.Sample{Series: m.At(metric.Where{}), Value: v}
	}
	streams := t.streams.Load()
	out := []metric.Sample{
		at(metric.TargetUp, indicator(t.up(s))),
		at(metric.TargetConnected, indicator(connected)),
		at(metric.TargetSynchronized, indicator(connected && streams > 0 && t.unsynced.Load() == 0)),
		at(metric.TargetStreams, float64(streams)),
		at(metric.TargetMessages, float64(t.messages.Load())),
		at(metric.TargetUpdates, float64(t.updates.Load())),
		at(metric.TargetDeletes, float64(t.deletes.Load())),
		at(metric.TargetCoalesced, float64(t.coalesced.Load())),
		at(metric.TargetReceivedBytes, float64(t.bytes.Load())),
		at(metric.TargetReconnects, float64(t.reconnects.Load())),
		at(metric.TargetRefusedPaths, float64(refused)),
	}
	if last := t.received.Load(); last != 0 {
		out = append(out, at(metric.TargetReceiveAge, time.Duration(t.clock()-last).Seconds()),
			at(metric.TargetClockOffset, time.Duration(t.offset.Load()).Seconds()))
	}
	info := []metric.Attribute{{Label: metric.Protocol, Value: "gnmi"}}
	if s != nil {
		expired, unusual, _ := s.health()
		out = append(out, at(metric.TargetExpired, float64(expired)))
		for _, r := range reasons() {
			out = append(out, metric.Sample{Value: float64(unusual[r]), Series: metric.TargetUnusable.At(metric.Where{
				Attributes: []metric.Attribute{{Label: metric.Reason, Value: string(r)}}})})
		}
		info = append(info, metric.Attribute{Label: metric.Profile, Value: s.prog.profile.Name})
	}
	if agreed {
		info = append(info, metric.Attribute{Label: metric.Encoding, Value: strings.ToLower(encoding.String())})
	}
	return append(out, metric.Sample{Value: 1, Series: metric.TargetInfo.At(metric.Where{Attributes: info})})
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Status is how a target is read, for people.
type Status struct {
	Up, Connected bool
	Profile       string // "" before it is known
	Encoding      string // "" before it is agreed on
	Series        int    // values kept
	Age           time.Duration
	Received      bool     // Age counts
	Refused       []string // paths that the target refuses, and why
	Problem       string   // why it is not read; "" if it is
}

// Status returns how the target is read now.
func (t *Target) Status() Status {
	s := t.current()
	st := Status{Up: t.up(s)}
	if s != nil {
		_, _, st.Series = s.health()
		st.Profile = s.prog.profile.Name
	}
	if last := t.received.Load(); last != 0 {
		st.Age, st.Received = time.Duration(t.clock()-last), true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	st.Connected, st.Problem = t.connected, t.problem
	if t.agreed {
		st.Encoding = strings.ToLower(t.encoding.String())
	}
	// A device that knows the paths of another family has nothing at them.
	if st.Problem == "" && st.Connected && s != nil && st.Series == 0 && t.streams.Load() > 0 && t.unsynced.Load() == 0 {
		st.Problem = "the target told all that it has, and nothing of it is what profile " + st.Profile + " asks for; is it another profile's? profile: auto finds out"
	}
	for path, r := range t.refused {
		st.Refused = append(st.Refused, path+": "+r.why)
	}
	slices.Sort(st.Refused)
	return st
}
