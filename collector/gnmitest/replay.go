package gnmitest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openconfig/gnmi/cache"
	"github.com/openconfig/gnmi/ctree"
	"github.com/openconfig/gnmi/path"
	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/subscribe"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// quietGlog keeps openconfig's logger from writing files below the temporary
// directory. Its flag may be set once only, before it is read.
var quietGlog = sync.OnceValue(func() error { return flag.Set("logtostderr", "true") })

// Quiet has openconfig's servers log to standard error and not to files. Start
// does it by itself.
func Quiet() error { return quietGlog() }

// Options of a Server.
type Options struct {
	// Target is the target of notifications that have none, and of requests
	// that have none. Default "device".
	Target string
	// Server is passed to gRPC.
	Server []grpc.ServerOption
}

// Server replays a recording with openconfig's own cache and subscribe server.
// It knows the modes STREAM, ONCE and POLL; it sends changes, whatever kind of
// STREAM is asked for. Origins must be the recorded ones.
type Server struct {
	gnmipb.UnimplementedGNMIServer
	target       string
	capabilities *gnmipb.CapabilityResponse
	cache        *cache.Cache
	subscribe    *subscribe.Server
	listener     net.Listener
	grpc         *grpc.Server
}

// Start serves a recording on a free port of loopback.
func Start(rec *Recording, opts Options) (*Server, error) {
	if err := quietGlog(); err != nil {
		return nil, err
	}
	s := &Server{target: opts.Target, capabilities: rec.Capabilities}
	if s.target == "" {
		s.target = "device"
	}
	targets := []string{s.target}
	known := map[string]bool{"": true, s.target: true}
	for _, n := range rec.Notifications {
		if t := n.GetPrefix().GetTarget(); !known[t] {
			known[t] = true
			targets = append(targets, t)
		}
	}
	s.cache = cache.New(targets)
	var err error
	if s.subscribe, err = subscribe.NewServer(s.cache); err != nil {
		return nil, err
	}
	s.cache.SetClient(s.subscribe.Update)
	for i, n := range rec.Notifications {
		// The cache calls a value that repeats stale.
		if err := s.update(n); err != nil && !errors.Is(err, cache.ErrStale) {
			return nil, fmt.Errorf("notification %d: %w", i+1, err)
		}
	}
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.grpc = grpc.NewServer(opts.Server...)
	gnmipb.RegisterGNMIServer(s.grpc, s)
	go s.grpc.Serve(s.listener)
	return s, nil
}

// Addr is where the server listens, host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Stop closes all connections at once.
func (s *Server) Stop() { s.grpc.Stop() }

// Update changes the cache, which tells those who subscribed. A timestamp of 0
// becomes now. The cache refuses, with cache.ErrStale, what is older than the
// value that it has, deletes only what is older than the delete, and applies the
// updates of a notification before its deletes.
func (s *Server) Update(n *gnmipb.Notification) error {
	n = proto.Clone(n).(*gnmipb.Notification)
	if n.Timestamp == 0 {
		n.Timestamp = time.Now().UnixNano()
	}
	return s.update(n)
}

func (s *Server) update(n *gnmipb.Notification) error {
	n = proto.Clone(n).(*gnmipb.Notification) // the cache keeps it
	if n.Prefix == nil {
		n.Prefix = &gnmipb.Path{}
	}
	if n.Prefix.Target == "" {
		n.Prefix.Target = s.target
	}
	paths := slices.Clone(n.Delete)
	for _, u := range n.Update {
		if u.GetVal() == nil {
			return errors.New("the cache holds no update without a value")
		}
		paths = append(paths, u.Path)
	}
	if n.Atomic {
		paths = []*gnmipb.Path{nil}
	}
	for _, p := range paths {
		full := append(path.ToStrings(n.Prefix, true)[1:], path.ToStrings(p, false)...)
		if len(full) == 0 || full[0] == "meta" {
			return errors.New("the cache holds nothing at the root, and uses /meta itself")
		}
	}
	if n.Atomic || len(n.Update)+len(n.Delete) <= 1 {
		return s.cache.GnmiUpdate(n)
	}
	// One by one, because the cache's errors of many cannot be told apart. An
	// update that is stale does not hide another error.
	var stale, errs error
	for _, one := range split(n) {
		if err := s.cache.GnmiUpdate(one); errors.Is(err, cache.ErrStale) {
			stale = err
		} else {
			errs = errors.Join(errs, err)
		}
	}
	if errs != nil {
		return errs
	}
	return stale
}

