package host_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/host"
	"github.com/roce-exporter/roce_exporter/collector/hosttest"
)

// twoNICs is a synthetic host with two mlx5 devices of one port each, shaped
// like the recordings in hosttest, with values that these tests name.
func twoNICs(t testing.TB) *hosttest.Host {
	t.Helper()
	var b strings.Builder
	b.WriteString("synthetic\n")
	for i := range 2 {
		pci := fmt.Sprintf("0000:%d7:00.0", i+1)
		dir := fmt.Sprintf("sys/devices/pci0000:00/%s", pci)
		dev, eth := fmt.Sprintf("mlx5_%d", i), fmt.Sprintf("ens%d", i)
		member := func(name, content string) { fmt.Fprintf(&b, "-- %s --\n%s", name, content) }
		member(dir+"/driver -> ../../../bus/pci/drivers/mlx5_core", "")
		member(dir+"/numa_node", "1\n")
		ib := dir + "/infiniband/" + dev
		member("sys/class/infiniband/"+dev+" -> ../../devices/pci0000:00/"+pci+"/infiniband/"+dev, "")
		member(ib+"/device -> ../../../"+pci, "")
		member(ib+"/fw_ver", "28.39.1002\n")
		member(ib+"/node_guid", "0000:0000:0000:0001\n")
		p := ib + "/ports/1/"
		for name, content := range map[string]string{
			"state": "4: ACTIVE\n", "phys_state": "5: LinkUp\n", "rate": "400 Gb/sec (4X NDR)\n", "link_layer": "Ethernet\n",
			"gid_attrs/types/0": "IB/RoCE v1\n", "gid_attrs/types/1": "RoCE v2\n", "gid_attrs/types/2 !EINVAL": "",
			"gid_attrs/ndevs/0": eth + "\n", "gid_attrs/ndevs/1": eth + "\n", "gid_attrs/ndevs/2 !EINVAL": "",
			"counters/port_rcv_data": "1000\n", "counters/port_xmit_data": "2000\n", "counters/port_rcv_packets": "300\n",
			"hw_counters/lifespan": "12\n", "hw_counters/rx_write_requests": "11\n", "hw_counters/out_of_sequence": "22\n",
			"hw_counters/np_cnp_sent": "33\n", "hw_counters/duplicate_request": "44\n", "hw_counters/a_new_counter": "55\n",
		} {
			member(p+name, content)
		}
		net := dir + "/net/" + eth
		member("sys/class/net/"+eth+" -> ../../devices/pci0000:00/"+pci+"/net/"+eth, "")
		member(net+"/device -> ../../../"+pci, "")
		for name, content := range map[string]string{"operstate": "up\n", "mtu": "9000\n", "speed": "400000\n", "dev_port": "0\n"} {
			member(net+"/"+name, content)
		}
		member("rdma/"+dev, fmt.Sprintf("index: %d\nprotocol: roce\ndriver_id: 1\nports: 1\n", i))
		member("rdma/"+dev+"/1", fmt.Sprintf("state: 4\nphysical_state: 5\ninterface: %s\nifindex: %d\n", eth, i+2))
		member("rdma/"+dev+"/1/counters", "rx_write_requests: 11\nout_of_sequence: 22\nnp_cnp_sent: 33\nduplicate_request: 44\na_new_counter: 55\n")
		member("ethtool/"+eth+"/driver", "driver: mlx5_core\nfirmware-version: 28.39.1002\nbus-info: "+pci+"\n")
		member("ethtool/"+eth+"/statistics", "rx_packets: 1\nrx0_packets: 2\nrx_prio3_pause: 7\nrx_prio3_pause_duration: 2500000\ntx_prio3_pause: 9\ntx_prio3_pause_duration: 1\n")
		member("ethtool/"+eth+"/pause", "rx: 5\ntx: 6\n")
		member("dcb/"+eth+"/pfc", "capable: 8\nenabled: 3\n")
	}
	h, err := hosttest.Load([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const port0 = "class/infiniband/mlx5_0/ports/1/"

// all are lines that a healthy mlx5_1 gives, whatever happens to mlx5_0.
func all(device, eth string) []string {
	var out []string
	for _, l := range []string{
		`roce_rdma_port_up{device="D",port="1"} 1`,
		`roce_rdma_out_of_sequence_packets_received_total{device="D",port="1"} 22`,
		`roce_rdma_cnp_packets_transmitted_total{device="D",port="1"} 33`,
		`roce_rdma_received_bytes_total{device="D",port="1"} 4000`,
		`roce_rdma_hw_raw_total{counter="a_new_counter",device="D",port="1"} 55`,
	} {
		out = append(out, strings.NewReplacer("D", device).Replace(l))
	}
	return append(out,
		`roce_interface_up{interface="`+eth+`"} 1`,
		`roce_interface_mtu_bytes{interface="`+eth+`"} 9000`,
		`roce_interface_speed_bytes_per_second{interface="`+eth+`"} 5e+10`)
}

func live(eth string) []string {
	return []string{
		`roce_interface_pfc_frames_received_total{interface="` + eth + `",priority="3"} 7`,
		`roce_interface_pfc_pause_received_seconds_total{interface="` + eth + `",priority="3"} 2.5`,
		`roce_interface_pfc_pause_transmitted_seconds_total{interface="` + eth + `",priority="3"} 1e-06`,
		`roce_interface_pfc_enabled{interface="` + eth + `",priority="3"} 1`,
		`roce_interface_pfc_enabled{interface="` + eth + `",priority="4"} 0`,
	}
}

func TestHealthy(t *testing.T) {
	for _, mode := range []bool{false, true} {
		b := bedOf(t, twoNICs(t), mode)
		for range 2 {
			text, err := b.scrape(t, 5*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			want(t, text, all("mlx5_0", "ens0")...)
			want(t, text, all("mlx5_1", "ens1")...)
			want(t, text, `roce_exporter_collector_success{collector="rdma"} 1`, `roce_exporter_rdma_devices 2`,
				`roce_exporter_unmapped_counters{device="mlx5_0"} 1`,
				`roce_rdma_port_gids{device="mlx5_0",port="1",roce_version="2"} 1`,
				`roce_rdma_port_rate_bytes_per_second{device="mlx5_0",port="1"} 5e+10`)
			if mode {
				want(t, text, live("ens0")...)
				want(t, text, live("ens1")...)
				// PFC is on: mlx5's link pause counter counts PFC frames too.
				without(t, text, "roce_interface_pause_frames")
			}
		}
	}
}

// Each errno, at each level, costs only what it hits.
func TestErrnoAtEachLevel(t *testing.T) {
	levels := []struct {
		path string   // of sysfs
		lost []string // beginnings of the series that go
		kept []string // of mlx5_0, that stay
	}{
		{port0 + "hw_counters/out_of_sequence",
			[]string{`roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0"`},
			[]string{`roce_rdma_cnp_packets_transmitted_total{device="mlx5_0",port="1"} 33`, `roce_rdma_received_bytes_total{device="mlx5_0",port="1"} 4000`}},
		{port0 + "counters/port_rcv_data",
			[]string{`roce_rdma_received_bytes_total{device="mlx5_0"`},
			[]string{`roce_rdma_transmitted_bytes_total{device="mlx5_0",port="1"} 8000`, `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"} 22`}},
		{port0 + "state",
			[]string{`roce_rdma_port_up{device="mlx5_0"`},
			[]string{`roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"} 22`}},
		{port0 + "rate",
			[]string{`roce_rdma_port_rate_bytes_per_second{device="mlx5_0"`},
			[]string{`roce_rdma_port_up{device="mlx5_0",port="1"} 1`}},
		{port0 + "hw_counters/", // the directory
			[]string{`roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0"`},
			[]string{`roce_rdma_received_bytes_total{device="mlx5_0",port="1"} 4000`}},
		{"class/infiniband/mlx5_0/fw_ver", nil,
			[]string{`roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"} 22`}},
		{port0 + "gid_attrs/types/1",
			[]string{`roce_rdma_port_gids{device="mlx5_0",port="1",roce_version="2"`},
			[]string{`roce_rdma_port_gids{device="mlx5_0",port="1",roce_version="1"} 1`, `roce_rdma_port_up{device="mlx5_0",port="1"} 1`}},
		{"class/infiniband/mlx5_0/", // the whole device
			[]string{`roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0"`}, nil},
		{"class/net/ens0/mtu",
			[]string{`roce_interface_mtu_bytes{interface="ens0"`},
			[]string{`roce_interface_up{interface="ens0"} 1`}},
	}
	absent := []syscall.Errno{syscall.EINVAL, syscall.ENODEV, syscall.EOPNOTSUPP, syscall.ENOENT}
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.EIO, syscall.ENODEV, syscall.EACCES, syscall.EOPNOTSUPP, syscall.ENOENT, syscall.ETIMEDOUT, syscall.EBUSY} {
		for _, level := range levels {
			t.Run(fmt.Sprintf("%v %s", errno, level.path), func(t *testing.T) {
				b := bedOf(t, twoNICs(t), false, func(c *host.Config) { c.Rescan = time.Millisecond })
				b.files.fail(level.path, errno)
				for range 2 {
					text, err := b.scrape(t, 5*time.Second)
					want(t, text, all("mlx5_1", "ens1")...)
					want(t, text, level.kept...)
					without(t, text, level.lost...)
					failed := !slices.Contains(absent, errno)
					if (err != nil) != failed {
						t.Errorf("error is %v; want one: %v", err, failed)
					}
					if failed && !isErrno(err, errno) {
						t.Errorf("error %v does not say %v", err, errno)
					}
				}
				// What failed comes back by itself: at once if it was a counter, with
				// the next scan if it was a fact.
				b.files.fail(level.path, 0)
				var missing []string
				for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
					text, err := b.scrape(t, 5*time.Second)
					missing = slices.DeleteFunc(all("mlx5_0", "ens0"), func(l string) bool { return strings.Contains(text, l+"\n") })
					if err == nil && len(missing) == 0 {
						return
					}
				}
				t.Errorf("it does not come back: %v", missing)
			})
		}
	}
}

// Content that is no number, or not what the file should hold.
func TestGarbage(t *testing.T) {
	for _, content := range []string{"", "\n", "garbage\n", "-5\n", "1e9\n", "99999999999999999999999999\n", "\x00\x01", strings.Repeat("9", 4096)} {
		b := bedOf(t, twoNICs(t), false)
		for _, f := range []string{"hw_counters/out_of_sequence", "counters/port_rcv_data", "state", "rate", "phys_state"} {
			b.files.say("class/infiniband/mlx5_0/ports/1/"+f, content)
		}
		text, err := b.scrape(t, 5*time.Second)
		if err == nil {
			t.Errorf("content %q: no error", content)
		}
		want(t, text, all("mlx5_1", "ens1")...)
		want(t, text, `roce_rdma_cnp_packets_transmitted_total{device="mlx5_0",port="1"} 33`)
		without(t, text, `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0"`, `roce_rdma_received_bytes_total{device="mlx5_0"`,
			`roce_rdma_port_up{device="mlx5_0"`, `roce_rdma_port_rate_bytes_per_second{device="mlx5_0"`)
		want(t, text, `roce_exporter_read_errors_total{collector="rdma",device="mlx5_0",reason="parse"} 4`)
	}
	// What old kernels say, with success, of a counter that is not there.
	b := bedOf(t, twoNICs(t), false)
	b.files.say(port0+"counters/port_rcv_data", "N/A (no PMA)\n")
	text, err := b.scrape(t, 5*time.Second)
	if err != nil {
		t.Errorf("N/A (no PMA): %v; want no error: the counter is absent", err)
	}
	without(t, text, `roce_rdma_received_bytes_total{device="mlx5_0"`)
}

// A file that hangs in the kernel: the scrape answers in time with everything
// else, the reader is not started again, and is back once the kernel is.
func TestFileThatHangs(t *testing.T) {
	b := bedOf(t, twoNICs(t), false)
	if _, err := b.scrape(t, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	release := b.files.hold(port0 + "hw_counters/out_of_sequence")
	start := time.Now()
	text, err := b.scrape(t, 1100*time.Millisecond)
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the scrape took %v; want about its timeout of 1.1s", took)
	}
	if !errors.Is(err, host.ErrTimeout) {
		t.Errorf("error %v; want ErrTimeout", err)
	}
	want(t, text, all("mlx5_1", "ens1")...)
	want(t, text, `roce_interface_up{interface="ens0"} 1`, `roce_exporter_stuck_readers{collector="rdma"} 1`,
		`roce_exporter_read_errors_total{collector="rdma",device="mlx5_0",reason="timeout"} 1`)
	without(t, text, `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0"`)

	for range 10 {
		start = time.Now()
		text, err = b.scrape(t, 5*time.Second)
		if took := time.Since(start); took > time.Second {
			t.Errorf("a later scrape took %v; want it not to wait for the reader that hangs", took)
		}
		if !errors.Is(err, host.ErrBusy) {
			t.Errorf("error %v; want ErrBusy", err)
		}
		want(t, text, all("mlx5_1", "ens1")...)
	}
	reads := 0
	for _, f := range b.files.reads() {
		if f == port0+"hw_counters/out_of_sequence" {
			reads++
		}
	}
	if reads != 2 {
		t.Errorf("the file was read %d times; want 2: once before it hung and once since", reads)
	}
	release()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if text, err = b.scrape(t, 5*time.Second); err == nil || time.Now().After(end) {
			break
		}
	}
	want(t, text, all("mlx5_0", "ens0")...)
	want(t, text, `roce_exporter_stuck_readers{collector="rdma"} 0`)
}

// The same for everything that is asked of the kernel and not of a file.
func TestKernelThatHangs(t *testing.T) {
	for _, c := range []struct {
		point, collector string
		lost             string
	}{
		{"rdma/mlx5_0/1/counters", "rdma", `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0"`},
		{"rdma/mlx5_0/1", "rdma", `roce_rdma_port_up{device="mlx5_0"`},
		{"ethtool/ens0/statistics", "ethtool", `roce_interface_pfc_frames_received_total{interface="ens0"`},
		{"ethtool/ens0/strings", "ethtool", `roce_interface_pfc_frames_received_total{interface="ens0"`},
		{"dcb/ens0/pfc", "dcb", `roce_interface_pfc_enabled{interface="ens0"`},
	} {
		t.Run(c.point, func(t *testing.T) {
			t.Parallel()
			h := twoNICs(t)
			b := bedOf(t, h, true)
			if _, err := b.scrape(t, 5*time.Second); err != nil {
				t.Fatal(err)
			}
			release := h.Hang(c.point)
			defer release()
			b.scrape(t, 1200*time.Millisecond)
			calls := h.Calls(c.point)
			start := time.Now()
			text, err := b.scrape(t, 5*time.Second)
			if took := time.Since(start); took > time.Second {
				t.Errorf("the scrape took %v; want it not to wait", took)
			}
			if !errors.Is(err, host.ErrBusy) {
				t.Errorf("error %v; want ErrBusy", err)
			}
			if n := h.Calls(c.point); n != calls {
				t.Errorf("%d more requests at the point that hangs; want none", n-calls)
			}
			want(t, text, all("mlx5_1", "ens1")...)
			want(t, text, live("ens1")...)
			without(t, text, c.lost)
			want(t, text, fmt.Sprintf(`roce_exporter_stuck_readers{collector=%q} 1`, c.collector))
		})
	}
}

// A device whose scan hangs at the first scrape of all.
func TestScanThatHangs(t *testing.T) {
	h := twoNICs(t)
	release := h.Hang("rdma/mlx5_0/driver")
	defer release()
	b := bedOf(t, h, true)
	start := time.Now()
	text, _ := b.scrape(t, 2*time.Second)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("the scrape took %v; want its timeout of 2s", took)
	}
	want(t, text, all("mlx5_1", "ens1")...)
	want(t, text, live("ens1")...)
	without(t, text, `device="mlx5_0",port`)
}

