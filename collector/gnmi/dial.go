package gnmi

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// maxMessage is the largest message that is taken, in bytes: SONiC sends whole
// tables in one, beyond gRPC's 4 MiB.
const maxMessage = 64 << 20

// Credentials are what a target wants to know before it answers. Secrets are
// read anew for every RPC, so that they can be changed on disk.
type Credentials struct {
	Username string
	Password func() (string, error) // nil: none
	Scheme   Scheme
	// Metadata is sent beside them, by key: a token.
	Metadata map[string]func() (string, error)
	// Plaintext lets them go over a connection without TLS.
	Plaintext bool
}

// Scheme is how user name and password are sent.
type Scheme uint8

const (
	// SchemeOfProfile sends them as the profile says that the family wants them.
	SchemeOfProfile Scheme = iota
	// SchemeMetadata sends them as gRPC metadata username and password.
	SchemeMetadata
	// SchemeBasic sends them as HTTP Basic authorization (RFC 7617).
	SchemeBasic
)

// rpcCredentials gives the credentials to gRPC.
type rpcCredentials struct {
	*Credentials
	basic bool
	sent  func(secret string) // told of every secret, so that it is never shown
}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (c rpcCredentials) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	out := make(map[string]string)
	for k, read := range c.Metadata {
		v, err := read()
		if err != nil {
			return nil, status.Error(codes.Unauthenticated, err.Error())
		}
		c.sent(v)
		out[strings.ToLower(k)] = v
	}
	if c.Username == "" {
		return out, nil
	}
	password := ""
	if c.Password != nil {
		var err error
		if password, err = c.Password(); err != nil {
			return nil, status.Error(codes.Unauthenticated, err.Error())
		}
		c.sent(password)
	}
	if c.basic {
		v := base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + password))
		c.sent(v)
		out["authorization"] = "Basic " + v
		return out, nil
	}
	out["username"], out["password"] = c.Username, password
	return out, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (c rpcCredentials) RequireTransportSecurity() bool { return !c.Plaintext }

// received counts the bytes of messages that come.
type received struct{ t *Target }

func (received) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (received) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (received) HandleConn(context.Context, stats.ConnStats)                       {}
func (r received) HandleRPC(_ context.Context, s stats.RPCStats) {
	if in, ok := s.(*stats.InPayload); ok {
		r.t.bytes.Add(uint64(max(in.Length, 0)))
	}
}

// dial makes a connection ready; it is made by the first RPC.
func (t *Target) dial() (*grpc.ClientConn, error) {
	transport := insecure.NewCredentials()
	if t.cfg.TLS != nil {
		c, err := t.cfg.TLS()
		if err != nil {
			return nil, err
		}
		if c.MinVersion == 0 {
			c.MinVersion = tls.VersionTLS12
		}
		transport = credentials.NewTLS(c)
	}
	t.mu.Lock()
	ping := t.keepalive
	t.mu.Unlock()
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: ping, Timeout: 15 * time.Second}),
		grpc.WithStatsHandler(received{t}),
		grpc.WithUserAgent("roce_exporter"),
		grpc.WithNoProxy(), // a switch is where the configuration says
		grpc.WithDisableServiceConfig(),
		grpc.WithIdleTimeout(0),
		grpc.WithReadBufferSize(16 << 10), // there are thousands
	}
	if c := t.cfg.Credentials; c != nil {
		basic := c.Scheme == SchemeBasic || c.Scheme == SchemeOfProfile && !t.cfg.Auto && t.programs[0].profile.Basic
		options = append(options, grpc.WithPerRPCCredentials(rpcCredentials{Credentials: c, basic: basic, sent: t.secret}))
	}
	conn, err := grpc.NewClient("dns:///"+t.cfg.Address, options...) // a host may be called unix
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// secret notes what must not be shown, whoever repeats it.
func (t *Target) secret(s string) {
	if s == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, have := range t.secrets {
		if have == s {
			return
		}
	}
	if len(t.secrets) == 16 { // of secrets that changed often the last count
		t.secrets = t.secrets[1:]
	}
	t.secrets = append(t.secrets, s)
}

