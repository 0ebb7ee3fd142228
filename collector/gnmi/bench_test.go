package gnmi

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
)

// The switch of the budgets: 64 ports with 16 counters and 8 queues of 5
// counters each.
const (
	benchPorts  = 64
	benchQueues = 8
	benchSeries = benchPorts * (16 + benchQueues*5)
)

// fed returns a target whose stream is m, and a function that takes m in once
// more: all of the program's path from the bytes that gRPC hands over.
func fed(tb testing.TB, ports int) (target *Target, messages [][]byte, take func()) {
	tb.Helper()
	target, err := New(Config{Name: "leaf1", Profiles: []Profile{openconfigProfile()}, Interval: 10 * time.Second, Timing: DefaultTiming()})
	if err != nil {
		tb.Fatal(err)
	}
	for _, n := range gnmitest.Generate(ports, benchQueues) {
		m, err := proto.Marshal(&gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: n}})
		if err != nil {
			tb.Fatal(err)
		}
		messages = append(messages, m)
	}
	r := &reader{t: target, store: target.current()}
	f := &follower{reader: r}
	a := &asking{reader: r, follower: f, feed: feed{subscriptions: make([]bool, len(r.store.prog.profile.Subscriptions)), round: 1}}
	for i := range a.feed.subscriptions {
		a.feed.subscriptions[i] = true
	}
	target.streams.Store(1)
	return target, messages, func() {
		for _, m := range messages {
			var got gnmipb.SubscribeResponse
			if err := proto.Unmarshal(m, &got); err != nil {
				tb.Fatal(err)
			}
			if err := a.message(&got); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// prober returns a function that makes one probe of target with all of the
// program's path but the network.
func prober(tb testing.TB, target *Target, encoding string) func() int {
	tb.Helper()
	handler := serverOf(target)
	request := httptest.NewRequest("GET", "/probe?target=leaf1", nil)
	request.Header.Set("Accept-Encoding", encoding)
	return func() int {
		w := &discard{header: http.Header{}}
		handler.ServeHTTP(w, request)
		return w.n
	}
}

type discard struct {
	header http.Header
	n      int
}

func (d *discard) Header() http.Header { return d.header }
func (d *discard) Write(b []byte) (int, error) {
	d.n += len(b)
	return io.Discard.Write(b)
}
func (d *discard) WriteHeader(int) {}

// BenchmarkIngest is the cost of one update: of a stream's messages, from the
// bytes on. updates/s is of one core.
func BenchmarkIngest(b *testing.B) {
	_, _, take := fed(b, benchPorts)
	take()
	b.ReportAllocs()
	start := cpu()
	for b.Loop() {
		take()
	}
	used := cpu() - start
	updates := float64(b.N * benchSeries)
	b.ReportMetric(updates/used.Seconds(), "updates/cpu-s")
	b.ReportMetric(used.Seconds()*1e9/updates, "cpu-ns/update")
}

// everything returns a target that was told every leaf of a profile, of 64 ports
// with 8 priorities, queues, priority groups and lanes each.
func everything(tb testing.TB, p Profile) *Target {
	tb.Helper()
	target, err := New(Config{Name: "leaf1", Profiles: []Profile{p}, Interval: 10 * time.Second, Timing: DefaultTiming()})
	if err != nil {
		tb.Fatal(err)
	}
	s := target.current()
	f := &feed{subscriptions: make([]bool, len(p.Subscriptions)), round: 1}
	for i := range f.subscriptions {
		f.subscriptions[i] = true
		target.touched[i].Store(target.clock())
	}
	target.streams.Store(1)
	var c captures
	for port := range benchPorts {
		c[fieldInterface], c[fieldTransceiver], c[fieldPool], c[fieldID] = fmt.Sprint("Ethernet", port), fmt.Sprint("Module", port), fmt.Sprint("pool", port%8), "1"
		for n := range 8 {
			number := fmt.Sprint(n)
			c[fieldPriority], c[fieldTrafficClass], c[fieldQueue], c[fieldPriorityGroup], c[fieldLane] = number, number, number, number, fmt.Sprint(n+1)
			for i := range s.prog.leaves {
				l := &s.prog.leaves[i]
				var of captures
				for _, x := range l.fields {
					of[x] = c[x]
				}
				v := scalar{kind: isUint, uint: uint64(1_000_000*port + 1000*n + i)}
				if l.Label != "" {
					v = scalar{text: "text of " + c[fieldInterface]}
				}
				for word := range l.Words {
					v = scalar{text: word}
				}
				s.set(f, l, of, v, s.now())
			}
		}
	}
	return target
}

// BenchmarkProbe is the cost of a probe: of the switch of the budgets, and of one
// with every family of the profile that has most.
func BenchmarkProbe(b *testing.B) {
	target, _, take := fed(b, benchPorts)
	take()
	for name, target := range map[string]*Target{"counters": target, "everything": everything(b, cumulusProfile())} {
		for _, encoding := range []string{"plain", "gzip"} {
			b.Run(name+"/"+encoding, func(b *testing.B) {
				probe := prober(b, target, encoding)
				probe()
				b.ReportAllocs()
				start, n := cpu(), 0
				for b.Loop() {
					n = probe()
				}
				b.ReportMetric((cpu()-start).Seconds()*1e3/float64(b.N), "cpu-ms/op")
				b.ReportMetric(float64(n), "bytes")
				b.ReportMetric(float64(target.Status().Series), "values")
			})
		}
	}
}

// BenchmarkMemory is what a target takes, as bytes a series.
func BenchmarkMemory(b *testing.B) {
	var per, probed float64
	for b.Loop() {
		const n = 20
		before := heap()
		var targets []*Target
		for range n {
			target, _, take := fed(b, benchPorts)
			take()
			targets = append(targets, target)
		}
		per = float64(heap()-before) / n / benchSeries
		for _, t := range targets {
			prober(b, t, "plain")()
		}
		probed = float64(heap()-before) / n / benchSeries
		runtime.KeepAlive(targets)
	}
	b.ReportMetric(per, "B/series")
	b.ReportMetric(probed, "B/series-probed")
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// cpu is the time that the process has spent on CPUs.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestBudgetMemory holds what a target takes: at most 4 KB for 10 series, after
// it was probed, and what an update and a probe allocate.
func TestBudgetMemory(t *testing.T) {
	if raceDetector {
		t.Skip("not with the race detector, whose allocations would be measured; make bench runs it without")
	}
	const n = 20
	before := heap()
	var targets []*Target
	for range n {
		target, _, take := fed(t, benchPorts)
		take()
		prober(t, target, "plain")()
		targets = append(targets, target)
	}
	per := float64(heap()-before) / n / benchSeries
	t.Logf("%.0f bytes a series, %.0f KB a target", per, per*benchSeries/1e3)
	if per > 400 {
		t.Errorf("a series takes %.0f bytes; want at most 400", per)
	}
	target, _, take := fed(t, benchPorts)
	take()
	if n := testing.AllocsPerRun(5, take) / benchSeries; n > 25 {
		t.Errorf("an update allocates %.1f times; want at most 25, nearly all of them by protobuf", n)
	}
	probe := prober(t, target, "plain")
	probe()
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			probe()
		}
	})
	t.Logf("a probe of %d series allocates %d bytes, %d times", benchSeries, r.AllocedBytesPerOp(), r.AllocsPerOp())
	if r.AllocedBytesPerOp() > 2_000_000 || r.AllocsPerOp() > 3000 {
		t.Errorf("a probe allocates %d bytes in %d pieces; want at most 2,000,000 in 3,000", r.AllocedBytesPerOp(), r.AllocsPerOp())
	}
	runtime.KeepAlive(targets)
}

