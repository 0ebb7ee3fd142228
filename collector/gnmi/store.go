package gnmi

//lint:file-ignore SA1019 devices still send what newer versions of gNMI have deprecated

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

const (
	// maxSeries is how many values of one target are kept: more than the largest
	// chassis has, little enough that a target that invents names does not take
	// the memory of the others.
	maxSeries = 1_000_000
	// maxText is the length in bytes of the longest name or text that is kept.
	maxText = 1024
	// tick is the resolution in which the store notes when something came.
	tick = 100 * time.Millisecond
)

// store keeps the last values of one target. Everything in it is dropped when
// the target deletes it, when a stream that began anew does not tell it, and
// when it is not told for long, all by the exporter's clock.
type store struct {
	prog  *program
	start time.Time
	// limits are how long, by subscription, an entry lives without news; 0 is
	// as long as its stream does.
	limits []time.Duration
	// graces are how long, by subscription, entries outlive their stream.
	graces []time.Duration
	lost   []lost // by subscription

	mu      sync.Mutex
	entries map[string]*entry             // by what the patterns captured
	series  int                           // slots and texts of all entries
	most    int                           // series that are kept
	told    map[told]*alias               // what Renames leaves told
	names   [fieldCount]map[string]string // by identifier, of what was told
	links   map[string]string             // transceiver to its one interface, "" if several
	sorted  []*entry                      // nil: to be made anew
	relink  bool                          // links or names changed
	expired uint64                        // entries dropped for want of news
	unusual map[unusable]uint64
	elems   []*gnmipb.PathElem // scratch
	key     []byte             // scratch
}

// entry is one thing that values are told of: an interface, a queue, a lane.
type entry struct {
	key    string // captures, each ended by a 0
	slots  []slot
	texts  []text
	seen   []seen
	shown  metric.Where    // as samples show it
	places []*metric.Place // by shape; nil where not used yet
	infos  []*metric.Series
	stale  bool // infos are to be made anew
}

// slot is one value.
type slot struct {
	value float64
	leaf  int32
	at    int32 // when it came, in ticks since the store's start
}

// text is one label of an info metric.
type text struct {
	value string
	leaf  int32
	at    int32
}

// seen is when a subscription last told something of an entry.
type seen struct {
	subscription int32
	at           int32
	round        uint32 // of the feed that told it
}

// told is what a Renames leaf gives a name, or an identifier, to.
type told struct {
	leaf     int
	captured string
}

// alias is what a Renames leaf said.
type alias struct {
	value string
	at    int32
	round uint32 // of the feed that told it
}

// lost is the end of a subscription's stream.
type lost struct {
	at    int32  // when the first one ended since one told all, in ticks; 0: none did
	round uint32 // of the last feed that ended
}

// feed is one stream's claim on subscriptions: what it has not told by its
// sync is gone.
type feed struct {
	subscriptions []bool // by number
	round         uint32 // grows with every stream of a target
	begun         int32  // when the round began, in ticks
}

func newStore(prog *program, limits []time.Duration) *store {
	n := len(prog.profile.Subscriptions)
	return &store{prog: prog, start: time.Now(), limits: limits, graces: make([]time.Duration, n), lost: make([]lost, n), entries: make(map[string]*entry),
		most: maxSeries, told: make(map[told]*alias), unusual: make(map[unusable]uint64)}
}

// runs notes that a stream has told all of a subscription, and how long values
// live without news, and without the stream.
func (s *store) runs(subscription int, limit, grace time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits[subscription], s.graces[subscription], s.lost[subscription] = limit, grace, lost{}
}

// ended notes that the stream of the feed's subscriptions has ended. What came
// when it changed is not known to be true for long.
func (s *store) ended(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, has := range f.subscriptions {
		if has {
			s.lose(i, f.round)
		}
	}
}

// gone notes that no stream of a subscription will come.
func (s *store) gone(subscription int, round uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose(subscription, round)
}

func (s *store) lose(subscription int, round uint32) {
	x := &s.lost[subscription]
	x.round = max(x.round, round)
	if x.at == 0 {
		x.at = max(s.now(), 1)
	}
}

