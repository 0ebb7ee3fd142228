package gnmi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

var (
	// errAllRefused says that the target takes none of a profile's paths.
	errAllRefused = errors.New("the target refuses every path of the profile")
	// errAnew ends streams that are to begin anew with nothing being wrong.
	errAnew = errors.New("the streams begin anew")
)

// reader reads one target over one connection.
type reader struct {
	t        *Target
	conn     *grpc.ClientConn
	store    *store
	encoding gnmipb.Encoding
	// aside says that what comes is only looked at, to find out the profile.
	aside bool

	mu    sync.Mutex
	spare int // streams that the target allows beyond one for each group, less those that groups have taken
}

// take takes up to n more streams and returns how many.
func (r *reader) take(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, r.spare)
	r.spare -= n
	return n
}

// giveBack gives back streams that were taken.
func (r *reader) giveBack(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spare += n
}

// group is subscriptions that can share a stream.
type group struct {
	target        string // of the prefix
	origin        string
	named         []field // placeholders in the paths, which identifiers stand for
	subscriptions []int   // by number
}

// request is one path that is asked for.
type request struct {
	subscription int
	path         *gnmipb.Path
	name         string // for people
	sampled      bool   // the target refuses to tell it on change
}

// groups sorts the subscriptions of the profile into groups. Paths whose
// placeholders wait for identifiers do not hold up the others.
func (r *reader) groups() []*group {
	var out []*group
	for i := range r.store.prog.profile.Subscriptions {
		g := r.group(i)
		same := func(o *group) bool {
			return o.target == g.target && o.origin == g.origin && slices.Equal(o.named, g.named)
		}
		if at := slices.IndexFunc(out, same); at >= 0 {
			out[at].subscriptions = append(out[at].subscriptions, i)
			continue
		}
		out = append(out, g)
	}
	return out
}

// group returns a group of one subscription.
func (r *reader) group(i int) *group {
	s := &r.store.prog.profile.Subscriptions[i]
	g := &group{target: s.Target, origin: s.Origin, subscriptions: []int{i}}
	if g.target == "" {
		g.target = r.t.cfg.PathTarget
	}
	for f, name := range fieldNames() {
		if strings.Contains(s.Path, "{"+string(name)+"}") {
			g.named = append(g.named, field(f))
		}
	}
	return g
}

// identifiers returns what g's placeholders stand for now.
func (r *reader) identifiers(g *group) [][]string {
	var out [][]string
	for _, f := range g.named {
		out = append(out, r.store.identifiers(f))
	}
	return out
}

// requests returns what g asks for: each path, once for each identifier that
// its placeholders stand for.
func (r *reader) requests(g *group, identifiers [][]string) ([]request, error) {
	var out []request
	for _, i := range g.subscriptions {
		s := &r.store.prog.profile.Subscriptions[i]
		pattern, err := ygot.StringToStructuredPath(s.Path)
		if err != nil {
			return nil, fmt.Errorf("path %s: %w", s.Path, err)
		}
		pattern.Origin = s.Origin
		for fill := range combinations(g.named, identifiers) {
			named := *s
			named.Path = printable(fill.Replace(s.Path))
			out = append(out, request{subscription: i, path: filled(pattern, fill), name: named.name(), sampled: !r.aside && r.t.sampled[i].Load()})
		}
	}
	return out, nil
}

// combinations gives replacers of the placeholders by identifiers, one for each
// choice of them.
func combinations(named []field, identifiers [][]string) iter.Seq[*strings.Replacer] {
	return func(yield func(*strings.Replacer) bool) {
		choice := make([]string, 2*len(named))
		var choose func(n int) bool
		choose = func(n int) bool {
			if n == len(named) {
				return yield(strings.NewReplacer(choice...))
			}
			choice[2*n] = "{" + string(fieldNames()[named[n]]) + "}"
			for _, id := range identifiers[n] {
				choice[2*n+1] = id
				if !choose(n + 1) {
					return false
				}
			}
			return true
		}
		choose(0)
	}
}

// filled returns a path with its placeholders filled. They are not filled in the
// path's text, where an identifier would have to be escaped.
func filled(p *gnmipb.Path, fill *strings.Replacer) *gnmipb.Path {
	out := proto.CloneOf(p)
	for _, e := range out.GetElem() {
		e.Name = fill.Replace(e.GetName())
		for k, v := range e.GetKey() {
			e.Key[k] = fill.Replace(v)
		}
	}
	return out
}

