package gnmitest

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/protobuf/proto"
)

// DeviceOptions of a Device.
type DeviceOptions struct {
	Addr string      // where it listens; default a free port of 127.0.0.1
	TLS  *tls.Config // nil: plain text
	// KeepaliveEnforcement is the least time between a client's pings, more of
	// which end the connection (GOAWAY, too_many_pings). 0: gRPC's default, five
	// minutes.
	KeepaliveEnforcement time.Duration
	// MinInterval is the interval of SAMPLE where the client asks for 0 or for
	// less. Default 1 s. See also Faults.MinInterval.
	MinInterval time.Duration
	// TimeScale multiplies intervals and heartbeats: with 0.01 a client that asks
	// for 10 s is sent samples every 100 ms. Default 1.
	TimeScale float64
	Faults    Faults
	// Server is passed to gRPC.
	Server []grpc.ServerOption
}

// Device is a gNMI server that answers as a switch does, and misbehaves as it is
// told. It has one value at a time for each target and path: what the recording
// says in the end, and what was Set and Deleted since. It sends values in the
// type that they were recorded with, whatever encoding a client asks for.
//
// It selects what lies below a subscribed path: * is any element or key, a key
// that is missing is any key, module prefixes and origins do not matter. A value
// recorded with a target is for clients that ask for this target, one without
// for all, and is sent with the target that they ask for.
//
// It is safe for concurrent use.
type Device struct {
	capabilities *gnmipb.CapabilityResponse
	opts         DeviceOptions
	addr         string

	mu      sync.Mutex
	server  *grpc.Server // nil: stopped
	served  chan struct{}
	faults  Faults
	leaves  []leaf         // in the order in which they were first told
	index   map[string]int // of a leaf, by its key
	targets map[string]bool
	groups  int
	version uint64 // counts changes
	streams map[*stream]bool
	rpcs    RPCs
	keys    map[string]bool // of metadata
}

// RPCs is what clients have done so far.
type RPCs struct {
	Subscribe, Get, Set, Capabilities int // calls
	Lists                             []*gnmipb.SubscriptionList
	MetadataKeys                      []string // never values
	Connections                       int      // open now
	Connected                         int      // connections in all
	Streams                           int      // Subscribe RPCs that run now
	Messages                          int      // sent by Subscribe RPCs
}

// leaf is a value at a path. It is not changed once it is in a Device, but
// replaced.
type leaf struct {
	target         string
	origin         string
	originInPrefix bool
	elems          []*gnmipb.PathElem
	split          int // how many elems were recorded in the prefix
	value          *gnmipb.TypedValue
	timestamp      int64
	group          int // which notification told it
	atomic         bool
	duplicates     uint32
	version        uint64 // when it was changed last
	deleted        bool   // this is the news that what is below elems is gone
}

func (l *leaf) key() string { return l.target + "\x00" + elemsString(l.elems) }

// StartDevice serves a recording.
func StartDevice(rec *Recording, opts DeviceOptions) (*Device, error) {
	if opts.Addr == "" {
		opts.Addr = "127.0.0.1:0"
	}
	if opts.MinInterval == 0 {
		opts.MinInterval = time.Second
	}
	if opts.TimeScale == 0 {
		opts.TimeScale = 1
	}
	d := &Device{
		capabilities: rec.Capabilities, opts: opts, addr: opts.Addr, faults: opts.Faults,
		index: make(map[string]int), targets: make(map[string]bool), streams: make(map[*stream]bool), keys: make(map[string]bool),
	}
	for _, n := range rec.Notifications {
		d.Notify(n)
	}
	return d, d.listen()
}

func (d *Device) listen() error {
	listener, err := net.Listen("tcp", d.addr)
	for i := 0; err != nil && i < 50; i++ { // the port may take a while to be free
		time.Sleep(20 * time.Millisecond)
		listener, err = net.Listen("tcp", d.addr)
	}
	if err != nil {
		return err
	}
	opts := []grpc.ServerOption{grpc.StatsHandler(connections{d}), grpc.WaitForHandlers(true)}
	if d.opts.TLS != nil {
		opts = append(opts, grpc.Creds(credentials.NewTLS(d.opts.TLS)))
	}
	if d.opts.KeepaliveEnforcement != 0 {
		opts = append(opts, grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: d.opts.KeepaliveEnforcement}))
	}
	server := grpc.NewServer(append(opts, d.opts.Server...)...)
	gnmipb.RegisterGNMIServer(server, service{d: d})
	served := make(chan struct{})
	d.mu.Lock()
	d.addr = listener.Addr().String()
	d.server, d.served = server, served
	d.mu.Unlock()
	go func() {
		defer close(served)
		server.Serve(listener)
	}()
	return nil
}

