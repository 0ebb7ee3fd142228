package metric

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write METRICS.md anew")

func TestMarkdownIsCurrent(t *testing.T) {
	if *update {
		if err := os.WriteFile("METRICS.md", []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile("METRICS.md")
	if err != nil || string(b) != Markdown() {
		t.Errorf("METRICS.md is not what the vocabulary says (%v); make generate writes it anew", err)
	}
}

// Every row that is declared is listed, so that it is documented and tested.
func TestEveryRowIsListed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared, listed := map[string]bool{}, map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						for _, n := range v.Names {
							if n.IsExported() {
								declared[n.Name] = true
							}
						}
					}
				}
			case *ast.FuncDecl:
				if d.Recv == nil && slices.Contains([]string{"rdma", "ethernet", "queues", "links", "targets", "exporter"}, d.Name.Name) {
					ast.Inspect(d, func(n ast.Node) bool {
						if i, ok := n.(*ast.Ident); ok && i.IsExported() && i.Name != "Metric" {
							listed[i.Name]++
						}
						return true
					})
				}
			}
		}
	}
	if len(declared) < 100 {
		t.Errorf("only %d rows found: the vocabulary has more", len(declared))
	}
	for n := range declared {
		if listed[n] != 1 {
			t.Errorf("%s is listed %d times; want once", n, listed[n])
		}
	}
}

func TestRows(t *testing.T) {
	known := map[Label]bool{}
	for _, l := range []Label{Device, Port, Interface, Priority, TrafficClass, Queue, PriorityGroup, Pool, Lane, Transceiver, CounterName, Collector, Reason,
		Driver, Firmware, Board, HCAType, HardwareRevision, PCIAddress, ParentPCIAddress, Function, NUMANode, NodeGUID, SystemImageGUID, Protocol,
		LinkLayer, Role, RoCEVersion, Master, Mode, Description, Alias, Neighbor, NeighborIface, NeighborPortText, NeighborChassis, FormFactor, Vendor,
		PartNumber, SerialNumber, Profile, Encoding, Version, Revision, GoVersion} {
		known[l] = true
	}
	name := regexp.MustCompile(`^roce_(rdma|interface|queue|priority_group|buffer_pool|exporter|pcie|transceiver|fec|pfc_watchdog|neighbor|target)_[a-z0-9]+(_[a-z0-9]+)*$`)
	bases := map[string]string{}
	for _, m := range Vocabulary() {
		if !name.MatchString(m.Name) {
			t.Errorf("%s: not a name of a known scope in lower case", m.Name)
		}
		base := strings.TrimSuffix(m.Name, "_total")
		if other, ok := bases[base]; ok {
			t.Errorf("%s and %s are one name to OpenMetrics", m.Name, other)
		}
		bases[base] = m.Name
		for _, word := range strings.Split(base, "_") {
			if slices.Contains([]string{"rx", "tx", "in", "out", "rcv", "xmit", "counter", "gauge", "usec", "us", "ms", "bits"}, word) && !strings.Contains(m.Name, "out_of_") {
				t.Errorf("%s: %q is no word of the vocabulary", m.Name, word)
			}
		}
		if (m.Type == Counter) != strings.HasSuffix(m.Name, "_total") {
			t.Errorf("%s: is a %s; counters, and nothing else, end in _total", m.Name, m.Type)
		}
		if (m.Type == Info) != strings.HasSuffix(m.Name, "_info") {
			t.Errorf("%s: is a %s; infos, and nothing else, end in _info", m.Name, m.Type)
		}
		if m.Unit != None && !strings.HasSuffix(base, "_"+string(m.Unit)) {
			t.Errorf("%s: unit %s is not the end of its name", m.Name, m.Unit)
		}
		for _, u := range units {
			if m.Unit == None && strings.HasSuffix(base, "_"+string(u)) {
				t.Errorf("%s: its name ends in unit %s, and it has none", m.Name, u)
			}
		}
		seen := map[Label]bool{}
		for _, l := range m.Labels {
			if !known[l] || seen[l] {
				t.Errorf("%s: label %q is unknown or there twice", m.Name, l)
			}
			seen[l] = true
		}
		if !strings.HasSuffix(m.Help, ".") || strings.Contains(m.Help, "|") || strings.Contains(m.Help, "\n") {
			t.Errorf("%s: help %q is not one line of sentences", m.Name, m.Help)
		}
		if m.Source == "" {
			t.Errorf("%s: nothing says where it is defined", m.Name)
		}
	}
}

// PFC (802.1Qbb) and link pause (802.3x) are never mixed.
func TestPFCIsNotLinkPause(t *testing.T) {
	for _, m := range Vocabulary() {
		perPriority := slices.Contains(m.Labels, Priority)
		if strings.Contains(m.Name, "_pfc_") && !perPriority && !strings.Contains(m.Name, "all_priorities") {
			t.Errorf("%s: is PFC and has no priority", m.Name)
		}
		if strings.HasPrefix(m.Name, "roce_interface_pause_") && (perPriority || strings.Contains(m.Source, "802.1Q ")) {
			t.Errorf("%s: is link pause and speaks of PFC", m.Name)
		}
	}
}

func TestKeyTellsSeriesApart(t *testing.T) {
	a := RDMAHardwareCounter.At(Where{Device: "a", Port: "1", Counter: "x"})
	same := RDMAHardwareCounter.At(Where{Device: "a", Port: "1", Counter: "x", Interface: "not a label of it"})
	if a.Key() != same.Key() {
		t.Errorf("%q and %q differ", a.Key(), same.Key())
	}
	for _, w := range []Where{{Device: "a", Port: "1", Counter: "y"}, {Device: "a1", Counter: "x"}, {Device: "a", Counter: "1x"}, {Device: "b", Port: "1", Counter: "x"}} {
		if k := RDMAHardwareCounter.At(w).Key(); k == a.Key() {
			t.Errorf("%+v has the key of another series, %q", w, k)
		}
	}
}
