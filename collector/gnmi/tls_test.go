package gnmi

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
)

func authority(t *testing.T) *gnmitest.Authority {
	t.Helper()
	a, err := gnmitest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestTLS has each way in which two ends do not agree, and what is said of it.
func TestTLS(t *testing.T) {
	ours, other := authority(t), authority(t)
	certificate := func(cert tls.Certificate, err error) tls.Certificate {
		if err != nil {
			t.Fatal(err)
		}
		return cert
	}
	good := certificate(ours.Certificate("127.0.0.1", "leaf1.example"))
	named := certificate(ours.Certificate("leaf1.example"))
	client := certificate(ours.Certificate("exporter"))
	old := ours.ServerConfig(good, false)
	old.MinVersion, old.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	for name, c := range map[string]struct {
		device  *tls.Config
		client  *tls.Config
		problem string // "": it is read
		hint    string
	}{
		"good":                   {ours.ServerConfig(good, false), &tls.Config{RootCAs: ours.Pool()}, "", ""},
		"another authority":      {ours.ServerConfig(good, false), &tls.Config{RootCAs: other.Pool()}, "signed by unknown authority", "set tls.ca_file"},
		"not verified":           {ours.ServerConfig(good, false), &tls.Config{InsecureSkipVerify: true}, "", ""},
		"no address in it":       {ours.ServerConfig(named, false), &tls.Config{RootCAs: ours.Pool()}, "doesn't contain any IP SANs", "set tls.server_name"},
		"by server_name":         {ours.ServerConfig(named, false), &tls.Config{RootCAs: ours.Pool(), ServerName: "leaf1.example"}, "", ""},
		"by another server_name": {ours.ServerConfig(named, false), &tls.Config{RootCAs: ours.Pool(), ServerName: "leaf2.example"}, "certificate is valid for leaf1.example", "set tls.server_name"},
		"expired":                {ours.ServerConfig(certificate(ours.Expired("127.0.0.1")), false), &tls.Config{RootCAs: ours.Pool()}, "has expired", "look at both clocks"},
		"common name":            {ours.ServerConfig(certificate(ours.CommonNameOnly("leaf1.example")), false), &tls.Config{RootCAs: ours.Pool(), ServerName: "leaf1.example"}, "legacy Common Name", "no subject alternative names"},
		"client certificate":     {ours.ServerConfig(good, true), &tls.Config{RootCAs: ours.Pool(), Certificates: []tls.Certificate{client}}, "", ""},
		"no client certificate":  {ours.ServerConfig(good, true), &tls.Config{RootCAs: ours.Pool()}, "certificate required", "tls.cert_file and tls.key_file"},
		"of another authority":   {ours.ServerConfig(good, true), &tls.Config{RootCAs: ours.Pool(), Certificates: []tls.Certificate{certificate(other.Certificate("exporter"))}}, "", ""},
		"TLS to plain text":      {nil, &tls.Config{RootCAs: ours.Pool()}, "does not look like a TLS handshake", "set tls.plaintext: true"},
		"plain text to TLS":      {ours.ServerConfig(good, false), nil, "error reading server preface", "perhaps the target wants TLS"},
		"too new":                {old, &tls.Config{RootCAs: ours.Pool(), MinVersion: tls.VersionTLS13}, "protocol version not supported", "see tls.min_version"},
		"1.2":                    {old, &tls.Config{RootCAs: ours.Pool()}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := device(t, "openconfig", gnmitest.DeviceOptions{TLS: c.device, MinInterval: 100 * time.Millisecond})
			cfg := reads(d.Addr(), small())
			if c.client != nil {
				cfg.TLS = func() (*tls.Config, error) { return c.client.Clone(), nil }
			}
			target := run(t, cfg)
			switch {
			case name == "of another authority": // which end says so first differs
				eventually(t, "a problem", func() bool { return target.Status().Problem != "" })
			case c.problem == "":
				wants(t, target, bytes1)
				return
			default:
				troubled(t, target, c.problem)
				troubled(t, target, c.hint)
			}
			if target.Status().Connected || health(t, target, "roce_target_up") != 0 {
				t.Error("connected, or up")
			}
		})
	}
}

