package gnmitest

import (
	"testing"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/protobuf/proto"
)

func TestParsePath(t *testing.T) {
	elem := func(name string, keys ...string) *gnmipb.PathElem {
		e := &gnmipb.PathElem{Name: name}
		for i := 0; i < len(keys); i += 2 {
			if e.Key == nil {
				e.Key = make(map[string]string)
			}
			e.Key[keys[i]] = keys[i+1]
		}
		return e
	}
	for text, want := range map[string][]*gnmipb.PathElem{
		"":                        nil,
		"/":                       nil,
		"/a/b":                    {elem("a"), elem("b")},
		"a/b":                     {elem("a"), elem("b")},
		`/a[k=v]`:                 {elem("a", "k", "v")},
		`/a[name=a\]b]/c`:         {elem("a", "name", "a]b"), elem("c")},
		`/a[name=x/y 1]/c`:        {elem("a", "name", "x/y 1"), elem("c")},
		`/a[name=a=b][x=]/c`:      {elem("a", "name", "a=b", "x", ""), elem("c")},
		`/a[name=\\]`:             {elem("a", "name", `\`)},
		`/m:a/b\/c`:               {elem("m:a"), elem("b/c")},
		`COUNTERS/Ethernet*/oid:`: {elem("COUNTERS"), elem("Ethernet*"), elem("oid:")},
		`/a[k=fe80::1]`:           {elem("a", "k", "fe80::1")},
	} {
		got, err := ParsePath(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if want := (&gnmipb.Path{Elem: want}); !proto.Equal(got, want) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
		if again, err := ParsePath(PathString(got)); err != nil || !proto.Equal(got, again) {
			t.Errorf("%q, written as %q, is read as %v, %v", text, PathString(got), again, err)
		}
	}
	for _, text := range []string{"//", "/a/", "/a//b", "/a[k]", "/a[k", "/a[=v]", "/a[k=v", "/a[k=v]x", "/[k=v]", `/a\`, "/a[k=v][k=w]", "/a[k=v]/"} {
		if got, err := ParsePath(text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
}