// capabilities asks what the target can. nil says that it does not tell; an
// error that it cannot be reached or does not let us in.
func (t *Target) capabilities(ctx context.Context, conn *grpc.ClientConn) (*gnmipb.CapabilityResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Timing.Connect)
	defer cancel()
	caps, err := gnmipb.NewGNMIClient(conn).Capabilities(ctx, &gnmipb.CapabilityRequest{})
	switch {
	case err == nil:
		return caps, nil
	case status.Code(err) == codes.Unavailable, status.Code(err) == codes.Unauthenticated,
		conn.GetState() != connectivity.Ready:
		return nil, err
	}
	// Not implemented, not permitted, no answer: what else it has says more.
	t.cfg.Log.Debug("tells no capabilities", "err", t.explain(err))
	return nil, nil
}

// explain words an error for the person who reads it, without secrets.
func (t *Target) explain(err error) string {
	if err == nil {
		return "the target ended the stream"
	}
	text := err.Error()
	if s, ok := status.FromError(err); ok {
		text = s.Message()
		if text == "" {
			text = "no reason given"
		}
		text += " (" + s.Code().String() + ")"
	}
	text = printable(t.scrub(farEnd(text)))
	if strings.Contains(text, "too_many_pings") {
		t.set(func() { t.keepalive = min(t.keepalive*2, time.Hour) })
	}
	for _, h := range hints() {
		switch {
		case !strings.Contains(text, h.text):
		case strings.Contains(text, h.hint): // an error that was explained is part of it
			return text
		default:
			return text + ": " + h.hint
		}
	}
	return text
}

// farEnd drops the near end of connections from an error of the network: its
// port is another one each time, and would make each error a new one.
func farEnd(s string) string {
	near, far, ok := strings.Cut(s, "->")
	at := strings.LastIndexByte(near, ' ') + 1
	if !ok || !strings.HasSuffix(near[:at], " tcp ") {
		return s
	}
	return near[:at] + farEnd(far)
}

// scrub replaces secrets that a target, or a library, repeats.
func (t *Target) scrub(s string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	// The longest first: it may begin with another, such as the password before.
	secrets := slices.SortedFunc(slices.Values(t.secrets), func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		s = strings.ReplaceAll(s, secret, "***")
	}
	return s
}

// printable makes a line of a text from outside, of bearable length.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if r := []rune(s); len(r) > 400 {
		s = string(r[:400]) + "..."
	}
	return s
}

// hint says what to do about an error.
type hint struct{ text, hint string }

func hints() []hint {
	return []hint{
		{"first record does not look like a TLS handshake", "the target speaks no TLS on this port; if that is meant, set tls.plaintext: true"},
		{"certificate relies on legacy Common Name field", "the certificate has no subject alternative names; issue a new one, or set tls.insecure_skip_verify: true"},
		{"doesn't contain any IP SANs", "the certificate has no IP address; set tls.server_name to a name that it has"},
		{"certificate is valid for", "set tls.server_name to a name that the certificate has"},
		{"certificate signed by unknown authority", "set tls.ca_file to the authority's certificate"},
		{"certificate has expired", "issue a new certificate for the target, and look at both clocks"},
		{"certificate required", "the target wants a client certificate: tls.cert_file and tls.key_file"},
		{"no common cipher suites", "the target's TLS is too old"},
		{"handshake failure", "the two ends have no TLS version, cipher or certificate in common; see tls.min_version"},
		{"protocol version not supported", "see tls.min_version"},
		// A device that ends a handshake says why in what is read instead of a preface.
		{"write: broken pipe", "the target closed the connection; over TLS it may want a client certificate: tls.cert_file and tls.key_file"},
		{"error reading server preface", "perhaps the target wants TLS, which tls.plaintext switches off"},
		{"name resolver error", "is the host name in the address right, and known to this machine's DNS?"},
		{"connection refused", "nothing listens there; is gNMI switched on at the target, and on this port?"},
		{"too_many_pings", "the target wants fewer keepalives; they are halved"},
		{"(Unauthenticated)", "see the target's credentials, and whether it wants scheme: basic"},
		{"(PermissionDenied)", "the user may not read this on the target"},
		{"transport level security", "credentials are not sent without TLS"},
	}
}

// errLied is a stream's fault that is the target's.
var errLied = errors.New("the target breaks the protocol")

func lied(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errLied}, args...)...)
}
