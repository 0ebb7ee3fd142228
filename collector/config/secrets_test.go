package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

const secret = "hunter2secret"

func TestSecretRead(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{"a": "a", "a\n": "a", "a\r\n": "a", "a\n\n": "a\n", " a b ": " a b ", "a\r": "a\r"} {
		got, err := Secret{File: write(t, dir, "s", text)}.Read()
		if got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	t.Setenv("ROCE_TEST", secret)
	if got, err := (Secret{Env: "ROCE_TEST"}).Read(); got != secret || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("ROCE_EMPTY", "\n")
	t.Setenv("ROCE_LARGE", strings.Repeat("x", maxSecret+1))
	for want, s := range map[string]Secret{
		dir + "/none: cannot be read: no such file or directory; want a file with a secret":   {File: dir + "/none"},
		dir + ": cannot be read: is no regular file; want a file with a secret":               {File: dir},
		dir + "/large: cannot be read: is larger than 64 KiB; want a file with a secret":      {File: write(t, dir, "large", strings.Repeat(secret, 1<<13))},
		"the file " + dir + "/empty is empty; want it to hold a secret":                       {File: write(t, dir, "empty", "\r\n")},
		"the environment variable ROCE_NONE is not set; want it to hold a secret":             {Env: "ROCE_NONE"},
		"the environment variable ROCE_EMPTY is empty; want it to hold a secret":              {Env: "ROCE_EMPTY"},
		"the environment variable ROCE_LARGE is larger than 64 KiB; want it to hold a secret": {Env: "ROCE_LARGE"},
		"no secret is configured": {},
	} {
		got, err := s.Read()
		mustSay(t, err, want)
		if got != "" {
			t.Errorf("%q", got)
		}
	}
	if (Secret{}).Set() || !(Secret{File: "a"}).Set() || !(Secret{Env: "a"}).Set() {
		t.Error("Set")
	}
}

// Wherever a secret is written by mistake, in place of any value, no error and no
// YAML repeats it; nor, among credentials, in place of a key.
func TestSecretsStaySecret(t *testing.T) {
	data, err := os.ReadFile("testdata/valid/full.yml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		t.Fatal(err)
	}
	dir, tried := t.TempDir(), 0
	try := func(at string) {
		t.Helper()
		text, err := yaml.Dump(&doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{secret, "*" + secret, "&" + secret, "!" + secret, "!" + secret + "!x y", "%" + secret, "\"" + secret,
			"u:" + secret + "@host:6030", "https://u:" + secret + "@host:6030", "[" + secret + "]", "[a, !x " + secret + "]", "\"\\q" + secret + "\"", secret + ": a: b", secret + "\x01"} {
			tried++
			file := write(t, dir, "a.yml", strings.ReplaceAll(string(text), "PLACE", s))
			if _, err := Load(file, options()); err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %s: %v", at, s, err)
			}
		}
		if !strings.HasPrefix(at, "credentials.") {
			return
		}
		for _, s := range []string{"{" + secret + "}", "{" + secret + ": a}", "{" + secret + ": {}, " + secret + ": 1}", "[{" + secret + "}]"} {
			tried++
			file := write(t, dir, "a.yml", strings.ReplaceAll(string(text), "PLACE", s))
			if _, err := Load(file, options()); err != nil && strings.Contains(err.Error(), secret) && !strings.HasSuffix(at, ".metadata") {
				t.Errorf("%s: %s: %v", at, s, err)
			}
		}
	}
	var walk func(n *yaml.Node, at string)
	walk = func(n *yaml.Node, at string) {
		for i, c := range n.Content {
			path := at
			if n.Kind == yaml.MappingNode {
				if i%2 == 0 {
					continue
				}
				path = strings.TrimPrefix(at+"."+n.Content[i-1].Value, ".")
			}
			if path == "target_files" {
				continue // the names of files are told
			}
			old := *c
			*c = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "PLACE"}
			try(path)
			*c = old
			walk(c, path)
		}
	}
	walk(&doc, "")
	if tried < 500 {
		t.Errorf("only %d places tried", tried)
	}

	t.Setenv("ROCE_TEST", secret)
	c := load(t, write(t, dir, "a.yml", "credentials: {a: {username: u, password_file: p, metadata: {x: {env: ROCE_TEST}}}}\n"))
	write(t, dir, "p", secret)
	if err := c.CheckFiles(); err != nil {
		t.Error(err)
	}
	if y := string(c.YAML()); strings.Contains(y, secret) || !strings.Contains(y, "ROCE_TEST") || !strings.Contains(y, dir+"/p") {
		t.Errorf("%s", y)
	}
}

// The passwords of testdata/invalid-*.yml are hunter2.
func TestInvalidSecretsStaySecret(t *testing.T) {
	files, err := filepath.Glob("testdata/invalid-*.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, err := Load(file, options()); strings.Contains(strings.ToLower(err.Error()), "hunter") {
			t.Errorf("%v", err)
		}
	}
}

