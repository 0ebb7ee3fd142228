package gnmi

//lint:file-ignore SA1019 devices still send what newer versions of gNMI have deprecated

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	errEnded  = errors.New("the target ended the stream")
	errNoSync = errors.New("the target told nothing in time")
	errSilent = errors.New("the target went silent on a stream that stays open")
)

// prefix returns the prefix of a request. One that would be empty is left out:
// some devices reject it.
func prefix(target string) *gnmipb.Path {
	if target == "" {
		return nil
	}
	return &gnmipb.Path{Target: target}
}

// ask asks for requests and takes in what comes, until the stream ends or is to
// be ended: f says when. Without f it ends when all was told once. taken says
// whether that was so, and the target took what was asked. The error is nil
// only without f.
func (r *reader) ask(ctx context.Context, target string, requests []request, f *follower) (taken bool, err error) {
	a := &asking{reader: r, requests: requests, follower: f, target: target, deadline: r.t.cfg.Timing.Trial,
		feed: feed{subscriptions: make([]bool, len(r.store.prog.profile.Subscriptions))}}
	r.store.begin(&a.feed, r.t.round.Add(1))
	slowest := time.Duration(0)
	for _, q := range requests {
		a.feed.subscriptions[q.subscription] = true
		slowest = max(slowest, r.t.interval(&r.store.prog.profile.Subscriptions[q.subscription]))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	a.cancel = cancel
	a.heard.Store(r.t.clock())
	if f != nil {
		a.deadline = max(r.t.cfg.Timing.Sync, slowest+r.t.cfg.Timing.Slack)
		r.t.streams.Add(1)
		r.t.unsynced.Add(1)
		defer func() {
			r.store.ended(&a.feed)
			r.t.streams.Add(-1)
			if !a.synced.Load() {
				r.t.unsynced.Add(-1)
			}
		}()
	}
	var watch sync.WaitGroup
	watch.Go(func() { a.watch(ctx) })
	if r.t.cfg.Method == Get {
		err = a.get(ctx)
	} else {
		err = a.subscribe(ctx)
	}
	// Why it was ended from here says more than that it was.
	if cause := context.Cause(ctx); errors.Is(cause, errNoSync) || errors.Is(cause, errSilent) || errors.Is(cause, errAnew) {
		err = cause
		if f == nil {
			err = nil // it did not refuse
		}
	}
	cancel(nil)
	watch.Wait()
	return a.synced.Load() || a.late.Load(), err
}

// asking is one stream at work.
type asking struct {
	*reader
	follower *follower // nil: a trial
	target   string
	requests []request
	feed     feed
	deadline time.Duration // longest wait for a sync
	cancel   context.CancelCauseFunc
	synced   atomic.Bool
	late     atomic.Bool  // no sync came, but data: it has to do without
	data     atomic.Bool  // something came
	waits    atomic.Int64 // since when a sync is waited for; 0: is not
	heard    atomic.Int64 // when something came last
}

// subscribe runs a Subscribe RPC.
func (a *asking) subscribe(ctx context.Context) error {
	stream, err := gnmipb.NewGNMIClient(a.conn).Subscribe(ctx)
	if err != nil {
		return err
	}
	list := &gnmipb.SubscriptionList{Prefix: prefix(a.target), Encoding: a.encoding}
	if a.t.cfg.Method == Poll {
		list.Mode = gnmipb.SubscriptionList_POLL
	}
	for _, q := range a.requests {
		list.Subscription = append(list.Subscription, a.subscription(q))
	}
	a.waits.Store(a.t.clock())
	request := &gnmipb.SubscribeRequest{Request: &gnmipb.SubscribeRequest_Subscribe{Subscribe: list}}
	// io.EOF says only that the stream has ended: Recv knows why.
	if err := stream.Send(request); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if a.t.cfg.Method == Poll {
		polls, stop := context.WithCancel(ctx)
		var sender sync.WaitGroup
		sender.Go(func() { a.poll(polls, stream) })
		defer func() { stop(); sender.Wait() }()
	}
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return errEnded
		}
		if err != nil {
			return err
		}
		if err := a.message(m); err != nil {
			return err
		}
		if a.follower == nil && a.synced.Load() {
			return nil
		}
	}
}

// poll asks for values every interval. The first time it does so soon, without
// waiting for an answer to the subscription: targets need not tell anything
// before.
func (a *asking) poll(ctx context.Context, stream gnmipb.GNMI_SubscribeClient) {
	first := true
	for wait := min(a.interval(), a.t.cfg.Timing.Look); sleep(ctx, wait); wait = a.interval() {
		if !a.waits.CompareAndSwap(0, a.t.clock()) && !first {
			continue // it is still at the last one
		}
		first = false
		if stream.Send(&gnmipb.SubscribeRequest{Request: &gnmipb.SubscribeRequest_Poll{Poll: &gnmipb.Poll{}}}) != nil {
			return
		}
	}
}

// interval is the shortest of the requests'.
func (a *asking) interval() time.Duration {
	shortest := time.Duration(math.MaxInt64)
	for _, q := range a.requests {
		shortest = min(shortest, a.t.interval(&a.store.prog.profile.Subscriptions[q.subscription]))
	}
	return shortest
}

