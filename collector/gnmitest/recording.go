// Package gnmitest is gNMI servers over real gRPC on loopback, for tests and
// simulations: a replay of recordings by openconfig's own cache and subscribe
// server, a device that can be told to misbehave, a proxy whose connections go
// half-open, certificates, and generated load.
//
// A recording is a txtar archive. Its comment says where its shape comes from,
// "synthetic: ..." where nobody recorded it. Its members are
//
//	capabilities.textpb   the answer to Capabilities, prototext; without it the RPC is unimplemented
//	NAME.textpb           notifications in prototext, with lines --- between them
//	NAME.updates          notifications in the short form of ParseUpdates
//
// in the order in which they are sent. Names hold no colon.
package gnmitest

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	gnmipb "github.com/openconfig/gnmi/proto/gnmi"
	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/prototext"
)

//go:embed recordings/*.txtar
var recordings embed.FS

// Recording is what a device said. Notifications carry their target in
// prefix.target, where they have one.
type Recording struct {
	Comment       string
	Capabilities  *gnmipb.CapabilityResponse // nil: the RPC is unimplemented
	Notifications []*gnmipb.Notification
}

// Names returns the names of all recordings, sorted.
func Names() []string {
	entries, err := fs.ReadDir(recordings, "recordings")
	if err != nil {
		panic(err) // embedded: it cannot fail
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".txtar"))
	}
	return out
}

// Load returns the recording of that name, anew for each call.
func Load(name string) (*Recording, error) {
	b, err := recordings.ReadFile("recordings/" + name + ".txtar")
	if err != nil {
		return nil, fmt.Errorf("no recording %s: %w", name, err)
	}
	r, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", name, err)
	}
	return r, nil
}

// Parse returns the recording in data. Errors name the member, and the line
// where it has one.
func Parse(data []byte) (*Recording, error) {
	archive := txtar.Parse(data)
	r := &Recording{Comment: strings.TrimSpace(string(archive.Comment))}
	if r.Comment == "" {
		return nil, errors.New("no comment that says where the recording comes from")
	}
	for _, f := range archive.Files {
		if err := r.member(f.Name, string(f.Data)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return r, nil
}

func (r *Recording) member(name, data string) error {
	switch {
	case strings.Contains(name, ":"):
		return errors.New("a colon in the name of a member")
	case name == "capabilities.textpb":
		if r.Capabilities != nil {
			return errors.New("it comes twice")
		}
		r.Capabilities = &gnmipb.CapabilityResponse{}
		return prototext.Unmarshal([]byte(data), r.Capabilities)
	case strings.HasSuffix(name, ".textpb"):
		for i, text := range separate(data) {
			n := &gnmipb.Notification{}
			if err := prototext.Unmarshal([]byte(text), n); err != nil {
				return fmt.Errorf("notification %d: %w", i+1, err)
			}
			r.Notifications = append(r.Notifications, n)
		}
		return nil
	case strings.HasSuffix(name, ".updates"):
		n, err := ParseUpdates(data)
		r.Notifications = append(r.Notifications, n...)
		return err
	}
	return errors.New("no member of a recording is called so")
}

// separate returns the parts between lines that are ---.
func separate(data string) []string {
	parts := []string{""}
	for _, line := range strings.SplitAfter(data, "\n") {
		if strings.TrimSpace(line) == "---" {
			parts = append(parts, "")
			continue
		}
		parts[len(parts)-1] += line
	}
	return parts
}
