package gnmi

import (
	"fmt"
	"slices"
	"strings"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// field is a placeholder of a pattern.
type field uint8

const (
	fieldInterface field = iota
	fieldTransceiver
	fieldPriority
	fieldTrafficClass
	fieldQueue
	fieldPriorityGroup
	fieldPool
	fieldLane
	fieldID
	fieldCount
)

// fieldNames returns the placeholders' names and labels, in the order of the
// fields, which is also the order in which places are listed. {id} is no label.
func fieldNames() [fieldCount]metric.Label {
	return [fieldCount]metric.Label{metric.Interface, metric.Transceiver, metric.Priority, metric.TrafficClass, metric.Queue,
		metric.PriorityGroup, metric.Pool, metric.Lane, "id"}
}

// numbered says whether the field numbers things, so that next to other text it
// stands for digits only.
func (f field) numbered() bool {
	switch f {
	case fieldPriority, fieldTrafficClass, fieldQueue, fieldPriorityGroup, fieldLane:
		return true
	}
	return false
}

// captures are the texts that a pattern's placeholders stand for in one path.
type captures [fieldCount]string

// template is an element's name or a key's value in a pattern: literal texts
// around placeholders. texts has one element more than fields.
type template struct {
	texts  []string
	fields []field
}

// parseTemplate reads a template such as {interface}:{queue}.
func parseTemplate(s string) (template, error) {
	var t template
	names := fieldNames()
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			t.texts = append(t.texts, s)
			return t, nil
		}
		end := strings.IndexByte(s, '}')
		if end < i {
			return t, fmt.Errorf("%q: a placeholder does not end", s)
		}
		f := slices.Index(names[:], metric.Label(s[i+1:end]))
		if f < 0 {
			return t, fmt.Errorf("{%s} is no placeholder", s[i+1:end])
		}
		t.texts = append(t.texts, s[:i])
		t.fields = append(t.fields, field(f))
		s = s[end+1:]
	}
}

// literal returns the text of a template without placeholders.
func (t *template) literal() (string, bool) {
	return t.texts[0], len(t.fields) == 0
}

// match says whether s fits and notes what the placeholders stand for.
func (t *template) match(s string, c *captures) bool {
	if len(t.fields) == 0 {
		return s == t.texts[0]
	}
	return strings.HasPrefix(s, t.texts[0]) && t.rest(0, s[len(t.texts[0]):], c)
}

// rest matches s from the field i on.
func (t *template) rest(i int, s string, c *captures) bool {
	if i == len(t.fields) {
		return s == ""
	}
	f, next := t.fields[i], t.texts[i+1]
	take := func(end int) bool {
		if end <= 0 || !strings.HasPrefix(s[end:], next) || !t.rest(i+1, s[end+len(next):], c) {
			return false
		}
		c[f] = s[:end]
		return true
	}
	alone := len(t.fields) == 1 && t.texts[0] == "" && t.texts[1] == ""
	switch {
	case f.numbered() && !alone:
		end := 0
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		return take(end)
	case i == len(t.fields)-1:
		return take(len(s) - len(next))
	}
	for end := len(s) - len(next); end > 0; end-- {
		if take(end) {
			return true
		}
	}
	return false
}

// node is a place in the tree of all patterns of a profile.
type node struct {
	literal   map[string][]*edge // by the element's name
	templates []*edge            // names with placeholders
	leaves    []int              // leaves whose pattern ends here, by their number
}

// edge leads to a node by an element's name and keys.
type edge struct {
	name template
	keys []keyTemplate // sorted by name
	to   *node
}

type keyTemplate struct {
	name  string
	value template
}

// leaf is a Leaf at work.
type leaf struct {
	*Leaf
	subscription int
	scale        float64
	shape        int     // which labels its metric lists
	fields       []field // that its pattern captures
	id           int
}

// Table is profiles made ready. It does not change, and is shared by targets.
type Table struct{ programs []*program }

// NewTable makes profiles ready. Its errors are mistakes in them.
func NewTable(profiles []Profile) (*Table, error) {
	t := &Table{}
	for i := range profiles {
		p, err := compile(&profiles[i])
		if err != nil {
			return nil, err
		}
		t.programs = append(t.programs, p)
	}
	return t, nil
}

// Only returns a table of the profile of that name; false if there is none.
func (t *Table) Only(name string) (*Table, bool) {
	for _, p := range t.programs {
		if p.profile.Name == name {
			return &Table{programs: []*program{p}}, true
		}
	}
	return nil, false
}

// program is a profile made ready: its patterns in a tree.
type program struct {
	profile *Profile
	root    *node
	leaves  []leaf
	shapes  [][]metric.Label // distinct lists of labels of the metrics
}

// compile makes a profile ready. Its errors are mistakes in THE TABLE.
func compile(p *Profile) (*program, error) {
	if len(p.Subscriptions) > 64 {
		return nil, fmt.Errorf("profile %s: %d subscriptions; the store counts up to 64", p.Name, len(p.Subscriptions))
	}
	prog := &program{profile: p, root: &node{}}
	for s := range p.Subscriptions {
		sub := &p.Subscriptions[s]
		for l := range sub.Leaves {
			if err := prog.add(s, sub, &sub.Leaves[l]); err != nil {
				return nil, fmt.Errorf("profile %s, %s, leaf %s: %w", p.Name, sub.Path, sub.Leaves[l].Path, err)
			}
		}
	}
	return prog, nil
}

