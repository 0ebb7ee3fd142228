// Package gnmi reads switches over gNMI: streams of values, kept in a store for
// each target, in the vocabulary's terms. What a switch calls its values is in
// THE TABLE, see Profiles.
package gnmi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Method is how a target is asked.
type Method uint8

const (
	// Stream has the target send on its own: the usual way.
	Stream Method = iota
	// Poll opens a stream on which every interval asks anew.
	Poll
	// Get asks every interval with an RPC of its own.
	Get
)

// Config says how one target is read.
type Config struct {
	Name    string
	Address string // host:port
	// Table is what targets are read by, made ready once for all of them. Without
	// one Profiles are made ready for this target.
	Table    *Table
	Profiles []Profile
	// Auto has the profile found out that fits the target; else the first one is
	// in force.
	Auto bool
	// Interval is how often values are wanted; a subscription's Least counts if it
	// is longer.
	Interval time.Duration
	Method   Method
	// Encoding is the only encoding that is asked for; nil leaves the choice to
	// what the target says it can.
	Encoding *gnmipb.Encoding
	// PathTarget is the prefix's target where the profile sets none.
	PathTarget string
	// TLS gives the settings of each new connection; nil is plaintext.
	TLS         func() (*tls.Config, error)
	Credentials *Credentials // nil: none
	Timing      Timing
	Log         *slog.Logger
}

// Timing are the times of a target's life that no device's documentation sets.
type Timing struct {
	Connect      time.Duration // longest wait for a connection and for Capabilities
	Sync         time.Duration // longest wait for a stream's sync_response
	Trial        time.Duration // longest wait for the refusal of a path
	Slack        time.Duration // on top of three intervals before data is stale
	Keepalive    time.Duration // between HTTP/2 pings; 15 s later the connection is dead
	BackoffLeast time.Duration // before the second try; doubles with each
	BackoffMost  time.Duration
	Denied       time.Duration // least wait after wrong credentials, which can lock an account
	Refused      time.Duration // before refused paths are tried again
	Anew         time.Duration // before streams of ZeroSuppressed subscriptions begin anew
	Expire       time.Duration // between looks for what has expired
	Look         time.Duration // between looks at whether a stream tells what it should
}

// DefaultTiming returns the times of production.
func DefaultTiming() Timing {
	return Timing{
		Connect: 15 * time.Second, Sync: time.Minute, Trial: 10 * time.Second, Slack: 5 * time.Second,
		Keepalive: 30 * time.Second, BackoffLeast: time.Second, BackoffMost: 2 * time.Minute, Denied: 30 * time.Second,
		Refused: time.Hour, Anew: 10 * time.Minute, Expire: 10 * time.Second, Look: time.Second,
	}
}

// Target is one switch that is read. Safe for concurrent use.
type Target struct {
	cfg      Config
	programs []*program

	messages, updates, deletes, coalesced, bytes, reconnects atomic.Uint64
	round                                                    atomic.Uint32
	streams                                                  atomic.Int32     // that run
	unsynced                                                 atomic.Int32     // of them
	received                                                 atomic.Int64     // UnixNano by the monotonic clock of base, 0: never
	touched                                                  [64]atomic.Int64 // the same, by subscription, of values that metrics are made of
	sampled                                                  [64]atomic.Bool  // by subscription: refused on change, and sampled
	offset                                                   atomic.Int64     // device's clock less ours, ns
	base                                                     time.Time

	mu        sync.Mutex
	store     *store // nil before the profile is known
	connected bool
	encoding  gnmipb.Encoding
	agreed    bool               // encoding counts
	refused   map[string]refused // by path
	problem   string
	keepalive time.Duration
	secrets   []string // that were sent; never to be shown
}

// refused is a path that the target refuses.
type refused struct {
	subscription int
	why          string
}