// TestBudgetChurn holds that interfaces that come and go leave nothing behind.
func TestBudgetChurn(t *testing.T) {
	target, err := New(Config{Name: "leaf1", Profiles: []Profile{openconfigProfile()}, Interval: time.Second, Timing: DefaultTiming()})
	if err != nil {
		t.Fatal(err)
	}
	s := target.current()
	f := &feed{subscriptions: make([]bool, len(s.prog.profile.Subscriptions))}
	for i := range f.subscriptions {
		f.subscriptions[i] = true
	}
	round := func(i int) {
		f.round++
		for _, n := range gnmitest.Generate(8, benchQueues) {
			// Other names each time, as breakouts and LAGs have them.
			for _, e := range n.Prefix.Elem {
				for k, v := range e.Key {
					e.Key[k] = fmt.Sprintf("%s.%d", v, i)
				}
			}
			s.apply(f, n)
		}
		s.sweep(f)
		s.collect(nil)
	}
	for i := range 50 {
		round(i)
	}
	before := heap()
	for i := range 2000 {
		round(100 + i)
	}
	after := heap()
	if after > before+200_000 {
		t.Errorf("the heap grew from %d to %d bytes in 2,000 rounds of other interfaces", before, after)
	}
	if want := 8 * (16 + benchQueues*5); s.series != want {
		t.Errorf("%d series are kept; want %d", s.series, want)
	}
	runtime.KeepAlive(target)
}

