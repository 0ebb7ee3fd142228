package gnmi

//lint:file-ignore SA1019 devices still send what newer versions of gNMI have deprecated

import (
	"testing"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
)

func TestElements(t *testing.T) {
	keyed := func(name string, keys ...string) *gnmipb.PathElem {
		e := &gnmipb.PathElem{Name: name}
		for i := 0; i < len(keys); i += 2 {
			if e.Key == nil {
				e.Key = make(map[string]string)
			}
			e.Key[keys[i]] = keys[i+1]
		}
		return e
	}
	for name, c := range map[string]struct {
		p    *gnmipb.Path
		want string // "": it is an error
	}{
		"no path":                         {nil, "/"},
		"an empty one":                    {&gnmipb.Path{}, "/"},
		"elements":                        {&gnmipb.Path{Elem: []*gnmipb.PathElem{keyed("a", "k", "v"), keyed("b")}}, "/a[k=v]/b"},
		"old elements":                    {&gnmipb.Path{Element: []string{"a[k=v]", "", "b"}}, "/a[k=v]/b"},
		"an old slash in a key":           {&gnmipb.Path{Element: []string{"a[k=1/2]", "b"}}, "/a[k=1/2]/b"},
		"an old slash before":             {&gnmipb.Path{Element: []string{"/a", "b"}}, "/a/b"},
		"old slashes only":                {&gnmipb.Path{Element: []string{"//", "b"}}, `/\/\//b`},
		"both":                            {&gnmipb.Path{Element: []string{"old"}, Elem: []*gnmipb.PathElem{keyed("new")}}, "/new"},
		"no key at its end":               {&gnmipb.Path{Element: []string{"a[k=v"}}, `/a\[k=v`},
		"keys in an element of their own": {&gnmipb.Path{Elem: []*gnmipb.PathElem{keyed("a", "k", "v"), keyed("", "l", "w"), keyed("b")}}, "/a[k=v][l=w]/b"},
		"keys of nothing":                 {&gnmipb.Path{Elem: []*gnmipb.PathElem{keyed("", "l", "w")}}, ""},
		"no name":                         {&gnmipb.Path{Elem: []*gnmipb.PathElem{keyed("a"), keyed("")}}, ""},
		"no element":                      {&gnmipb.Path{Elem: []*gnmipb.PathElem{nil}}, ""},
	} {
		out, err := appendElems(nil, c.p)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s is %s", name, gnmitest.PathString(&gnmipb.Path{Elem: out}))
			}
			continue
		}
		if got := gnmitest.PathString(&gnmipb.Path{Elem: out}); err != nil || got != c.want {
			t.Errorf("%s is %s, want %s (%v)", name, got, c.want, err)
		}
	}
}

// A path's own elements are not changed.
func TestElementsAreNotChanged(t *testing.T) {
	p := &gnmipb.Path{Elem: []*gnmipb.PathElem{{Name: "a", Key: map[string]string{"k": "v"}}, {Key: map[string]string{"l": "w"}}}}
	if _, err := appendElems(nil, p); err != nil {
		t.Fatal(err)
	}
	if len(p.Elem[0].Key) != 1 {
		t.Errorf("keys %v", p.Elem[0].Key)
	}
}

// Identifiers are filled in as they are, whatever paths are made of.
func TestIdentifiersInPaths(t *testing.T) {
	p := Profile{Name: "filled", Subscriptions: []Subscription{{Path: "/a/x{pool}/b[k={pool}][l=1]/{queue}"}}}
	target, err := New(Config{Name: "leaf1", Profiles: []Profile{p}, Timing: quick()})
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{t: target, store: target.current()}
	odd := `o/d]=[\d{queue}`
	requests, err := r.requests(r.group(0), [][]string{{"1", odd}, {"q"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	for _, q := range requests {
		e := q.path.GetElem()
		if len(e) != 4 {
			t.Fatalf("%s: %v", q.name, e)
		}
		// Placeholders are in the order of the fields: queue, then pool.
		if queue := e[3].GetName(); queue != "1" && queue != odd || e[1].GetName() != "xq" || e[2].GetKey()["k"] != "q" || e[2].GetKey()["l"] != "1" {
			t.Errorf("%s: %v", q.name, e)
		}
	}
	if none, err := r.requests(r.group(0), [][]string{{"1"}, nil}); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
}
