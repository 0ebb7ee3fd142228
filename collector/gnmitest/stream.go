package gnmitest

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// service is what gRPC calls on a Device.
type service struct {
	gnmipb.UnimplementedGNMIServer
	d *Device
}

// Capabilities answers with the recorded ones.
func (v service) Capabilities(ctx context.Context, _ *gnmipb.CapabilityRequest) (*gnmipb.CapabilityResponse, error) {
	v.d.mu.Lock()
	err := v.d.enter(ctx, &v.d.rpcs.Capabilities)
	f := v.d.faults
	v.d.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case f.CapabilitiesHang:
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	case f.CapabilitiesUnimplemented || v.d.capabilities == nil:
		return nil, status.Error(codes.Unimplemented, "no Capabilities")
	}
	return v.d.capabilities, nil
}

// Get returns what there is below the paths, all of it where there are none.
func (v service) Get(ctx context.Context, r *gnmipb.GetRequest) (*gnmipb.GetResponse, error) {
	v.d.mu.Lock()
	err := v.d.enter(ctx, &v.d.rpcs.Get)
	hang := v.d.faults.GetHang
	v.d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if hang {
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	v.d.mu.Lock()
	defer v.d.mu.Unlock()
	paths := r.GetPath()
	if len(paths) == 0 {
		paths = []*gnmipb.Path{{}}
	}
	if err := v.d.faults.refuses(r.GetPrefix(), paths, r.GetEncoding()); err != nil {
		return nil, err
	}
	out := &gnmipb.GetResponse{}
	target := r.GetPrefix().GetTarget()
	for _, p := range paths {
		out.Notification = append(out.Notification, v.d.faults.notifications(v.d.selected(target, join(r.GetPrefix(), p)), target)...)
	}
	return out, nil
}

// Set is refused. It is there to be counted.
func (v service) Set(ctx context.Context, _ *gnmipb.SetRequest) (*gnmipb.SetResponse, error) {
	v.d.mu.Lock()
	defer v.d.mu.Unlock()
	if err := v.d.enter(ctx, &v.d.rpcs.Set); err != nil {
		return nil, err
	}
	return nil, status.Error(codes.PermissionDenied, "read only")
}

// Subscribe serves one RPC.
func (v service) Subscribe(rpc gnmipb.GNMI_SubscribeServer) error {
	d := v.d
	d.mu.Lock()
	err := d.enter(rpc.Context(), &d.rpcs.Subscribe)
	d.mu.Unlock()
	if err != nil {
		return err
	}
	first, err := rpc.Recv()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	list := first.GetSubscribe()
	if list == nil {
		return status.Error(codes.InvalidArgument, "the first request is no subscription")
	}
	s := &stream{d: d, rpc: rpc, list: list, wake: make(chan struct{}, 1)}
	if err := s.begin(); err != nil {
		return err
	}
	defer func() {
		d.mu.Lock()
		delete(d.streams, s)
		d.mu.Unlock()
	}()
	err = s.serve()
	if err == errClosed {
		return nil
	}
	return err
}

// errClosed ends an RPC cleanly.
var errClosed = errors.New("closed")

// stream is one Subscribe RPC.
type stream struct {
	d    *Device
	rpc  gnmipb.GNMI_SubscribeServer
	list *gnmipb.SubscriptionList
	subs []*subscription
	wake chan struct{} // there is something in news, or faults have changed

	mu   sync.Mutex
	news []leaf // changes not sent yet

	// Of the goroutine that sends:
	first      []leaf // as it was when the stream began
	sent       int
	synced     bool
	flooded    time.Time // up to when flood messages are sent
	floodCount int
}

type subscription struct {
	elems     []*gnmipb.PathElem
	changes   bool // ON_CHANGE or TARGET_DEFINED
	redundant bool // unchanged values are sent too
	interval  time.Duration
	heartbeat time.Duration // 0: none
	next      time.Time     // sample
	beat      time.Time
	seen      uint64 // version at the last sample
}

// begin checks the request and registers the stream.
func (s *stream) begin() error {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rpcs.Lists = append(d.rpcs.Lists, proto.Clone(s.list).(*gnmipb.SubscriptionList))
	f := &d.faults
	subs := s.list.GetSubscription()
	if f.MaxSubscriptions > 0 && len(subs) > f.MaxSubscriptions {
		return status.Errorf(codes.InvalidArgument, "%d subscriptions, %d are the most", len(subs), f.MaxSubscriptions)
	}
	if f.MaxRPCs > 0 && len(d.streams) >= f.MaxRPCs {
		return status.Errorf(codes.ResourceExhausted, "%d Subscribe RPCs are the most", f.MaxRPCs)
	}
	var paths, onChange []*gnmipb.Path
	for _, sub := range subs {
		paths = append(paths, sub.GetPath())
		if sub.GetMode() == gnmipb.SubscriptionMode_ON_CHANGE {
			onChange = append(onChange, sub.GetPath())
		}
	}
	if err := refusesAny(f.RefuseOnChange, s.list.GetPrefix(), onChange); err != nil {
		return err
	}
	if err := f.refuses(s.list.GetPrefix(), paths, s.list.GetEncoding()); err != nil {
		return err
	}
	now := time.Now()
	for _, sub := range subs {
		n := &subscription{
			elems: join(s.list.GetPrefix(), sub.GetPath()), seen: d.version, redundant: !sub.GetSuppressRedundant(),
			changes:   sub.GetMode() != gnmipb.SubscriptionMode_SAMPLE,
			heartbeat: d.scaled(time.Duration(sub.GetHeartbeatInterval())),
		}
		asked := time.Duration(sub.GetSampleInterval())
		if !n.changes && asked != 0 && asked < f.MinInterval {
			return status.Errorf(codes.InvalidArgument, "a sample interval of %v, %v is the least", asked, f.MinInterval)
		}
		n.interval = d.scaled(max(asked, d.opts.MinInterval))
		n.next, n.beat = now.Add(n.interval), now.Add(n.heartbeat)
		s.subs = append(s.subs, n)
		s.first = append(s.first, d.selected(s.target(), n.elems)...)
	}
	d.streams[s] = true
	return nil
}

// scaled returns how long an interval lasts, 0 for 0.
func (d *Device) scaled(interval time.Duration) time.Duration {
	if interval <= 0 {
		return 0
	}
	return max(time.Millisecond, time.Duration(float64(interval)*d.opts.TimeScale))
}

func (s *stream) target() string { return s.list.GetPrefix().GetTarget() }

// changed is called with the device locked.
func (s *stream) changed(l leaf) {
	for _, sub := range s.subs {
		if sub.changes && forTarget(s.target(), &l) && (below(sub.elems, l.elems) || l.deleted && overlap(sub.elems, l.elems)) {
			s.mu.Lock()
			s.news = append(s.news, l)
			s.mu.Unlock()
			s.wakeUp()
			return
		}
	}
}

func (s *stream) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) serve() error {
	if err := s.ended(); err != nil {
		return err
	}
	first := s.first
	s.first = nil
	if s.list.GetUpdatesOnly() {
		first = nil
	}
	if err := s.all(first); err != nil {
		return err
	}
	requests := make(chan error)
	polls := make(chan struct{})
	switch s.list.GetMode() {
	case gnmipb.SubscriptionList_ONCE:
		return errClosed
	case gnmipb.SubscriptionList_STREAM, gnmipb.SubscriptionList_POLL:
		go s.receive(requests, polls)
	default:
		return status.Error(codes.InvalidArgument, "no mode of that number")
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if s.list.GetMode() == gnmipb.SubscriptionList_STREAM {
			timer.Reset(max(0, time.Until(s.due())))
		}
		var err error
		select {
		case <-s.rpc.Context().Done():
			return status.FromContextError(s.rpc.Context().Err()).Err()
		case err = <-requests:
		case <-polls:
			var now []leaf
			if !s.list.GetUpdatesOnly() {
				now = s.now()
			}
			err = s.all(now)
		case <-s.wake:
			if err = s.ended(); err == nil && s.list.GetMode() == gnmipb.SubscriptionList_STREAM {
				err = s.sendNews()
			}
		case <-timer.C:
			if s.list.GetMode() == gnmipb.SubscriptionList_STREAM {
				err = s.tick()
			}
		}
		if err != nil {
			return err
		}
	}
}