// readAll reads all groups until the connection is lost or has to be given up.
func (r *reader) readAll(ctx context.Context) error {
	groups := r.groups()
	all, ctx := errgroup.WithContext(ctx)
	settled := make(chan bool, len(groups))
	expected := 0
	r.spare = math.MaxInt32
	if limit := r.store.prog.profile.MaxStreams; limit > 0 {
		r.spare = max(0, limit-len(groups))
	}
	for _, g := range groups {
		f := &follower{reader: r, group: g}
		if len(g.named) == 0 { // it need not wait for what others tell
			expected++
			f.settled = settled
		}
		r.t.unsynced.Add(1) // a group that has not begun has not told all
		all.Go(func() error {
			defer f.settle(false)
			return f.follow(ctx)
		})
	}
	all.Go(func() error {
		for range expected {
			select {
			case taken := <-settled:
				if taken {
					return nil
				}
			case <-ctx.Done():
				return nil
			}
		}
		return fmt.Errorf("%w: %s", errAllRefused, r.t.refusal())
	})
	return all.Wait()
}

// maxStreams is how many streams one group may take where the target takes its
// paths one by one only and no limit is known.
const maxStreams = 8

// follower keeps the streams of one group running.
type follower struct {
	*reader
	group   *group
	more    int         // streams that it has beyond its first
	settled chan<- bool // told once whether the target takes anything of it
	once    sync.Once

	identifiers [][]string
	chunks      [][]request // what is asked for, one stream each; nil: to be found out
	parts       [][]request // what the target takes, in parts that it takes for sure; nil before it refused any
	since       time.Time   // when that was found out
	again       atomic.Bool // it is to be found out again
	refused     atomic.Bool // the target refused some
	taken       atomic.Bool // the target took some once
}

// settle says once whether the target takes anything of the group.
func (f *follower) settle(taken bool) {
	f.once.Do(func() {
		f.t.unsynced.Add(-1)
		if f.settled != nil {
			f.settled <- taken
		}
	})
}

// follow runs the group's streams until the connection is lost or has to be
// given up. A stream that fails on a good connection is begun again.
func (f *follower) follow(ctx context.Context) error {
	wait := f.t.backoff()
	for {
		begun := time.Now()
		err := f.run(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errAnew):
			continue
		case f.conn.GetState() != connectivity.Ready, status.Code(err) == codes.Unauthenticated, errors.Is(err, errAllRefused):
			return err
		}
		if time.Since(begun) > f.t.cfg.Timing.Sync {
			wait.reset()
		}
		d := wait.next()
		f.t.reconnects.Add(1)
		f.t.trouble(err, d)
		if !sleep(ctx, d) {
			return context.Cause(ctx)
		}
	}
}

// run asks for the group's paths until a stream ends or something is to be
// asked for anew. Its error is never nil.
func (f *follower) run(ctx context.Context) error {
	if f.again.Swap(false) {
		f.chunks = nil
	}
	if f.chunks == nil {
		if err := f.plan(); err != nil {
			return err
		}
	}
	if len(f.chunks) == 0 { // nothing to ask for, or all was refused
		f.settle(false)
		return f.idle(ctx)
	}
	var refused atomic.Bool
	all, within := errgroup.WithContext(ctx)
	for _, c := range f.chunks {
		all.Go(func() error {
			taken, err := f.patient(within, f.group.target, c, f)
			if !taken && refusal(err) {
				refused.Store(true)
			}
			return err
		})
	}
	err := all.Wait()
	if refused.Load() && ctx.Err() == nil {
		return f.narrow(ctx, err)
	}
	return err
}

// idle waits for something to ask for.
func (f *follower) idle(ctx context.Context) error {
	for sleep(ctx, f.t.cfg.Timing.Look) {
		if f.due() {
			f.again.Store(true)
			return errAnew
		}
	}
	return context.Cause(ctx)
}

// due says whether what is asked for is to be found out anew.
func (f *follower) due() bool {
	if f.refused.Load() && time.Since(f.since) > f.t.cfg.Timing.Refused {
		return true
	}
	if len(f.group.named) == 0 {
		return false
	}
	return !slices.EqualFunc(f.identifiers, f.reader.identifiers(f.group), slices.Equal)
}

// plan has all of the group's paths asked for in one stream.
func (f *follower) plan() error {
	f.identifiers, f.since, f.parts = f.reader.identifiers(f.group), time.Now(), nil
	f.refused.Store(false)
	f.giveBack(f.more)
	f.more = 0
	all, err := f.requests(f.group, f.identifiers)
	if err != nil {
		return err
	}
	// Paths of identifiers that are gone are not asked for, and so not refused.
	f.t.set(func() {
		maps.DeleteFunc(f.t.refused, func(name string, r refused) bool {
			return slices.Contains(f.group.subscriptions, r.subscription) && !slices.ContainsFunc(all, func(q request) bool { return q.name == name })
		})
	})
	f.chunks = [][]request{}
	if len(all) > 0 {
		f.chunks = append(f.chunks, all)
	}
	return nil
}

