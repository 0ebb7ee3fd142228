package gnmi

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
)

// TestGoldens streams each profile's recording over the wire and compares what
// becomes of it: one file of series per profile.
func TestGoldens(t *testing.T) {
	for _, p := range Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			d := device(t, p.Name, gnmitest.DeviceOptions{TimeScale: 0.01})
			target := run(t, Config{Address: d.Addr(), Profiles: []Profile{p}})
			path := filepath.Join("testdata", p.Name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(settled(t, target)), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(10 * time.Second); lines(t, target)+"\n" != string(want); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%s is not what comes; after a look, make generate writes it anew:\n%s", path, lines(t, target))
				}
			}
		})
	}
}

// settled returns the target's lines once they have not changed for a second.
func settled(t *testing.T, target *Target) string {
	t.Helper()
	was, since := "", time.Now()
	for deadline := time.Now().Add(20 * time.Second); time.Since(since) < time.Second || was == ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what comes does not settle")
		}
		if is := lines(t, target); is != was {
			was, since = is, time.Now()
		}
	}
	return was + "\n"
}

// TestRecordingsFeedEveryLeaf keeps a row of a profile from being untested.
func TestRecordingsFeedEveryLeaf(t *testing.T) {
	for _, p := range Profiles() {
		rec := recording(t, p.Name)
		for _, sub := range p.Subscriptions {
			for _, l := range sub.Leaves {
				if !feeds(t, rec, sub, l) {
					t.Errorf("%s: the recording has nothing for %s/%s (%v)", p.Name, sub.Base, l.Path, l.Label)
				}
			}
		}
	}
}

// feeds says whether a profile of this one leaf would have something of rec.
func feeds(t *testing.T, rec *gnmitest.Recording, sub Subscription, l Leaf) bool {
	t.Helper()
	sub.Leaves = []Leaf{l}
	prog, err := compile(&Profile{Name: "one", Subscriptions: []Subscription{sub}})
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(prog, make([]time.Duration, 1))
	for _, n := range rec.Notifications {
		if sub.Target != "" && n.GetPrefix().GetTarget() != sub.Target {
			continue
		}
		s.apply(&feed{subscriptions: []bool{true}, round: 1}, n)
	}
	named := 0
	for _, names := range s.names {
		named += len(names)
	}
	return s.holds() || named > 0
}