// receive passes on what the client sends after its subscription. It ends with
// the RPC.
func (s *stream) receive(requests chan<- error, polls chan<- struct{}) {
	done := s.rpc.Context().Done()
	for {
		r, err := s.rpc.Recv()
		polling := s.list.GetMode() == gnmipb.SubscriptionList_POLL
		switch {
		case err == io.EOF && !polling:
			return // it will not send more, and goes on listening
		case err == io.EOF:
			err = errClosed
		case err == nil && polling && r.GetPoll() != nil:
			select {
			case polls <- struct{}{}:
				continue
			case <-done:
				return
			}
		case err == nil:
			err = status.Error(codes.InvalidArgument, "a second subscription")
		}
		select {
		case requests <- err:
		case <-done:
		}
		return
	}
}

// now returns all that is subscribed to.
func (s *stream) now() []leaf {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	var out []leaf
	for _, sub := range s.subs {
		out = append(out, s.d.selected(s.target(), sub.elems)...)
	}
	return out
}

// all sends these values, what faults add to all values, and the sync.
func (s *stream) all(leaves []leaf) error {
	f := s.d.currentFaults()
	if f.Malformed && len(leaves) > 0 {
		for _, r := range malformed(leaves[0], s.target()) {
			if err := s.send(r); err != nil {
				return err
			}
		}
	}
	if err := s.sendLeaves(leaves, f); err != nil {
		return err
	}
	if f.Giant > 0 && len(s.list.GetSubscription()) > 0 {
		if err := s.send(update(f.giant(s.list.GetPrefix(), s.list.Subscription[0].GetPath()))); err != nil {
			return err
		}
	}
	if f.NoSync {
		return nil
	}
	err := s.send(&gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_SyncResponse{SyncResponse: true}})
	s.synced = true
	s.flooded = time.Now()
	return err
}

