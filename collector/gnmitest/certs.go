package gnmitest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority is a certificate authority made for one test.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes one.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := template("gnmitest authority")
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &Authority{cert, key}, err
}

func template(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
	}, nil
}

// Certificate makes a certificate for servers and clients with these names and
// addresses; the first is its common name as well. A certificate of the wrong
// name is one of other names.
func (a *Authority) Certificate(names ...string) (tls.Certificate, error) {
	return a.sign(names, nil)
}

// Expired makes a certificate that was valid until an hour ago.
func (a *Authority) Expired(names ...string) (tls.Certificate, error) {
	return a.sign(names, func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = c.NotBefore.Add(-24*time.Hour), time.Now().Add(-time.Hour)
	})
}

// CommonNameOnly makes a certificate as old devices have it, without alternative
// names.
func (a *Authority) CommonNameOnly(name string) (tls.Certificate, error) {
	return a.sign([]string{name}, func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = nil, nil })
}

func (a *Authority) sign(names []string, change func(*x509.Certificate)) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	first := ""
	if len(names) > 0 {
		first = names[0]
	}
	cert, err := template(first)
	if err != nil {
		return tls.Certificate{}, err
	}
	cert.KeyUsage = x509.KeyUsageDigitalSignature
	cert.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			cert.IPAddresses = append(cert.IPAddresses, ip)
		} else {
			cert.DNSNames = append(cert.DNSNames, n)
		}
	}
	if change != nil {
		change(cert)
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// Pool trusts the authority only.
func (a *Authority) Pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// ServerConfig is for DeviceOptions.TLS. With clients true it asks for a
// certificate of the authority.
func (a *Authority) ServerConfig(cert tls.Certificate, clients bool) *tls.Config {
	c := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if clients {
		c.ClientCAs, c.ClientAuth = a.Pool(), tls.RequireAndVerifyClientCert
	}
	return c
}

// Files are paths of PEM files.
type Files struct {
	CA, Cert, Key string
}

// WriteFiles makes a certificate of these names and writes it to dir.
func (a *Authority) WriteFiles(dir string, names ...string) (Files, error) {
	cert, err := a.Certificate(names...)
	if err != nil {
		return Files{}, err
	}
	return a.WriteCertificate(dir, cert)
}

// WriteCertificate writes ca.pem, cert.pem and key.pem to dir.
func (a *Authority) WriteCertificate(dir string, cert tls.Certificate) (Files, error) {
	f := Files{filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		return f, err
	}
	for _, w := range []struct {
		path, kind string
		der        []byte
		mode       os.FileMode
	}{
		{f.CA, "CERTIFICATE", a.cert.Raw, 0o644},
		{f.Cert, "CERTIFICATE", cert.Certificate[0], 0o644},
		{f.Key, "PRIVATE KEY", key, 0o600},
	} {
		if err := os.WriteFile(w.path, pem.EncodeToMemory(&pem.Block{Type: w.kind, Bytes: w.der}), w.mode); err != nil {
			return f, err
		}
	}
	return f, nil
}
