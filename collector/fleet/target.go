package fleet

import (
	"crypto/tls"
	"fmt"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/roce-exporter/roce_exporter/collector/config"
	"github.com/roce-exporter/roce_exporter/collector/gnmi"
)

// target makes a configured target.
func (f *Fleet) target(t config.Target, c *config.Config) (*gnmi.Target, error) {
	cfg := gnmi.Config{
		Name: t.Name, Address: t.Address, Table: f.table, Auto: t.Profile == "auto",
		Interval: t.SampleInterval, PathTarget: t.PathTarget, Timing: f.opts.Timing, Log: f.opts.Log,
	}
	if !cfg.Auto {
		only, ok := f.table.Only(t.Profile)
		if !ok {
			return nil, fmt.Errorf("no profile %s", t.Profile)
		}
		cfg.Table = only
	}
	var err error
	if cfg.Method, err = method(t.Subscribe); err != nil {
		return nil, err
	}
	if cfg.Encoding, err = encoding(t.Encoding); err != nil {
		return nil, err
	}
	if !t.TLS.Plaintext {
		cfg.TLS = func() (*tls.Config, error) { return t.TLS.Config() }
	}
	if t.Credentials != "" {
		cfg.Credentials = credentials(c.Credentials[t.Credentials], t.TLS.PlaintextCredentials)
	}
	return gnmi.New(cfg)
}

func method(s string) (gnmi.Method, error) {
	switch s {
	case "stream":
		return gnmi.Stream, nil
	case "poll":
		return gnmi.Poll, nil
	case "get":
		return gnmi.Get, nil
	}
	return 0, fmt.Errorf("no way to subscribe is called %s", s)
}

func encoding(s string) (*gnmipb.Encoding, error) {
	switch s {
	case "auto":
		return nil, nil
	case "proto":
		return gnmipb.Encoding_PROTO.Enum(), nil
	case "json_ietf":
		return gnmipb.Encoding_JSON_IETF.Enum(), nil
	case "json":
		return gnmipb.Encoding_JSON.Enum(), nil
	}
	return nil, fmt.Errorf("no encoding is called %s", s)
}

func credentials(c config.Credentials, plaintext bool) *gnmi.Credentials {
	out := &gnmi.Credentials{Username: c.Username, Plaintext: plaintext, Metadata: make(map[string]func() (string, error))}
	switch c.Scheme {
	case "basic":
		out.Scheme = gnmi.SchemeBasic
	case "metadata":
		out.Scheme = gnmi.SchemeMetadata
	}
	if c.Password.Set() {
		out.Password = c.Password.Read
	}
	for k, s := range c.Metadata {
		out.Metadata[k] = s.Read
	}
	return out
}
