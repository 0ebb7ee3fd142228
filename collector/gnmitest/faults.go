package gnmitest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Faults are what a Device does otherwise than a good one, or than the recording
// has it. The zero value is a good device.
type Faults struct {
	// What it refuses.

	RefusePaths      map[string]codes.Code // RPCs with such a path, prefix included, origin not
	RefuseOnChange   map[string]codes.Code // the same, of paths that are asked for ON_CHANGE
	MaxSubscriptions int                   // in one RPC; more: InvalidArgument
	MaxRPCs          int                   // Subscribe RPCs at a time; more: ResourceExhausted
	MinInterval      time.Duration         // SAMPLE with a smaller interval, but for 0: InvalidArgument
	Encodings        []gnmipb.Encoding     // others: Unimplemented
	Username         string                // in the metadata, with Password; else Unauthenticated
	Password         string
	Basic            bool              // Username and Password as HTTP Basic authorization instead
	RequireMetadata  map[string]string // else Unauthenticated

	CapabilitiesUnimplemented bool
	CapabilitiesHang          bool // no answer until the client gives up

	// When it says nothing, or the end. These hold for running RPCs too.

	NoSync          bool
	SilentAfterSync bool
	SilentAtStart   bool // accepts, and never sends
	GetHang         bool // no answer to Get until the client gives up
	CloseAfter      *CloseAfter
	Delay           time.Duration // before each message
	Flood           int           // messages a second on each STREAM after its sync, beyond those due

	// How it says it.

	Timestamp          func(recorded int64) int64 // default: now
	ElementPaths       bool                       // the deprecated field element instead of elem
	OriginInPrefix     bool                       // moved there; openconfig, where the recording has none
	PrefixElems        int                        // how many elements stand in the prefix; 0: as recorded, negative: none
	ModulePrefix       string                     // and a colon, before the path's first element
	ModuleEverywhere   bool                       // ModulePrefix before every element
	JSONIETF           bool                       // scalar values as json_ietf_val, numbers of 64 bits as strings
	StringValues       bool                       // scalar values as string_val
	DoubleValues       bool                       // numbers as double_val
	Atomic             bool                       // every notification; a change sends all that was recorded with it
	Duplicates         uint32                     // set in every update
	EmptyNotifications bool                       // one before each message
	Giant              int                        // bytes of a JSON value at the first subscribed path, sent with all values
	Malformed          bool                       // malformed messages are sent before the values, which stay right
}

// CloseAfter ends a Subscribe RPC after so many messages, with that code, or
// cleanly where it is OK.
type CloseAfter struct {
	Messages int
	Code     codes.Code
}

// FixedTimestamp is for Faults.Timestamp.
func FixedTimestamp(ns int64) func(int64) int64 {
	return func(int64) int64 { return ns }
}