// begin begins another round of a feed.
func (s *store) begin(f *feed, round uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.round, f.begun = round, s.now()
}

func (s *store) now() int32 { return int32(time.Since(s.start) / tick) }

// apply takes in one notification. It returns the subscriptions that it had
// values for, as bits by number, and how many values and
// deletes it held.
func (s *store) apply(f *feed, n *gnmipb.Notification) (touched uint64, updates, deletes, coalesced int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var err error
	s.elems, err = appendElems(s.elems[:0], n.GetPrefix())
	if err != nil {
		s.unusual[malformed]++
		return 0, len(n.GetUpdate()), len(n.GetDelete()), 0
	}
	prefix := len(s.elems)
	var last *gnmipb.PathElem // of the prefix; keys that belong to it can come in each path
	if prefix > 0 {
		last = s.elems[prefix-1]
	}
	below := func(p *gnmipb.Path) error {
		if prefix > 0 {
			s.elems[prefix-1] = last
		}
		s.elems, err = appendElems(s.elems[:prefix], p)
		return err
	}
	if n.GetAtomic() && prefix > 0 {
		s.remove(f, s.elems) // it tells the whole state below its prefix
	}
	for _, d := range n.GetDelete() {
		deletes++
		if below(d) != nil || len(s.elems) == 0 {
			s.unusual[malformed]++
			continue
		}
		s.remove(f, s.elems)
	}
	for _, u := range n.GetUpdate() {
		updates++
		coalesced += int(u.GetDuplicates())
		if below(u.GetPath()) != nil {
			s.unusual[malformed]++
			continue
		}
		touched |= s.update(f, u, now)
	}
	return touched, updates, deletes, coalesced
}

// update takes in the value at s.elems.
func (s *store) update(f *feed, u *gnmipb.Update, now int32) (touched uint64) {
	put := func(n *node, v scalar, c captures) {
		for _, l := range n.leaves {
			if leaf := &s.prog.leaves[l]; f.subscriptions[leaf.subscription] {
				s.set(f, leaf, c, v, now)
				touched |= 1 << leaf.subscription
			}
		}
	}
	val := u.GetVal()
	if val == nil && u.GetValue() != nil {
		val = &gnmipb.TypedValue{Value: &gnmipb.TypedValue_JsonVal{JsonVal: u.GetValue().GetValue()}}
	}
	v, tree, err := decode(val)
	if err != nil {
		// Only what would have become a metric counts: there are lists and bytes
		// elsewhere in what a device tells.
		s.prog.root.walk(s.elems, captures{}, func(n *node, _ captures) {
			for _, l := range n.leaves {
				if f.subscriptions[s.prog.leaves[l].subscription] {
					s.unusual[malformed]++
					return
				}
			}
			if len(n.leaves) == 0 && isJSON(val) {
				s.unusual[malformed]++
			}
		})
		return touched
	}
	if tree == nil {
		s.prog.root.walk(s.elems, captures{}, func(n *node, c captures) { put(n, v, c) })
		return touched
	}
	// The last element can be a list whose keys are inside the value: it is
	// looked at as a member of what is above it.
	elems := s.elems
	if last := len(elems) - 1; last >= 0 && len(elems[last].GetKey()) == 0 {
		tree = map[string]any{elems[last].GetName(): tree}
		elems = elems[:last]
	}
	s.prog.root.walk(elems, captures{}, func(n *node, c captures) { walkJSON(n, tree, c, put) })
	return touched
}

func isJSON(v *gnmipb.TypedValue) bool { return v.GetJsonVal() != nil || v.GetJsonIetfVal() != nil }

// walkJSON follows a JSON value from n, as if its members' names were elements
// of the path, and calls put with every value that is at a leaf's place.
func walkJSON(n *node, v any, c captures, put func(*node, scalar, captures)) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			n.each(name, c, func(e *edge, c captures) { walkMember(e, member, c, put) })
		}
	case []any:
		if len(v) == 1 { // a leaf-list of one, or [null], which is "empty"
			if _, object := v[0].(map[string]any); !object {
				walkJSON(n, v[0], c, put)
			}
		}
	default:
		put(n, ofJSON(v), c)
	}
}

