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

// ErrClosed says that what was to be read has been given up: the device is gone.
var ErrClosed = errors.New("the device is gone")

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
	closed  bool
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
// call and has ended. It returns ErrTimeout, ErrBusy or ErrClosed where there is none.
// The result is shared and must not be changed.
func (l *lane[T]) do(ctx context.Context, read func() (T, error)) (T, error) {
	var none T
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return none, ErrClosed
	}
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
			f.err = fault(p)
		}
		l.mu.Lock()
		l.running = nil
		close(f.done)
		l.mu.Unlock()
	}()
	f.result, f.err = read()
}

// fault makes an error of a panic: a fault in the reader of one device must not
// end the program.
func fault(p any) error {
	return fmt.Errorf("fault in the exporter, please report it: %v\n%s", p, debug.Stack())
}

// stuck says whether a read is running that is late.
func (l *lane[T]) stuck() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running != nil && l.running.late()
}

// close ends the lane: no read begins any more, and cleanup is called once,
// when the one that runs has ended.
func (l *lane[T]) close(cleanup func()) {
	l.mu.Lock()
	closed, f := l.closed, l.running
	l.closed = true
	l.mu.Unlock()
	if closed {
		return
	}
	if f != nil {
		<-f.done
	}
	cleanup()
}
