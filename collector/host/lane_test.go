package host

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Any number of callers at once cost one read.
func TestLaneSharesARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lane[int]
		var reads atomic.Int32
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				v, err := l.do(t.Context(), func() (int, error) {
					reads.Add(1)
					time.Sleep(10 * time.Millisecond)
					return 7, nil
				})
				if v != 7 || err != nil {
					t.Errorf("do = %d, %v; want 7", v, err)
				}
			})
		}
		wg.Wait()
		if n := reads.Load(); n != 1 {
			t.Errorf("200 callers made %d reads; want 1", n)
		}
		l.do(t.Context(), func() (int, error) { reads.Add(1); return 0, nil })
		if n := reads.Load(); n != 2 {
			t.Errorf("a later caller made %d reads in all; want 2: results are not kept", n)
		}
	})
}

// A read that hangs costs its first caller his time, later callers nothing,
// is never started twice, and serves again when it comes back.
func TestLaneThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lane[int]
		var reads atomic.Int32
		release := make(chan struct{})
		hang := func() (int, error) { reads.Add(1); <-release; return 1, nil }
		within := func(d time.Duration) (time.Duration, error) {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			start := time.Now()
			_, err := l.do(ctx, hang)
			return time.Since(start), err
		}
		// An impatient caller does not make it late for the others.
		if took, err := within(100 * time.Millisecond); took != 100*time.Millisecond || !errors.Is(err, ErrTimeout) {
			t.Errorf("impatient caller: %v after %v; want ErrTimeout after 100ms", err, took)
		}
		if l.stuck() {
			t.Error("stuck after 100ms; want not before a second")
		}
		if took, err := within(2 * time.Second); took != 2*time.Second || !errors.Is(err, ErrTimeout) {
			t.Errorf("second caller: %v after %v; want ErrTimeout after 2s", err, took)
		}
		if !l.stuck() {
			t.Error("not stuck after 2s")
		}
		for range 5 {
			if took, err := within(5 * time.Second); took != 0 || !errors.Is(err, ErrBusy) {
				t.Errorf("later caller: %v after %v; want ErrBusy at once", err, took)
			}
		}
		if n := reads.Load(); n != 1 {
			t.Errorf("%d reads were started; want 1", n)
		}
		close(release)
		synctest.Wait()
		if v, err := l.do(t.Context(), hang); v != 1 || err != nil || reads.Load() != 2 {
			t.Errorf("after it came back: %d, %v, %d reads; want 1, nil, 2", v, err, reads.Load())
		}
	})
}

func TestLaneSurvivesAPanic(t *testing.T) {
	var l lane[int]
	_, err := l.do(t.Context(), func() (int, error) { panic("boom") })
	if err == nil {
		t.Error("a panic gave no error")
	}
	if v, err := l.do(t.Context(), func() (int, error) { return 3, nil }); v != 3 || err != nil {
		t.Errorf("after a panic: %d, %v; want 3", v, err)
	}
}

// A lane that is closed while reads run and come: the cleanup is called once,
// after the last read, and nobody gets a result that was not read.
func TestLaneThatCloses(t *testing.T) {
	var l lane[*int]
	var reading, cleaned atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 100 {
				v, err := l.do(t.Context(), func() (*int, error) {
					reading.Add(1)
					defer reading.Add(-1)
					if cleaned.Load() != 0 {
						t.Error("a read began after the cleanup")
					}
					return new(int), nil
				})
				if (v == nil) != errors.Is(err, ErrClosed) {
					t.Errorf("do = %v, %v", v, err)
				}
			}
		})
	}
	for range 3 {
		wg.Go(func() {
			l.close(func() {
				if reading.Load() != 0 {
					t.Error("cleanup while a read runs")
				}
				cleaned.Add(1)
			})
		})
	}
	wg.Wait()
	if n := cleaned.Load(); n != 1 {
		t.Errorf("cleaned up %d times; want once", n)
	}
	if _, err := l.do(t.Context(), func() (*int, error) { return new(int), nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("after close: %v; want ErrClosed", err)
	}
}
