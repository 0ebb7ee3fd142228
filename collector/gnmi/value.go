package gnmi

//lint:file-ignore SA1019 devices still send what newer versions of gNMI have deprecated

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
)

// scalar is one value of a switch, whatever encoding it came in.
type scalar struct {
	kind   kind
	uint   uint64
	float  float64
	text   string
	absent bool // null, an empty list
}

type kind uint8

const (
	isText kind = iota
	isUint
	isFloat // also negative integers
)

// why a value gives no sample; the label reason of
// roce_target_unusable_values_total.
type unusable string

const (
	usable        unusable = ""
	noValue       unusable = "-"     // rightly none: N/A, no light; not counted
	wrongType     unusable = "type"  // a text where a number belongs
	outOfRange    unusable = "range" // a counter below 0, a priority above 7
	unknownWord   unusable = "name"  // a word that the enumeration does not have
	malformed     unusable = "message"
	tooManySeries unusable = "limit"
)

// reasons returns those that are counted.
func reasons() []unusable {
	return []unusable{wrongType, outOfRange, unknownWord, malformed, tooManySeries}
}

// decode takes a value apart. A JSON object or list comes back as tree, as
// encoding/json gives it with json.Number; everything else as a scalar.
func decode(v *gnmipb.TypedValue) (s scalar, tree any, err error) {
	switch x := v.GetValue().(type) {
	case *gnmipb.TypedValue_UintVal:
		return scalar{kind: isUint, uint: x.UintVal}, nil, nil
	case *gnmipb.TypedValue_IntVal:
		return ofInt(x.IntVal), nil, nil
	case *gnmipb.TypedValue_StringVal:
		return scalar{text: x.StringVal}, nil, nil
	case *gnmipb.TypedValue_AsciiVal:
		return scalar{text: x.AsciiVal}, nil, nil
	case *gnmipb.TypedValue_BoolVal:
		return ofBool(x.BoolVal), nil, nil
	case *gnmipb.TypedValue_DoubleVal:
		return scalar{kind: isFloat, float: x.DoubleVal}, nil, nil
	case *gnmipb.TypedValue_FloatVal:
		return scalar{kind: isFloat, float: float64(x.FloatVal)}, nil, nil
	case *gnmipb.TypedValue_DecimalVal:
		d := x.DecimalVal
		return scalar{kind: isFloat, float: float64(d.GetDigits()) / math.Pow10(int(min(d.GetPrecision(), 18)))}, nil, nil
	case *gnmipb.TypedValue_BytesVal:
		if len(x.BytesVal) == 4 { // oc-types:ieeefloat32
			return scalar{kind: isFloat, float: float64(math.Float32frombits(binary.BigEndian.Uint32(x.BytesVal)))}, nil, nil
		}
		return scalar{}, nil, fmt.Errorf("%d bytes where a value belongs", len(x.BytesVal))
	case *gnmipb.TypedValue_LeaflistVal:
		switch list := x.LeaflistVal.GetElement(); len(list) {
		case 0:
			return scalar{absent: true}, nil, nil
		case 1:
			if _, nested := list[0].GetValue().(*gnmipb.TypedValue_LeaflistVal); nested {
				return scalar{}, nil, fmt.Errorf("a list in a list")
			}
			return decode(list[0])
		default:
			return scalar{}, nil, fmt.Errorf("a list of %d values where one belongs", len(list))
		}
	case *gnmipb.TypedValue_JsonVal:
		return decodeJSON(x.JsonVal)
	case *gnmipb.TypedValue_JsonIetfVal:
		return decodeJSON(x.JsonIetfVal)
	case nil:
		return scalar{}, nil, fmt.Errorf("no value")
	}
	return scalar{}, nil, fmt.Errorf("a value of type %T", v.GetValue())
}

func decodeJSON(b []byte) (scalar, any, error) {
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber() // a float64 loses the last digits of a 64-bit counter
	var v any
	if err := d.Decode(&v); err != nil {
		return scalar{}, nil, fmt.Errorf("JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return scalar{}, nil, fmt.Errorf("JSON: more than one value")
	}
	switch v.(type) {
	case map[string]any, []any:
		return scalar{}, v, nil
	}
	return ofJSON(v), nil, nil
}

// ofJSON returns the scalar that a JSON value holds.
func ofJSON(v any) scalar {
	switch v := v.(type) {
	case json.Number:
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return scalar{kind: isUint, uint: u}
		}
		f, err := v.Float64()
		if err != nil {
			return scalar{text: v.String()}
		}
		return scalar{kind: isFloat, float: f}
	case string:
		return scalar{text: v}
	case bool:
		return ofBool(v)
	}
	return scalar{absent: true}
}

func ofInt(i int64) scalar {
	if i >= 0 {
		return scalar{kind: isUint, uint: uint64(i)}
	}
	return scalar{kind: isFloat, float: float64(i)}
}

func ofBool(b bool) scalar {
	if b {
		return scalar{kind: isUint, uint: 1, text: "true"}
	}
	return scalar{kind: isUint, text: "false"}
}

// number returns the value as a number. Texts that hold one count: JSON_IETF
// gives 64-bit integers so (RFC 7951 section 6.1), SONiC everything.
func (s scalar) number() (float64, unusable) {
	switch {
	case s.absent:
		return 0, noValue
	case s.kind == isUint:
		return float64(s.uint), usable
	case s.kind == isFloat:
		return s.float, finite(s.float)
	}
	text := strings.TrimSpace(s.text)
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return float64(u), usable
	}
	switch text {
	case "true":
		return 1, usable
	case "false":
		return 0, usable
	case "":
		return 0, noValue
	}
	// Go's own spellings (0x1p-2, 1_000) are no device's.
	if !strings.ContainsAny(text, "xX_pP") {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f, finite(f)
		}
	}
	// IEEE 754 in base64: oc-types:ieeefloat32 in JSON_IETF.
	if b, err := base64.StdEncoding.DecodeString(text); err == nil && len(b) == 4 && strings.HasSuffix(text, "==") {
		f := float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
		return f, finite(f)
	}
	return 0, wrongType
}

// finite says that infinities (no light, in dBm) and NaN are no values.
func finite(f float64) unusable {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return noValue
	}
	return usable
}

// word returns the value as a text, without the module of an identity.
func (s scalar) word() string {
	switch {
	case s.absent:
		return ""
	case s.text != "":
		return s.text
	case s.kind == isUint:
		return strconv.FormatUint(s.uint, 10)
	case s.kind == isFloat:
		return strconv.FormatFloat(s.float, 'g', -1, 64)
	}
	return ""
}
