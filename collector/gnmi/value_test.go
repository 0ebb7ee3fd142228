package gnmi

import (
	"encoding/base64"
	"math"
	"testing"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// TestNumbers has the values of devices, in all types and encodings, in the
// short form of recordings.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		kind, text string
		want       float64
		why        unusable
	}{
		{"uint", "18446744073709551615", 18446744073709551615, usable},
		{"int", "-5", -5, usable},
		{"int", "5", 5, usable},
		{"double", "2.5", 2.5, usable},
		{"float", "2.5", 2.5, usable},
		{"decimal", "12345/2", 123.45, usable},
		{"decimal", "-1/3", -0.001, usable},
		{"bool", "true", 1, usable},
		{"bool", "false", 0, usable},
		{"bytes", "41460000", 12.375, usable}, // ieeefloat32
		{"string", "18446744073709551615", 18446744073709551615, usable},
		{"string", " 7 ", 7, usable},
		{"string", "-2.25", -2.25, usable},
		{"string", "1e3", 1000, usable},
		{"string", "true", 1, usable},
		{"string", "false", 0, usable},
		{"ascii", "12", 12, usable},
		{"json", "9007199254740993", 9007199254740993, usable}, // no float64 has it
		{"json", `"12"`, 12, usable},
		{"json", "-1.5e2", -150, usable},
		{"json", "true", 1, usable},
		{"json_ietf", `"18446744073709551615"`, 18446744073709551615, usable},
		{"json_ietf", `"` + base64.StdEncoding.EncodeToString([]byte{0x41, 0x46, 0, 0}) + `"`, 12.375, usable},
		{"leaflist", "[3]", 3, usable},

		{"leaflist", "[]", 0, noValue},
		{"json", "null", 0, noValue},
		{"string", `""`, 0, noValue},
		{"double", "NaN", 0, noValue},
		{"double", "-Inf", 0, noValue},
		{"string", "-inf", 0, noValue},
		{"string", "nan", 0, noValue},
		{"bytes", "7f800000", 0, noValue},
		{"string", "N/A", 0, wrongType},
		{"string", "0x10", 0, wrongType},
		{"string", "1_000", 0, wrongType},
		{"string", "0x1p-2", 0, wrongType},
		{"string", "12 W", 0, wrongType},
		{"json", "1e999", 0, wrongType},
		{"leaflist", "[1,2]", 0, malformed},
		{"bytes", "00", 0, malformed},
	} {
		v, err := gnmitest.ParseValue(c.kind, c.text)
		if err != nil {
			t.Fatal(c.kind, c.text, err)
		}
		s, tree, err := decode(v)
		if c.why == malformed {
			if err == nil {
				t.Errorf("%s %s is %+v", c.kind, c.text, s)
			}
			continue
		}
		if err != nil || tree != nil {
			t.Errorf("%s %s: %v %v", c.kind, c.text, tree, err)
			continue
		}
		got, why := s.number()
		if why != c.why || why == usable && got != c.want {
			t.Errorf("%s %s is %v %q, want %v %q", c.kind, c.text, got, why, c.want, c.why)
		}
	}
}

func TestValuesThatAreNone(t *testing.T) {
	list := &gnmipb.TypedValue{Value: &gnmipb.TypedValue_LeaflistVal{LeaflistVal: &gnmipb.ScalarArray{}}}
	list.GetLeaflistVal().Element = []*gnmipb.TypedValue{{Value: &gnmipb.TypedValue_LeaflistVal{}}}
	for name, v := range map[string]*gnmipb.TypedValue{
		"nothing":             nil,
		"no type":             {},
		"any":                 {Value: &gnmipb.TypedValue_AnyVal{}},
		"protobuf":            {Value: &gnmipb.TypedValue_ProtoBytes{ProtoBytes: []byte{1}}},
		"a list in a list":    list,
		"no JSON":             gnmitest.JSON("{"),
		"JSON and more":       gnmitest.JSON("1 2"),
		"JSON and a bracket":  gnmitest.JSON("1]"),
		"JSON and a brace":    gnmitest.JSON(`{"a":1}}`),
		"empty JSON":          gnmitest.JSON(""),
		"a leaf-list of none": {Value: &gnmipb.TypedValue_LeaflistVal{LeaflistVal: &gnmipb.ScalarArray{Element: []*gnmipb.TypedValue{{}}}}},
	} {
		if s, tree, err := decode(v); err == nil {
			t.Errorf("%s is %+v, %v", name, s, tree)
		}
	}
}

