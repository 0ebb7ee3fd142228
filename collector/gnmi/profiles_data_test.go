package gnmi

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// TestProfilesAreSound looks for mistakes in THE TABLE that compile lets pass.
func TestProfilesAreSound(t *testing.T) {
	names := make(map[string]bool)
	for _, p := range Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			if names[p.Name] {
				t.Error("a second profile of this name")
			}
			names[p.Name] = true
			if _, err := compile(&p); err != nil {
				t.Error(err)
			}
			checkProfile(t, &p)
			for i := range p.Subscriptions {
				s := &p.Subscriptions[i]
				checkSubscription(t, s)
				for j := range s.Leaves {
					if err := checkLeaf(s, &s.Leaves[j]); err != nil {
						t.Errorf("%s, %s: %v", s.name(), s.Leaves[j].below(s), err)
					}
				}
			}
			checkTogether(t, &p)
		})
	}
}

// checkProfile checks what a profile says of itself.
func checkProfile(t *testing.T, p *Profile) {
	if !regexp.MustCompile(`^[a-z0-9_]+$`).MatchString(p.Name) {
		t.Errorf("name %q", p.Name)
	}
	if p.Title == "" || p.Title != strings.Trim(p.Title, " .") {
		t.Errorf("title %q", p.Title)
	}
	if err := isPhrase(p.Checked); err != nil {
		t.Errorf("Checked: %v", err)
	}
	if p.Port <= 0 || p.Port > 65535 {
		t.Errorf("port %d", p.Port)
	}
	for _, s := range slices.Concat(p.Models, p.Organizations) {
		if s == "" || s != strings.ToLower(s) || s != strings.TrimSpace(s) {
			t.Errorf("%q is compared with lower case", s)
		}
	}
	if len(p.Subscriptions) == 0 {
		t.Fatal("no subscriptions")
	}
	// What tells the family: placeholders would wait for identifiers.
	if first := &p.Subscriptions[0]; strings.Contains(first.Path, "{") || first.Leaves[0].Renames != Nothing {
		t.Errorf("%s comes first: it cannot be asked for alone", first.name())
	}
	streams := make(map[string]bool)
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		streams[fmt.Sprint(s.Target, " ", s.Origin, " ", placeholders(s.Path))] = true
	}
	if p.MaxStreams < 0 || p.MaxStreams > 0 && len(streams) > p.MaxStreams {
		t.Errorf("%d kinds of streams, of which it takes %d", len(streams), p.MaxStreams)
	}
}

// checkSubscription checks a subscription but for its leaves.
func checkSubscription(t *testing.T, s *Subscription) {
	if err := isPhrase(s.Source); err != nil {
		t.Errorf("%s: Source: %v", s.name(), err)
	}
	if err := isDoubt(s.Unverified); err != nil {
		t.Errorf("%s: Unverified: %v", s.name(), err)
	}
	if len(s.Leaves) == 0 {
		t.Errorf("%s: no leaves", s.name())
	}
	if !strings.HasPrefix(s.Base, "/") || strings.HasSuffix(s.Base, "/") {
		t.Errorf("%s: base %q", s.name(), s.Base)
	}
	if s.Least < 0 || s.Mode == TargetDefined && s.Least != 0 {
		t.Errorf("%s: an interval of %s at least, %s", s.name(), s.Least, s.Mode)
	}
	if s.ZeroSuppressed && s.Mode == OnChange {
		t.Errorf("%s: on change, values never expire one by one", s.name())
	}
	asked, err := ygot.StringToStructuredPath(placeholder().ReplaceAllString(s.Path, "x"))
	if err != nil || len(asked.GetElem()) == 0 {
		t.Errorf("path %s: %v", s.Path, err)
		return
	}
	for i := range s.Leaves {
		if err := belowPath(s, &s.Leaves[i]); err != nil {
			t.Errorf("%s: %v", s.name(), err)
			return
		}
	}
}

// belowPath says whether a leaf's pattern lies below the path that is asked for.
func belowPath(s *Subscription, l *Leaf) error {
	asked, err := ygot.StringToStructuredPath(s.Path)
	if err != nil {
		return err
	}
	pattern, err := ygot.StringToStructuredPath(l.below(s))
	if err != nil {
		return err
	}
	if len(pattern.GetElem()) < len(asked.GetElem()) {
		return fmt.Errorf("%s is above it", l.below(s))
	}
	for i, a := range asked.GetElem() {
		e := pattern.GetElem()[i]
		open := strings.Contains(e.GetName(), "{") || a.GetName() == "*" || strings.Contains(a.GetName(), "{")
		if !open && e.GetName() != unqualified(a.GetName()) {
			return fmt.Errorf("%s has %s where it has %s", l.below(s), e.GetName(), a.GetName())
		}
		for name, value := range a.GetKey() {
			if have, ok := e.GetKey()[name]; ok && value != "*" && !strings.Contains(have+value, "{") && have != value {
				return fmt.Errorf("%s has %s=%s where it has %s", l.below(s), name, have, value)
			}
		}
	}
	return nil
}

