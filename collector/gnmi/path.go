package gnmi

//lint:file-ignore SA1019 devices still send what newer versions of gNMI have deprecated

import (
	"fmt"
	"slices"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
)

// appendElems appends the elements of p to out. It takes the deprecated
// `element` field where that is all there is, and gives keys of an element
// without a name to the one before it.
func appendElems(out []*gnmipb.PathElem, p *gnmipb.Path) ([]*gnmipb.PathElem, error) {
	if p == nil {
		return out, nil
	}
	if len(p.GetElem()) == 0 && len(p.GetElement()) > 0 {
		for _, s := range p.GetElement() {
			if s == "" {
				continue
			}
			e, err := ygot.StringToStructuredPath("/" + s)
			named := func(e *gnmipb.PathElem) bool { return e.GetName() != "" }
			if err != nil || !slices.ContainsFunc(e.GetElem(), named) {
				// A name with a slash in it, such as an interface's, is an element too.
				out = append(out, &gnmipb.PathElem{Name: s})
				continue
			}
			for _, e := range e.GetElem() {
				if named(e) { // "/a" has one before it that is not
					out = append(out, e)
				}
			}
		}
		return out, nil
	}
	for _, e := range p.GetElem() {
		switch {
		case e == nil:
			return out, fmt.Errorf("a path with an empty element")
		case e.GetName() == "" && len(e.GetKey()) > 0 && len(out) > 0:
			last := out[len(out)-1]
			merged := &gnmipb.PathElem{Name: last.GetName(), Key: make(map[string]string, len(last.GetKey())+len(e.GetKey()))}
			for k, v := range last.GetKey() {
				merged.Key[k] = v
			}
			for k, v := range e.GetKey() {
				merged.Key[k] = v
			}
			out[len(out)-1] = merged
		case e.GetName() == "":
			return out, fmt.Errorf("a path with an element without a name")
		default:
			out = append(out, e)
		}
	}
	return out, nil
}