// narrow finds out what to ask for instead of what the target refused: first
// what is left without the paths that it refuses, in one stream; if it does not
// take that either, in several.
func (f *follower) narrow(ctx context.Context, err error) error {
	switch {
	case f.parts == nil:
		parts, failed := f.sort(ctx, f.chunks[0], err)
		if failed != nil {
			return failed
		}
		if len(parts) == 0 && f.taken.Load() {
			f.chunks = nil // it took them before: that may pass
			return err
		}
		f.parts, f.chunks = parts, [][]request{}
		if len(parts) > 0 {
			f.chunks = append(f.chunks, slices.Concat(parts...))
		}
		return errAnew
	case len(f.chunks) == 1 && len(f.parts) > 1:
		f.more = f.take(min(len(f.parts), maxStreams) - 1)
		f.chunks = f.parts[:1+f.more]
		for _, part := range f.parts[len(f.chunks):] {
			for _, q := range part {
				f.refuse(q, "the target takes no more paths in one stream, and no more streams")
			}
		}
		return errAnew
	}
	f.chunks = nil // it takes no more what it took before
	return err
}

// sort sorts out the requests that the target refuses, by halves, after it
// refused them together with err. What is left comes in parts that it takes.
func (f *follower) sort(ctx context.Context, requests []request, err error) ([][]request, error) {
	if strings.Contains(strings.ToLower(status.Convert(err).Message()), "encoding") {
		return nil, fmt.Errorf("%w: %w", errAllRefused, err) // another one is tried
	}
	if len(requests) == 1 {
		q := requests[0]
		if !q.sampled && f.t.cfg.Method == Stream && f.store.prog.profile.Subscriptions[q.subscription].Mode == OnChange {
			q.sampled = true // many devices know only some paths on change
			again := f.trial(ctx, f.group.target, []request{q})
			if again == nil {
				return [][]request{{q}}, nil
			}
			if !refusal(again) {
				return nil, again
			}
		}
		f.refuse(q, f.t.explain(err))
		return nil, nil
	}
	var out [][]request
	for _, half := range [][]request{requests[:len(requests)/2], requests[len(requests)/2:]} {
		switch err := f.trial(ctx, f.group.target, half); {
		case err == nil:
			out = append(out, half)
		case !refusal(err):
			return nil, err
		default:
			parts, err := f.sort(ctx, half, err)
			if err != nil {
				return nil, err
			}
			out = append(out, parts...)
		}
	}
	return out, nil
}

// trial asks for requests until the target has told all once. An error says
// that it refuses them, or that it could not be asked.
func (r *reader) trial(ctx context.Context, target string, requests []request) error {
	_, err := r.patient(ctx, target, requests, nil)
	return err
}

// patient asks, and once more where the target has no room: it can still be busy
// with the stream that was ended just now.
func (r *reader) patient(ctx context.Context, target string, requests []request, f *follower) (taken bool, err error) {
	for try := 0; ; try++ {
		taken, err := r.ask(ctx, target, requests, f)
		if taken || status.Code(err) != codes.ResourceExhausted || try == 1 || !sleep(ctx, r.t.cfg.Timing.BackoffLeast) {
			return taken, err
		}
	}
}

// refusal says whether an error says that the target does not want what was
// asked, not that it could not be asked.
func refusal(err error) bool {
	s, ok := status.FromError(err)
	if !ok || errors.Is(err, errAllRefused) {
		return false
	}
	switch s.Code() {
	case codes.OK, codes.Canceled, codes.DeadlineExceeded, codes.Unauthenticated, codes.Unavailable, codes.Aborted:
		return false
	}
	return true
}

// refuse notes that the target refuses q.
func (f *follower) refuse(q request, why string) {
	f.refused.Store(true)
	f.store.gone(q.subscription, f.t.round.Load())
	f.t.mu.Lock()
	was := f.t.refused[q.name].why
	f.t.refused[q.name] = refused{q.subscription, why}
	f.t.mu.Unlock()
	if was != why {
		f.t.cfg.Log.Info("the target refuses a path", "path", q.name, "err", why)
	}
}

// accept notes that the target takes requests, and how.
func (f *follower) accept(requests []request) {
	for _, q := range requests {
		f.t.sampled[q.subscription].Store(q.sampled)
		f.store.runs(q.subscription, f.t.limit(q.subscription), f.t.grace(q.subscription))
		f.t.set(func() { delete(f.t.refused, q.name) })
	}
	f.taken.Store(true)
	f.settle(true)
}

// refusal returns one reason why paths are refused.
func (t *Target) refusal() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for path, r := range t.refused {
		return path + ": " + r.why
	}
	return "no reason given"
}

// subscription returns q as gNMI has it.
func (r *reader) subscription(q request) *gnmipb.Subscription {
	out := &gnmipb.Subscription{Path: proto.CloneOf(q.path)}
	if r.t.cfg.Method != Stream {
		return out
	}
	s := &r.store.prog.profile.Subscriptions[q.subscription]
	switch {
	case s.Mode == Sample, q.sampled:
		out.Mode = gnmipb.SubscriptionMode_SAMPLE
		out.SampleInterval = uint64(r.t.interval(s))
	case s.Mode == OnChange:
		out.Mode = gnmipb.SubscriptionMode_ON_CHANGE
	default:
		out.Mode = gnmipb.SubscriptionMode_TARGET_DEFINED
	}
	return out
}
