package host_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/roce-exporter/roce_exporter/collector/hosttest"
)

// TestGolden compares the exposition of every recording, once from files only
// and once with the kernel answering, with testdata/<recording>.prom and
// testdata/<recording>.files.prom. The values were checked by hand against the
// recordings when they were written; see the comments in the recordings.
func TestGolden(t *testing.T) {
	for _, name := range hosttest.Names() {
		for suffix, live := range map[string]bool{".prom": true, ".files.prom": false} {
			t.Run(name+suffix, func(t *testing.T) {
				text, err := newBed(t, name, live).scrape(t, 10*time.Second)
				if err != nil {
					t.Errorf("sources failed: %v", err)
				}
				problems, err := promlint.New(strings.NewReader(text)).Lint()
				if err != nil {
					t.Errorf("promlint: %v", err)
				}
				for _, p := range problems {
					t.Errorf("promlint: %s: %s", p.Metric, p.Text)
				}
				file := filepath.Join("testdata", name+suffix)
				if flag.Lookup("update").Value.String() == "true" {
					if err := os.MkdirAll("testdata", 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				golden, err := os.ReadFile(file)
				if err != nil {
					t.Fatalf("%v; write it by make generate, then check it by hand", err)
				}
				if string(golden) != text {
					t.Errorf("%s differs; run make generate and look at the difference", file)
				}
			})
		}
	}
}

// The join that the README offers needs one series per interface: however
// interfaces are stacked, one is the port or a member of the LAG of one RDMA
// port only.
func TestJoinIsUnique(t *testing.T) {
	for _, name := range hosttest.Names() {
		text, err := newBed(t, name, true).scrape(t, 10*time.Second)
		if err != nil {
			t.Error(err)
		}
		owner := map[string]string{}
		for _, l := range series(text, "roce_rdma_port_interface_info{") {
			if !strings.Contains(l, `role="port"`) && !strings.Contains(l, `role="lag_member"`) {
				continue
			}
			_, rest, _ := strings.Cut(l, `interface="`)
			i, _, _ := strings.Cut(rest, `"`)
			if owner[i] != "" {
				t.Errorf("%s: interface %s is in\n%s\nand\n%s", name, i, owner[i], l)
			}
			owner[i] = l
		}
	}
}