// A device that vanishes half-way through a scrape, and comes back as another.
func TestDeviceThatVanishes(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	b.scrape(t, 5*time.Second)
	h.Before(func(point string) {
		if point == "rdma/mlx5_0/1/counters" {
			h.RemoveDevice("mlx5_0")
		}
	})
	h.Fail("rdma/mlx5_0/1/counters", syscall.ENODEV)
	b.files.fail("class/infiniband/mlx5_0/", syscall.ENODEV)
	text, err := b.scrape(t, 5*time.Second)
	if err != nil {
		t.Errorf("error %v; want none: a device may go", err)
	}
	want(t, text, all("mlx5_1", "ens1")...)
	without(t, text, `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0"`)
}

// The same name under another index is another device: its counters began anew.
func TestDeviceThatRegistersAnew(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	const name = `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"} `
	h.SetCounter("mlx5_0", 1, "out_of_sequence", 1<<32-10)
	text, _ := b.scrape(t, 5*time.Second)
	want(t, text, name+"4.294967286e+09")
	h.SetCounter("mlx5_0", 1, "out_of_sequence", 5) // wrapped
	text, _ = b.scrape(t, 5*time.Second)
	want(t, text, name+"4.294967301e+09")
	h.SetCounter("mlx5_0", 1, "out_of_sequence", 1<<32-10)
	b.scrape(t, 5*time.Second)
	h.SetDevice("mlx5_0", "index", "7") // and now begun anew, which looks the same
	h.SetCounter("mlx5_0", 1, "out_of_sequence", 3)
	text, _ = b.scrape(t, 5*time.Second)
	want(t, text, name+"3")
}