// authenticate checks the metadata of an RPC.
func (f *Faults) authenticate(ctx context.Context) error {
	md, _ := metadata.FromIncomingContext(ctx)
	want := make(map[string]string)
	for k, v := range f.RequireMetadata {
		want[k] = v
	}
	switch {
	case f.Username == "" && f.Password == "":
	case f.Basic:
		want["authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(f.Username+":"+f.Password))
	default:
		want["username"], want["password"] = f.Username, f.Password
	}
	for k, v := range want {
		if !slices.Equal(md.Get(k), []string{v}) {
			return status.Errorf(codes.Unauthenticated, "metadata %s is missing or wrong", strings.ToLower(k))
		}
	}
	return nil
}

// refuses tells why a request for these paths fails.
func (f *Faults) refuses(prefix *gnmipb.Path, paths []*gnmipb.Path, encoding gnmipb.Encoding) error {
	if len(f.Encodings) > 0 && !slices.Contains(f.Encodings, encoding) {
		return status.Errorf(codes.Unimplemented, "encoding %v is not supported", encoding)
	}
	return refusesAny(f.RefusePaths, prefix, paths)
}

func refusesAny(refusals map[string]codes.Code, prefix *gnmipb.Path, paths []*gnmipb.Path) error {
	for refused, code := range refusals {
		if p, err := ParsePath(refused); err == nil {
			refused = PathString(p)
		}
		for _, p := range paths {
			if got := elemsString(join(prefix, p)); got == refused {
				return status.Errorf(code, "path %s is refused", got)
			}
		}
	}
	return nil
}

// notifications puts leaves, and the deletes among them, in notifications:
// those recorded together, with the same prefix, in one.
func (f *Faults) notifications(leaves []leaf, target string) []*gnmipb.Notification {
	var out []*gnmipb.Notification
	var last *leaf
	lastPrefix := ""
	for i := range leaves {
		l := &leaves[i]
		elems := f.elems(l.elems)
		split := min(l.split, len(elems))
		if f.PrefixElems != 0 {
			split = min(max(f.PrefixElems, 0), len(elems))
		}
		prefix, p := f.path(elems[:split]), f.path(elems[split:])
		prefix.Target = target
		origin := p
		if l.originInPrefix || f.OriginInPrefix {
			origin = prefix
		}
		if origin.Origin = l.origin; f.OriginInPrefix && l.origin == "" {
			origin.Origin = "openconfig"
		}
		key := elemsString(elems[:split]) + prefix.Origin
		if last == nil || last.group != l.group || lastPrefix != key {
			timestamp := time.Now().UnixNano()
			if f.Timestamp != nil {
				timestamp = f.Timestamp(l.timestamp)
			}
			n := &gnmipb.Notification{Timestamp: timestamp, Atomic: (l.atomic || f.Atomic) && !l.deleted}
			if proto.Size(prefix) > 0 {
				n.Prefix = prefix
			}
			out = append(out, n)
		}
		last, lastPrefix = l, key
		n := out[len(out)-1]
		if l.deleted {
			n.Delete = append(n.Delete, p)
			continue
		}
		u := &gnmipb.Update{Path: p, Val: f.value(l.value), Duplicates: l.duplicates}
		if f.Duplicates != 0 {
			u.Duplicates = f.Duplicates
		}
		n.Update = append(n.Update, u)
	}
	return out
}

// elems returns the elements with the module prefixes that they are to have.
func (f *Faults) elems(elems []*gnmipb.PathElem) []*gnmipb.PathElem {
	if f.ModulePrefix == "" || len(elems) == 0 {
		return elems
	}
	out := slices.Clone(elems)
	for i, e := range out {
		if i == 0 || f.ModuleEverywhere {
			out[i] = &gnmipb.PathElem{Name: f.ModulePrefix + ":" + e.Name, Key: e.Key}
		}
	}
	return out
}

func (f *Faults) path(elems []*gnmipb.PathElem) *gnmipb.Path {
	if !f.ElementPaths {
		return &gnmipb.Path{Elem: elems}
	}
	p := &gnmipb.Path{}
	for _, e := range elems {
		//lint:ignore SA1019 old devices send it
		p.Element = append(p.Element, strings.TrimPrefix(elemsString([]*gnmipb.PathElem{e}), "/"))
	}
	return p
}

// value returns v in the type that it is to have.
func (f *Faults) value(v *gnmipb.TypedValue) *gnmipb.TypedValue {
	switch {
	case f.JSONIETF:
		if text, ok := ietf(v); ok {
			return JSONIETF(text)
		}
	case f.StringValues:
		if text, _, ok := scalar(v); ok {
			return String(text)
		}
	case f.DoubleValues:
		if _, number, ok := scalar(v); ok && !math.IsNaN(number) {
			return Double(number)
		}
	}
	return v
}

// scalar returns a scalar value as text and as a number, NaN where it is none.
func scalar(v *gnmipb.TypedValue) (text string, number float64, ok bool) {
	switch v := v.GetValue().(type) {
	case *gnmipb.TypedValue_UintVal:
		return strconv.FormatUint(v.UintVal, 10), float64(v.UintVal), true
	case *gnmipb.TypedValue_IntVal:
		return strconv.FormatInt(v.IntVal, 10), float64(v.IntVal), true
	case *gnmipb.TypedValue_DoubleVal:
		return strconv.FormatFloat(v.DoubleVal, 'f', -1, 64), v.DoubleVal, true
	case *gnmipb.TypedValue_BoolVal:
		return strconv.FormatBool(v.BoolVal), math.NaN(), true
	case *gnmipb.TypedValue_StringVal:
		return v.StringVal, math.NaN(), true
	}
	return "", math.NaN(), false
}

// ietf returns the value of a leaf as RFC 7951 has it.
func ietf(v *gnmipb.TypedValue) (string, bool) {
	switch v := v.GetValue().(type) {
	case *gnmipb.TypedValue_JsonVal:
		return string(v.JsonVal), true
	case *gnmipb.TypedValue_BytesVal:
		return strconv.Quote(base64.StdEncoding.EncodeToString(v.BytesVal)), true
	case *gnmipb.TypedValue_LeaflistVal:
		parts := []string{}
		for _, e := range v.LeaflistVal.GetElement() {
			text, ok := ietf(e)
			if !ok {
				return "", false
			}
			parts = append(parts, text)
		}
		return "[" + strings.Join(parts, ",") + "]", true
	case *gnmipb.TypedValue_BoolVal:
		return strconv.FormatBool(v.BoolVal), true
	}
	text, _, ok := scalar(v)
	b, err := json.Marshal(text)
	return string(b), ok && err == nil
}

// giant is a message with a JSON value of so many bytes at p.
func (f *Faults) giant(prefix, p *gnmipb.Path) *gnmipb.Notification {
	text := `{"giant":"` + strings.Repeat("x", max(0, f.Giant-len(`{"giant":""}`))) + `"}`
	return &gnmipb.Notification{
		Timestamp: time.Now().UnixNano(), Prefix: prefix,
		Update: []*gnmipb.Update{{Path: p, Val: JSONIETF(text)}},
	}
}

// malformed returns messages that make no sense, at and about l, which is not
// the worse for it: the last value that they give it is its own.
func malformed(l leaf, target string) []*gnmipb.SubscribeResponse {
	full := &gnmipb.Path{Elem: l.elems}
	parent := l.elems[:max(0, len(l.elems)-1)]
	child := func(e ...*gnmipb.PathElem) *gnmipb.Path {
		return &gnmipb.Path{Elem: append(slices.Clone(parent), e...)}
	}
	many := make(map[string]string)
	for i := range 1000 {
		many["key"+strconv.Itoa(i)] = "value"
	}
	deep := make([]*gnmipb.PathElem, 1000)
	for i := range deep {
		deep[i] = &gnmipb.PathElem{Name: "deep"}
	}
	prefix := &gnmipb.Path{Target: target, Origin: l.origin}
	now := time.Now().UnixNano()
	out := []*gnmipb.SubscribeResponse{
		{},
		{Response: &gnmipb.SubscribeResponse_SyncResponse{SyncResponse: false}},
		update(nil),
	}
	for _, u := range [][]*gnmipb.Update{
		{{}},         // neither path nor value
		{{Val: nil}}, // the same
		{{Path: nil, Val: Uint(1)}},
		{{Path: &gnmipb.Path{}, Val: Uint(1)}},
		{{Path: child(&gnmipb.PathElem{}), Val: Uint(1)}},                                        // an element without a name
		{{Path: child(&gnmipb.PathElem{Key: map[string]string{"name": "x"}}), Val: Uint(1)}},     // but with a key
		{{Path: child(&gnmipb.PathElem{Name: "x", Key: map[string]string{"": ""}}), Val: nil}},   // a key without a name, no value
		{{Path: child(&gnmipb.PathElem{Name: "x"}), Val: &gnmipb.TypedValue{}}},                  // a value without a type
		{{Path: child(&gnmipb.PathElem{Name: "many", Key: many}), Val: Uint(1)}},                 // huge key map
		{{Path: child(deep...), Val: Uint(1)}},                                                   // deep
		{{Path: child(&gnmipb.PathElem{Name: "json"}), Val: JSON(`{"a":`)}},                      // not JSON
		{{Path: child(&gnmipb.PathElem{Name: "nested"}), Val: JSON(strings.Repeat("[", 20000))}}, // nor this
		{{Path: child(&gnmipb.PathElem{Name: "empty"}), Val: JSONIETF("")}},
		{{Path: child(&gnmipb.PathElem{Name: "list"}), Val: &gnmipb.TypedValue{Value: &gnmipb.TypedValue_LeaflistVal{}}}},
		{{Path: full, Val: Int(-1)}, {Path: full, Val: Double(math.NaN())}, {Path: full, Val: l.value}}, // duplicate paths
	} {
		out = append(out, update(&gnmipb.Notification{Timestamp: now, Prefix: prefix, Update: u}))
	}
	return append(out,
		update(&gnmipb.Notification{Timestamp: math.MinInt64}),
		update(&gnmipb.Notification{Timestamp: now, Prefix: prefix, Delete: []*gnmipb.Path{child(&gnmipb.PathElem{Name: "never-there"})}}))
}

func update(n *gnmipb.Notification) *gnmipb.SubscribeResponse {
	return &gnmipb.SubscribeResponse{Response: &gnmipb.SubscribeResponse_Update{Update: n}}
}
