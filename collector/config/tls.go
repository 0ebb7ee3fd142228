package config

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"go.yaml.in/yaml/v4"
)

// TLS says how a connection is secured. What is not set is as in Go's
// tls.Config: without CAFile, the system's authorities count.
type TLS struct {
	CAFile             string // absolute path, as the others
	CertFile           string
	KeyFile            string
	ServerName         string
	MinVersion         uint16 // tls.VersionTLS12 if nothing is written; 0 if Plaintext
	InsecureSkipVerify bool
	// Plaintext means that there is no TLS at all.
	Plaintext bool
	// PlaintextCredentials lets credentials go over a plaintext connection. Load
	// refuses targets that have credentials and Plaintext without it.
	PlaintextCredentials bool
}

// defaultTLS is what counts where nothing is written.
func defaultTLS() TLS { return TLS{MinVersion: tls.VersionTLS12} }

// Config returns the settings of a new connection. The files are read anew each
// time, so that they can be replaced. Plaintext has no settings, which is an
// error here.
func (t TLS) Config() (*tls.Config, error) {
	if t.Plaintext {
		return nil, errors.New("plaintext is without TLS")
	}
	c := &tls.Config{MinVersion: t.MinVersion, ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify}
	if c.MinVersion == 0 {
		c.MinVersion = tls.VersionTLS12
	}
	var err error
	if t.CAFile != "" {
		if c.RootCAs, err = authorities(t.CAFile); err != nil {
			return nil, err
		}
	}
	if t.CertFile != "" {
		cert, err := keyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{cert}
	}
	return c, nil
}

// maxPEM is the largest file of certificates or a key, in bytes.
const maxPEM = 4 << 20

// authorities reads certificates of authorities. One that cannot be parsed is an
// error, where x509's own function would leave it out.
func authorities(file string) (*x509.CertPool, error) {
	data, err := readPEM(file, "certificates of authorities")
	if err != nil {
		return nil, err
	}
	pool, n := x509.NewCertPool(), 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		n++
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: certificate %d cannot be parsed: %w", file, n, err)
		}
		pool.AddCert(cert)
	}
	if n == 0 {
		return nil, fmt.Errorf("no certificate in PEM form in %s; want -----BEGIN CERTIFICATE-----", file)
	}
	return pool, nil
}

// keyPair reads a client certificate and its key.
func keyPair(certFile, keyFile string) (tls.Certificate, error) {
	cert, err := readPEM(certFile, "a certificate")
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := readPEM(keyFile, "a private key")
	if err != nil {
		return tls.Certificate{}, err
	}
	if !hasBlock(cert, func(b *pem.Block) bool { return b.Type == "CERTIFICATE" }) {
		return tls.Certificate{}, fmt.Errorf("no certificate in PEM form in %s; want -----BEGIN CERTIFICATE-----", certFile)
	}
	if hasBlock(key, func(b *pem.Block) bool {
		return b.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(b.Headers["Proc-Type"], "ENCRYPTED")
	}) {
		return tls.Certificate{}, fmt.Errorf("the private key in %s is encrypted; want one without a passphrase", keyFile)
	}
	if !hasBlock(key, func(b *pem.Block) bool { return b.Type == "PRIVATE KEY" || strings.HasSuffix(b.Type, " PRIVATE KEY") }) {
		return tls.Certificate{}, fmt.Errorf("no private key in PEM form in %s; want -----BEGIN PRIVATE KEY-----", keyFile)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("the certificate in %s and the private key in %s cannot be used: %s", certFile, keyFile, strings.TrimPrefix(err.Error(), "tls: "))
	}
	return pair, nil
}

// readPEM reads a file of PEM blocks.
func readPEM(file, want string) ([]byte, error) {
	data, err := readFile(file, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w; want a PEM file with %s", file, err, want)
	}
	return data, nil
}

// hasBlock says whether one of the PEM blocks is as asked.
func hasBlock(data []byte, ok func(*pem.Block) bool) bool {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if ok(block) {
			return true
		}
	}
	return false
}

// versions are the names of TLS versions from TLS10 on, which is
// tls.VersionTLS10.
func versions() []string { return []string{"TLS10", "TLS11", "TLS12", "TLS13"} }

// tls reads how connections are secured.
func (l *loader) tls(at place, n *yaml.Node) TLS {
	t := defaultTLS()
	set := make(map[string]place)
	file := func(key string, into *string) field {
		return field{key: key, read: func(at place, n *yaml.Node) { set[key] = at; *into = l.file(at, n) }}
	}
	flag := func(key string, into *bool) field {
		return field{key: key, read: func(at place, n *yaml.Node) {
			if *into = l.boolean(at, n); *into {
				set[key] = at
			}
		}}
	}
	l.mapping(at, n, false, []field{
		file("ca_file", &t.CAFile),
		file("cert_file", &t.CertFile),
		file("key_file", &t.KeyFile),
		{key: "server_name", read: func(at place, n *yaml.Node) { set["server_name"] = at; t.ServerName = l.serverName(at, n) }},
		{key: "min_version", read: func(at place, n *yaml.Node) {
			set["min_version"] = at
			name := l.oneOf(at, n, versions())
			for i, v := range versions() {
				if v == name {
					t.MinVersion = tls.VersionTLS10 + uint16(i)
				}
			}
		}},
		flag("insecure_skip_verify", &t.InsecureSkipVerify),
		flag("plaintext", &t.Plaintext),
		flag("plaintext_credentials", &t.PlaintextCredentials),
	})
	l.checkTLS(t, set)
	if t.Plaintext {
		t.MinVersion = 0
	}
	return t
}

// checkTLS notes what is wrong with TLS settings together, and which files they
// name. set are the keys that are written, true ones only of the flags.
func (l *loader) checkTLS(t TLS, set map[string]place) {
	wrong := func(key, other, text string) {
		at, ok := set[key]
		if _, have := set[other]; ok && have {
			l.mistakes.add(at, "%s", text)
		}
	}
	for _, key := range []string{"ca_file", "cert_file", "key_file", "server_name", "min_version", "insecure_skip_verify"} {
		wrong(key, "plaintext", "has no meaning without TLS, which plaintext: true switches off; want one of the two")
	}
	wrong("insecure_skip_verify", "ca_file", "true checks no certificate, ca_file wants one checked; want one of the two")
	for _, pair := range [][2]string{{"cert_file", "key_file"}, {"key_file", "cert_file"}} {
		at, ok := set[pair[0]]
		if _, have := set[pair[1]]; ok && !have {
			l.mistakes.add(at, "stands without %s; want both, or none", pair[1])
		}
	}
	if at, ok := set["plaintext_credentials"]; ok && !t.Plaintext {
		l.mistakes.add(at, "has no meaning with TLS; want plaintext: true beside it, or neither")
	}
	if t.CAFile != "" {
		l.references = append(l.references, reference{set["ca_file"], func() error { _, err := authorities(t.CAFile); return err }})
	}
	if t.CertFile != "" && t.KeyFile != "" {
		l.references = append(l.references, reference{set["cert_file"], func() error { _, err := keyPair(t.CertFile, t.KeyFile); return err }})
	}
}

// serverName reads the name that a certificate has to have.
func (l *loader) serverName(at place, n *yaml.Node) string {
	const want = "the host name or IP address that the target's certificate has"
	s, ok := l.text(at, n, want, false)
	if !ok {
		return ""
	}
	if _, err := netip.ParseAddr(s); err != nil && badHost(s) != "" {
		l.mistakes.add(at, "is no host name and no IP address; want %s", want)
		return ""
	}
	return s
}
