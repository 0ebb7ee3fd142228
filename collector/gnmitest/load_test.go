package gnmitest

import (
	"testing"
	"time"
)

// TestLoad: a large generated device is fit for load tests.
func TestLoad(t *testing.T) {
	const interfaces, queues = 512, 8
	d := startDevice(t, &Recording{Notifications: Generate(interfaces, queues)}, DeviceOptions{})
	c, ctx := dial(t, d.Addr())
	begin := time.Now()
	got := values(t, open(t, ctx, c, list(t, modeOnce, 0, "/interfaces", "/qos")))
	if len(got) != interfaces*(16+5*queues) {
		t.Errorf("%d values", len(got))
	}
	t.Logf("%d values in %v", len(got), time.Since(begin))
}