// New returns a target; Run reads it. Its errors are mistakes in THE TABLE.
func New(cfg Config) (*Target, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Log = cfg.Log.With("target", cfg.Name)
	t := &Target{cfg: cfg, base: time.Now(), refused: make(map[string]refused), keepalive: cfg.Timing.Keepalive}
	if cfg.Table == nil {
		table, err := NewTable(cfg.Profiles)
		if err != nil {
			return nil, err
		}
		cfg.Table = table
	}
	t.programs = cfg.Table.programs
	if len(t.programs) == 0 {
		return nil, errors.New("no profile")
	}
	if !cfg.Auto {
		t.use(t.programs[0])
	}
	return t, nil
}

// Name returns the target's name.
func (t *Target) Name() string { return t.cfg.Name }

// use makes p the program in force. What another one kept is dropped.
func (t *Target) use(p *program) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.store != nil && t.store.prog == p {
		return
	}
	t.store = newStore(p, make([]time.Duration, len(p.profile.Subscriptions)))
	clear(t.refused)
	for i := range p.profile.Subscriptions {
		t.touched[i].Store(0)
		t.sampled[i].Store(false)
	}
}

// interval is how often a subscription's values come.
func (t *Target) interval(s *Subscription) time.Duration {
	return max(t.cfg.Interval, s.Least)
}

// limit is how long values of a subscription of the profile in force live
// without news; 0 is without end.
func (t *Target) limit(i int) time.Duration {
	if t.current().prog.profile.Subscriptions[i].ZeroSuppressed && t.cfg.Method == Stream {
		return 0
	}
	return t.fresh(i)
}

// fresh is how long a subscription's values count as fresh; 0 where values come
// when they change.
func (t *Target) fresh(i int) time.Duration {
	s := &t.current().prog.profile.Subscriptions[i]
	if t.cfg.Method == Stream && s.Mode != Sample && !t.sampled[i].Load() {
		return 0
	}
	return t.grace(i)
}

// grace is how long values of a subscription outlive their stream.
func (t *Target) grace(i int) time.Duration {
	return 3*t.interval(&t.current().prog.profile.Subscriptions[i]) + t.cfg.Timing.Slack
}

// current returns the store in force, nil before the profile is known.
func (t *Target) current() *store {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.store
}

// clock is the time since the target was made, never 0.
func (t *Target) clock() int64 { return int64(time.Since(t.base)) + 1 }

// Run reads the target until ctx is done.
func (t *Target) Run(ctx context.Context) {
	go t.expire(ctx)
	wait := t.backoff()
	for ctx.Err() == nil {
		begun := time.Now()
		err := t.session(ctx)
		t.set(func() { t.connected, t.agreed = false, false })
		if ctx.Err() != nil {
			return
		}
		t.reconnects.Add(1)
		least := time.Duration(0)
		switch status.Code(err) {
		case codes.Unauthenticated, codes.PermissionDenied:
			least = t.cfg.Timing.Denied
		}
		if time.Since(begun) > t.cfg.Timing.Sync {
			wait.reset()
		}
		d := max(wait.next(), least)
		t.trouble(err, d)
		sleep(ctx, d)
	}
}

// expire drops what is too old also while nobody asks.
func (t *Target) expire(ctx context.Context) {
	for sleep(ctx, t.cfg.Timing.Expire) {
		if s := t.current(); s != nil {
			s.expire()
		}
	}
}

// session connects and reads until the connection is lost or has to be given
// up.
func (t *Target) session(ctx context.Context) error {
	conn, err := t.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	caps, err := t.capabilities(ctx, conn)
	if err != nil {
		return err
	}
	t.set(func() { t.connected = true })
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		for conn.GetState() == connectivity.Ready && conn.WaitForStateChange(ctx, connectivity.Ready) {
		}
		sleep(ctx, t.cfg.Timing.Look) // streams know better why they ended
		cancel(errConnectionLost)
	}()
	err = t.read(ctx, conn, caps)
	if cause := context.Cause(ctx); errors.Is(cause, errConnectionLost) && (err == nil || errors.Is(err, context.Canceled) || status.Code(err) == codes.Canceled) {
		return cause
	}
	return err
}

