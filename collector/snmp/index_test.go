package snmp

import (
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

func TestReadIndex(t *testing.T) {
	priorities := Table{Index: byPriority()}
	huawei := Table{Index: []Part{{Kind: Interface}, {Kind: Priority, Base: 1}}}
	groups := ciscoQoS().Tables[0]
	for name, c := range map[string]struct {
		table  Table
		index  []uint32
		want   row
		wanted bool
		fails  bool
	}{
		"interface and priority":  {priorities, []uint32{7, 3}, row{interfaceIndex: 7, where: metric.Where{Priority: "3"}}, true, false},
		"priorities from 1":       {huawei, []uint32{7, 8}, row{interfaceIndex: 7, where: metric.Where{Priority: "7"}}, true, false},
		"below the first":         {huawei, []uint32{7, 0}, row{}, false, true},
		"priority 8":              {priorities, []uint32{7, 8}, row{}, false, true},
		"too short":               {priorities, []uint32{7}, row{}, false, true},
		"too long":                {priorities, []uint32{7, 3, 1}, row{}, false, true},
		"empty":                   {priorities, nil, row{}, false, true},
		"selected":                {groups, []uint32{9, 2, 4, 5}, row{interfaceIndex: 9, selected: 5, where: metric.Where{Queue: "4"}}, true, false},
		"another direction":       {groups, []uint32{9, 1, 4, 5}, row{}, false, false},
		"another kind of counter": {groups, []uint32{9, 2, 4, 20}, row{}, false, false},
	} {
		got, wanted, err := c.table.readIndex(c.index)
		if wanted != c.wanted || (err != nil) != c.fails || got.interfaceIndex != c.want.interfaceIndex || got.selected != c.want.selected ||
			got.where.Priority != c.want.where.Priority || got.where.Queue != c.want.where.Queue {
			t.Errorf("%s: %+v, %v, %v", name, got, wanted, err)
		}
	}
}

// FuzzReadIndex holds that no index of an agent gives a label that cannot be.
func FuzzReadIndex(f *testing.F) {
	f.Add([]byte{7, 3})
	f.Add([]byte{9, 2, 4, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		var index []uint32
		for i, x := range b {
			index = append(index, uint32(x)<<(i%4*8))
		}
		for _, m := range MIBs() {
			for i := range m.Tables {
				r, wanted, err := m.Tables[i].readIndex(index)
				if err != nil && wanted {
					t.Errorf("%s: wanted, and %v", m.Tables[i].Name, err)
				}
				if p := r.where.Priority; len(p) > 1 || p > "7" {
					t.Errorf("%s: priority %s", m.Tables[i].Name, p)
				}
			}
		}
	})
}
