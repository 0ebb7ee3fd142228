package host_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/host"
)

const outOfSequence = `roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"} `

// Devices that come and go while many scrape: nothing breaks, nothing is left
// open, and the one that stays is always served.
func TestDevicesThatComeAndGo(t *testing.T) {
	h := twoNICs(t)
	// A scan that met the device half gone is repeated after Rescan/30.
	b := bedOf(t, h, false, func(c *host.Config) { c.Rescan = 300 * time.Millisecond })
	link := filepath.Join(b.dir, "class/infiniband/mlx5_0")
	target, err := os.Readlink(link)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				text, _ := b.scrape(t, 5*time.Second)
				want(t, text, all("mlx5_1", "ens1")...)
			}
		})
	}
	for range 150 {
		os.Remove(link)
		time.Sleep(2 * time.Millisecond)
		os.Symlink(target, link)
		time.Sleep(2 * time.Millisecond)
	}
	close(stop)
	wg.Wait()
	var text string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if text, err = b.scrape(t, 5*time.Second); err == nil && strings.Contains(text, outOfSequence) && strings.Contains(text, `roce_interface_up{interface="ens0"`) {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
	want(t, text, all("mlx5_0", "ens0")...)
	time.Sleep(50 * time.Millisecond) // devices that went are closed in the background
	one := b.files.nowOpen() / 2      // both devices have the same files
	os.Remove(link)
	b.scrape(t, 5*time.Second)
	for end := time.Now().Add(5 * time.Second); b.files.nowOpen() > one && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	if n := b.files.nowOpen(); n > one || one > 30 {
		t.Errorf("%d files are open with one device left; want %d", n, one)
	}
}

// A list of devices that fails once must not look like a host that lost its
// devices, nor forget how often counters wrapped.
func TestListingThatFailsOnce(t *testing.T) {
	for name, fail := range map[string]func(b *bed, on bool){
		"netlink": func(b *bed, on bool) {
			errno := syscall.Errno(0)
			if on {
				errno = syscall.ENOBUFS
			}
			b.recording.Fail("rdma", errno)
		},
		"sysfs": func(b *bed, on bool) {
			errno := syscall.Errno(0)
			if on {
				errno = syscall.EMFILE
			}
			b.files.fail("class/infiniband/", errno)
		},
	} {
		for _, live := range []bool{true, false} {
			if !live && name == "netlink" {
				continue
			}
			t.Run(fmt.Sprint(name, live), func(t *testing.T) {
				h := twoNICs(t)
				b := bedOf(t, h, live, func(c *host.Config) { c.Rescan = time.Hour })
				count := func(v uint64) {
					h.SetCounter("mlx5_0", 1, "out_of_sequence", v)
					b.files.say(port0+"hw_counters/out_of_sequence", fmt.Sprintf("%d\n", v))
				}
				count(1<<32 - 10)
				b.scrape(t, 5*time.Second)
				count(90)
				text, _ := b.scrape(t, 5*time.Second)
				want(t, text, outOfSequence+"4.294967386e+09")
				fail(b, true)
				text, err := b.scrape(t, 5*time.Second)
				if err == nil {
					t.Error("no error while the list fails")
				}
				want(t, text, `roce_exporter_collector_success{collector="rdma"} 0`)
				if name == "netlink" { // the sysfs fault hits the devices' files as well
					want(t, text, "roce_exporter_rdma_devices 2", outOfSequence+"4.294967386e+09")
				}
				fail(b, false)
				text, err = b.scrape(t, 5*time.Second)
				if err != nil {
					t.Error(err)
				}
				want(t, text, outOfSequence+"4.294967386e+09")
				want(t, text, all("mlx5_1", "ens1")...)
			})
		}
	}
}