// A rescan, for an interface that changed say, must not lose what was counted.
func TestRescanKeepsWraps(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true, func(c *host.Config) { c.Rescan = time.Nanosecond })
	const name = `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"} `
	h.SetCounter("mlx5_0", 1, "out_of_sequence", 1<<32-1)
	b.scrape(t, 5*time.Second)
	h.SetCounter("mlx5_0", 1, "out_of_sequence", 0)
	for range 3 {
		text, _ := b.scrape(t, 5*time.Second)
		want(t, text, name+"4.294967296e+09")
	}
}

// Where RDMA netlink cannot answer, sysfs does.
func TestNetlinkFallsBackToSysfs(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.EMSGSIZE, syscall.EOPNOTSUPP, syscall.EIO} {
		h := twoNICs(t)
		b := bedOf(t, h, true)
		h.Fail("rdma/mlx5_0/1/counters", errno)
		h.Fail("rdma/mlx5_0/1", errno)
		text, err := b.scrape(t, 5*time.Second)
		if err != nil {
			t.Errorf("%v: %v", errno, err)
		}
		want(t, text, all("mlx5_0", "ens0")...)
	}
	h := twoNICs(t)
	b := bedOf(t, h, true)
	h.Fail("rdma", syscall.EPROTONOSUPPORT)
	text, err := b.scrape(t, 5*time.Second)
	if err != nil {
		t.Error(err)
	}
	want(t, text, all("mlx5_0", "ens0")...)
}

