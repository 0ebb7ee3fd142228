package gnmi

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
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
	general := func(p *program) bool { return len(p.profile.Models)+len(p.profile.Organizations) == 0 }
	out := slices.DeleteFunc(slices.Clone(t.programs), general)
	return append(out, slices.DeleteFunc(slices.Clone(t.programs), func(p *program) bool { return !general(p) })...)
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

// answers says whether a target tells anything that p makes a metric of, by
// subscriptions that are ended again. The first ones of a profile are those
// that every switch of the family has.
func (t *Target) answers(ctx context.Context, conn *grpc.ClientConn, p *program, e gnmipb.Encoding) (bool, error) {
	s := newStore(p, make([]time.Duration, len(p.profile.Subscriptions)))
	r := &reader{t: t, conn: conn, store: s, encoding: e, aside: true}
	var last error
	for i := range min(3, len(p.profile.Subscriptions)) {
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
