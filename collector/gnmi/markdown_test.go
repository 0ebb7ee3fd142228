package gnmi

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write PROFILES.md and the goldens anew")

func TestMarkdownIsCurrent(t *testing.T) {
	if *update {
		if err := os.WriteFile("PROFILES.md", []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile("PROFILES.md")
	if err != nil || string(b) != Markdown() {
		t.Errorf("PROFILES.md is not what the profiles say (%v); make generate writes it anew", err)
	}
}