// Addr is where the device listens, host:port. Restart keeps it.
func (d *Device) Addr() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.addr
}

// Stop closes all connections at once, and returns when all RPCs have ended.
// What the device knows stays: Restart brings it back.
func (d *Device) Stop() {
	d.mu.Lock()
	server, served := d.server, d.served
	d.server = nil
	d.mu.Unlock()
	if server != nil {
		server.Stop()
		<-served
	}
}

// Restart stops the device, where it runs, and lets it listen on the same port
// again.
func (d *Device) Restart() error {
	d.Stop()
	return d.listen()
}

// Change changes the faults. Do not keep f, nor change in place what its maps
// and slices hold: replace them.
func (d *Device) Change(change func(f *Faults)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.faults)
	for s := range d.streams {
		s.wakeUp()
	}
}

func (d *Device) currentFaults() Faults {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.faults
}

// RPCs returns what clients have done so far.
func (d *Device) RPCs() RPCs {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.rpcs
	r.Streams = len(d.streams)
	r.Lists = slices.Clone(r.Lists)
	for k := range d.keys {
		r.MetadataKeys = append(r.MetadataKeys, k)
	}
	sort.Strings(r.MetadataKeys)
	return r
}

// Set gives the path another value, in every target that has the path, or makes
// it anew without a target. Who subscribed to changes is told.
func (d *Device) Set(path string, value *gnmipb.TypedValue) error {
	p, err := ParsePath(path)
	if err != nil {
		return err
	}
	value = proto.Clone(value).(*gnmipb.TypedValue)
	d.mu.Lock()
	defer d.mu.Unlock()
	found := false
	for target := range d.targets {
		if at, ok := d.index[target+"\x00"+elemsString(p.Elem)]; ok {
			found = true
			l := d.leaves[at]
			l.value, l.timestamp = value, time.Now().UnixNano()
			d.put(l)
		}
	}
	if !found {
		d.groups++
		l := leaf{elems: p.Elem, value: value, timestamp: time.Now().UnixNano(), group: d.groups}
		if len(d.leaves) > 0 {
			l.origin, l.originInPrefix = d.leaves[0].origin, d.leaves[0].originInPrefix
		}
		d.put(l)
	}
	return nil
}

// Delete removes the path and all below it, in every target, and tells who
// subscribed to changes. It is an error if there is nothing.
func (d *Device) Delete(path string) error {
	p, err := ParsePath(path)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	gone := make(map[string]leaf) // one for each target
	for _, l := range d.leaves {
		if _, known := gone[l.target]; !known && below(p.Elem, l.elems) {
			gone[l.target] = l
		}
	}
	if len(gone) == 0 {
		return fmt.Errorf("there is nothing at %s", path)
	}
	for _, l := range gone {
		l.elems, l.split = p.Elem, min(l.split, len(p.Elem))
		l.timestamp = time.Now().UnixNano()
		d.remove(l)
	}
	return nil
}

// Notify applies a notification: its deletes, then its updates, which make a
// group that is sent in one notification from then on. One that is atomic
// replaces everything below its prefix. Who subscribed to changes is told.
func (d *Device) Notify(n *gnmipb.Notification) {
	n = proto.Clone(n).(*gnmipb.Notification)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.groups++
	at := func(p *gnmipb.Path) leaf {
		l := leaf{
			target: n.GetPrefix().GetTarget(), origin: p.GetOrigin(), elems: join(n.GetPrefix(), p), split: len(elemsOf(n.GetPrefix())),
			timestamp: n.Timestamp, group: d.groups, atomic: n.Atomic,
		}
		if o := n.GetPrefix().GetOrigin(); o != "" {
			l.origin, l.originInPrefix = o, true
		}
		return l
	}
	for _, p := range n.Delete {
		d.remove(at(p))
	}
	if n.Atomic {
		d.forget(at(nil))
	}
	for _, u := range n.Update {
		l := at(u.GetPath())
		l.value, l.duplicates = u.GetVal(), u.GetDuplicates()
		d.put(l)
	}
}