func (p *program) add(subscription int, sub *Subscription, l *Leaf) error {
	pattern := sub.Base + "/" + l.Path
	if l.Path == "" {
		pattern = sub.Base
	}
	path, err := ygot.StringToStructuredPath(pattern)
	if err != nil {
		return err
	}
	var fields []field
	n := p.root
	for _, e := range path.Elem {
		edge := edge{}
		if edge.name, err = parseTemplate(e.Name); err != nil {
			return err
		}
		fields = append(fields, edge.name.fields...)
		for name, value := range e.Key {
			t, err := parseTemplate(value)
			if err != nil {
				return err
			}
			edge.keys = append(edge.keys, keyTemplate{name, t})
			fields = append(fields, t.fields...)
		}
		slices.SortFunc(edge.keys, func(a, b keyTemplate) int { return strings.Compare(a.name, b.name) })
		n = n.child(edge)
	}
	id := len(p.leaves)
	n.leaves = append(n.leaves, id)
	out := leaf{Leaf: l, subscription: subscription, scale: l.Scale, fields: fields, id: id}
	if out.scale == 0 {
		out.scale = 1
	}
	if l.Metric != nil {
		out.shape = slices.IndexFunc(p.shapes, func(s []metric.Label) bool { return slices.Equal(s, l.Metric.Labels) })
		if out.shape < 0 {
			out.shape = len(p.shapes)
			p.shapes = append(p.shapes, l.Metric.Labels)
		}
	}
	p.leaves = append(p.leaves, out)
	return nil
}

// child returns the node behind an edge like e, made if there is none.
func (n *node) child(e edge) *node {
	same := func(have *edge) bool {
		return slices.Equal(have.name.texts, e.name.texts) && slices.Equal(have.name.fields, e.name.fields) &&
			slices.EqualFunc(have.keys, e.keys, func(a, b keyTemplate) bool {
				return a.name == b.name && slices.Equal(a.value.texts, b.value.texts) && slices.Equal(a.value.fields, b.value.fields)
			})
	}
	list := n.templates
	name, literal := e.name.literal()
	if literal {
		list = n.literal[name]
	}
	if i := slices.IndexFunc(list, same); i >= 0 {
		return list[i].to
	}
	e.to = &node{}
	if literal {
		if n.literal == nil {
			n.literal = make(map[string][]*edge)
		}
		n.literal[name] = append(n.literal[name], &e)
	} else {
		n.templates = append(n.templates, &e)
	}
	return e.to
}

// each calls f for every edge whose name fits, with what its name captured.
func (n *node) each(name string, c captures, f func(*edge, captures)) {
	edges, ok := n.literal[name]
	if !ok {
		if short := unqualified(name); short != name {
			edges = n.literal[short]
		}
	}
	for _, e := range edges {
		f(e, c)
	}
	for _, e := range n.templates {
		with := c
		if e.name.match(name, &with) {
			f(e, with)
		}
	}
}

// unqualified drops the module from module:name. What does not look like a
// module's name is kept: a colon can be part of an interface's name.
func unqualified(name string) string {
	i := strings.IndexByte(name, ':')
	if i <= 0 || i == len(name)-1 {
		return name
	}
	for j := range i {
		switch c := name[j]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', j > 0 && (c >= '0' && c <= '9' || c == '-' || c == '.'):
		default:
			return name
		}
	}
	return name[i+1:]
}

// walk follows elems from n and calls f at every node that they lead to.
func (n *node) walk(elems []*gnmipb.PathElem, c captures, f func(*node, captures)) {
	if len(elems) == 0 {
		f(n, c)
		return
	}
	n.each(elems[0].GetName(), c, func(e *edge, c captures) {
		for i := range e.keys {
			if !e.keys[i].value.match(key(elems[0].GetKey(), e.keys[i].name), &c) {
				return
			}
		}
		e.to.walk(elems[1:], c, f)
	})
}

// key returns the value of a key by its name, with or without a module.
func key(keys map[string]string, name string) string {
	if v, ok := keys[name]; ok {
		return v
	}
	for k, v := range keys {
		if unqualified(k) == name {
			return v
		}
	}
	return ""
}

// below finds what a delete of elems concerns: f gets every leaf at or below
// them, with what elems say of its placeholders; what they leave open is "".
// Keys that are left out, and *, mean all.
func (n *node) below(elems []*gnmipb.PathElem, c captures, f func(leaf int, c captures)) {
	if len(elems) == 0 || elems[0].GetName() == "..." {
		for _, l := range n.leaves {
			f(l, c)
		}
		for _, e := range n.edges() {
			e.to.below(nil, c, f)
		}
		return
	}
	step := func(e *edge, c captures) {
		for i := range e.keys {
			v := key(elems[0].GetKey(), e.keys[i].name)
			if v != "" && v != "*" && !e.keys[i].value.match(v, &c) {
				return
			}
		}
		e.to.below(elems[1:], c, f)
	}
	if elems[0].GetName() == "*" {
		for _, e := range n.edges() {
			step(e, c)
		}
		return
	}
	n.each(elems[0].GetName(), c, step)
}

func (n *node) edges() []*edge {
	out := slices.Clone(n.templates)
	for _, list := range n.literal {
		out = append(out, list...)
	}
	return out
}
