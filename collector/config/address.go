package config

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

const wantAddress = "host:port, such as leaf1.example:6030 or [2001:db8::1]:6030"

// address reads a target's address; it is "" if it is wrong.
func (l *loader) address(at place, n *yaml.Node) string {
	s, ok := l.text(at, n, wantAddress, false)
	if !ok {
		return ""
	}
	if _, why := splitAddress(s); why != "" {
		l.mistakes.add(at, "%s; want %s", why, wantAddress)
		return ""
	}
	return s
}

// splitAddress returns the host of an address, or says why it is none.
func splitAddress(s string) (host, why string) {
	switch {
	case strings.Contains(s, "@"):
		return "", "the address holds an @: user name and password belong to credentials"
	case strings.Contains(s, "://"):
		return "", "the address begins with a scheme"
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		if strings.Count(s, ":") > 1 && !strings.HasPrefix(s, "[") {
			return "", "the address has more than one colon; an IPv6 address needs brackets"
		}
		return "", "the address has no port, or brackets in the wrong place"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || port[0] == '0' {
		return "", "the port is no number from 1 to 65535"
	}
	if strings.HasPrefix(s, "[") {
		if a, err := netip.ParseAddr(host); err != nil || !a.Is6() {
			return "", "what is in brackets is no IPv6 address"
		}
		return host, ""
	}
	return host, badHost(host)
}

// badHost says why something is no host name and no IPv4 address.
func badHost(host string) string {
	if host == "" || len(host) > 253 {
		return "the host is empty or too long"
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(host, "."), ".") {
		if part == "" || len(part) > 63 || strings.ContainsFunc(part, func(r rune) bool { return !letter(r) && !digit(r) && r != '-' && r != '_' }) {
			return "the host is no host name"
		}
	}
	if !strings.ContainsFunc(host, func(r rune) bool { return !digit(r) && r != '.' }) {
		if _, err := netip.ParseAddr(host); err != nil {
			return "the host is no IPv4 address"
		}
	}
	return ""
}