// Certificates are read for each connection: they change on disk.
func TestTLSThatCannotBeRead(t *testing.T) {
	t.Parallel()
	ours := authority(t)
	cert, err := ours.Certificate("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, "openconfig", gnmitest.DeviceOptions{TLS: ours.ServerConfig(cert, false), MinInterval: 100 * time.Millisecond})
	var mu sync.Mutex
	broken := true
	cfg := reads(d.Addr(), small())
	cfg.TLS = func() (*tls.Config, error) {
		mu.Lock()
		defer mu.Unlock()
		if broken {
			return nil, errors.New("ca.pem: no such file")
		}
		return &tls.Config{RootCAs: ours.Pool()}, nil
	}
	target := run(t, cfg)
	troubled(t, target, "ca.pem: no such file")
	mu.Lock()
	broken = false
	mu.Unlock()
	wants(t, target, bytes1)
}

// said keeps what is logged.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *said) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// secret gives a password.
func secret(s string) func() (string, error) {
	return func() (string, error) { return s, nil }
}

func TestCredentials(t *testing.T) {
	for name, c := range map[string]struct {
		faults gnmitest.Faults
		basic  bool // what the profile says
		with   *Credentials
		hint   string // "": it is read
	}{
		"metadata":            {gnmitest.Faults{Username: "admin", Password: "s3cret"}, false, &Credentials{Username: "admin", Password: secret("s3cret")}, ""},
		"basic":               {gnmitest.Faults{Username: "admin", Password: "s3cret", Basic: true}, false, &Credentials{Username: "admin", Password: secret("s3cret"), Scheme: SchemeBasic}, ""},
		"basic by profile":    {gnmitest.Faults{Username: "admin", Password: "s3cret", Basic: true}, true, &Credentials{Username: "admin", Password: secret("s3cret")}, ""},
		"against the profile": {gnmitest.Faults{Username: "admin", Password: "s3cret"}, true, &Credentials{Username: "admin", Password: secret("s3cret"), Scheme: SchemeMetadata}, ""},
		"token":               {gnmitest.Faults{RequireMetadata: map[string]string{"x-token": "t0ken"}}, false, &Credentials{Metadata: map[string]func() (string, error){"X-Token": secret("t0ken")}}, ""},
		"user and token":      {gnmitest.Faults{Username: "admin", Password: "s3cret", RequireMetadata: map[string]string{"x-token": "t0ken"}}, false, &Credentials{Username: "admin", Password: secret("s3cret"), Metadata: map[string]func() (string, error){"x-token": secret("t0ken")}}, ""},
		"no password":         {gnmitest.Faults{Username: "admin"}, false, &Credentials{Username: "admin"}, ""},
		"wrong":               {gnmitest.Faults{Username: "admin", Password: "s3cret"}, false, &Credentials{Username: "admin", Password: secret("guess")}, "see the target's credentials"},
		"none":                {gnmitest.Faults{Username: "admin", Password: "s3cret"}, false, nil, "see the target's credentials"},
		"the other scheme":    {gnmitest.Faults{Username: "admin", Password: "s3cret", Basic: true}, false, &Credentials{Username: "admin", Password: secret("s3cret")}, "whether it wants scheme: basic"},
		"not to be read":      {gnmitest.Faults{}, false, &Credentials{Username: "admin", Password: func() (string, error) { return "", errors.New("password: no such file") }}, "password: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := lively(t, c.faults)
			p := small()
			p.Basic = c.basic
			cfg := reads(d.Addr(), p)
			cfg.Credentials = c.with
			if c.with != nil {
				c.with.Plaintext = true
			}
			logs := &said{}
			cfg.Log = logs.log()
			target := run(t, cfg)
			if c.hint == "" {
				wants(t, target, bytes1)
			} else {
				troubled(t, target, c.hint)
			}
			for _, s := range []string{"s3cret", "guess", "t0ken"} {
				if all := fmt.Sprintf("%s %+v %s", logs, target.Status(), exposition(t, target)); strings.Contains(all, s) {
					t.Errorf("%q is shown:\n%s", s, all)
				}
			}
		})
	}
}

// A password that is wrong is not tried often: that can lock an account.
func TestWrongPasswordIsNotTriedOften(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{Username: "admin", Password: "s3cret"})
	cfg := reads(d.Addr(), small())
	cfg.Timing = quick()
	cfg.Timing.Denied = time.Hour
	cfg.Credentials = &Credentials{Username: "admin", Password: secret("guess"), Plaintext: true}
	target := run(t, cfg)
	troubled(t, target, "(Unauthenticated)")
	time.Sleep(500 * time.Millisecond)
	if r := d.RPCs(); r.Capabilities+r.Subscribe+r.Get > 1 {
		t.Errorf("%d Capabilities, %d Subscribe", r.Capabilities, r.Subscribe)
	}
}