func split(n *gnmipb.Notification) []*gnmipb.Notification {
	var out []*gnmipb.Notification
	for _, u := range n.Update {
		out = append(out, &gnmipb.Notification{Timestamp: n.Timestamp, Prefix: n.Prefix, Update: []*gnmipb.Update{u}})
	}
	for _, d := range n.Delete {
		out = append(out, &gnmipb.Notification{Timestamp: n.Timestamp, Prefix: n.Prefix, Delete: []*gnmipb.Path{d}})
	}
	return out
}

// Capabilities answers with the recorded ones.
func (s *Server) Capabilities(context.Context, *gnmipb.CapabilityRequest) (*gnmipb.CapabilityResponse, error) {
	if s.capabilities == nil {
		return nil, status.Error(codes.Unimplemented, "no Capabilities")
	}
	return s.capabilities, nil
}

// Get returns what the cache holds below the paths.
func (s *Server) Get(_ context.Context, r *gnmipb.GetRequest) (*gnmipb.GetResponse, error) {
	target := r.GetPrefix().GetTarget()
	filled := target == ""
	if filled {
		target = s.target
	}
	if !s.cache.HasTarget(target) {
		return nil, status.Errorf(codes.NotFound, "no such target: %q", target)
	}
	paths := r.GetPath()
	if len(paths) == 0 {
		paths = []*gnmipb.Path{{}}
	}
	out := &gnmipb.GetResponse{}
	for _, p := range paths {
		full, err := path.CompletePath(r.GetPrefix(), p)
		if err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		err = s.cache.Query(target, full, func(_ []string, l *ctree.Leaf, _ any) error {
			if n, ok := l.Value().(*gnmipb.Notification); ok {
				if filled {
					n = withoutTarget(n)
				}
				out.Notification = append(out.Notification, n)
			}
			return nil
		})
		if err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
	}
	return out, nil
}

// Subscribe is openconfig's, which wants a target: where the client gives none
// it is filled in on the way in, and taken out of what is sent.
func (s *Server) Subscribe(stream gnmipb.GNMI_SubscribeServer) error {
	return s.subscribe.Subscribe(&targetStream{GNMI_SubscribeServer: stream, target: s.target})
}

type targetStream struct {
	gnmipb.GNMI_SubscribeServer
	target string
	filled atomic.Bool
}

func (t *targetStream) Recv() (*gnmipb.SubscribeRequest, error) {
	r, err := t.GNMI_SubscribeServer.Recv()
	if list := r.GetSubscribe(); err == nil && list != nil && list.GetPrefix().GetTarget() == "" {
		if list.Prefix == nil {
			list.Prefix = &gnmipb.Path{}
		}
		list.Prefix.Target = t.target
		t.filled.Store(true)
	}
	return r, err
}

func (t *targetStream) Send(r *gnmipb.SubscribeResponse) error {
	if n := r.GetUpdate(); n != nil && t.filled.Load() {
		r = &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: withoutTarget(n)}}
	}
	return t.GNMI_SubscribeServer.Send(r)
}

// withoutTarget returns a copy, because the cache shares n.
func withoutTarget(n *gnmipb.Notification) *gnmipb.Notification {
	n = proto.Clone(n).(*gnmipb.Notification)
	n.Prefix.Target = ""
	if proto.Size(n.Prefix) == 0 {
		n.Prefix = nil
	}
	return n
}