// put adds or replaces a leaf and tells the streams. The lock is held.
func (d *Device) put(l leaf) {
	d.version++
	l.version = d.version
	if at, ok := d.index[l.key()]; ok {
		d.leaves[at] = l
	} else {
		d.index[l.key()] = len(d.leaves)
		d.targets[l.target] = true
		d.leaves = append(d.leaves, l)
	}
	for s := range d.streams {
		s.changed(l)
	}
}

// remove removes what is below l and tells the streams. The lock is held.
func (d *Device) remove(l leaf) {
	d.forget(l)
	d.version++
	l.version, l.deleted = d.version, true
	for s := range d.streams {
		s.changed(l)
	}
}

// forget removes what is below l. The lock is held.
func (d *Device) forget(l leaf) {
	d.leaves = slices.DeleteFunc(d.leaves, func(o leaf) bool {
		return o.target == l.target && below(l.elems, o.elems)
	})
	clear(d.index)
	for i := range d.leaves {
		d.index[d.leaves[i].key()] = i
	}
}

// selected returns the leaves that a client of that target gets below elems. The
// lock is held.
func (d *Device) selected(target string, elems []*gnmipb.PathElem) []leaf {
	var out []leaf
	for _, l := range d.leaves {
		if forTarget(target, &l) && below(elems, l.elems) {
			out = append(out, l)
		}
	}
	return out
}

func forTarget(target string, l *leaf) bool { return l.target == "" || l.target == target }

// elemsOf returns a path's elements, also where they are in the deprecated field.
func elemsOf(p *gnmipb.Path) []*gnmipb.PathElem {
	//lint:ignore SA1019 old recordings may have it
	if old := p.GetElement(); len(p.GetElem()) == 0 && len(old) > 0 {
		var out []*gnmipb.PathElem
		for _, e := range old {
			out = append(out, &gnmipb.PathElem{Name: e})
		}
		return out
	}
	return p.GetElem()
}

func join(prefix, p *gnmipb.Path) []*gnmipb.PathElem {
	return append(slices.Clone(elemsOf(prefix)), elemsOf(p)...)
}

// below tells whether elems lie at or below the path asked for.
func below(asked, elems []*gnmipb.PathElem) bool {
	if len(asked) > len(elems) {
		return false
	}
	for i, a := range asked {
		e := elems[i]
		if a.GetName() != "*" && a.GetName() != e.GetName() && withoutModule(a.GetName()) != withoutModule(e.GetName()) {
			return false
		}
		for k, v := range a.GetKey() {
			if got, ok := e.GetKey()[k]; v != "*" && (!ok || got != v) {
				return false
			}
		}
	}
	return true
}

// overlap tells whether something may lie below both.
func overlap(a, b []*gnmipb.PathElem) bool {
	for i := range min(len(a), len(b)) {
		if !below(a[i:i+1], b[i:i+1]) && !below(b[i:i+1], a[i:i+1]) {
			return false
		}
	}
	return true
}

func withoutModule(name string) string {
	if module, rest, ok := strings.Cut(name, ":"); ok && module != "oid" {
		return rest
	}
	return name
}

// enter notes an RPC and checks who calls. The lock is held.
func (d *Device) enter(ctx context.Context, calls *int) error {
	*calls++
	md, _ := metadata.FromIncomingContext(ctx)
	for k := range md {
		d.keys[k] = true
	}
	return d.faults.authenticate(ctx)
}

// connections counts them.
type connections struct{ d *Device }

func (connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (connections) HandleRPC(context.Context, stats.RPCStats)                         {}
func (connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (c connections) HandleConn(_ context.Context, s stats.ConnStats) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	switch s.(type) {
	case *stats.ConnBegin:
		c.d.rpcs.Connections++
		c.d.rpcs.Connected++
	case *stats.ConnEnd:
		c.d.rpcs.Connections--
	}
}