// walkMember follows an edge whose name fitted into the member's value.
func walkMember(e *edge, v any, c captures, put func(*node, scalar, captures)) {
	list, ok := v.([]any)
	if !ok {
		if len(e.keys) == 0 {
			walkJSON(e.to, v, c, put)
			return
		}
		list = []any{v} // a list of one that is given without brackets
	}
	if len(e.keys) == 0 && len(list) == 1 {
		walkJSON(e.to, list[0], c, put)
		return
	}
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			continue
		}
		with, fits := c, true
		for i := range e.keys {
			value, ok := memberText(object, e.keys[i].name)
			if !ok || !e.keys[i].value.match(value, &with) {
				fits = false
				break
			}
		}
		if fits {
			walkJSON(e.to, object, with, put)
		}
	}
}

// memberText returns a key that is inside a list's entry.
func memberText(object map[string]any, name string) (string, bool) {
	v, ok := object[name]
	if !ok {
		for k, member := range object {
			if unqualified(k) == name {
				v, ok = member, true
				break
			}
		}
	}
	if !ok {
		return "", false
	}
	switch v.(type) {
	case map[string]any, []any, nil:
		return "", false
	}
	return ofJSON(v).word(), true
}

// normal brings what was captured into the vocabulary's terms: lanes from 0.
// It says whether the labels can be right.
func (l *leaf) normal(c *captures) unusable {
	for _, f := range l.fields {
		if len(c[f]) > maxText || strings.IndexByte(c[f], 0) >= 0 {
			return outOfRange
		}
		if c[f] == "" {
			continue
		}
		switch f {
		case fieldPriority, fieldTrafficClass:
			if len(c[f]) != 1 || c[f][0] < '0' || c[f][0] > '7' {
				return outOfRange
			}
		case fieldLane:
			n, err := strconv.ParseUint(c[f], 10, 16)
			if err != nil || int(n) < l.LaneBase {
				return outOfRange
			}
			if l.LaneBase != 0 {
				c[f] = strconv.Itoa(int(n) - l.LaneBase)
			}
		}
	}
	return usable
}

// set notes the value v of a leaf.
func (s *store) set(f *feed, l *leaf, c captures, v scalar, now int32) {
	why := l.normal(&c)
	if why != usable {
		s.unusual[why]++
		return
	}
	if l.Renames != Nothing {
		s.rename(f, l, &c, v.word(), now)
		return
	}
	var number float64
	var word string
	if l.Label != "" {
		word, why = l.text(v)
	} else {
		number, why = l.number(v)
	}
	if why != usable && why != noValue {
		s.unusual[why]++
	}
	e := s.entry(&c, why == usable)
	if e == nil {
		return
	}
	e.note(f, l.subscription, now)
	switch {
	case why != usable:
		s.drop(e, func(leaf int32, _ int32) bool { return s.prog.leaves[leaf].sameAs(l) })
	case l.Label != "":
		s.setText(e, l, word, now)
	default:
		s.setNumber(e, l, number, now)
	}
}

// sameAs says whether two leaves feed the same series of an entry.
func (l *leaf) sameAs(other *leaf) bool {
	return l.Metric == other.Metric && l.Label == other.Label
}

// number is the value in the metric's unit.
func (l *leaf) number(v scalar) (float64, unusable) {
	word := unqualified(strings.TrimSpace(v.word()))
	if slices.Contains(l.Ignore, word) {
		return 0, noValue
	}
	if l.Words != nil {
		if word == "" {
			return 0, noValue
		}
		n, ok := l.Words[word]
		if !ok {
			return 0, unknownWord
		}
		return n, usable
	}
	n, why := v.number()
	if why == usable && n < 0 && l.Metric.Type == metric.Counter {
		return 0, outOfRange
	}
	if l.scale < 1 { // 61.2 mA are 0.0612 A, and 61.2*1e-3 is not
		return n / math.Round(1/l.scale), why
	}
	if why == usable {
		n *= l.scale
		why = finite(n)
	}
	return n, why
}