func (s *stream) sendLeaves(leaves []leaf, f Faults) error {
	for _, n := range f.notifications(leaves, s.target()) {
		if f.EmptyNotifications {
			if err := s.send(update(&gnmipb.Notification{Timestamp: n.Timestamp, Prefix: n.Prefix})); err != nil {
				return err
			}
		}
		if err := s.send(update(n)); err != nil {
			return err
		}
	}
	return nil
}

// sendNews sends the changes there are. One in an atomic group sends the group.
func (s *stream) sendNews() error {
	s.mu.Lock()
	news := s.news
	s.news = nil
	s.mu.Unlock()
	if len(news) == 0 {
		return nil
	}
	f := s.d.currentFaults()
	var leaves []leaf
	groups := make(map[int]bool)
	for _, l := range news {
		switch {
		case !(l.atomic || f.Atomic) || l.deleted:
			leaves = append(leaves, l)
		case !groups[l.group]:
			groups[l.group] = true
			leaves = append(leaves, slices.DeleteFunc(s.now(), func(o leaf) bool { return o.group != l.group })...)
		}
	}
	return s.sendLeaves(leaves, f)
}

// due is when tick has something to do.
func (s *stream) due() time.Time {
	at := time.Now().Add(time.Hour)
	earlier := func(t time.Time) {
		if t.Before(at) {
			at = t
		}
	}
	for _, sub := range s.subs {
		if !sub.changes {
			earlier(sub.next)
		}
		if sub.heartbeat > 0 {
			earlier(sub.beat)
		}
	}
	if f := s.d.currentFaults(); f.Flood > 0 && s.synced {
		earlier(time.Now().Add(max(10*time.Millisecond, time.Second/time.Duration(f.Flood))))
	}
	return at
}

// tick sends the samples, heartbeats and flood messages that are due.
func (s *stream) tick() error {
	now := time.Now()
	var leaves []leaf
	s.d.mu.Lock()
	f := s.d.faults
	for _, sub := range s.subs {
		sample := !sub.changes && !now.Before(sub.next)
		beat := sub.heartbeat > 0 && !now.Before(sub.beat)
		if sample {
			sub.next = now.Add(sub.interval)
		}
		if beat {
			sub.beat = now.Add(sub.heartbeat)
		}
		if sample || beat {
			for _, l := range s.d.selected(s.target(), sub.elems) {
				if beat || sub.redundant || l.version > sub.seen {
					leaves = append(leaves, l)
				}
			}
			sub.seen = s.d.version
		}
	}
	s.d.mu.Unlock()
	if err := s.sendLeaves(leaves, f); err != nil {
		return err
	}
	return s.flood(f, now)
}

// flood sends one value after another, as many as are due.
func (s *stream) flood(f Faults, now time.Time) error {
	if f.Flood <= 0 || !s.synced {
		s.flooded = now
		return nil
	}
	owed := int(now.Sub(s.flooded).Seconds() * float64(f.Flood))
	leaves := s.now()
	if owed == 0 || len(leaves) == 0 {
		return nil
	}
	s.flooded = now
	for range owed {
		s.floodCount++
		if err := s.sendLeaves(leaves[s.floodCount%len(leaves):][:1], f); err != nil {
			return err
		}
	}
	return nil
}

// ended tells whether a fault ends the RPC here.
func (s *stream) ended() error {
	f := s.d.currentFaults()
	switch {
	case f.CloseAfter == nil || s.sent < f.CloseAfter.Messages:
		return nil
	case f.CloseAfter.Code == codes.OK:
		return errClosed
	}
	return status.Errorf(f.CloseAfter.Code, "closed after %d messages", s.sent)
}

// send sends a message, if no fault holds it back.
func (s *stream) send(r *gnmipb.SubscribeResponse) error {
	f := s.d.currentFaults()
	if f.SilentAtStart || f.SilentAfterSync && s.synced {
		return nil
	}
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-s.rpc.Context().Done():
			return status.FromContextError(s.rpc.Context().Err()).Err()
		}
	}
	if err := s.rpc.Send(r); err != nil {
		return err
	}
	s.sent++
	s.d.mu.Lock()
	s.d.rpcs.Messages++
	s.d.mu.Unlock()
	return s.ended()
}