// In a container sysfs hides counters/ and hw_counters/, netlink does not.
func TestContainerWithoutCountersInSysfs(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	for _, d := range []string{"mlx5_0", "mlx5_1"} {
		b.files.fail("class/infiniband/"+d+"/ports/1/hw_counters/", syscall.ENOENT)
		b.files.fail("class/infiniband/"+d+"/ports/1/counters/", syscall.ENOENT)
	}
	text, err := b.scrape(t, 5*time.Second)
	if err != nil {
		t.Error(err)
	}
	want(t, text, `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"} 22`)
}

// mlx5's other files must follow rx_write_requests, whose read refreshes them.
func TestReadFirst(t *testing.T) {
	b := bedOf(t, twoNICs(t), false)
	b.scrape(t, 5*time.Second)
	b.files.forget()
	b.scrape(t, 5*time.Second)
	first := ""
	for _, f := range b.files.reads() {
		if strings.HasPrefix(f, port0+"hw_counters/") {
			first = f
			break
		}
	}
	if first != port0+"hw_counters/rx_write_requests" {
		t.Errorf("the first hw_counter read is %q; want rx_write_requests", first)
	}
}

// An excluded device is never opened, nor are its interfaces.
func TestExcludedDeviceIsNotOpened(t *testing.T) {
	for _, change := range []func(*host.Config){
		func(c *host.Config) { c.Exclude = regexp.MustCompile("^(?:mlx5_0)$") },
		func(c *host.Config) { c.Include = regexp.MustCompile("^(?:mlx5_1)$") },
	} {
		h := twoNICs(t)
		b := bedOf(t, h, true, change)
		text, err := b.scrape(t, 5*time.Second)
		if err != nil {
			t.Error(err)
		}
		want(t, text, all("mlx5_1", "ens1")...)
		without(t, text, "mlx5_0", "ens0")
		for _, f := range b.files.reads() {
			if strings.Contains(f, "mlx5_0") || strings.Contains(f, "ens0") {
				t.Errorf("%s was read", f)
			}
		}
		for _, p := range []string{"rdma/mlx5_0/driver", "rdma/mlx5_0/1", "rdma/mlx5_0/1/counters", "ethtool/ens0/driver", "dcb/ens0/pfc"} {
			if h.Calls(p) != 0 {
				t.Errorf("the kernel was asked %s", p)
			}
		}
	}
}

