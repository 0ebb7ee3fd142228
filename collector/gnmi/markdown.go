package gnmi

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown returns THE TABLE as a document.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Profiles\n\nGenerated from the profiles in this folder; `make generate` writes it anew.\n" +
		"What each family of switches is asked for by gNMI, and the metrics that are made of it. Marked **unverified** is what\n" +
		"could not be checked on a source that the family's maker has published, or not on a device.\n\n" +
		"| Profile | Family | Checked against | Usual port | Streams at once | Subscriptions | Metrics | Unverified |\n|---|---|---|---|---|---|---|---|\n")
	profiles := Profiles()
	for i := range profiles {
		p := &profiles[i]
		streams := "no limit known"
		if p.MaxStreams > 0 {
			streams = fmt.Sprint(p.MaxStreams)
		}
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %d | %s | %d | %d | %d |\n", p.Name, p.Name, p.Title, p.Checked, p.Port, streams,
			len(p.Subscriptions), len(p.metrics()), p.doubts())
	}
	for i := range profiles {
		profiles[i].markdown(&b)
	}
	return b.String()
}

// metrics returns the names of the metrics that p feeds, sorted.
func (p *Profile) metrics() []string {
	var out []string
	for _, s := range p.Subscriptions {
		for _, l := range s.Leaves {
			if l.Metric != nil {
				out = append(out, l.Metric.Name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// doubts counts the leaves that are unverified, by themselves or with their
// subscription.
func (p *Profile) doubts() int {
	n := 0
	for _, s := range p.Subscriptions {
		for _, l := range s.Leaves {
			if s.Unverified != "" || l.Unverified != "" {
				n++
			}
		}
	}
	return n
}

func (p *Profile) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%s. Checked against %s.\n", p.Name, p.Title, p.Checked)
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		fmt.Fprintf(b, "\n### `%s`\n\n%s. Source: %s.\n", s.name(), s.how(), strings.TrimSuffix(s.Source, "."))
		if s.Unverified != "" {
			fmt.Fprintf(b, "**Unverified:** %s\n", s.Unverified)
		}
		b.WriteString("\n| Below it | Metric | Label or words | Remarks |\n|---|---|---|---|\n")
		for j := range s.Leaves {
			l := &s.Leaves[j]
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", l.below(s), l.becomes(), l.values(), l.remarks())
		}
	}
}

// name is what the documentation and the logs call a subscription.
func (s *Subscription) name() string {
	name := s.Path
	if s.Origin != "" {
		name = s.Origin + ":" + name
	}
	if s.Target != "" {
		name = s.Target + " " + name
	}
	return name
}

// how says how a subscription is asked for.
func (s *Subscription) how() string {
	how := "Sampled"
	switch s.Mode {
	case OnChange:
		how = "On change; sampled where that is refused"
	case TargetDefined:
		how = "As the device thinks fit"
	}
	if s.Least > 0 {
		how += fmt.Sprintf(", every %s at most", s.Least)
	}
	if s.ZeroSuppressed {
		how += "; what is 0 is not told"
	}
	return how
}

// below is where a leaf is, without what the subscription's path says already.
func (l *Leaf) below(s *Subscription) string {
	path := strings.TrimSuffix(s.Base+"/"+l.Path, "/")
	return strings.ReplaceAll(path, "|", `\|`)
}

func (l *Leaf) becomes() string {
	switch l.Renames {
	case CapturedToValue:
		return "the name of what is captured"
	case ValueToCaptured:
		return "the identifier of what is captured"
	}
	out := "`" + l.Metric.Name + "`"
	if l.Scale != 0 && l.Scale != 1 {
		out += fmt.Sprintf(" × %g", l.Scale)
	}
	return out
}

// values lists the words of an enumeration, or names the label that a text is
// the value of.
func (l *Leaf) values() string {
	if l.Label != "" {
		return "label `" + string(l.Label) + "`"
	}
	var words []string
	for w, v := range l.Words {
		words = append(words, fmt.Sprintf("%s %g", w, v))
	}
	if len(words) > 8 {
		return fmt.Sprintf("%d words", len(words))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func (l *Leaf) remarks() string {
	var out []string
	if l.Follows {
		out = append(out, "Only of transceivers.")
	}
	if l.LaneBase != 0 {
		out = append(out, fmt.Sprintf("The device's first lane is %d, ours 0.", l.LaneBase))
	}
	if len(l.Ignore) > 0 {
		out = append(out, "No value: "+strings.Join(l.Ignore, ", ")+".")
	}
	if l.Unverified != "" {
		out = append(out, "**Unverified:** "+l.Unverified)
	}
	return strings.Join(out, " ")
}