// A device that registers anew while its scan hangs is scanned again.
func TestReregistrationDuringAScan(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true, func(c *host.Config) { c.Rescan = time.Hour })
	release := h.Hang("rdma/mlx5_0/driver")
	b.scrape(t, 300*time.Millisecond)
	h.SetDevice("mlx5_0", "index", "9")
	b.scrape(t, 300*time.Millisecond)
	release()
	time.Sleep(100 * time.Millisecond)
	b.scrape(t, 5*time.Second)
	before := h.Calls("rdma/mlx5_0/1/counters")
	text, err := b.scrape(t, 5*time.Second)
	if err != nil {
		t.Error(err)
	}
	want(t, text, all("mlx5_0", "ens0")...)
	if h.Calls("rdma/mlx5_0/1/counters") == before {
		t.Error("the counters are not read over RDMA netlink any more")
	}
}

// A counter that comes back after ENODEV began anew: it did not wrap.
func TestResetIsNoWrap(t *testing.T) {
	b := bedOf(t, twoNICs(t), false)
	file := port0 + "hw_counters/out_of_sequence"
	b.files.say(file, "4294967000\n")
	b.scrape(t, 5*time.Second)
	b.files.fail(file, syscall.ENODEV)
	b.scrape(t, 5*time.Second)
	b.files.fail(file, 0)
	b.files.say(file, "5\n")
	text, _ := b.scrape(t, 5*time.Second)
	want(t, text, outOfSequence+"5")
}

// What a scan could not find out for a moment is asked again soon.
func TestScanThatFailsOnce(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENOENT} {
		b := bedOf(t, twoNICs(t), false, func(c *host.Config) { c.Rescan = 3 * time.Second })
		b.files.fail("class/infiniband/mlx5_0/ports/", errno)
		b.scrape(t, 5*time.Second)
		b.files.fail("class/infiniband/mlx5_0/ports/", 0)
		comesBack(t, b, errno)
	}
	h := twoNICs(t)
	b := bedOf(t, h, true, func(c *host.Config) { c.Rescan = 3 * time.Second })
	for _, f := range []string{"device/driver", "device"} {
		os.Remove(filepath.Join(b.dir, "devices/pci0000:00/0000:17:00.0/infiniband/mlx5_0", f))
	}
	os.Remove(filepath.Join(b.dir, "devices/pci0000:00/0000:17:00.0/driver"))
	h.Fail("rdma/mlx5_0/driver", syscall.ENOMEM)
	if _, err := b.scrape(t, 5*time.Second); err == nil {
		t.Error("a driver that could not be asked for is no error")
	}
	h.Fail("rdma/mlx5_0/driver", 0)
	comesBack(t, b, syscall.ENOMEM)
}

func comesBack(t *testing.T, b *bed, errno syscall.Errno) {
	t.Helper()
	var text string
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text, _ = b.scrape(t, 5*time.Second); strings.Contains(text, outOfSequence+"22\n") {
			return
		}
	}
	t.Errorf("%v: not back after 2 s, long before the next rescan:\n%s", errno, strings.Join(series(text, "roce_rdma_"), "\n"))
}

// Only what the kernel calls a state is one.
func TestOperstate(t *testing.T) {
	for content, want := range map[string]string{
		"up\n": "1", "up": "1", "down\n": "0", "lowerlayerdown\n": "0", "dormant\n": "0", "testing\n": "0", "notpresent\n": "0",
		"unknown\n": "", "unknown": "", "": "error", "garbage\n": "error",
	} {
		b := bedOf(t, twoNICs(t), false)
		b.files.say("class/net/ens0/operstate", content)
		text, err := b.scrape(t, 5*time.Second)
		got := ""
		if l := series(text, `roce_interface_up{interface="ens0"`); len(l) == 1 {
			_, got, _ = strings.Cut(l[0], "} ")
		}
		if want == "error" && (err == nil || got != "") || want != "error" && (err != nil || got != want) {
			t.Errorf("operstate %q: up is %q, error %v; want %s", content, got, err, want)
		}
	}
}