// mlx5's list of statistics follows the PFC configuration. A change between
// names and values must never give a value another name.
func TestStatisticsThatChange(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	b.scrape(t, 5*time.Second)
	prio := func(p int, v uint64) []hosttest.NameValue {
		return []hosttest.NameValue{{Name: "rx_packets", Value: 1}, {Name: fmt.Sprintf("rx_prio%d_pause", p), Value: v}}
	}
	h.SetStatistics("ens0", prio(3, 100))
	text, _ := b.scrape(t, 5*time.Second)
	want(t, text, `roce_interface_pfc_frames_received_total{interface="ens0",priority="3"} 100`)
	without(t, text, `roce_interface_pfc_pause_received_seconds_total{interface="ens0"`)

	// Same length, another priority, changed just before the values are read.
	changes := 0
	h.Before(func(point string) {
		if point == "ethtool/ens0/statistics" && changes == 0 {
			changes++
			h.SetStatistics("ens0", prio(4, 7))
		}
	})
	text, err := b.scrape(t, 5*time.Second)
	if err != nil || changes != 1 {
		t.Errorf("%v after %d changes", err, changes)
	}
	want(t, text, `roce_interface_pfc_frames_received_total{interface="ens0",priority="4"} 7`)
	without(t, text, `roce_interface_pfc_frames_received_total{interface="ens0",priority="3"`)

	// A list that never holds still is an error, and no value.
	h.Before(func(point string) {
		if point == "ethtool/ens0/statistics" {
			changes++
			h.SetStatistics("ens0", prio(changes%8, 9))
		}
	})
	text, err = b.scrape(t, 5*time.Second)
	if err == nil {
		t.Error("no error for a list that keeps changing")
	}
	without(t, text, `roce_interface_pfc_frames_received_total{interface="ens0"`)
	want(t, text, live("ens1")...)
}

