package gnmi

import (
	"testing"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// What came when it changed is true as long as somebody would tell that it
// changed: not for long after its stream was lost, though another one keeps the
// target up.
func TestStateDoesNotOutliveItsStream(t *testing.T) {
	prog, err := compile(&Profile{Name: "two", Subscriptions: []Subscription{
		openconfigInterfaceCounters(),
		openconfigState("oper-status", Leaf{Metric: metric.InterfaceUp, Words: operStatus()}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(prog, make([]time.Duration, 2))
	counters := &feed{subscriptions: []bool{true, false}, round: 1}
	state := &feed{subscriptions: []bool{false, true}, round: 2}
	tell := func() {
		for _, n := range recording(t, "openconfig").Notifications {
			s.apply(counters, n)
			s.apply(state, n)
		}
		s.runs(0, time.Hour, time.Hour)
		s.runs(1, 0, 300*time.Millisecond)
	}
	has := func(m *metric.Metric) (yes bool) {
		for _, sample := range s.collect(nil) {
			yes = yes || sample.Metric == m
		}
		return yes
	}
	tell()
	s.ended(state)
	if !has(metric.InterfaceUp) || !has(metric.InterfaceBytesReceived) {
		t.Error("a stream that is begun anew at once costs values")
	}
	eventually(t, "the state goes", func() bool { return !has(metric.InterfaceUp) })
	if !has(metric.InterfaceBytesReceived) {
		t.Error("the counters are gone too, whose stream runs")
	}
	tell()
	time.Sleep(600 * time.Millisecond)
	if !has(metric.InterfaceUp) {
		t.Error("the state is gone while its stream runs")
	}
}