// flooder is a gNMI server that sends the same messages for ever.
type flooder struct {
	gnmipb.UnimplementedGNMIServer
	messages []*gnmipb.SubscribeResponse
	interval time.Duration // between rounds
}

func (f *flooder) Subscribe(stream gnmipb.GNMI_SubscribeServer) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	for first := true; ; first = false {
		for _, m := range f.messages {
			if err := stream.Send(m); err != nil {
				return err
			}
		}
		if first {
			if err := stream.Send(&gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_SyncResponse{SyncResponse: true}}); err != nil {
				return err
			}
		}
		if f.interval > 0 && !sleep(stream.Context(), f.interval) {
			return stream.Context().Err()
		}
	}
}

// startFlooder starts a server of the switch of the budgets.
func startFlooder(tb testing.TB, interval time.Duration) string {
	tb.Helper()
	f := &flooder{interval: interval}
	for _, n := range gnmitest.Generate(benchPorts, benchQueues) {
		f.messages = append(f.messages, &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: n}})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := grpc.NewServer()
	gnmipb.RegisterGNMIServer(s, f)
	go s.Serve(l)
	tb.Cleanup(s.Stop)
	return l.Addr().String()
}

// BenchmarkStream is the updates that come through gRPC from servers in the
// same process, which have their share of the two cores: the whole of the way,
// and a bound from below.
func BenchmarkStream(b *testing.B) {
	address := startFlooder(b, 0)
	p := openconfigProfile()
	p.Subscriptions = []Subscription{openconfigInterfaceCounters(), openconfigQueues()}
	var targets []*Target
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for i := range 4 {
		t, err := New(Config{Name: fmt.Sprint("leaf", i), Address: address, Profiles: []Profile{p}, Interval: 10 * time.Second, Timing: DefaultTiming()})
		if err != nil {
			b.Fatal(err)
		}
		targets = append(targets, t)
		running.Go(func() { t.Run(ctx) })
	}
	updates := func() (n uint64) {
		for _, t := range targets {
			n += t.updates.Load()
		}
		return n
	}
	for updates() < benchSeries*uint64(len(targets)) {
		time.Sleep(time.Millisecond)
	}
	start, used, begun := updates(), cpu(), time.Now()
	for b.Loop() {
		time.Sleep(100 * time.Millisecond)
	}
	n := float64(updates() - start)
	b.ReportMetric(n/time.Since(begun).Seconds(), "updates/s")
	b.ReportMetric((cpu()-used).Seconds()*1e9/n, "cpu-ns/update-both-ends")
	cancel()
	running.Wait()
}

