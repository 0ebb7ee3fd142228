package fleet

import (
	"fmt"
	"testing"
)

// owner returns the shard of count that has the target.
func owner(t *testing.T, name string, count int) int {
	t.Helper()
	at := -1
	for i := range count {
		s, err := NewShard(i, count)
		if err != nil {
			t.Fatal(err)
		}
		if s.Has(name) {
			if at >= 0 {
				t.Fatalf("%s is in shards %d and %d of %d", name, at, i, count)
			}
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("%s is in none of %d shards", name, count)
	}
	return at
}

// One shard more takes its part from the others; nothing else moves.
func TestShardsMoveOnlyWhatMustMove(t *testing.T) {
	const targets = 2000
	for count := 1; count < 8; count++ {
		moved, sizes := 0, make([]int, count+1)
		for i := range targets {
			name := fmt.Sprintf("leaf%d.dc1", i)
			before, after := owner(t, name, count), owner(t, name, count+1)
			sizes[after]++
			if before == after {
				continue
			}
			moved++
			if after != count {
				t.Fatalf("%d to %d shards: %s moves from %d to %d, and not to the new one", count, count+1, name, before, after)
			}
		}
		if fair := targets / (count + 1); moved > fair*5/4 || moved < fair*3/4 {
			t.Errorf("%d to %d shards: %d of %d targets move; %d are fair", count, count+1, moved, targets, fair)
		}
		for i, n := range sizes {
			if fair := targets / (count + 1); n > fair*5/4 || n < fair*3/4 {
				t.Errorf("shard %d of %d has %d targets; %d are fair", i, count+1, n, fair)
			}
		}
	}
}

// A version that places targets otherwise would have all of them served twice,
// or not at all, while it is rolled out.
func TestShardsStay(t *testing.T) {
	got := ""
	for i := range 12 {
		got += fmt.Sprint(owner(t, fmt.Sprintf("leaf%d", i), 5))
	}
	if want := "414122204143"; got != want {
		t.Errorf("leaf0 to leaf11 are in shards %s of 5, and were in %s", got, want)
	}
}

func TestParseShard(t *testing.T) {
	for _, good := range []string{"0/1", "0/3", "2/3", "999/1000"} {
		s, err := ParseShard(good)
		if err != nil || s.String() != good {
			t.Errorf("%s: %v, %v", good, s, err)
		}
	}
	for _, bad := range []string{"", "1", "/", "1/", "/3", "3/3", "-1/3", "0/0", "0/-1", "a/b", "0/1001", "0/3/1", "0 /3", "0x1/3"} {
		if s, err := ParseShard(bad); err == nil {
			t.Errorf("%q is %v; want an error", bad, s)
		}
	}
	if s := (Shard{}); !s.Has("leaf1") || s.String() != "0/1" {
		t.Errorf("the zero shard is %s, has leaf1: %v; want all", s, s.Has("leaf1"))
	}
}
