package gnmitest

import (
	"fmt"
	"sort"
	"strings"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
)

// ParsePath parses a gNMI path in its string form, such as
// /interfaces/interface[name=Ethernet1]/state. A backslash takes the character
// after it literally. Module prefixes stay part of the element's name. The
// leading slash may be missing; "/" and "" are the root.
func ParsePath(s string) (*gnmipb.Path, error) {
	p := &gnmipb.Path{}
	rest := strings.TrimPrefix(s, "/")
	for rest != "" {
		name, after, end, err := until(rest, "/[")
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", s, err)
		}
		if name == "" {
			return nil, fmt.Errorf("path %q: an element without a name", s)
		}
		elem := &gnmipb.PathElem{Name: name}
		for end == '[' {
			var key, value string
			if key, after, end, err = until(after, "=]"); err == nil && (end != '=' || key == "") {
				err = fmt.Errorf("a key of %s is not [name=value]", name)
			}
			if err == nil {
				if value, after, end, err = until(after, "]"); err == nil && end != ']' {
					err = fmt.Errorf("a key of %s does not end", name)
				}
			}
			if err != nil {
				return nil, fmt.Errorf("path %q: %w", s, err)
			}
			if elem.Key == nil {
				elem.Key = make(map[string]string)
			}
			if _, twice := elem.Key[key]; twice {
				return nil, fmt.Errorf("path %q: key %s of %s comes twice", s, key, name)
			}
			elem.Key[key] = value
			end = 0
			if after != "" {
				end, after = after[0], after[1:]
				if end != '[' && end != '/' {
					return nil, fmt.Errorf("path %q: %q after a key", s, end)
				}
			}
		}
		p.Elem = append(p.Elem, elem)
		if end == '/' && after == "" {
			return nil, fmt.Errorf("path %q ends with a slash", s)
		}
		rest = after
	}
	return p, nil
}

// until returns s up to the first unescaped character of stops, without its
// escapes, what comes after it, and which it was, 0 where there is none.
func until(s, stops string) (word, after string, end byte, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			if i++; i == len(s) {
				return "", "", 0, fmt.Errorf("a backslash at the end")
			}
			b.WriteByte(s[i])
		case strings.IndexByte(stops, s[i]) >= 0:
			return b.String(), s[i+1:], s[i], nil
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), "", 0, nil
}

// PathString is the string form of a path, its keys sorted, without origin and
// target. ParsePath reads it back.
func PathString(p *gnmipb.Path) string {
	return elemsString(p.GetElem())
}

func elemsString(elems []*gnmipb.PathElem) string {
	if len(elems) == 0 {
		return "/"
	}
	nameEscapes := strings.NewReplacer(`\`, `\\`, `/`, `\/`, `[`, `\[`)
	keyEscapes := strings.NewReplacer(`\`, `\\`, `=`, `\=`, `]`, `\]`)
	valueEscapes := strings.NewReplacer(`\`, `\\`, `]`, `\]`)
	var b strings.Builder
	for _, e := range elems {
		b.WriteString("/" + nameEscapes.Replace(e.GetName()))
		keys := make([]string, 0, len(e.GetKey()))
		for k := range e.GetKey() {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			b.WriteString("[" + keyEscapes.Replace(k) + "=" + valueEscapes.Replace(e.Key[k]) + "]")
		}
	}
	return b.String()
}
