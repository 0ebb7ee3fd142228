package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/dgryski/go-rendezvous"
)

// Shard is one of Count processes that share the targets of one configuration.
// The zero Shard has them all.
type Shard struct {
	Index, Count int
	ring         *rendezvous.Rendezvous
}

// maxShards is more than anybody needs and little enough to hash over.
const maxShards = 1000

// NewShard returns shard index of count.
func NewShard(index, count int) (Shard, error) {
	if count < 1 || count > maxShards || index < 0 || index >= count {
		return Shard{}, fmt.Errorf("want I/N with I from 0 to N-1 and N from 1 to %d, as in 0/3 for the first of three", maxShards)
	}
	nodes := make([]string, count)
	for i := range nodes {
		nodes[i] = strconv.Itoa(i)
	}
	return Shard{Index: index, Count: count, ring: rendezvous.New(nodes, xxhash.Sum64String)}, nil
}

// ParseShard reads I/N. I counts from 0, as the ordinals of a Kubernetes
// StatefulSet do.
func ParseShard(s string) (Shard, error) {
	i, n, ok := strings.Cut(s, "/")
	index, err1 := strconv.Atoi(i)
	count, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil {
		index, count = 0, 0
	}
	return NewShard(index, count)
}

// Has says whether the target of that name belongs to the shard: by rendezvous
// hashing, so that another Count moves only what has to move.
func (s Shard) Has(name string) bool {
	return s.ring == nil || s.ring.Lookup(name) == strconv.Itoa(s.Index)
}

// String returns the shard as ParseShard reads it.
func (s Shard) String() string {
	return fmt.Sprintf("%d/%d", s.Index, max(s.Count, 1))
}