// BenchmarkTargets is what a target takes that is connected, streams every 10 s,
// and is probed: with its connection, goroutines and buffers, and, because the
// servers run in the same process, those of the server.
func BenchmarkTargets(b *testing.B) {
	address := startFlooder(b, 10*time.Second)
	p := openconfigProfile()
	p.Subscriptions = []Subscription{openconfigInterfaceCounters(), openconfigQueues()}
	for range b.N {
		const n = 100
		before := heap()
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		var targets []*Target
		for i := range n {
			t, err := New(Config{Name: fmt.Sprint("leaf", i), Address: address, Profiles: []Profile{p}, Interval: 10 * time.Second, Timing: DefaultTiming()})
			if err != nil {
				b.Fatal(err)
			}
			targets = append(targets, t)
			running.Go(func() { t.Run(ctx) })
		}
		for _, t := range targets {
			for !t.Status().Up || t.updates.Load() < benchSeries {
				time.Sleep(time.Millisecond)
			}
			prober(b, t, "plain")()
		}
		b.ReportMetric(float64(heap()-before)/n/1e3, "KB/target-heap")
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.StackInuse)/n/1e3, "KB/target-stacks")
		b.ReportMetric(float64(runtime.NumGoroutine())/n, "goroutines/target")
		used, begun := cpu(), time.Now()
		time.Sleep(20 * time.Second)
		b.ReportMetric((cpu()-used).Seconds()/time.Since(begun).Seconds()/n*1e6, "cpu-us/s/target")
		cancel()
		running.Wait()
	}
}

// churner is a gNMI server whose interfaces come and go: each round has others.
type churner struct {
	gnmipb.UnimplementedGNMIServer
}

func (churner) Subscribe(stream gnmipb.GNMI_SubscribeServer) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	for round := 0; ; round++ {
		for _, n := range gnmitest.Generate(8, benchQueues) {
			for _, e := range n.Prefix.Elem {
				for k, v := range e.Key {
					e.Key[k] = fmt.Sprintf("%s.%d", v, round/5) // five rounds each
				}
			}
			if err := stream.Send(&gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: n}}); err != nil {
				return err
			}
		}
		if round == 0 {
			if err := stream.Send(&gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_SyncResponse{SyncResponse: true}}); err != nil {
				return err
			}
		}
		if !sleep(stream.Context(), 100*time.Millisecond) {
			return stream.Context().Err()
		}
	}
}

// BenchmarkChurn streams interfaces that come and go, over gRPC, for -benchtime,
// and reports by how much the heap grew after the first tenth: nothing is the aim.
func BenchmarkChurn(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := grpc.NewServer()
	gnmipb.RegisterGNMIServer(server, churner{})
	go server.Serve(l)
	defer server.Stop()
	timing := DefaultTiming()
	timing.Slack, timing.Expire = 100*time.Millisecond, 100*time.Millisecond
	p := openconfigProfile()
	p.Subscriptions = []Subscription{openconfigInterfaceCounters(), openconfigQueues()}
	target, err := New(Config{Name: "leaf1", Address: l.Addr().String(), Profiles: []Profile{p}, Interval: time.Second, Timing: timing})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); target.Run(ctx) }()
	probe := prober(b, target, "gzip")
	var early, series float64
	begun := time.Now()
	for b.Loop() {
		time.Sleep(100 * time.Millisecond)
		probe()
		if n := float64(target.Status().Series); n > series {
			series = n
		}
		if early == 0 && time.Since(begun) > 30*time.Second {
			early = float64(heap())
		}
	}
	b.ReportMetric((float64(heap())-early)/1e3, "KB-grown")
	b.ReportMetric(early/1e3, "KB-early")
	b.ReportMetric(series, "series-most")
	b.ReportMetric(float64(target.Status().Series), "series-last")
	cancel()
	<-done
}