// checkLeaf checks a leaf by itself.
func checkLeaf(s *Subscription, l *Leaf) error {
	if err := isDoubt(l.Unverified); err != nil {
		return fmt.Errorf("Unverified: %w", err)
	}
	pattern, err := ygot.StringToStructuredPath(l.below(s))
	if err != nil {
		return err
	}
	captured, err := capturedBy(pattern)
	if err != nil {
		return err
	}
	if (l.Metric == nil) == (l.Renames == Nothing) {
		return fmt.Errorf("want one of Metric and Renames")
	}
	if l.LaneBase < 0 || l.LaneBase > 0 && !slices.Contains(captured, metric.Lane) {
		return fmt.Errorf("lanes from %d, of labels %v", l.LaneBase, captured)
	}
	if l.Renames != Nothing {
		if len(captured) == 0 || l.Label != "" || l.Words != nil || l.Scale != 0 || l.Follows {
			return fmt.Errorf("a leaf that renames has a label and nothing else")
		}
		return nil
	}
	if l.Metric.Type == metric.Info != (l.Label != "") || l.Label != "" && !slices.Contains(l.Metric.Labels, l.Label) {
		return fmt.Errorf("label %q for %s %s of %v", l.Label, l.Metric.Type, l.Metric.Name, l.Metric.Labels)
	}
	if l.Label != "" && (l.Words != nil || l.Scale != 0) {
		return fmt.Errorf("a text has no scale and no words")
	}
	if l.Scale < 0 || math.IsInf(l.Scale, 0) || math.IsNaN(l.Scale) {
		return fmt.Errorf("scale %g", l.Scale)
	}
	if err := checkWords(l); err != nil {
		return err
	}
	return checkLabels(l, captured)
}

// checkWords checks an enumeration.
func checkWords(l *Leaf) error {
	for _, w := range l.Ignore {
		if _, both := l.Words[w]; both || w != strings.TrimSpace(unqualified(w)) {
			return fmt.Errorf("%q is ignored", w)
		}
	}
	if l.Words == nil {
		return nil
	}
	if l.Metric.Type != metric.Gauge || l.Scale != 0 || len(l.Words) == 0 {
		return fmt.Errorf("words are for gauges, and have no scale")
	}
	values := make(map[float64]bool)
	for w, v := range l.Words {
		if w == "" || w != strings.TrimSpace(unqualified(w)) || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return fmt.Errorf("word %q is %g", w, v)
		}
		if l.Metric.Unit == metric.BytesPerSecond && v < 1e6/8 {
			return fmt.Errorf("%s is %g bytes per second", w, v)
		}
		values[v] = true
	}
	states := []*metric.Metric{metric.InterfaceUp, metric.InterfaceAdminUp, metric.InterfacePFCEnabled, metric.PFCWatchdogStormed,
		metric.TransceiverNoSignal, metric.TransceiverNoLock, metric.TransceiverFault}
	if slices.Contains(states, l.Metric) && (len(values) != 2 || !values[0] || !values[1]) {
		return fmt.Errorf("a state is 0 or 1: %v", l.Words)
	}
	return nil
}

// checkLabels says whether a pattern captures the labels that its metric has,
// no more and no less.
func checkLabels(l *Leaf, captured []metric.Label) error {
	names := fieldNames()
	has := func(x metric.Label) bool { return slices.Contains(captured, x) }
	for _, x := range captured {
		if !slices.Contains(l.Metric.Labels, x) {
			return fmt.Errorf("%s has no label %s", l.Metric.Name, x)
		}
	}
	for _, x := range l.Metric.Labels {
		if !slices.Contains(names[:], x) || has(x) || x == l.Label {
			continue
		}
		switch {
		// A link tells a transceiver's interface; where a switch has readings by
		// interface, the transceiver needs no name. A module may tell no lanes.
		case strings.HasPrefix(l.Metric.Name, "roce_transceiver_") && (x == metric.Interface && has(metric.Transceiver) || x == metric.Transceiver && has(metric.Interface) || x == metric.Lane):
		// A watchdog counts by priority or by queue.
		case strings.HasPrefix(l.Metric.Name, "roce_pfc_watchdog_") && (x == metric.Priority && has(metric.Queue) || x == metric.Queue && has(metric.Priority)):
		default:
			return fmt.Errorf("nothing gives label %s of %s", x, l.Metric.Name)
		}
	}
	if strings.HasPrefix(l.Metric.Name, "roce_pfc_watchdog_") && has(metric.Priority) && has(metric.Queue) {
		return fmt.Errorf("%s has label priority or queue", l.Metric.Name)
	}
	return nil
}