// The same where only Subscribe looks at the password.
func TestWrongPasswordForSubscribeOnly(t *testing.T) {
	t.Parallel()
	address, calls := serve(t, server{subscribe: func(grpc.ServerStream) error { return status.Error(codes.Unauthenticated, "who are you?") }})
	cfg := reads(address, small())
	cfg.Timing = quick()
	cfg.Timing.Denied = time.Hour
	target := run(t, cfg)
	troubled(t, target, "who are you? (Unauthenticated)")
	time.Sleep(300 * time.Millisecond)
	if n := calls(); n != 1 {
		t.Errorf("%d RPCs", n)
	}
}

// A password that is changed on disk is the next one's.
func TestPasswordThatChanges(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	write := func(s string) {
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("guess")
	d := lively(t, gnmitest.Faults{Username: "admin", Password: "s3cret"})
	cfg := reads(d.Addr(), small())
	cfg.Credentials = &Credentials{Username: "admin", Plaintext: true, Password: func() (string, error) {
		b, err := os.ReadFile(file)
		return string(b), err
	}}
	target := run(t, cfg)
	troubled(t, target, "(Unauthenticated)")
	write("s3cret")
	wants(t, target, bytes1)
	eventually(t, "no problem", func() bool { return target.Status().Problem == "" })
}

func TestCredentialsAreNotSentInPlainText(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{})
	cfg := reads(d.Addr(), small())
	cfg.Credentials = &Credentials{Username: "admin", Password: secret("s3cret")}
	target := run(t, cfg)
	troubled(t, target, "transport level security")
	troubled(t, target, "credentials are not sent without TLS")
	if r := d.RPCs(); r.Capabilities+r.Subscribe != 0 {
		t.Errorf("%+v", r)
	}
}

// server is a gNMI server that says what a test wants.
type server struct {
	gnmipb.UnimplementedGNMIServer
	subscribe func(grpc.ServerStream) error
	called    func()
}

func (s server) Subscribe(stream gnmipb.GNMI_SubscribeServer) error {
	s.called()
	return s.subscribe(stream)
}

// serve serves s and returns its address and how often it was subscribed to.
func serve(t *testing.T, s server) (address string, calls func() int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	s.called = func() { mu.Lock(); defer mu.Unlock(); n++ }
	g := grpc.NewServer()
	gnmipb.RegisterGNMIServer(g, s)
	go g.Serve(listener)
	t.Cleanup(g.Stop)
	return listener.Addr().String(), func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// echo is a device that says what it was sent, in its errors.
func echo(stream grpc.ServerStream, code codes.Code, form string) error {
	md, _ := metadata.FromIncomingContext(stream.Context())
	var all []string
	for _, v := range md {
		all = append(all, v...)
	}
	return status.Errorf(code, form, strings.Join(all, "|"))
}

// TestSecretsThatAreEchoed has devices that repeat what they were sent, in every
// kind of error: nobody gets to see it.
func TestSecretsThatAreEchoed(t *testing.T) {
	for name, code := range map[string]codes.Code{"login": codes.Unauthenticated, "refusal": codes.InvalidArgument, "trouble": codes.Unavailable, "encoding": codes.Unimplemented} {
		for _, scheme := range []Scheme{SchemeMetadata, SchemeBasic} {
			t.Run(fmt.Sprint(name, scheme), func(t *testing.T) {
				t.Parallel()
				form := "you sent %s"
				if name == "encoding" {
					form = "encoding, and %s"
				}
				address, calls := serve(t, server{subscribe: func(s grpc.ServerStream) error { return echo(s, code, form) }})
				cfg := reads(address, small())
				logs := &said{}
				cfg.Log = logs.log()
				var mu sync.Mutex
				passwords := 0
				cfg.Credentials = &Credentials{Username: "admin", Scheme: scheme, Plaintext: true, Metadata: map[string]func() (string, error){"token": secret("t0ken")},
					// It changes, to one that begins with the one before.
					Password: func() (string, error) {
						mu.Lock()
						defer mu.Unlock()
						passwords++
						if passwords < 5 {
							return "s3cret", nil
						}
						return "s3cret-n3w", nil
					}}
				target := run(t, cfg)
				troubled(t, target, "***")
				eventually(t, "many tries", func() bool { return calls() > 6 })
				troubled(t, target, "***")
				all := fmt.Sprintf("%s %+v %s", logs, target.Status(), exposition(t, target))
				for _, s := range []string{"s3cret", "n3w", "t0ken", "YWRtaW46czNjcmV0"} {
					if strings.Contains(all, s) {
						t.Errorf("%q is shown:\n%s", s, all)
					}
				}
			})
		}
	}
}

// A problem is one line of bearable length, whatever the device says.
func TestProblemIsPrintable(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, server{subscribe: func(grpc.ServerStream) error {
		return status.Error(codes.Unavailable, "a\nb\x00\x1b[31m"+strings.Repeat("long ", 1000))
	}})
	logs := &said{}
	cfg := reads(address, small())
	cfg.Log = logs.log()
	target := run(t, cfg)
	troubled(t, target, "long")
	p := target.Status().Problem
	if len(p) > 500 || strings.ContainsAny(p, "\n\x00\x1b") {
		t.Errorf("%d bytes: %q", len(p), p)
	}
}