// text is the value as a label.
func (l *leaf) text(v scalar) (string, unusable) {
	word := strings.TrimSpace(v.word())
	if l.Label == metric.Mode || l.Label == metric.FormFactor { // identities
		word = unqualified(word)
	}
	switch {
	case word == "" || slices.Contains(l.Ignore, word):
		return "", noValue
	case len(word) > maxText:
		return "", outOfRange
	}
	return word, usable
}

// rename notes that an identifier has a name.
func (s *store) rename(f *feed, l *leaf, c *captures, value string, now int32) {
	if len(l.fields) == 0 || value == "" || len(value) > maxText {
		return
	}
	key := told{l.id, c[l.fields[0]]}
	a := s.told[key]
	if a != nil && a.value != value {
		s.unname(key)
		a = nil
	}
	if a == nil {
		if len(s.told) >= s.most/10 {
			return
		}
		a = &alias{value: value}
		s.told[key] = a
		id, name := l.renames(key.captured, value)
		if s.names[l.fields[0]] == nil {
			s.names[l.fields[0]] = make(map[string]string)
		}
		s.names[l.fields[0]][id] = name
		s.sorted, s.relink = nil, true
	}
	a.at, a.round = now, f.round
}

// renames returns which identifier a Renames leaf gives which name.
func (l *leaf) renames(captured, value string) (id, name string) {
	if l.Renames == ValueToCaptured {
		return value, captured
	}
	return captured, value
}

// unname forgets what a Renames leaf told.
func (s *store) unname(key told) {
	l := &s.prog.leaves[key.leaf]
	names := s.names[l.fields[0]]
	if id, name := l.renames(key.captured, s.told[key].value); names[id] == name {
		delete(names, id)
	}
	delete(s.told, key)
	s.sorted, s.relink = nil, true
}

