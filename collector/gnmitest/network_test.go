package gnmitest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

func TestProxy(t *testing.T) {
	d := startDevice(t, load(t), DeviceOptions{})
	p, err := StartProxy(d.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	c, ctx := dial(t, p.Addr())
	s := open(t, ctx, c, list(t, streaming, change, octets1))
	values(t, s)
	if n := p.Connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
	p.Freeze()
	if err := d.Set(octets1, Uint(5)); err != nil {
		t.Fatal(err)
	}
	got := make(chan *gnmipb.SubscribeResponse)
	go func() {
		r, _ := s.Recv()
		got <- r
	}()
	select {
	case r := <-got:
		t.Errorf("frozen, %v came through", r)
	case <-time.After(200 * time.Millisecond):
	}
	if r := d.RPCs(); r.Connections != 1 || r.Streams != 1 {
		t.Errorf("frozen: %+v", r)
	}
	p.Thaw()
	if r := <-got; r.GetUpdate().GetUpdate()[0].GetVal().GetUintVal() != 5 {
		t.Errorf("thawed: %v", r)
	}
	p.Freeze()
	p.Cut() // works while frozen
	if _, err := end(s); status.Code(err) != codes.Unavailable {
		t.Errorf("cut: %v", err)
	}
	eventually(t, "the device has lost its stream", func() bool { return d.RPCs().Streams == 0 })
	p.Thaw()
	again, ctx := dial(t, p.Addr())
	values(t, open(t, ctx, again, list(t, modeOnce, 0, octets1)))

	p.Refuse(true)
	refused, ctx := dial(t, p.Addr())
	if _, err := refused.Capabilities(ctx, &gnmipb.CapabilityRequest{}); status.Code(err) != codes.Unavailable {
		t.Errorf("refused: %v", err)
	}
	conn, err := net.Dial("tcp", p.Addr())
	if err == nil {
		conn.SetDeadline(time.Now().Add(5 * time.Second))
		_, err = conn.Read(make([]byte, 1))
		conn.Close()
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("refused: %v", err)
	}
	p.Refuse(false)
	eventually(t, "it accepts again", func() bool {
		c, ctx := dial(t, p.Addr())
		_, err := c.Capabilities(ctx, &gnmipb.CapabilityRequest{})
		return err == nil
	})
	d.Stop()
	eventually(t, "no connections once the device is gone", func() bool { return p.Connections() == 0 })
}

func TestTLS(t *testing.T) {
	authority, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	certificate := func(c tls.Certificate, err error) tls.Certificate {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	good := certificate(authority.Certificate("127.0.0.1", "localhost"))
	trusting := &tls.Config{RootCAs: authority.Pool()}
	for name, test := range map[string]struct {
		server *tls.Config
		client *tls.Config
		want   string // part of the error
	}{
		"good":              {authority.ServerConfig(good, false), trusting, ""},
		"untrusted":         {authority.ServerConfig(good, false), &tls.Config{RootCAs: other.Pool()}, "unknown authority"},
		"expired":           {authority.ServerConfig(certificate(authority.Expired("127.0.0.1")), false), trusting, "expired"},
		"wrong name":        {authority.ServerConfig(certificate(authority.Certificate("leaf1", "10.0.0.1")), false), trusting, "127.0.0.1"},
		"name overridden":   {authority.ServerConfig(certificate(authority.Certificate("leaf1")), false), &tls.Config{RootCAs: authority.Pool(), ServerName: "leaf1"}, ""},
		"common name only":  {authority.ServerConfig(certificate(authority.CommonNameOnly("leaf1")), false), &tls.Config{RootCAs: authority.Pool(), ServerName: "leaf1"}, "legacy Common Name"},
		"no client":         {authority.ServerConfig(good, true), trusting, "Unavailable"},
		"client":            {authority.ServerConfig(good, true), &tls.Config{RootCAs: authority.Pool(), Certificates: []tls.Certificate{certificate(authority.Certificate("exporter"))}}, ""},
		"client of another": {authority.ServerConfig(good, true), &tls.Config{RootCAs: authority.Pool(), Certificates: []tls.Certificate{certificate(other.Certificate("exporter"))}}, "Unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			d := startDevice(t, load(t), DeviceOptions{TLS: test.server})
			c, ctx := dial(t, d.Addr(), grpc.WithTransportCredentials(credentials.NewTLS(test.client)))
			_, err := c.Capabilities(ctx, &gnmipb.CapabilityRequest{})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}

	files, err := authority.WriteFiles(t.TempDir(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(files.CA)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Error("no certificate in the CA file")
	}
	d := startDevice(t, load(t), DeviceOptions{TLS: authority.ServerConfig(pair, true)})
	c, ctx := dial(t, d.Addr(), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}})))
	if _, err := c.Capabilities(ctx, &gnmipb.CapabilityRequest{}); err != nil {
		t.Error(err)
	}
	plain, ctx := dial(t, d.Addr())
	if _, err := plain.Capabilities(ctx, &gnmipb.CapabilityRequest{}); status.Code(err) != codes.Unavailable {
		t.Errorf("plain text to a TLS port: %v", err)
	}
}