// One read of the statistics per interface and scrape at the most.
func TestOneReadOfStatisticsPerScrape(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	for range 3 {
		b.scrape(t, 5*time.Second)
	}
	if n := h.Calls("ethtool/ens0/statistics"); n != 3 {
		t.Errorf("3 scrapes read the statistics %d times; want 3", n)
	}
}

// 200 scrapers at once must not multiply the reads.
func TestConcurrentScrapesShareReads(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	b.scrape(t, 5*time.Second)
	before := h.Calls("rdma/mlx5_0/1/counters")
	release := h.Hang("rdma/mlx5_0/1/counters")
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			text, err := b.scrape(t, 10*time.Second)
			if err != nil {
				t.Error(err)
			}
			want(t, text, all("mlx5_0", "ens0")...)
		})
	}
	time.Sleep(300 * time.Millisecond)
	release()
	wg.Wait()
	// One that they all wait for; a few more where some came after it ended.
	if n := h.Calls("rdma/mlx5_0/1/counters") - before; n > 20 {
		t.Errorf("200 scrapes at once made %d reads; want few", n)
	}
}

// The kernel's interface of that name is not the one that sysfs shows.
func TestInterfaceOfAnotherNamespace(t *testing.T) {
	for _, bus := range []string{"0000:99:00.0", ""} {
		h := twoNICs(t)
		h.SetDriver("ens0", "bus-info", bus)
		b := bedOf(t, h, true)
		text, err := b.scrape(t, 5*time.Second)
		if err == nil || !strings.Contains(err.Error(), "network namespace") {
			t.Errorf("bus %q: error %v; want one about the network namespace", bus, err)
		}
		without(t, text, `roce_interface_pfc_frames_received_total{interface="ens0"`)
		want(t, text, live("ens1")...)
	}
}

