package collector

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/roce-exporter/roce_exporter"

// TestImports holds the rule of ARCHITECTURE.md: what may import what.
func TestImports(t *testing.T) {
	rules := []struct {
		dir   string // below collector/, the longest that fits counts
		may   func(string) bool
		words string
	}{
		{"metric", func(p string) bool { return !strings.Contains(strings.Split(p, "/")[0], ".") },
			"metric imports the standard library only"},
		{"host", func(p string) bool {
			return !strings.HasPrefix(p, "github.com/prometheus/") && p != module+"/collector" && !strings.HasSuffix(p, "test") &&
				!strings.HasPrefix(p, module+"/collector/gnmi") && !strings.HasPrefix(p, module+"/collector/snmp")
		}, "collector/host imports metric and its protocol libraries, not Prometheus's, not another source, no fake"},
		{"hosttest", func(p string) bool { return p != module+"/collector" && p != module+"/collector/host" },
			"fakes sit at the wire, below collector and collector/host"},
		{"config", func(p string) bool { return !strings.HasPrefix(p, module+"/") }, "config imports nothing of ours"},
		{"gnmi", func(p string) bool {
			return !strings.HasPrefix(p, "github.com/prometheus/") && !strings.HasSuffix(p, "test") &&
				(!strings.HasPrefix(p, module+"/") || p == module+"/collector/metric")
		}, "collector/gnmi imports metric and its protocol libraries, not Prometheus's, not another source, no fake"},
		{"gnmitest", func(p string) bool { return !strings.HasPrefix(p, module+"/") }, "fakes sit at the wire, below collector/gnmi"},
		{"fleet", func(p string) bool { return !strings.HasSuffix(p, "test") && !strings.HasPrefix(p, module+"/cmd") }, "fleet imports no fake"},
		{".", func(p string) bool { return !strings.HasSuffix(p, "test") && !strings.HasPrefix(p, module+"/cmd") },
			"collector imports no fake"},
	}
	checked := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		top := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")[0]
		for _, rule := range rules {
			if rule.dir != top {
				continue
			}
			for _, i := range file.Imports {
				p, _ := strconv.Unquote(i.Path.Value)
				if !rule.may(p) {
					t.Errorf("%s imports %s: %s", path, p, rule.words)
				}
				checked++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("only %d imports checked: the rules do not fit the folders any more", checked)
	}
}
