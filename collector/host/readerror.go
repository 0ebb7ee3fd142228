package host

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/roce-exporter/roce_exporter/collector/host/sysfs"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// ReadError is one failed read: what was read, of which device or interface,
// and why it failed.
type ReadError struct {
	Device string // RDMA device or network interface
	What   string // what was read, for people
	Err    error
	More   int // further reads of the device that failed for the same reason
}

func (e *ReadError) Error() string {
	var b strings.Builder
	if e.Device != "" {
		b.WriteString(e.Device + ": ")
	}
	b.WriteString(e.What)
	if e.More > 0 {
		fmt.Fprintf(&b, " and %d more", e.More)
	}
	// The causes of failed files name the file, as What does.
	cause := e.Err
	var errno syscall.Errno
	if errors.As(cause, &errno) && strings.Contains(cause.Error(), e.What) {
		cause = errno
	}
	b.WriteString(": " + strings.TrimPrefix(cause.Error(), e.What+": "))
	return b.String()
}

// Unwrap returns the cause, an errno as a rule.
func (e *ReadError) Unwrap() error { return e.Err }

// absent says whether err means that the thing read is not there, which is
// normal and no failure: the device has no such counter (EINVAL, EOPNOTSUPP,
// "N/A (no PMA)"), the driver no such file (ENOENT, ENOTDIR), or the device is
// gone (ENODEV).
func absent(err error) bool {
	for _, normal := range []error{
		fs.ErrNotExist, syscall.ENOTDIR, syscall.ENODEV, syscall.EINVAL,
		syscall.EOPNOTSUPP, sysfs.ErrNotAvailable,
	} {
		if errors.Is(err, normal) {
			return true
		}
	}
	return false
}

// gone says whether err means that a device or interface has vanished.
func gone(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENXIO)
}

// reason is the short word for err in roce_exporter_read_errors_total.
func reason(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, ErrBusy):
		return "busy"
	case errors.Is(err, ErrTimeout):
		return "timeout"
	case errors.Is(err, sysfs.ErrNotANumber):
		return "parse"
	case errors.As(err, &errno):
		if name := unix.ErrnoName(errno); name != "" {
			return strings.ToLower(name)
		}
		return fmt.Sprintf("errno_%d", int(errno))
	}
	return "other"
}

// errorLog gathers the failures of one read of one device, so that each costs
// only itself. Failures for one reason are one error: a device whose firmware
// is broken fails in dozens of files.
type errorLog struct {
	device string
	errs   []*ReadError
}

// add notes that reading what failed with err, unless err says that it is
// absent. It reports whether the value may be used.
func (l *errorLog) add(what string, err error) bool {
	if err == nil {
		return true
	}
	if absent(err) {
		return false
	}
	why := reason(err)
	for _, e := range l.errs {
		if reason(e.Err) == why {
			e.More++
			return false
		}
	}
	l.errs = append(l.errs, &ReadError{Device: l.device, What: what, Err: err})
	return false
}

func (l *errorLog) join() error {
	errs := make([]error, len(l.errs))
	for i, e := range l.errs {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// errorCounter counts failed reads by source, device and reason. One read's
// failure is counted once, however many scrapes share it.
type errorCounter struct {
	mu     sync.Mutex
	counts map[errorKey]*metric.Sample
}

type errorKey struct{ collector, device, reason string }

// count counts every ReadError in err.
func (c *errorCounter) count(collector string, err error) {
	for _, e := range flatten(err) {
		device, n := "", 1
		var re *ReadError
		if errors.As(e, &re) {
			device, n = re.Device, 1+re.More
		}
		k := errorKey{collector, device, reason(e)}
		c.mu.Lock()
		s := c.counts[k]
		if s == nil {
			s = &metric.Sample{Series: metric.ExporterReadErrors.At(metric.Where{Device: k.device, Attributes: []metric.Attribute{
				{Label: metric.Collector, Value: k.collector}, {Label: metric.Reason, Value: k.reason},
			}})}
			if c.counts == nil {
				c.counts = make(map[errorKey]*metric.Sample)
			}
			c.counts[k] = s
		}
		s.Value += float64(n)
		c.mu.Unlock()
	}
}

// samples returns the counts of one source.
func (c *errorCounter) samples(collector string) []metric.Sample {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []metric.Sample
	for k, s := range c.counts {
		if k.collector == collector {
			out = append(out, *s)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Key() < out[j].Key() })
	return out
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range joined.Unwrap() {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return []error{err}
}
