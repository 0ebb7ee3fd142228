package gnmitest

import (
	"fmt"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
)

// Generate returns the counters of a generated device of the OpenConfig model:
// for each interface Ethernet1, Ethernet2, ... a notification with its 16
// counters, and, if there are queues, one with 5 counters of each. Values differ
// and are the same every time.
func Generate(interfaces, queues int) []*gnmipb.Notification {
	counters := []string{
		"in-octets", "in-pkts", "in-unicast-pkts", "in-broadcast-pkts", "in-multicast-pkts", "in-discards", "in-errors", "in-fcs-errors",
		"out-octets", "out-pkts", "out-unicast-pkts", "out-broadcast-pkts", "out-multicast-pkts", "out-discards", "out-errors", "carrier-transitions",
	}
	perQueue := []string{"transmit-pkts", "transmit-octets", "dropped-pkts", "dropped-octets", "ecn-marked-pkts"}
	const timestamp = 1700000000000000000
	elem := func(name string) *gnmipb.PathElem { return &gnmipb.PathElem{Name: name} }
	keyed := func(name, key, value string) *gnmipb.PathElem {
		return &gnmipb.PathElem{Name: name, Key: map[string]string{key: value}}
	}
	var out []*gnmipb.Notification
	for i := 1; i <= interfaces; i++ {
		name := fmt.Sprintf("Ethernet%d", i)
		n := &gnmipb.Notification{Timestamp: timestamp, Prefix: &gnmipb.Path{
			Origin: "openconfig", Elem: []*gnmipb.PathElem{elem("interfaces"), keyed("interface", "name", name), elem("state"), elem("counters")},
		}}
		for c, counter := range counters {
			n.Update = append(n.Update, &gnmipb.Update{Path: &gnmipb.Path{Elem: []*gnmipb.PathElem{elem(counter)}}, Val: Uint(uint64(i*1000 + c))})
		}
		out = append(out, n)
		if queues == 0 {
			continue
		}
		n = &gnmipb.Notification{Timestamp: timestamp, Prefix: &gnmipb.Path{
			Origin: "openconfig", Elem: []*gnmipb.PathElem{elem("qos"), elem("interfaces"), keyed("interface", "interface-id", name), elem("output"), elem("queues")},
		}}
		for q := range queues {
			for c, counter := range perQueue {
				n.Update = append(n.Update, &gnmipb.Update{
					Path: &gnmipb.Path{Elem: []*gnmipb.PathElem{keyed("queue", "name", fmt.Sprint(q)), elem("state"), elem(counter)}},
					Val:  Uint(uint64(i*1000000 + q*1000 + c)),
				})
			}
		}
		out = append(out, n)
	}
	return out
}