// identifiers returns what ValueToCaptured leaves told of f, sorted.
func (s *store) identifiers(f field) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for id := range s.names[f] {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// entry returns the entry of what was captured, made if it is wanted and there
// is room.
func (s *store) entry(c *captures, wanted bool) *entry {
	s.key = s.key[:0]
	for _, v := range c {
		s.key = append(append(s.key, v...), 0)
	}
	if e, ok := s.entries[string(s.key)]; ok {
		return e
	}
	if !wanted {
		return nil
	}
	if s.series >= s.most {
		s.unusual[tooManySeries]++
		return nil
	}
	e := &entry{key: string(s.key)}
	s.entries[e.key] = e
	s.sorted = nil
	return e
}

// captured takes the entry's key apart.
func (e *entry) captured() (c captures) {
	rest := e.key
	for f := range c {
		i := strings.IndexByte(rest, 0)
		c[f], rest = rest[:i], rest[i+1:]
	}
	return c
}

func (e *entry) note(f *feed, subscription int, now int32) {
	for i := range e.seen {
		if int(e.seen[i].subscription) == subscription {
			e.seen[i].at, e.seen[i].round = now, f.round
			return
		}
	}
	e.seen = append(slices.Grow(e.seen, 1), seen{subscription: int32(subscription), at: now, round: f.round})
}

func (s *store) setNumber(e *entry, l *leaf, v float64, now int32) {
	for i := range e.slots {
		if have := &e.slots[i]; int(have.leaf) == l.id || s.prog.leaves[have.leaf].sameAs(l) {
			have.value, have.leaf, have.at = v, int32(l.id), now
			return
		}
	}
	if s.series >= s.most {
		s.unusual[tooManySeries]++
		return
	}
	s.series++
	e.slots = append(e.slots, slot{value: v, leaf: int32(l.id), at: now})
}

func (s *store) setText(e *entry, l *leaf, v string, now int32) {
	changed := func() {
		e.stale = true
		if l.Metric == metric.TransceiverInterfaceInfo {
			s.sorted, s.relink = nil, true
		}
	}
	for i := range e.texts {
		if have := &e.texts[i]; s.prog.leaves[have.leaf].sameAs(l) {
			have.leaf, have.at = int32(l.id), now
			if have.value != v {
				have.value = v
				changed()
			}
			return
		}
	}
	if s.series >= s.most {
		s.unusual[tooManySeries]++
		return
	}
	s.series++
	e.texts = append(e.texts, text{value: v, leaf: int32(l.id), at: now})
	changed()
}

// drop removes from e what gone says is gone, by leaf and time, and e itself
// if nothing is left.
func (s *store) drop(e *entry, gone func(leaf, at int32) bool) {
	before := len(e.slots) + len(e.texts)
	e.slots = slices.DeleteFunc(e.slots, func(x slot) bool { return gone(x.leaf, x.at) })
	e.texts = slices.DeleteFunc(e.texts, func(x text) bool {
		if !gone(x.leaf, x.at) {
			return false
		}
		e.stale = true
		if s.prog.leaves[x.leaf].Metric == metric.TransceiverInterfaceInfo {
			s.sorted, s.relink = nil, true
		}
		return true
	})
	left := len(e.slots) + len(e.texts)
	s.series -= before - left
	if left == 0 {
		delete(s.entries, e.key)
		s.sorted = nil
	}
}

// remove drops what a delete of elems concerns, of the feed's subscriptions.
func (s *store) remove(f *feed, elems []*gnmipb.PathElem) {
	type claim struct {
		leaf *leaf
		c    captures
	}
	var open []claim // with placeholders that the delete leaves open
	s.prog.root.below(elems, captures{}, func(id int, c captures) {
		l := &s.prog.leaves[id]
		if !f.subscriptions[l.subscription] || l.normal(&c) != usable {
			return
		}
		if l.Renames != Nothing {
			for key := range s.told {
				if want := c[l.fields[0]]; key.leaf == id && (want == "" || want == key.captured) {
					s.unname(key)
				}
			}
			return
		}
		if slices.ContainsFunc(l.fields, func(x field) bool { return c[x] == "" }) {
			open = append(open, claim{l, c})
			return
		}
		if e := s.entry(&c, false); e != nil {
			s.drop(e, func(leaf, _ int32) bool { return int(leaf) == l.id })
		}
	})
	if len(open) == 0 {
		return
	}
	for _, e := range s.entries {
		have := e.captured()
		s.drop(e, func(leaf, _ int32) bool {
			i := slices.IndexFunc(open, func(x claim) bool { return x.leaf.id == int(leaf) })
			if i < 0 {
				return false
			}
			for _, x := range open[i].leaf.fields {
				if want := open[i].c[x]; want != "" && want != have[x] {
					return false
				}
			}
			return true
		})
	}
}

// sweep drops what the feed has not told by its sync.
func (s *store) sweep(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		old, lone := false, false
		for _, x := range e.seen {
			old = old || f.subscriptions[x.subscription] && x.round != f.round
		}
		before := func(leaf, at int32) bool { return f.subscriptions[s.prog.leaves[leaf].subscription] && at < f.begun }
		for _, x := range e.slots {
			lone = lone || before(x.leaf, x.at)
		}
		for _, x := range e.texts {
			lone = lone || before(x.leaf, x.at)
		}
		if old {
			s.forget(e, func(x seen) bool { return f.subscriptions[x.subscription] && x.round != f.round })
		}
		if lone {
			s.drop(e, before)
		}
	}
	for key, a := range s.told {
		if f.subscriptions[s.prog.leaves[key.leaf].subscription] && a.round != f.round {
			s.unname(key)
		}
	}
}

// forget drops what subscriptions told of e if their last word fits gone.
func (s *store) forget(e *entry, gone func(seen) bool) {
	var lost []int32
	e.seen = slices.DeleteFunc(e.seen, func(x seen) bool {
		if gone(x) {
			lost = append(lost, x.subscription)
			return true
		}
		return false
	})
	s.drop(e, func(leaf, _ int32) bool { return slices.Contains(lost, int32(s.prog.leaves[leaf].subscription)) })
}