// authority makes a certificate and its key, both in PEM form.
func authority(t *testing.T) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return block("CERTIFICATE", der), block("PRIVATE KEY", pkcs8)
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestTLSConfig(t *testing.T) {
	dir := t.TempDir()
	cert, key := authority(t)
	_, other := authority(t)
	good := TLS{CAFile: write(t, dir, "ca", block("OTHER", nil)+cert+cert), CertFile: write(t, dir, "cert", cert), KeyFile: write(t, dir, "key", key), ServerName: "x", MinVersion: tls.VersionTLS13}
	c, err := good.Config()
	if err != nil || c.RootCAs == nil || len(c.Certificates) != 1 || c.ServerName != "x" || c.MinVersion != tls.VersionTLS13 || c.InsecureSkipVerify {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := (TLS{InsecureSkipVerify: true}).Config(); err != nil || c.RootCAs != nil || c.MinVersion != tls.VersionTLS12 || !c.InsecureSkipVerify {
		t.Errorf("%+v, %v", c, err)
	}
	fails := func(t2 TLS, want string) {
		t.Helper()
		_, err := t2.Config()
		mustSay(t, err, strings.ReplaceAll(want, "DIR", dir))
	}
	fails(TLS{Plaintext: true}, "plaintext is without TLS")
	fails(TLS{CAFile: dir + "/none"}, "DIR/none: cannot be read: no such file or directory; want a PEM file with certificates of authorities")
	fails(TLS{CAFile: good.KeyFile}, "no certificate in PEM form in DIR/key; want -----BEGIN CERTIFICATE-----")
	broken := write(t, dir, "broken", cert+block("CERTIFICATE", []byte(secret)))
	fails(TLS{CAFile: broken}, "DIR/broken: certificate 2 cannot be parsed: x509: malformed certificate")
	fails(TLS{CertFile: dir + "/none", KeyFile: good.KeyFile}, "DIR/none: cannot be read: no such file or directory; want a PEM file with a certificate")
	fails(TLS{CertFile: good.CertFile, KeyFile: dir + "/none"}, "DIR/none: cannot be read: no such file or directory; want a PEM file with a private key")
	fails(TLS{CertFile: good.KeyFile, KeyFile: good.KeyFile}, "no certificate in PEM form in DIR/key; want -----BEGIN CERTIFICATE-----")
	fails(TLS{CertFile: good.CertFile, KeyFile: good.CertFile}, "no private key in PEM form in DIR/cert; want -----BEGIN PRIVATE KEY-----")
	for _, text := range []string{block("ENCRYPTED PRIVATE KEY", []byte(secret)), "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END EC PRIVATE KEY-----\n"} {
		fails(TLS{CertFile: good.CertFile, KeyFile: write(t, dir, "locked", text)}, "the private key in DIR/locked is encrypted; want one without a passphrase")
	}
	fails(TLS{CertFile: good.CertFile, KeyFile: write(t, dir, "other", other)},
		"the certificate in DIR/cert and the private key in DIR/other cannot be used: private key does not match public key")
	// Files are read anew each time.
	write(t, dir, "cert", "")
	fails(good, "no certificate in PEM form in DIR/cert; want -----BEGIN CERTIFICATE-----")
}

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := authority(t)
	write(t, dir, "cert", cert)
	write(t, dir, "key", key)
	write(t, dir, "password", secret)
	t.Setenv("ROCE_TEST", secret)
	text := `credentials:
  a: {username: u, password_file: password, metadata: {x-token: {env: ROCE_TEST}}}
  b: {username: u, password_env: ROCE_TEST}
defaults:
  tls: {ca_file: cert, cert_file: cert, key_file: key}
targets:
- {name: a, address: "a:1", tls: {ca_file: cert}}
- {name: b, address: "b:1"}
- {name: c, address: "c:1"}
`
	file := write(t, dir, "a.yml", text)
	if err := load(t, file).CheckFiles(); err != nil {
		t.Error(err)
	}
	write(t, dir, "a.yml", strings.NewReplacer("ROCE_TEST", "ROCE_NONE", ": password,", ": none,", "ca_file: cert", "ca_file: key", "key_file: key", "key_file: cert").Replace(text))
	mustSay(t, load(t, file).CheckFiles(),
		file+":2: credentials.a.metadata.x-token: the environment variable ROCE_NONE is not set; want it to hold a secret",
		file+":2: credentials.a.password_file: "+dir+"/none: cannot be read: no such file or directory; want a file with a secret",
		file+":3: credentials.b.password_env: the environment variable ROCE_NONE is not set; want it to hold a secret",
		file+":5: defaults.tls.ca_file: no certificate in PEM form in "+dir+"/key; want -----BEGIN CERTIFICATE-----",
		file+":5: defaults.tls.cert_file: no private key in PEM form in "+dir+"/cert; want -----BEGIN PRIVATE KEY-----",
		file+":7: targets[0].tls.ca_file: no certificate in PEM form in "+dir+"/key; want -----BEGIN CERTIFICATE-----")
}