// checkTogether checks what leaves of a profile are to each other.
func checkTogether(t *testing.T, p *Profile) {
	feeds := make(map[string]bool)
	anchors := make(map[string]bool) // labels of leaves without Follows
	named := make(map[metric.Label]bool)
	each(p, func(s *Subscription, l *Leaf, captured []metric.Label) {
		if l.Renames != Nothing {
			named[captured[0]] = true
			return
		}
		key := fmt.Sprint(s.Target, " ", l.below(s), " ", l.Metric.Name, " ", l.Label)
		if feeds[key] {
			t.Errorf("%s comes twice", key)
		}
		feeds[key] = true
		if !l.Follows {
			anchors[fmt.Sprint(captured)] = true
		}
	})
	each(p, func(s *Subscription, l *Leaf, captured []metric.Label) {
		if l.Follows && !anchors[fmt.Sprint(captured)] {
			t.Errorf("%s follows nothing", l.below(s))
		}
	})
	for i := range p.Subscriptions {
		for _, x := range placeholders(p.Subscriptions[i].Path) {
			if !named[x] {
				t.Errorf("%s: no leaf tells what {%s} stands for", p.Subscriptions[i].name(), x)
			}
		}
	}
}

// each calls f for every leaf whose pattern makes sense.
func each(p *Profile, f func(*Subscription, *Leaf, []metric.Label)) {
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		for j := range s.Leaves {
			l := &s.Leaves[j]
			pattern, err := ygot.StringToStructuredPath(l.below(s))
			if err != nil {
				continue
			}
			if captured, err := capturedBy(pattern); err == nil && (l.Metric != nil || len(captured) > 0) {
				f(s, l, captured)
			}
		}
	}
}

// capturedBy returns the labels that a pattern captures, in its order, each
// once, but for {id}.
func capturedBy(pattern *gnmipb.Path) (out []metric.Label, err error) {
	add := func(text string) {
		for _, x := range placeholders(text) {
			if slices.Contains(out, x) {
				err = fmt.Errorf("{%s} comes twice", x)
			}
			if x != "id" {
				out = append(out, x)
			}
		}
	}
	for _, e := range pattern.GetElem() {
		add(e.GetName())
		var keys []string
		for k := range e.GetKey() {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			add(e.GetKey()[k])
		}
	}
	return out, err
}

func placeholder() *regexp.Regexp { return regexp.MustCompile(`\{(\w+)\}`) }

func placeholders(text string) (out []metric.Label) {
	for _, m := range placeholder().FindAllStringSubmatch(text, -1) {
		out = append(out, metric.Label(m[1]))
	}
	return out
}

// isPhrase says whether a text can stand before a full stop.
func isPhrase(s string) error {
	if s == "" || s != strings.TrimSpace(s) || strings.HasSuffix(s, ".") || strings.HasSuffix(s, ";") || strings.Contains(s, "  ") || strings.ContainsAny(s, "|\n") {
		return fmt.Errorf("%q is no phrase without a full stop", s)
	}
	return nil
}

// isDoubt says whether a text is nothing or sentences.
func isDoubt(s string) error {
	if s != "" && (s != strings.TrimSpace(s) || !strings.HasSuffix(s, ".") || strings.HasSuffix(s, "..") || s[:1] != strings.ToUpper(s[:1]) ||
		strings.Contains(s, "  ") || strings.ContainsAny(s, "|\n")) {
		return fmt.Errorf("%q is no sentence", s)
	}
	return nil
}

// TestFamiliesAreToldApart keeps two profiles from claiming one device.
func TestFamiliesAreToldApart(t *testing.T) {
	all := Profiles()
	overlap := func(a, b []string) string {
		for _, x := range a {
			for _, y := range b {
				if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
					return x
				}
			}
		}
		return ""
	}
	for i := range all {
		for j := range i {
			a, b := &all[i], &all[j]
			if x := overlap(a.Models, b.Models); x != "" {
				t.Errorf("%s and %s claim model %s", a.Name, b.Name, x)
			}
			if x := overlap(a.Organizations, b.Organizations); x != "" {
				t.Errorf("%s and %s claim organization %s", a.Name, b.Name, x)
			}
		}
		for _, m := range []string{"openconfig-interfaces", "openconfig-if-ethernet", "openconfig-qos", "openconfig-platform", "openconfig-lldp", "ietf-interfaces"} {
			if all[i].models(&gnmipb.ModelData{Name: m, Organization: "OpenConfig working group"}) {
				t.Errorf("%s claims %s, which others have", all[i].Name, m)
			}
		}
	}
}

// TestRecordingsNameTheirFamily reads recorded capabilities as profile auto does.
func TestRecordingsNameTheirFamily(t *testing.T) {
	all := Profiles()
	for i := range all {
		p := &all[i]
		caps := recording(t, p.Name).Capabilities
		if caps == nil {
			continue
		}
		want := len(p.Models)+len(p.Organizations) > 0
		for j := range all {
			claims := slices.ContainsFunc(caps.GetSupportedModels(), all[j].models)
			if claims != (want && i == j) {
				t.Errorf("the recording of %s is one of %s: %v", p.Name, all[j].Name, claims)
			}
		}
	}
}