// Link pause is exported where it is link pause.
func TestLinkPause(t *testing.T) {
	h := twoNICs(t)
	h.SetPFC("ens0")
	b := bedOf(t, h, true)
	text, err := b.scrape(t, 5*time.Second)
	if err != nil {
		t.Error(err)
	}
	want(t, text, `roce_interface_pause_frames_received_total{interface="ens0"} 5`, `roce_interface_pause_frames_transmitted_total{interface="ens0"} 6`)
	without(t, text, `roce_interface_pause_frames_received_total{interface="ens1"`)
	// It is not known whether PFC is on: then it is not known what is counted.
	h.Fail("dcb/ens0/pfc", syscall.EIO)
	text, err = b.scrape(t, 5*time.Second)
	if err == nil {
		t.Error("no error")
	}
	without(t, text, "roce_interface_pause_frames")
}

// A host without RDMA is no failure.
func TestNoRDMA(t *testing.T) {
	h, err := hosttest.Load([]byte("synthetic\n-- sys/class/net/eth0/mtu --\n1500\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := bedOf(t, h, true).scrape(t, 5*time.Second)
	if err != nil {
		t.Errorf("error %v; want none", err)
	}
	want(t, text, "roce_exporter_rdma_devices 0", `roce_exporter_collector_success{collector="rdma"} 1`)
	without(t, text, "eth0")
}

// A virtual function in a virtual machine has no link to a physical one; its
// port statistics are left out all the same.
func TestVirtualFunctionWithoutPhysicalOne(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	b.write(t, "devices/pci0000:00/0000:17:00.0/device", "0x101e\n")
	text, err := b.scrape(t, 5*time.Second)
	if err != nil {
		t.Error(err)
	}
	if len(series(text, `roce_rdma_device_info{device="mlx5_0"`)) != 1 || !strings.Contains(series(text, `roce_rdma_device_info{device="mlx5_0"`)[0], `function="vf"`) {
		t.Errorf("device info %v; want function vf", series(text, "roce_rdma_device_info"))
	}
	without(t, text, `roce_interface_pfc_frames_received_total{interface="ens0"`, `roce_interface_pfc_enabled{interface="ens0"`)
	want(t, text, all("mlx5_0", "ens0")...)
	want(t, text, live("ens1")...)
}

// A port whose interface changes is scanned anew, soon.
func TestInterfaceThatMoves(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true, func(c *host.Config) { c.Rescan = 3 * time.Second })
	b.scrape(t, 5*time.Second)
	h.SetPort("mlx5_0", 1, "interface", "ens7")
	h.SetPort("mlx5_0", 1, "ifindex", "77")
	var text string
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, _ = b.scrape(t, 5*time.Second)
		if strings.Contains(text, `interface="ens7"`) {
			break
		}
	}
	want(t, text, `roce_rdma_port_info{device="mlx5_0",interface="ens7",link_layer="Ethernet",port="1",protocol="roce"} 1`)
	without(t, text, `roce_rdma_port_info{device="mlx5_0",interface="ens0"`)
}

// GIDs of iWARP are called "IB/RoCE v1" by the kernel and are no RoCE.
func TestIWARPHasNoRoCEGIDs(t *testing.T) {
	h := twoNICs(t)
	h.SetDevice("mlx5_0", "protocol", "iw")
	text, err := bedOf(t, h, true).scrape(t, 5*time.Second)
	if err != nil {
		t.Error(err)
	}
	without(t, text, `roce_rdma_port_gids{device="mlx5_0"`)
	want(t, text, `roce_rdma_port_gids{device="mlx5_1",port="1",roce_version="1"} 1`, `roce_rdma_netns_mode_info{mode="shared"} 1`)
	b := bedOf(t, twoNICs(t), false)
	b.write(t, "devices/pci0000:00/0000:17:00.0/infiniband/mlx5_0/node_type", "4: RNIC\n")
	text, _ = b.scrape(t, 5*time.Second)
	without(t, text, `roce_rdma_port_gids{device="mlx5_0"`)
	want(t, text, `roce_rdma_port_gids{device="mlx5_1",port="1",roce_version="1"} 1`)
}