// TestWords has values as texts of labels.
func TestWords(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		{"string", "a:b", "a:b"}, {"uint", "7", "7"}, {"int", "-7", "-7"}, {"double", "0.5", "0.5"}, {"bool", "true", "true"}, {"bool", "false", "false"},
		{"json", `"x"`, "x"}, {"json", "18446744073709551615", "18446744073709551615"}, {"json", "null", ""}, {"leaflist", `["x"]`, "x"}, {"leaflist", "[]", ""},
		{"json", `"\ud800"`, "\uFFFD"}, // half a surrogate pair
	} {
		v, err := gnmitest.ParseValue(c.kind, c.text)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := decode(v)
		if err != nil || s.word() != c.want {
			t.Errorf("%s %s is %q, want %q (%v)", c.kind, c.text, s.word(), c.want, err)
		}
	}
}

func TestLeafNumbers(t *testing.T) {
	counter := &leaf{Leaf: &Leaf{Metric: metric.InterfaceBytesReceived}, scale: 1}
	gauge := &leaf{Leaf: &Leaf{Metric: metric.TransceiverBias, Ignore: []string{"off"}}, scale: 1e-3}
	big := &leaf{Leaf: &Leaf{Metric: metric.TransceiverBias}, scale: 1e300}
	status := &leaf{Leaf: &Leaf{Metric: metric.InterfaceUp, Words: operStatus(), Ignore: []string{"UNKNOWN"}}, scale: 1}
	for _, c := range []struct {
		l    *leaf
		v    scalar
		want float64
		why  unusable
	}{
		{counter, scalar{kind: isUint, uint: 5}, 5, usable},
		{counter, scalar{kind: isFloat, float: -1}, 0, outOfRange},
		{counter, scalar{text: "-1"}, 0, outOfRange},
		{gauge, scalar{kind: isFloat, float: -2000}, -2, usable},
		{gauge, scalar{text: "off"}, 0, noValue},
		{gauge, scalar{text: "module:off"}, 0, noValue},
		{gauge, scalar{text: "on"}, 0, wrongType},
		{big, scalar{kind: isFloat, float: 1e300}, 0, noValue}, // beyond all numbers
		{status, scalar{text: "UP"}, 1, usable},
		{status, scalar{text: "openconfig-interfaces:DOWN"}, 0, usable},
		{status, scalar{text: " UP "}, 1, usable},
		{status, scalar{text: "UNKNOWN"}, 0, noValue},
		{status, scalar{text: ""}, 0, noValue},
		{status, scalar{text: "up"}, 0, unknownWord},
		{status, scalar{kind: isUint, uint: 1}, 0, unknownWord},
	} {
		got, why := c.l.number(c.v)
		if why != c.why || why == usable && got != c.want {
			t.Errorf("%+v for %s is %v %q, want %v %q", c.v, c.l.Metric.Name, got, why, c.want, c.why)
		}
	}
}

func TestClockDifferencesDoNotOverflow(t *testing.T) {
	for _, c := range []struct{ a, b, want int64 }{
		{5, 3, 2}, {3, 5, -2}, {math.MinInt64, 1, math.MinInt64}, {math.MaxInt64, -1, math.MaxInt64}, {0, 1, -1}, {math.MinInt64, 0, math.MinInt64},
		{math.MaxInt64, 1, math.MaxInt64 - 1},
	} {
		if got := minus(c.a, c.b); got != c.want {
			t.Errorf("%d-%d is %d", c.a, c.b, got)
		}
	}
}
