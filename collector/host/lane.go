package host

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// ErrBusy says that an earlier read of the same thing still hangs in the
// kernel. It was not started a second time.
var ErrBusy = errors.New("an earlier read has not come back from the kernel yet")

// ErrTimeout says that a read did not come back within the scrape's time.
var ErrTimeout = errors.New("no answer from the kernel within the time of the scrape")

// lane runs the reads of one thing, a device or an interface, one at a time. A
// read in the kernel cannot be interrupted (a firmware command of mlx5 may take
// 60 s), so it runs in a goroutine of its own: who asks waits at most for his
// context. Callers that come while a read runs share its result, which keeps
// any number of scrapers from multiplying the reads. Once a caller has given
// up on a read, later ones do not wait for it at all, until it comes back.
//
// The zero lane is ready to use.
type lane[T any] struct {
	mu      sync.Mutex
	running *flight[T]
}

// lateAfter is the age at which a read counts as late if somebody has given up
// on it: an impatient scraper alone does not make a slow device a broken one.
const lateAfter = time.Second

type flight[T any] struct {
	start  time.Time
	gaveUp bool          // somebody did not wait for the end; guarded by lane.mu
	done   chan struct{} // closed when result and err are final
	result T
	err    error
}

func (f *flight[T]) late() bool { return f.gaveUp && time.Since(f.start) > lateAfter }

// do returns what read returns, of a read that began before or during this
// call and has ended. It returns ErrTimeout or ErrBusy where there is none.
// The result is shared and must not be changed.
func (l *lane[T]) do(ctx context.Context, read func() (T, error)) (T, error) {
	var none T
	l.mu.Lock()
	f := l.running
	if f == nil {
		f = &flight[T]{start: time.Now(), done: make(chan struct{})}
		l.running = f
		go l.run(f, read)
	} else if f.late() {
		l.mu.Unlock()
		return none, ErrBusy
	}
	l.mu.Unlock()

	select {
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-f.done:
		return f.result, f.err
	default:
		f.gaveUp = true
		return none, ErrTimeout
	}
}

func (l *lane[T]) run(f *flight[T], read func() (T, error)) {
	defer func() {
		if p := recover(); p != nil {
			// A fault in the reader of one device must not end the program.
			f.err = fmt.Errorf("fault in the exporter, please report it: %v\n%s", p, debug.Stack())
		}
		l.mu.Lock()
		l.running = nil
		close(f.done)
		l.mu.Unlock()
	}()
	f.result, f.err = read()
}

// stuck says whether a read is running that is late.
func (l *lane[T]) stuck() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running != nil && l.running.late()
}

// wait returns when no read is running.
func (l *lane[T]) wait() {
	l.mu.Lock()
	f := l.running
	l.mu.Unlock()
	if f != nil {
		<-f.done
	}
}