// message takes in one message of a stream. Whatever is in it, it costs no more
// than the stream.
func (a *asking) message(m *gnmipb.SubscribeResponse) (err error) {
	defer func() {
		if p := recover(); p != nil {
			a.t.cfg.Log.Error("a message made the exporter panic; please report it", "panic", p, "stack", string(debug.Stack()))
			err = lied("a message made the exporter panic: %v", p)
		}
	}()
	now := a.t.clock()
	a.heard.Store(now)
	if !a.aside {
		a.t.messages.Add(1)
		a.t.received.Store(now)
	}
	switch m := m.GetResponse().(type) {
	case *gnmipb.SubscribeResponse_Update:
		a.take(m.Update, now)
	case *gnmipb.SubscribeResponse_SyncResponse:
		if m.SyncResponse {
			a.sync()
		}
	case *gnmipb.SubscribeResponse_Error:
		return inBand(m.Error)
	}
	return nil
}

// inBand is the error of a message that is one.
func inBand(e *gnmipb.Error) error {
	code := codes.Code(e.GetCode())
	if code == codes.OK {
		code = codes.Unknown
	}
	return status.Error(code, e.GetMessage())
}

// take takes in a notification.
func (a *asking) take(n *gnmipb.Notification, now int64) {
	touched, updates, deletes, coalesced := a.store.apply(&a.feed, n)
	a.data.Store(true)
	if a.aside {
		return
	}
	a.t.updates.Add(uint64(updates))
	a.t.deletes.Add(uint64(deletes))
	a.t.coalesced.Add(uint64(coalesced))
	if ts := n.GetTimestamp(); ts != 0 {
		a.t.offset.Store(minus(ts, time.Now().UnixNano()))
	}
	for ; touched != 0; touched &= touched - 1 {
		a.t.touched[bits.TrailingZeros64(touched)].Store(now)
	}
}

// minus is a-b, or as near to it as an int64 comes: devices send any time stamp.
func minus(a, b int64) int64 {
	d := a - b
	switch {
	case b > 0 && d > a:
		return math.MinInt64
	case b < 0 && d < a:
		return math.MaxInt64
	}
	return d
}

// sync notes that all was told: what was not is gone.
func (a *asking) sync() {
	a.waits.Store(0)
	first := a.synced.CompareAndSwap(false, true)
	if a.follower == nil {
		return // another stream asks for the rest
	}
	if first {
		a.t.unsynced.Add(-1)
	}
	if first || a.t.cfg.Method != Stream {
		a.settled()
	}
	if a.t.cfg.Method != Stream {
		a.store.begin(&a.feed, a.t.round.Add(1)) // the next answer has to tell all again
	}
}

// settled notes that what came by now is what there is.
func (a *asking) settled() {
	a.store.sweep(&a.feed)
	a.follower.accept(a.requests)
	a.t.well()
}

// watch ends a stream that does not tell what it should.
func (a *asking) watch(ctx context.Context) {
	begun := a.t.clock()
	for sleep(ctx, a.t.cfg.Timing.Look) {
		if err := a.overdue(begun); err != nil {
			a.cancel(err)
			return
		}
	}
}

// overdue says whether and why the stream is to be ended.
func (a *asking) overdue(begun int64) error {
	now := a.t.clock()
	since := func(at int64) time.Duration { return time.Duration(now - at) }
	if at := a.waits.Load(); at != 0 && since(at) > a.deadline {
		// A device that tells values but never says that those were all is
		// believed: what has not come by now is gone.
		if !a.data.Load() || a.t.cfg.Method != Stream || a.follower == nil {
			return fmt.Errorf("%w (%s)", errNoSync, a.deadline)
		}
		a.waits.Store(0)
		a.late.Store(true)
		a.settled()
	}
	if a.follower == nil {
		return nil
	}
	if a.follower.due() {
		a.follower.again.Store(true)
		return errAnew
	}
	if a.t.cfg.Method != Stream || a.waits.Load() != 0 {
		return nil
	}
	return a.silent(begun, since)
}

// silent says whether sampled values that came do not come any more, or the
// stream is to be begun anew.
func (a *asking) silent(begun int64, since func(int64) time.Duration) error {
	slowest, zeros := time.Duration(0), false
	for _, q := range a.requests {
		s := &a.store.prog.profile.Subscriptions[q.subscription]
		zeros = zeros || s.ZeroSuppressed
		limit := a.t.fresh(q.subscription)
		if limit == 0 || s.ZeroSuppressed {
			continue
		}
		slowest = max(slowest, limit)
		// Of one path nothing need come: it had something since the stream began.
		if at := a.t.touched[q.subscription].Load(); at > begun && since(at) > 2*limit {
			return fmt.Errorf("%w: nothing of %s came for %s", errSilent, q.name, since(at).Round(time.Second))
		}
	}
	if slowest != 0 && a.data.Load() && since(a.heard.Load()) > slowest {
		return fmt.Errorf("%w: nothing came for %s", errSilent, since(a.heard.Load()).Round(time.Second))
	}
	if zeros && since(begun) > a.t.cfg.Timing.Anew {
		return errAnew
	}
	return nil
}

// get asks by Get, every interval. The paths are of state already; SONiC knows
// no type of data but all.
func (a *asking) get(ctx context.Context) error {
	request := &gnmipb.GetRequest{Prefix: prefix(a.target), Encoding: a.encoding}
	for _, q := range a.requests {
		request.Path = append(request.Path, q.path)
	}
	for {
		a.waits.Store(a.t.clock())
		r, err := gnmipb.NewGNMIClient(a.conn).Get(ctx, request)
		if err != nil {
			return err
		}
		if r.GetError() != nil {
			return inBand(r.GetError())
		}
		for _, n := range r.GetNotification() {
			if err := a.message(&gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: n}}); err != nil {
				return err
			}
		}
		a.sync()
		if a.follower == nil {
			return nil
		}
		if !sleep(ctx, a.interval()) {
			return context.Cause(ctx)
		}
	}
}