var errConnectionLost = errors.New("the connection was lost")

// read goes through the profiles and encodings that come into question until
// the target takes one, and reads by it.
func (t *Target) read(ctx context.Context, conn *grpc.ClientConn, caps *gnmipb.CapabilityResponse) error {
	programs := t.programs
	if t.cfg.Auto {
		programs = t.candidates(caps)
	}
	encodings := t.encodings(caps)
	var err error
	for i, p := range programs {
		for _, e := range encodings {
			if len(programs) > 1 {
				if ok, why := t.answers(ctx, conn, p, e); !ok {
					err = fmt.Errorf("profile %s: %w", p.profile.Name, why)
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
					if !refusal(why) {
						break // another encoding would not be answered either
					}
					continue
				}
			}
			t.use(p)
			t.set(func() { t.encoding, t.agreed = e, true })
			t.cfg.Log.Debug("reads", "profile", p.profile.Name, "encoding", e)
			r := &reader{t: t, conn: conn, store: t.current(), encoding: e}
			err = r.readAll(ctx)
			if !errors.Is(err, errAllRefused) {
				return err
			}
		}
		if i == len(programs)-1 {
			break
		}
	}
	return err
}

// set changes fields that mu guards.
func (t *Target) set(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// trouble notes why the target is not read, and says so when that is new.
func (t *Target) trouble(err error, wait time.Duration) {
	text := t.explain(err)
	t.mu.Lock()
	was := t.problem
	t.problem = text
	t.mu.Unlock()
	if text != was {
		t.cfg.Log.Warn("cannot read the target", "address", t.cfg.Address, "err", text, "next_try_in", wait.Round(time.Millisecond))
	}
}

// well notes that the target is read.
func (t *Target) well() {
	t.mu.Lock()
	was := t.problem
	t.problem = ""
	t.mu.Unlock()
	if was != "" {
		t.cfg.Log.Info("reads the target again", "was", was)
	}
}

// backoff gives growing waits.
type backoff struct {
	least, most time.Duration
	tries       int
}

func (t *Target) backoff() *backoff {
	return &backoff{least: t.cfg.Timing.BackoffLeast, most: t.cfg.Timing.BackoffMost}
}

func (b *backoff) reset() { b.tries = 0 }

// next returns the next wait: doubled each time, between three and five
// quarters of that, so that targets that were lost together do not come back
// together.
func (b *backoff) next() time.Duration {
	d := min(b.least<<min(b.tries, 20), b.most)
	b.tries++
	return d*3/4 + rand.N(d/2+1)
}

// sleep waits for d and says whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// up says whether there is data and it is fresh: values that come at an
// interval came within three. While no stream runs the shortest of the intervals
// counts, so that what is slow by itself does not make a dead target look
// alive.
func (t *Target) up(s *store) bool {
	if s == nil || !s.holds() {
		return false
	}
	now, alive := t.clock(), t.streams.Load() > 0
	any, fresh, newest, shortest := false, false, int64(0), time.Duration(0)
	for i := range s.prog.profile.Subscriptions {
		at := t.touched[i].Load()
		limit := t.fresh(i)
		if at == 0 || limit == 0 {
			continue
		}
		any = true
		fresh = fresh || time.Duration(now-at) <= limit
		newest = max(newest, at)
		if shortest == 0 || limit < shortest {
			shortest = limit
		}
	}
	switch {
	case !any: // all that there is comes when it changes
		return alive && t.received.Load() != 0
	case alive:
		return fresh
	}
	return time.Duration(now-newest) <= shortest
}

// Collect returns a sample of everything that is known of the target, and how
// it is read. It does not wait for the target. Stale data is not returned.
func (t *Target) Collect(context.Context) ([]metric.Sample, error) {
	s := t.current()
	out := t.health(s)
	if t.up(s) {
		out = s.collect(out)
	}
	return out, nil
}