// expire drops entries of which a subscription told nothing for its limit, and
// single values that were left out for three times as long while others of
// their entry came: a device may skip one for a while, but does not for ever.
func (s *store) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
}

func (s *store) expireLocked() {
	now := s.now()
	over := func(subscription, at int32, times time.Duration) bool {
		limit := s.limits[subscription]
		return limit > 0 && time.Duration(now-at)*tick > limit*times
	}
	past := func(x seen) bool {
		if s.limits[x.subscription] > 0 {
			return over(x.subscription, x.at, 1)
		}
		// What a stream tells that has not told all yet is not old.
		end := s.lost[x.subscription]
		return end.at != 0 && x.round <= end.round && time.Duration(now-max(x.at, end.at))*tick > s.graces[x.subscription]
	}
	for _, e := range s.entries {
		gone, lone := false, false
		for _, x := range e.seen {
			gone = gone || past(x)
		}
		for _, x := range e.slots {
			lone = lone || over(int32(s.prog.leaves[x.leaf].subscription), x.at, 3)
		}
		for _, x := range e.texts {
			lone = lone || over(int32(s.prog.leaves[x.leaf].subscription), x.at, 3)
		}
		if gone {
			s.forget(e, past)
			s.expired++
		}
		if lone {
			s.drop(e, func(leaf, at int32) bool { return over(int32(s.prog.leaves[leaf].subscription), at, 3) })
		}
	}
	// A name is worth more than a value: without it what it names would change its
	// labels. It outlives a stream that begins anew.
	for key, a := range s.told {
		if over(int32(s.prog.leaves[key.leaf].subscription), a.at, 3) {
			s.unname(key)
		}
	}
}

// collect appends a sample of everything that is kept.
func (s *store) collect(out []metric.Sample) []metric.Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
	s.layOut()
	out = slices.Grow(out, s.series)
	series := make([]metric.Series, s.series) // samples outlive the lock
	// Entries of one place, such as two neighbors of an interface, may claim one
	// series: the first has it.
	var claimed map[string]bool
	for i, e := range s.sorted {
		if i == 0 || !samePlace(&e.shown, &s.sorted[i-1].shown) {
			claimed = nil
			if i+1 < len(s.sorted) && samePlace(&e.shown, &s.sorted[i+1].shown) {
				claimed = make(map[string]bool)
			}
		}
		anchored := e.anchored(s.prog)
		for _, x := range e.slots {
			l := &s.prog.leaves[x.leaf]
			if l.Follows && !anchored || claimed[l.Metric.Name] {
				continue
			}
			if claimed != nil {
				claimed[l.Metric.Name] = true
			}
			series[0] = metric.Series{Metric: l.Metric, Place: e.place(l.shape)}
			out = append(out, metric.Sample{Series: &series[0], Value: x.value})
			series = series[1:]
		}
		for _, info := range e.info(s.prog) {
			if claimed != nil {
				key := info.Key()
				if claimed[key] {
					continue
				}
				claimed[key] = true
			}
			out = append(out, metric.Sample{Series: info, Value: 1})
		}
	}
	return out
}

func samePlace(a, b *metric.Where) bool { return compare(a, b) == 0 }

// compare orders places as their labels are ordered in the vocabulary.
func compare(a, b *metric.Where) int {
	return cmp.Or(strings.Compare(a.Interface, b.Interface), strings.Compare(a.Transceiver, b.Transceiver),
		strings.Compare(a.Priority, b.Priority), strings.Compare(a.TrafficClass, b.TrafficClass), strings.Compare(a.Queue, b.Queue),
		strings.Compare(a.PriorityGroup, b.PriorityGroup), strings.Compare(a.Pool, b.Pool), strings.Compare(a.Lane, b.Lane))
}

