package gnmitest

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
)

// ParseUpdates parses the short form of notifications, one update a line:
//
//	# a comment
//	@ target=COUNTERS_DB origin=openconfig prefix=/interfaces timestamp=1700000000000000000 atomic
//	/interface[name=Ethernet1]/state/counters/in-octets uint 123
//	-/interface[name=Ethernet2]
//
// A line with @ begins a notification; lines before the first one are a
// notification without prefix. See ParseValue for the types.
func ParseUpdates(text string) ([]*gnmipb.Notification, error) {
	var out []*gnmipb.Notification
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("line %d: not UTF-8", i+1)
		}
		if line[0] == '@' {
			n, err := header(line[1:])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			out = append(out, n)
			continue
		}
		if len(out) == 0 {
			out = append(out, &gnmipb.Notification{})
		}
		if err := updateLine(line, out[len(out)-1]); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return out, nil
}

func header(rest string) (*gnmipb.Notification, error) {
	n := &gnmipb.Notification{}
	seen := make(map[string]bool)
	for {
		var word string
		if word, rest = firstWord(rest); word == "" {
			return n, nil
		}
		name, value, valued := strings.Cut(word, "=")
		if valued == (name == "atomic") {
			return nil, fmt.Errorf("%q: want name=value, or atomic", word)
		}
		if seen[name] {
			return nil, fmt.Errorf("%s comes twice", name)
		}
		seen[name] = true
		if n.Prefix == nil && (name == "target" || name == "origin" || name == "prefix") {
			n.Prefix = &gnmipb.Path{}
		}
		var err error
		switch name {
		case "target":
			n.Prefix.Target = value
		case "origin":
			n.Prefix.Origin = value
		case "prefix":
			var p *gnmipb.Path
			if p, err = ParsePath(value); err == nil {
				n.Prefix.Elem = p.Elem
			}
		case "timestamp":
			n.Timestamp, err = strconv.ParseInt(value, 10, 64)
		case "atomic":
			n.Atomic = true
		default:
			err = fmt.Errorf("a header has no %q", name)
		}
		if err != nil {
			return nil, err
		}
	}
}

func updateLine(line string, n *gnmipb.Notification) error {
	word, rest := firstWord(line)
	// An element's name may begin with a dash, an absolute path does not.
	deleted, isDelete := strings.CutPrefix(word, "-/")
	if isDelete {
		word = "/" + deleted
	}
	p, err := ParsePath(word)
	if err != nil {
		return err
	}
	if isDelete {
		if rest != "" {
			return fmt.Errorf("%q after the path of a delete", rest)
		}
		n.Delete = append(n.Delete, p)
		return nil
	}
	kind, value := firstWord(rest)
	v, err := ParseValue(kind, value)
	if err != nil {
		return err
	}
	n.Update = append(n.Update, &gnmipb.Update{Path: p, Val: v})
	return nil
}

// firstWord returns s up to the first blank that is in no key of a path, and
// what follows.
func firstWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	inKey := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			inKey = true
		case ']':
			inKey = false
		case ' ', '\t':
			if !inKey {
				return s[:i], strings.TrimLeft(s[i:], " \t")
			}
		}
	}
	return s, ""
}

// ParseValue parses a value. Its kind is one of
//
//	uint int bool double float   as Go writes them
//	string ascii                 the text; in double quotes where it needs Go's escapes
//	json json_ietf               JSON
//	bytes                        hexadecimal digits
//	leaflist                     a JSON array of numbers, strings and booleans
//	decimal                      digits/precision, such as 12345/2 for 123.45
func ParseValue(kind, text string) (*gnmipb.TypedValue, error) {
	switch kind {
	case "uint":
		v, err := strconv.ParseUint(text, 10, 64)
		return Uint(v), err
	case "int":
		v, err := strconv.ParseInt(text, 10, 64)
		return Int(v), err
	case "bool":
		v, err := strconv.ParseBool(text)
		return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_BoolVal{BoolVal: v}}, err
	case "double":
		v, err := strconv.ParseFloat(text, 64)
		return Double(v), err
	case "float":
		v, err := strconv.ParseFloat(text, 32)
		//lint:ignore SA1019 devices still send it
		return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_FloatVal{FloatVal: float32(v)}}, err
	case "string", "ascii":
		if strings.HasPrefix(text, `"`) {
			var err error
			if text, err = strconv.Unquote(text); err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
			if !utf8.ValidString(text) {
				return nil, fmt.Errorf("%s: not UTF-8", kind)
			}
		}
		if kind == "ascii" {
			return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_AsciiVal{AsciiVal: text}}, nil
		}
		return String(text), nil
	case "json", "json_ietf":
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("%q is not JSON", text)
		}
		if kind == "json" {
			return JSON(text), nil
		}
		return JSONIETF(text), nil
	case "bytes":
		b, err := hex.DecodeString(text)
		return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_BytesVal{BytesVal: b}}, err
	case "leaflist":
		return leaflist(text)
	case "decimal":
		digits, precision, _ := strings.Cut(text, "/")
		d, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, err
		}
		p, err := strconv.ParseUint(precision, 10, 32)
		//lint:ignore SA1019 devices still send it
		return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_DecimalVal{DecimalVal: &gnmipb.Decimal64{Digits: d, Precision: uint32(p)}}}, err
	case "":
		return nil, errors.New("an update without a value: want PATH TYPE VALUE")
	}
	return nil, fmt.Errorf("no type of values is called %q", kind)
}

func leaflist(text string) (*gnmipb.TypedValue, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // a 64 bit counter is no float64
	var list []any
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("leaflist: %w", err)
	}
	if d.More() {
		return nil, errors.New("leaflist: something after the array")
	}
	out := &gnmipb.ScalarArray{}
	for _, e := range list {
		var v *gnmipb.TypedValue
		var err error
		switch e := e.(type) {
		case string:
			v = String(e)
		case bool:
			v, err = ParseValue("bool", strconv.FormatBool(e))
		case json.Number:
			if v, err = ParseValue("uint", e.String()); err != nil {
				if v, err = ParseValue("int", e.String()); err != nil {
					v, err = ParseValue("double", e.String())
				}
			}
		default:
			err = fmt.Errorf("leaflist: %v is not scalar", e)
		}
		if err != nil {
			return nil, err
		}
		out.Element = append(out.Element, v)
	}
	return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_LeaflistVal{LeaflistVal: out}}, nil
}

// Uint is a value of type uint_val.
func Uint(v uint64) *gnmipb.TypedValue {
	return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_UintVal{UintVal: v}}
}

// Int is a value of type int_val.
func Int(v int64) *gnmipb.TypedValue {
	return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_IntVal{IntVal: v}}
}

// Double is a value of type double_val.
func Double(v float64) *gnmipb.TypedValue {
	return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_DoubleVal{DoubleVal: v}}
}

// String is a value of type string_val.
func String(v string) *gnmipb.TypedValue {
	return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_StringVal{StringVal: v}}
}

// JSON is a value of type json_val.
func JSON(v string) *gnmipb.TypedValue {
	return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_JsonVal{JsonVal: []byte(v)}}
}

// JSONIETF is a value of type json_ietf_val.
func JSONIETF(v string) *gnmipb.TypedValue {
	return &gnmipb.TypedValue{Value: &gnmipb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(v)}}
}