// Two interfaces that swap their names: each value is of the interface that has
// the name now.
func TestInterfacesThatSwapNames(t *testing.T) {
	b := bedOf(t, twoNICs(t), false)
	b.write(t, "class/net/ens0/mtu", "1111\n")
	b.write(t, "class/net/ens1/mtu", "2222\n")
	text, _ := b.scrape(t, 5*time.Second)
	want(t, text, `roce_interface_mtu_bytes{interface="ens0"} 1111`)
	net := filepath.Join(b.dir, "class/net")
	os.Rename(filepath.Join(net, "ens0"), filepath.Join(net, "x"))
	os.Rename(filepath.Join(net, "ens1"), filepath.Join(net, "ens0"))
	os.Rename(filepath.Join(net, "x"), filepath.Join(net, "ens1"))
	text, _ = b.scrape(t, 5*time.Second)
	want(t, text, `roce_interface_mtu_bytes{interface="ens0"} 2222`, `roce_interface_mtu_bytes{interface="ens1"} 1111`)
}

// Names of ports that are no port numbers are no ports.
func TestPortNames(t *testing.T) {
	b := bedOf(t, twoNICs(t), false)
	ports := filepath.Join(b.dir, "class/infiniband/mlx5_0/ports")
	for _, n := range []string{"0", "01", "-1", "99999999999", "x"} {
		if err := os.Symlink("1", filepath.Join(ports, n)); err != nil {
			t.Fatal(err)
		}
	}
	b.scrape(t, 5*time.Second)
	text, err := b.scrape(t, 5*time.Second)
	if err != nil {
		t.Error(err)
	}
	want(t, text, "roce_exporter_duplicate_samples_total 0")
	if n := len(series(text, `roce_rdma_port_up{device="mlx5_0"`)); n != 1 {
		t.Errorf("%d ports; want 1", n)
	}
}

// A directory of more files than any driver has does not take all descriptors.
func TestHugeDirectory(t *testing.T) {
	b := bedOf(t, twoNICs(t), false)
	for i := range 3000 {
		b.write(t, fmt.Sprintf("class/infiniband/mlx5_0/ports/1/hw_counters/z%d", i), "1\n")
	}
	text, err := b.scrape(t, 10*time.Second)
	if err == nil || !strings.Contains(err.Error(), "2048 are read") {
		t.Errorf("error %v; want one that says how many are read", err)
	}
	want(t, text, all("mlx5_0", "ens0")...)
	if n := b.files.nowOpen(); n > 2200 {
		t.Errorf("%d files are open", n)
	}
}

// A rescan that fails in part does not forget the ports, nor their wraps.
func TestRescanThatFailsOnce(t *testing.T) {
	b := bedOf(t, twoNICs(t), false, func(c *host.Config) { c.Rescan = time.Nanosecond })
	b.files.say(port0+"hw_counters/out_of_sequence", "4294967286\n")
	b.scrape(t, 5*time.Second)
	b.files.say(port0+"hw_counters/out_of_sequence", "90\n")
	b.scrape(t, 5*time.Second)
	b.files.failDir("class/infiniband/mlx5_0/ports", syscall.EMFILE)
	text, err := b.scrape(t, 5*time.Second)
	if err == nil {
		t.Error("no error of the scan that failed")
	}
	want(t, text, outOfSequence+"4.294967386e+09")
	b.files.failDir("class/infiniband/mlx5_0/ports", 0)
	text, err = b.scrape(t, 5*time.Second)
	if err != nil {
		t.Error(err)
	}
	want(t, text, outOfSequence+"4.294967386e+09")
}

// A device that RDMA netlink does not list for a moment, as while it
// unregisters, and then under another index, began anew.
func TestRegistrationWithAGap(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	h.SetCounter("mlx5_0", 1, "out_of_sequence", 1<<32-10)
	b.files.say(port0+"hw_counters/out_of_sequence", "4294967286\n")
	b.scrape(t, 5*time.Second)
	h.SetDevice("mlx5_0", "index", "")
	b.scrape(t, 5*time.Second)
	h.SetDevice("mlx5_0", "index", "9")
	h.SetCounter("mlx5_0", 1, "out_of_sequence", 5)
	text, _ := b.scrape(t, 5*time.Second)
	want(t, text, outOfSequence+"5")
}