// layOut brings the entries in order, under the names that are known now.
func (s *store) layOut() {
	if s.sorted != nil {
		return
	}
	if s.relink {
		s.link()
		for _, e := range s.entries {
			if shown := s.show(e); !samePlace(&shown, &e.shown) {
				e.shown, e.places, e.stale = shown, nil, true
			}
		}
		s.relink = false
	}
	s.sorted = make([]*entry, 0, len(s.entries))
	for _, e := range s.entries {
		if e.places == nil {
			e.shown = s.show(e)
			e.places = make([]*metric.Place, 0, 1)
		}
		s.sorted = append(s.sorted, e)
	}
	slices.SortFunc(s.sorted, func(a, b *entry) int {
		return cmp.Or(compare(&a.shown, &b.shown), strings.Compare(a.key, b.key))
	})
}

// link finds out which transceivers belong to just one interface.
func (s *store) link() {
	s.links = make(map[string]string)
	for _, e := range s.entries {
		for _, t := range e.texts {
			if s.prog.leaves[t.leaf].Metric != metric.TransceiverInterfaceInfo {
				continue
			}
			name := s.named(fieldInterface, e.captured()[fieldInterface])
			if have, ok := s.links[t.value]; ok && have != name {
				name = ""
			}
			s.links[t.value] = name
		}
	}
}

// named returns what an identifier is called.
func (s *store) named(f field, id string) string {
	if name, ok := s.names[f][id]; ok {
		return name
	}
	return id
}

// show returns the labels of e as samples have them.
func (s *store) show(e *entry) metric.Where {
	c := e.captured()
	for f := range c {
		c[f] = s.named(field(f), c[f])
	}
	if c[fieldInterface] == "" && c[fieldTransceiver] != "" {
		c[fieldInterface] = s.links[c[fieldTransceiver]]
	}
	return metric.Where{Interface: c[fieldInterface], Transceiver: c[fieldTransceiver], Priority: c[fieldPriority],
		TrafficClass: c[fieldTrafficClass], Queue: c[fieldQueue], PriorityGroup: c[fieldPriorityGroup],
		Pool: c[fieldPool], Lane: c[fieldLane]}
}

// place returns the place of e's series whose metrics list the labels of shape.
func (e *entry) place(shape int) *metric.Place {
	for len(e.places) <= shape {
		e.places = append(e.places, nil)
	}
	if e.places[shape] == nil {
		e.places[shape] = &metric.Place{Where: e.shown}
	}
	return e.places[shape]
}

// anchored says whether a leaf without Follows has told something of e.
func (e *entry) anchored(prog *program) bool {
	return slices.ContainsFunc(e.slots, func(x slot) bool { return !prog.leaves[x.leaf].Follows }) ||
		slices.ContainsFunc(e.texts, func(x text) bool { return !prog.leaves[x.leaf].Follows }) ||
		e.shown.Transceiver != "" && e.shown.Interface != ""
}

// info returns the info series that e's texts make.
func (e *entry) info(prog *program) []*metric.Series {
	if !e.stale {
		return e.infos
	}
	e.infos, e.stale = nil, false
	var of []*metric.Metric
	for _, t := range e.texts {
		if m := prog.leaves[t.leaf].Metric; !slices.Contains(of, m) {
			of = append(of, m)
		}
	}
	for _, m := range of {
		w := e.shown
		for _, t := range e.texts {
			if l := &prog.leaves[t.leaf]; l.Metric == m {
				if l.Label == metric.Transceiver {
					w.Transceiver = t.value
					continue
				}
				w.Attributes = append(w.Attributes, metric.Attribute{Label: l.Label, Value: t.value})
			}
		}
		if m == metric.NeighborInfo && w.Value(metric.Neighbor) == "" && w.Value(metric.NeighborIface) == "" {
			continue // nobody to name
		}
		e.infos = append(e.infos, m.At(w))
	}
	return e.infos
}

// health returns what the store counted: entries expired, values unusable by
// reason, and whether it holds anything.
func (s *store) health() (expired uint64, unusual map[unusable]uint64, series int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unusual = make(map[unusable]uint64, len(s.unusual))
	for k, v := range s.unusual {
		unusual[k] = v
	}
	return s.expired, unusual, s.series
}

// holds says whether anything is kept.
func (s *store) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.series > 0
}
