package gnmi

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc"
)

// candidates returns the programs that come into question for a target, by what
// it says of its models. The one of a family that it names stands alone; else
// it is found out by what the target answers.
func (t *Target) candidates(caps *gnmipb.CapabilityResponse) []*program {
	for _, p := range t.programs {
		if slices.ContainsFunc(caps.GetSupportedModels(), p.profile.models) {
			return []*program{p}
		}
	}
	// What speaks OpenConfig may know more than that: the general is asked last.
	out := slices.DeleteFunc(slices.Clone(t.programs), (*program).general)
	return append(out, slices.DeleteFunc(slices.Clone(t.programs), func(p *program) bool { return !p.general() })...)
}

// general says whether a profile is of a model that many families have.
func (p *program) general() bool { return len(p.profile.Models)+len(p.profile.Organizations) == 0 }

// own returns which subscriptions, by number, tell p from other profiles: what a
// general one asks for too says nothing of a family.
func (t *Target) own(p *program) []int {
	names := func(s *Subscription) (out []string) {
		path, err := ygot.StringToStructuredPath(s.Path)
		if err != nil {
			return nil
		}
		for _, e := range path.GetElem() {
			out = append(out, unqualified(e.GetName()))
		}
		return out
	}
	var of [][]string // general paths
	for _, g := range t.programs {
		for i := range g.profile.Subscriptions {
			if g.general() && !p.general() {
				of = append(of, names(&g.profile.Subscriptions[i]))
			}
		}
	}
	var out []int
	for i := range p.profile.Subscriptions {
		path := names(&p.profile.Subscriptions[i])
		if !slices.ContainsFunc(of, func(g []string) bool {
			n := min(len(g), len(path))
			return slices.Equal(g[:n], path[:n])
		}) {
			out = append(out, i)
		}
	}
	return out
}

// models says whether a model is one that only this family has.
func (p *Profile) models(m *gnmipb.ModelData) bool {
	begins := func(s string) func(string) bool {
		return func(with string) bool { return strings.HasPrefix(strings.ToLower(s), with) }
	}
	return slices.ContainsFunc(p.Models, begins(m.GetName())) || slices.ContainsFunc(p.Organizations, begins(m.GetOrganization()))
}

// encodings returns the encodings to try, the best first.
func (t *Target) encodings(caps *gnmipb.CapabilityResponse) []gnmipb.Encoding {
	if t.cfg.Encoding != nil {
		return []gnmipb.Encoding{*t.cfg.Encoding}
	}
	best := []gnmipb.Encoding{gnmipb.Encoding_PROTO, gnmipb.Encoding_JSON_IETF, gnmipb.Encoding_JSON}
	var can []gnmipb.Encoding
	for _, e := range best {
		if slices.Contains(caps.GetSupportedEncodings(), e) {
			can = append(can, e)
		}
	}
	if len(can) == 0 {
		return best
	}
	return can
}

// answers says whether a target tells anything that p makes a metric of and that
// tells its family from others, by subscriptions that are ended again. The first
// ones of a profile are those that every switch of the family has. An error that
// is a refusal may be one of the encoding.
func (t *Target) answers(ctx context.Context, conn *grpc.ClientConn, p *program, e gnmipb.Encoding) (bool, error) {
	s := newStore(p, make([]time.Duration, len(p.profile.Subscriptions)))
	r := &reader{t: t, conn: conn, store: s, encoding: e, aside: true}
	var last error
	own := t.own(p)
	for _, i := range own[:min(3, len(own))] {
		g := r.group(i)
		if len(g.named) > 0 {
			continue
		}
		requests, err := r.requests(g, nil)
		if err == nil {
			err = r.trial(ctx, g.target, requests)
		}
		if err != nil {
			last = err
			if !refusal(err) {
				return false, err
			}
		}
		if s.holds() {
			return true, nil
		}
	}
	if last == nil {
		return false, errors.New("the target tells nothing that this family does")
	}
	return false, last
}