// descriptors answers ENODEV, as kernfs does, through files that were opened
// before the device registered anew.
type descriptors struct {
	*faultyFS
	mu         sync.Mutex
	generation int
}

type descriptor struct {
	fs.File
	of         *descriptors
	generation int
}

func (d *descriptors) Open(name string) (fs.File, error) {
	f, err := d.faultyFS.Open(name)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return &descriptor{f, d, d.generation}, nil
}

func (d *descriptor) ReadAt(p []byte, off int64) (int, error) {
	d.of.mu.Lock()
	gone := d.generation != d.of.generation
	d.of.mu.Unlock()
	if gone {
		return 0, syscall.ENODEV
	}
	return d.File.(interface {
		ReadAt([]byte, int64) (int, error)
	}).ReadAt(p, off)
}

// That a device registered anew is seen by its old descriptors, also when it is
// scanned at the same time.
func TestRescanSeesRegistration(t *testing.T) {
	for _, rescan := range []time.Duration{time.Hour, time.Nanosecond} {
		var d *descriptors
		b := bedOf(t, twoNICs(t), false, func(c *host.Config) {
			c.Rescan = rescan
			d = &descriptors{faultyFS: c.Kernel.Sysfs.(*faultyFS)}
			c.Kernel.Sysfs = d
		})
		file := port0 + "hw_counters/out_of_sequence"
		b.files.say(file, "4294967000\n")
		b.scrape(t, 5*time.Second)
		d.mu.Lock()
		d.generation++
		d.mu.Unlock()
		b.files.say(file, "5\n")
		b.scrape(t, 5*time.Second)
		text, err := b.scrape(t, 5*time.Second)
		if err != nil {
			t.Error(err)
		}
		want(t, text, outOfSequence+"5")
	}
}

// A driver that changes is seen, whatever else cannot be read.
func TestDriverThatChanges(t *testing.T) {
	b := bedOf(t, twoNICs(t), false, func(c *host.Config) { c.Rescan = time.Nanosecond })
	b.scrape(t, 5*time.Second)
	b.files.fail("class/infiniband/mlx5_0/fw_ver", syscall.EIO)
	b.scrape(t, 5*time.Second)
	link := filepath.Join(b.dir, "devices/pci0000:00/0000:17:00.0/driver")
	os.Remove(link)
	os.Symlink("../../../bus/pci/drivers/irdma", link)
	b.scrape(t, 5*time.Second)
	text, _ := b.scrape(t, 5*time.Second)
	if l := series(text, `roce_rdma_device_info{device="mlx5_0"`); len(l) != 1 || !strings.Contains(l[0], `driver="irdma"`) {
		t.Errorf("device info %v; want driver irdma", l)
	}
}

// A device that one list cannot tell of and the other knows to be gone is gone.
func TestGoneWhileSysfsFails(t *testing.T) {
	h := twoNICs(t)
	b := bedOf(t, h, true)
	b.scrape(t, 5*time.Second)
	b.files.failDir("class/infiniband", syscall.EMFILE)
	h.RemoveDevice("mlx5_0")
	text, err := b.scrape(t, 5*time.Second)
	if err == nil {
		t.Error("no error of the list that failed")
	}
	want(t, text, "roce_exporter_rdma_devices 1")
	want(t, text, all("mlx5_1", "ens1")...)
}

// What fails for good in a scan does not make every scrape a scan.
func TestScanThatFailsForGood(t *testing.T) {
	b := bedOf(t, twoNICs(t), false, func(c *host.Config) { c.Rescan = 3 * time.Second })
	b.files.fail("class/infiniband/mlx5_0/fw_ver", syscall.EIO)
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		b.scrape(t, 5*time.Second)
	}
	// After 0, 0.1, 0.3, 0.7 and 1.5 s: the intervals double.
	scans := 0
	for _, f := range b.files.reads() {
		if f == "class/infiniband/mlx5_0/fw_ver" {
			scans++
		}
	}
	if scans < 2 || scans > 6 {
		t.Errorf("%d scans in 1.5 s; want 4 or 5", scans)
	}
}
