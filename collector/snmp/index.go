package snmp

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// row is what a row's index says.
type row struct {
	interfaceIndex uint32 // ifIndex
	selected       uint32 // of the part Select; 0 if there is none
	where          metric.Where
}

// readIndex reads the index of a row of t. wanted says whether the row is one of
// those that the table's Only lists name. An error says that the agent's index is
// not as the document has it: the row is left out and counted.
func (t *Table) readIndex(index []uint32) (r row, wanted bool, err error) {
	if len(index) != len(t.Index) {
		return row{}, false, fmt.Errorf("an index of %d parts; want %d", len(index), len(t.Index))
	}
	for i, p := range t.Index {
		n := index[i]
		if len(p.Only) > 0 && !slices.Contains(p.Only, n) {
			return row{}, false, nil
		}
		if n < p.Base {
			return row{}, false, fmt.Errorf("%d where numbers begin at %d", n, p.Base)
		}
		switch p.Kind {
		case Interface:
			r.interfaceIndex = n
		case Select:
			r.selected = n
		case Ignored:
		default:
			if err := r.note(p.Kind, n-p.Base); err != nil {
				return row{}, false, err
			}
		}
	}
	return r, true, nil
}

// note sets a label. Priorities and traffic classes are 0 to 7 (IEEE 802.1Q).
func (r *row) note(k Kind, n uint32) error {
	if (k == Priority || k == TrafficClass) && n > 7 {
		return fmt.Errorf("priority or traffic class %d; want 0 to 7", n)
	}
	text := strconv.FormatUint(uint64(n), 10)
	switch k {
	case Priority:
		r.where.Priority = text
	case TrafficClass:
		r.where.TrafficClass = text
	case Queue:
		r.where.Queue = text
	case PriorityGroup:
		r.where.PriorityGroup = text
	}
	return nil
}