// TestErrorInBand has the error of a message, which gNMI had once.
func TestErrorInBand(t *testing.T) {
	t.Parallel()
	address, calls := serve(t, server{subscribe: func(s grpc.ServerStream) error {
		//lint:ignore SA1019 old devices send it
		if err := s.SendMsg(&gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Error{Error: &gnmipb.Error{Code: uint32(codes.Unavailable), Message: "not now"}}}); err != nil {
			return err
		}
		<-s.Context().Done()
		return nil
	}})
	target := run(t, reads(address, small()))
	troubled(t, target, "not now (Unavailable)")
	eventually(t, "another try", func() bool { return calls() > 1 })
}

// TestTooManyPings has a device that ends connections because of pings: they are
// sent half as often from then on.
func TestTooManyPings(t *testing.T) {
	for name, subscribing := range map[string]bool{"at once": false, "while it streams": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := goaway(t, subscribing)
			target := run(t, reads(address, small()))
			troubled(t, target, "too_many_pings")
			troubled(t, target, "the target wants fewer keepalives")
			eventually(t, "half as many pings", func() bool {
				target.mu.Lock()
				defer target.mu.Unlock()
				return target.keepalive >= 2*quick().Keepalive
			})
		})
	}
}

// goaway is the address of a server that ends connections as gRPC's do when
// they are pinged too often; subscribing says that it answers Capabilities
// before. Real pings are 10 s apart.
func goaway(t *testing.T, subscribing bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go endConnection(conn, subscribing)
		}
	}()
	return listener.Addr().String()
}

func endConnection(conn net.Conn, subscribing bool) {
	defer conn.Close()
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := conn.Read(preface); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				framer.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			if subscribing && f.StreamID == 1 {
				var b bytes.Buffer
				headers := hpack.NewEncoder(&b)
				for _, h := range [][2]string{{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-status", "12"}} {
					headers.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
				}
				framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b.Bytes(), EndStream: true, EndHeaders: true})
				continue
			}
			framer.WriteGoAway(f.StreamID, http2.ErrCodeEnhanceYourCalm, []byte("too_many_pings"))
			return
		}
	}
}

// The longest wait for Capabilities is Timing.Connect; no answer is none.
func TestCapabilitiesThatHang(t *testing.T) {
	t.Parallel()
	d := lively(t, gnmitest.Faults{CapabilitiesHang: true})
	cfg := reads(d.Addr(), small())
	cfg.Timing = quick()
	cfg.Timing.Connect = 200 * time.Millisecond
	target := run(t, cfg)
	wants(t, target, bytes1)
}

// Errors that differ in nothing but the near end's port are one.
func TestNearEndIsNotTold(t *testing.T) {
	for in, want := range map[string]string{
		"write tcp 127.0.0.1:5->127.0.0.1:6: write: broken pipe": "write tcp 127.0.0.1:6: write: broken pipe",
		`"read tcp [::1]:5->[::1]:6: EOF", and a -> b`:           `"read tcp [::1]:6: EOF", and a -> b`,
		"dial tcp 127.0.0.1:6: connect: connection refused":      "dial tcp 127.0.0.1:6: connect: connection refused",
		"a->b": "a->b",
		"":     "",
	} {
		if got := farEnd(in); got != want {
			t.Errorf("%q of %q", got, in)
		}
	}
}

func TestHintsSayMore(t *testing.T) {
	target, err := New(Config{Name: "leaf1", Profiles: []Profile{small()}, Timing: quick()})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hints() {
		text := target.explain(errors.New("x: " + h.text))
		if !strings.HasSuffix(text, ": "+h.hint) {
			t.Errorf("%q is explained by %q", h.text, text)
		}
		if again := target.explain(errors.New(text)); again != text {
			t.Errorf("a hint is repeated: %q", again)
		}
	}
	if text := target.explain(context.Canceled); text != "context canceled" {
		t.Errorf("%q", text)
	}
}
