//go:build kernel

package kerneltest

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// TestKernel boots each kernel and follows the exporter through what happens to
// a host. ROCE_KERNELS picks kernels: "6.1 6.12"; ROCE_EXPORTER is a static
// binary to test instead of one built from these sources.
func TestKernel(t *testing.T) {
	kernels := strings.Fields(os.Getenv("ROCE_KERNELS"))
	if len(kernels) == 0 {
		kernels = []string{"6.1", "6.12"}
	}
	prepare(t, kernels)
	programs := map[string]string{"roce_exporter": os.Getenv("ROCE_EXPORTER")}
	if programs["roce_exporter"] == "" {
		programs["roce_exporter"] = build(t, "./cmd/roce_exporter")
	}
	if *recordTo != "" {
		programs["recorder"] = build(t, "./collector/host/kerneltest/recorder")
	}
	for _, series := range kernels {
		t.Run(series, func(t *testing.T) {
			g := boot(t, series, programs)
			g.eventually(t, time.Minute, func(e exposition) error {
				for _, d := range []string{"rxe0", "rxe1", "mock_0", "mock_1"} {
					if err := e.check(onPort(metric.RDMAPortUp, d), 1); err != nil {
						return err
					}
				}
				return nil
			})
			// Each step before Unload leaves the guest as it found it.
			for _, step := range []struct {
				name string
				run  func(*testing.T, *guest)
			}{
				{"Unprivileged", testUnprivileged},
				{"Devices", testDevices},
				{"HardwareCounters", testHardwareCounters},
				{"PortCounters", testPortCounters},
				{"RawNames", testRawNames},
				{"OptionalCounters", testOptionalCounters},
				{"PFC", testPFC},
				{"PFCChanges", testPFCChanges},
				{"LinkPause", testLinkPause},
				{"LinkDown", testLinkDown},
				{"VLANAndBond", testVLANAndBond},
				{"Rename", testRename},
				{"OtherNamespace", testOtherNamespace},
				{"ExclusiveNamespaces", testExclusiveNamespaces},
				{"Traffic", testTraffic},
				{"Record", func(t *testing.T, g *guest) { testRecord(t, g, series) }},
				{"HangingDevice", testHangingDevice},
				{"FailingDevice", testFailingDevice},
				{"Unload", testUnload},
				{"Reload", testReload},
				{"KernelLog", testKernelLog},
			} {
				t.Run(step.name, func(t *testing.T) {
					start := time.Now()
					step.run(t, g)
					t.Logf("%.1f s", time.Since(start).Seconds())
				})
			}
		})
	}
}

// prepare runs prepare.sh, whose messages go to the reader at once: the first
// run takes minutes.
func prepare(t *testing.T, kernels []string) {
	t.Helper()
	start := time.Now()
	cmd := exec.Command("./prepare.sh", kernels...)
	var said console
	cmd.Stdout = io.MultiWriter(os.Stderr, &said)
	cmd.Stderr = cmd.Stdout
	if err := cmd.Run(); err != nil {
		t.Fatalf("prepare.sh: %v\n%s", err, &said)
	}
	t.Logf("prepared in %.1f s", time.Since(start).Seconds())
}

// build builds a program of this module that runs without libraries.
func build(t *testing.T, pkg string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-trimpath", "-tags", "kernel", "-ldflags", "-s -w", "-o", out, pkg)
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, b)
	}
	return out
}

// tick is what the steps set the mock's parameter of that name to.
const tick = 1234

func hash(name string) uint64 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return uint64(h.Sum32())
}

// wide is the mock's function value().
func wide(device int, name string) float64 {
	return float64(uint64(device+1)*1000000 + hash(name)%1000000 + tick)
}

// narrow is the mock's function of that name.
func narrow(name string, most uint64) float64 { return float64(min(hash(name)%100+tick, most)) }

func onPort(m *metric.Metric, device string) string {
	return of(m, "device", device, "port", "1")
}

func mock(device int) string { return "mock_" + strconv.Itoa(device) }

func raw(device, counter string) string {
	return of(metric.RDMAHardwareCounter, "device", device, "port", "1", "counter", counter)
}

func success(collector string) string {
	return of(metric.ExporterCollectorSuccess, "collector", collector)
}

// pid finds the exporter.
const pid = `for p in /proc/[0-9]*; do [ "$(readlink $p/exe)" != /guest/roce_exporter ] || pid=${p#/proc/}; done; `

func testUnprivileged(t *testing.T, g *guest) {
	status := g.run(t, pid+`cat /proc/$pid/status`)
	for _, want := range []string{"Uid:\t65534\t65534\t65534\t65534", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"} {
		if !strings.Contains(status, want) {
			t.Errorf("the exporter's status lacks %q:\n%s", want, status)
		}
	}
}

func testDevices(t *testing.T, g *guest) {
	e := g.mustScrape(t)
	e.want(t, of(metric.ExporterDevices), 4)
	for _, c := range []string{"rdma", "interface", "ethtool", "dcb", "pause"} {
		e.want(t, success(c), 1)
	}
	e.want(t, of(metric.ExporterDuplicates), 0)
	e.none(t, metric.ExporterReadErrors)
	for device, netdev := range map[string]string{"rxe0": "veth0", "rxe1": "veth1", "mock_0": "mock0", "mock_1": "mock1"} {
		driver := "rxe"
		if strings.HasPrefix(device, "mock") {
			driver = "mlx5"
			e.some(t, metric.RDMADeviceInfo, "device", device, "firmware", "22.31.1014", "board", "MT_MOCK000001", "hca_type", "MT4125")
		}
		e.some(t, metric.RDMADeviceInfo, "device", device, "driver", driver, "protocol", "roce")
		e.want(t, of(metric.RDMAPortInfo, "device", device, "port", "1", "interface", netdev, "link_layer", "Ethernet", "protocol", "roce"), 1)
		e.want(t, of(metric.RDMAPortInterfaceInfo, "device", device, "port", "1", "interface", netdev, "role", "port"), 1)
		e.want(t, onPort(metric.RDMAPortState, device), 4)
		e.want(t, onPort(metric.RDMAPortPhysicalState, device), 5)
		e.some(t, metric.RDMAGIDs, "device", device, "roce_version", "2")
	}
	e.want(t, onPort(metric.RDMAPortRate, "mock_0"), 100e9/8)
	e.want(t, of(metric.InterfaceSpeed, "interface", "mock0"), 100e9/8)
	e.want(t, of(metric.InterfaceMTU, "interface", "mock0"), 1500)
	e.some(t, metric.InterfaceInfo, "interface", "mock0", "driver", "mlx5_core", "firmware", "22.31.1014")
}

func testHardwareCounters(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	e := g.mustScrape(t)
	for d := range 2 {
		for m, name := range map[*metric.Metric]string{
			metric.RDMAWriteRequestsReceived:        "rx_write_requests",
			metric.RDMAOutOfBufferDiscards:          "out_of_buffer",
			metric.RDMAOutOfSequencePacketsReceived: "out_of_sequence",
			metric.RDMADuplicateRequests:            "duplicate_request",
			metric.RDMAPacketSequenceErrors:         "packet_seq_err",
			metric.RDMALocalACKTimeouts:             "local_ack_timeout_err",
			metric.RDMAAdaptiveRetransmissions:      "roce_adp_retrans",
			metric.RDMACNPPacketsHandled:            "rp_cnp_handled",
			metric.RDMACNPPacketsIgnored:            "rp_cnp_ignored",
			metric.RDMACNPPacketsTransmitted:        "np_cnp_sent",
			metric.RDMAECNMarkedPacketsReceived:     "np_ecn_marked_roce_packets",
			metric.RDMAICRCErrorsReceived:           "rx_icrc_encapsulated",
		} {
			e.want(t, onPort(m, mock(d)), wide(d, name))
		}
		e.want(t, raw(mock(d), "mock_unmapped"), wide(d, "mock_unmapped"))
		e.want(t, of(metric.ExporterUnmapped, "device", mock(d)), 1)
	}
}

func testPortCounters(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	e := g.mustScrape(t)
	for d := range 2 {
		// In words of 4 octets.
		e.want(t, onPort(metric.RDMAReceivedBytes, mock(d)), 4*wide(d, "port_rcv_data"))
		e.want(t, onPort(metric.RDMATransmittedBytes, mock(d)), 4*wide(d, "port_xmit_data"))
		e.want(t, onPort(metric.RDMAReceivedPackets, mock(d)), wide(d, "port_rcv_packets"))
		e.want(t, onPort(metric.RDMATransmittedPackets, mock(d)), wide(d, "port_xmit_packets"))
		e.want(t, onPort(metric.RDMAReceivedUnicastPackets, mock(d)), wide(d, "unicast_rcv_packets"))
		e.want(t, onPort(metric.RDMATransmittedMulticastPackets, mock(d)), wide(d, "multicast_xmit_packets"))
		e.want(t, onPort(metric.RDMAPortTransmitDiscards, mock(d)), narrow("port_xmit_discards", 65535))
		e.want(t, onPort(metric.RDMASymbolErrors, mock(d)), narrow("symbol_error", 65535))
		e.want(t, onPort(metric.RDMALinkDowned, mock(d)), narrow("link_downed", 255))
	}
	e.none(t, metric.RDMAReceivedBytes, "device", "rxe0") // rxe of these kernels counts no bytes
}

// testRawNames compares every file of hw_counters with what comes out under
// its raw name.
func testRawNames(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	e := once(t, g, "--collector.rdma.raw=all")
	names := strings.Fields(g.run(t, "ls /sys/class/infiniband/mock_0/ports/1/hw_counters"))
	checked := 0
	for _, name := range names {
		if name == "lifespan" {
			continue
		}
		for d := range 2 {
			e.want(t, raw(mock(d), name), wide(d, name))
			checked++
		}
	}
	if checked != 60 {
		t.Errorf("%d counters compared, want those 30 of each device that are not optional", checked)
	}
}

func testOptionalCounters(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	const marks = "cc_rx_ce_pkts"
	before := g.mustScrape(t)
	g.run(t, "rdma statistic set link mock_0/1 optional-counters cc_rx_ce_pkts,cc_tx_cnp_pkts")
	on := once(t, g, "--collector.rdma.raw=all")
	on.want(t, raw("mock_0", marks), wide(0, marks))
	on.want(t, raw("mock_0", "cc_tx_cnp_pkts"), wide(0, "cc_tx_cnp_pkts"))
	on.none(t, metric.RDMAHardwareCounter, "counter", "cc_rx_cnp_pkts") // that one stays off
	on.none(t, metric.RDMAHardwareCounter, "counter", marks, "device", "mock_1")
	// The exporter that runs already sees it as well, whatever the name.
	after := g.mustScrape(t)
	if len(after) <= len(before) {
		t.Errorf("a running exporter has %d series with two counters switched on, %d without", len(after), len(before))
	}
	g.run(t, "rdma statistic unset link mock_0/1 optional-counters")
	if again := g.mustScrape(t); len(again) != len(before) {
		t.Errorf("%d series with the counters switched off again, %d before", len(again), len(before))
	}
}

func onPriority(m *metric.Metric, netdev string, p int) string {
	return of(m, "interface", netdev, "priority", strconv.Itoa(p))
}

func testPFC(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	paused := func(enabled ...int) {
		t.Helper()
		e := g.mustScrape(t)
		for p := range 8 {
			on := 0.0
			for _, q := range enabled {
				if p == q {
					on = 1
				}
			}
			e.want(t, onPriority(metric.InterfacePFCEnabled, "mock0", p), on)
			for m, name := range map[*metric.Metric]string{
				metric.InterfacePFCFramesReceived:      "rx_prio%d_pause",
				metric.InterfacePFCFramesTransmitted:   "tx_prio%d_pause",
				metric.InterfacePFCPauseReceived:       "rx_prio%d_pause_duration",
				metric.InterfacePFCPauseTransmitted:    "tx_prio%d_pause_duration",
				metric.InterfacePFCTransitionsReceived: "rx_prio%d_pause_transition",
			} {
				series, value := onPriority(m, "mock0", p), wide(0, fmt.Sprintf(name, p))
				if strings.HasSuffix(name, "duration") {
					value /= 1e6 // microseconds
				}
				if _, there := e[series]; on == 1 {
					e.want(t, series, value)
				} else if there {
					t.Errorf("%s is there while PFC is off for the priority", series)
				}
			}
			// Listed whatever PFC is.
			e.want(t, onPriority(metric.InterfacePriorityBytesReceived, "mock0", p), wide(0, fmt.Sprintf("rx_prio%d_bytes", p)))
		}
		e.want(t, success("ethtool"), 1)
		// The other interface has not changed.
		e.want(t, onPriority(metric.InterfacePFCFramesReceived, "mock1", 3), wide(1, "rx_prio3_pause"))
	}
	paused(3)
	g.run(t, "dcb pfc set dev mock0 prio-pfc all:off 0:on 3:on 5:on")
	paused(0, 3, 5)
	g.run(t, "dcb pfc set dev mock0 prio-pfc all:off")
	paused()
	g.run(t, "dcb pfc set dev mock0 prio-pfc all:off 3:on")
	paused(3)
	e := g.mustScrape(t)
	e.want(t, of(metric.InterfaceReceiveDiscards, "interface", "mock0"), wide(0, "rx_discards_phy"))
	e.none(t, metric.InterfacePFCEnabled, "interface", "veth0") // no DCB there: unknown, not off
}

// testPFCChanges scrapes while PFC is switched, which changes the list of
// statistics, and at times its length, between two calls of a reader. Whatever
// is served must be right.
func testPFCChanges(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	// Names of priority 3, values of priority 4: one change is read once more.
	g.set(t, "statistics_changes", 1)
	e := g.mustScrape(t)
	e.want(t, onPriority(metric.InterfacePFCFramesReceived, "mock0", 4), wide(0, "rx_prio4_pause"))
	e.none(t, metric.InterfacePFCFramesReceived, "interface", "mock0", "priority", "3")
	e.want(t, success("ethtool"), 1)
	// A list that changes again is given up, for this scrape and this interface.
	g.set(t, "statistics_changes", 2)
	e = g.mustScrape(t)
	e.none(t, metric.InterfacePFCFramesReceived, "interface", "mock0")
	e.none(t, metric.InterfacePriorityBytesReceived, "interface", "mock0")
	e.want(t, onPriority(metric.InterfacePFCFramesReceived, "mock1", 3), wide(1, "rx_prio3_pause"))
	e.want(t, success("ethtool"), 0)
	e = g.mustScrape(t)
	e.want(t, onPriority(metric.InterfacePFCFramesReceived, "mock0", 6), wide(0, "rx_prio6_pause"))
	e.want(t, success("ethtool"), 1)

	// The same by chance, with lists of several lengths.
	g.run(t, `(while :; do
		dcb pfc set dev mock0 prio-pfc all:off 1:on 4:on 7:on
		dcb pfc set dev mock0 prio-pfc all:off 0:on 3:on 6:on
		dcb pfc set dev mock0 prio-pfc all:off
		done) >/dev/null 2>&1 & echo $! >/tmp/toggle.pid`)
	right := 0
	for range 40 {
		e := g.mustScrape(t)
		for p := range 8 {
			for m, name := range map[*metric.Metric]string{
				metric.InterfacePFCFramesReceived:          "rx_prio%d_pause",
				metric.InterfacePFCFramesTransmitted:       "tx_prio%d_pause",
				metric.InterfacePriorityBytesReceived:      "rx_prio%d_bytes",
				metric.InterfacePriorityPacketsTransmitted: "tx_prio%d_packets",
				metric.InterfacePriorityCongestionDiscards: "rx_prio%d_cong_discard",
				metric.InterfacePFCTransitionsReceived:     "rx_prio%d_pause_transition",
			} {
				if _, ok := e[onPriority(m, "mock0", p)]; ok {
					e.want(t, onPriority(m, "mock0", p), wide(0, fmt.Sprintf(name, p)))
					right++
				}
			}
		}
		e.want(t, onPriority(metric.InterfacePFCFramesReceived, "mock1", 3), wide(1, "rx_prio3_pause"))
	}
	t.Logf("%d series compared", right)
	if right == 0 {
		t.Error("no scrape had statistics of mock0 while PFC was being switched")
	}
	g.run(t, "kill $(cat /tmp/toggle.pid); sleep 0.3; dcb pfc set dev mock0 prio-pfc all:off 3:on")
	g.eventually(t, 5*time.Second, func(e exposition) error {
		return errors.Join(e.check(onPriority(metric.InterfacePFCFramesReceived, "mock0", 3), wide(0, "rx_prio3_pause")),
			e.check(success("ethtool"), 1))
	})
}

func testLinkDown(t *testing.T, g *guest) {
	g.run(t, "ip link set mock1 down")
	e := g.mustScrape(t)
	e.want(t, onPort(metric.RDMAPortUp, "mock_1"), 0)
	e.want(t, onPort(metric.RDMAPortState, "mock_1"), 1)
	e.want(t, onPort(metric.RDMAPortPhysicalState, "mock_1"), 3)
	e.want(t, of(metric.InterfaceUp, "interface", "mock1"), 0)
	// The kernel shows a rate and a speed all the same.
	e.none(t, metric.RDMAPortRate, "device", "mock_1")
	e.none(t, metric.InterfaceSpeed, "interface", "mock1")
	e.want(t, onPort(metric.RDMAPortUp, "mock_0"), 1)
	e.want(t, success("rdma"), 1)
	e.want(t, success("interface"), 1)
	g.run(t, "ip link set mock1 up")
	g.eventually(t, 10*time.Second, func(e exposition) error {
		return errors.Join(e.check(onPort(metric.RDMAPortUp, "mock_1"), 1), e.check(of(metric.InterfaceSpeed, "interface", "mock1"), 100e9/8))
	})
}

// once runs a second exporter, which scans anew, and returns what it says.
func once(t *testing.T, g *guest, flags string) exposition {
	t.Helper()
	out := g.run(t, "unprivileged '/guest/roce_exporter --once "+flags+"' 2>/tmp/once.log || { status=$?; cat /tmp/once.log; exit $status; }")
	e, err := parse(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// testVLANAndBond builds interfaces above those of the ports: they own GIDs of
// the ports too.
func testVLANAndBond(t *testing.T, g *guest) {
	g.run(t, `modprobe -a 8021q bonding
		ip link add link mock0 name mock0.100 type vlan id 100
		ip link set mock0.100 up
		ip addr add 10.98.0.1/24 dev mock0.100
		ip link add bond0 type bond mode active-backup
		ip link set mock1 down
		ip link set mock1 master bond0
		ip link set bond0 up
		ip addr add 10.97.0.1/24 dev bond0
		sleep 1`)
	e := once(t, g, "")
	role := func(device, netdev, role string) {
		t.Helper()
		e.want(t, of(metric.RDMAPortInterfaceInfo, "device", device, "port", "1", "interface", netdev, "role", role), 1)
	}
	role("mock_0", "mock0", "port")
	role("mock_0", "mock0.100", "vlan")
	role("mock_1", "mock1", "port")
	role("mock_1", "bond0", "lag")
	e.some(t, metric.InterfaceInfo, "interface", "mock1", "master", "bond0")
	// PFC is a matter of the port's interface, whatever is above it.
	e.want(t, onPriority(metric.InterfacePFCEnabled, "mock1", 3), 1)
	e.none(t, metric.InterfacePFCEnabled, "interface", "bond0")
	e.none(t, metric.InterfacePFCEnabled, "interface", "mock0.100")
	g.run(t, "ip link del mock0.100; ip link set mock1 nomaster; ip link del bond0; ip link set mock1 up; ip link set mock0 up")
	g.eventually(t, 10*time.Second, func(e exposition) error { return e.check(onPort(metric.RDMAPortUp, "mock_1"), 1) })
}

// testRename does what udev does to a device that has just appeared.
func testRename(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	g.run(t, "rdma dev set mock_1 name rocep1s0f1")
	g.eventually(t, 10*time.Second, func(e exposition) error {
		if left := e.match("roce_rdma_", "device", "mock_1"); len(left) > 0 {
			return fmt.Errorf("%s is there, though the device is called otherwise now", left[0])
		}
		return errors.Join(e.check(of(metric.ExporterDevices), 4),
			e.check(onPort(metric.RDMAOutOfSequencePacketsReceived, "rocep1s0f1"), wide(1, "out_of_sequence")),
			e.check(success("rdma"), 1))
	})
	g.run(t, "rdma dev set rocep1s0f1 name mock_1")
	// Scans of a device whose interface changed are ten seconds apart.
	g.run(t, "ip link set mock1 down; ip link set mock1 name ens1f1; ip link set ens1f1 up")
	g.eventually(t, 30*time.Second, func(e exposition) error {
		if left := e.match("roce_interface_", "interface", "mock1"); len(left) > 0 {
			return fmt.Errorf("%s is there, though the interface is called otherwise now", left[0])
		}
		return errors.Join(e.check(onPriority(metric.InterfacePFCFramesReceived, "ens1f1", 3), wide(1, "rx_prio3_pause")),
			e.check(of(metric.RDMAPortInterfaceInfo, "device", "mock_1", "port", "1", "interface", "ens1f1", "role", "port"), 1))
	})
	g.run(t, "ip link set ens1f1 down; ip link set ens1f1 name mock1; ip link set mock1 up")
	g.eventually(t, 30*time.Second, func(e exposition) error {
		return e.check(onPriority(metric.InterfacePFCFramesReceived, "mock1", 3), wide(1, "rx_prio3_pause"))
	})
}

func testLinkPause(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	// mlx5 counts PFC as link pause too, so with PFC on the number says nothing.
	e := g.mustScrape(t)
	e.none(t, metric.InterfacePauseFramesReceived, "interface", "mock0")
	e.none(t, metric.InterfacePauseFramesTransmitted, "interface", "mock0")
	g.run(t, "dcb pfc set dev mock0 prio-pfc all:off; ethtool -A mock0 rx on tx on")
	e = g.mustScrape(t)
	e.want(t, of(metric.InterfacePauseFramesReceived, "interface", "mock0"), wide(0, "rx_pause_frames"))
	e.want(t, of(metric.InterfacePauseFramesTransmitted, "interface", "mock0"), wide(0, "tx_pause_frames"))
	e.want(t, of(metric.InterfacePauseReceived, "interface", "mock0"), wide(0, "rx_global_pause_duration")/1e6)
	e.none(t, metric.InterfacePauseFramesReceived, "interface", "mock1")
	e.none(t, metric.InterfacePauseFramesTransmitted, "interface", "mock1")
	g.run(t, "ethtool -A mock0 rx off tx off; dcb pfc set dev mock0 prio-pfc all:off 3:on")
	e = g.mustScrape(t)
	e.none(t, metric.InterfacePauseFramesReceived, "interface", "mock0")
	e.none(t, metric.InterfacePauseFramesTransmitted, "interface", "mock0")
}

// testOtherNamespace is what a container without the host's network sees:
// sysfs hides the counters there, RDMA netlink does not.
func testOtherNamespace(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	g.run(t, "ip netns add other")
	out := g.run(t, "ip netns exec other ls /sys/class/infiniband/mock_0/ports/1")
	if strings.Contains(out, "hw_counters") {
		t.Errorf("the step tests nothing: another namespace sees hw_counters in sysfs\n%s", out)
	}
	e := onceIn(t, g, "other")
	for d := range 2 {
		e.want(t, onPort(metric.RDMAOutOfSequencePacketsReceived, mock(d)), wide(d, "out_of_sequence"))
		e.want(t, onPort(metric.RDMAPortUp, mock(d)), 1)
	}
	e.some(t, metric.RDMATransmittedPackets, "device", "rxe0")
	e.none(t, metric.InterfacePFCEnabled)
	e.none(t, metric.InterfacePFCFramesReceived)
	g.run(t, "ip netns del other")
}

// onceIn runs an exporter in another network namespace. It fails the test if one
// of its collectors fails, for then its exit status is 1.
func onceIn(t *testing.T, g *guest, namespace string) exposition {
	t.Helper()
	e, err := parse(strings.NewReader(g.run(t, "ip netns exec "+namespace+
		` su -s /bin/sh nobody -c "exec /guest/roce_exporter --once" 2>/tmp/once.log || { status=$?; cat /tmp/once.log; exit $status; }`)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// testExclusiveNamespaces is the kernel's other mode: a device belongs to one
// network namespace and exists in no other.
func testExclusiveNamespaces(t *testing.T, g *guest) {
	g.run(t, "rdma system set netns exclusive && ip netns add other")
	e := onceIn(t, g, "other")
	e.want(t, of(metric.ExporterDevices), 0)
	e.none(t, metric.RDMAPortUp)
	g.mustScrape(t).want(t, of(metric.ExporterDevices), 4)
	// The namespace is gone a little later than the command says.
	g.run(t, "ip netns del other; for i in 1 2 3 4 5 6 7 8 9 10; do rdma system set netns shared && break; sleep 0.5; done; rdma system | grep shared")
}

// testTraffic sends real RDMA writes over a cable that loses packets.
func testTraffic(t *testing.T, g *guest) {
	before := g.mustScrape(t)
	g.run(t, `tc qdisc add dev veth0 root netem loss 3%; tc qdisc add dev veth1 root netem loss 3%
		(traffic) >/tmp/traffic.log 2>&1 & echo $! >/tmp/traffic.pid`)
	moved := func(e exposition, m *metric.Metric, device string) error {
		series := onPort(m, device)
		if was, ok := before[series]; !ok {
			return fmt.Errorf("%s was absent before the traffic", series)
		} else if e[series] <= was {
			return fmt.Errorf("%s stays %v under traffic with loss", series, was)
		}
		return nil
	}
	g.eventually(t, 90*time.Second, func(e exposition) error {
		return errors.Join(
			moved(e, metric.RDMATransmittedPackets, "rxe0"),
			moved(e, metric.RDMAReceivedPackets, "rxe1"),
			moved(e, metric.RDMATransmittedPackets, "rxe1"), // acknowledgements
			// Loss on the way to the responder.
			moved(e, metric.RDMAOutOfSequencePacketsReceived, "rxe1"),
			// What it makes the requester do.
			moved(e, metric.RDMAPacketSequenceErrors, "rxe0"))
	})
	g.run(t, `kill $(cat /tmp/traffic.pid); for p in /proc/[0-9]*; do case $(readlink $p/exe) in */ib_write_bw) kill ${p#/proc/} ;; esac; done
		tc qdisc del dev veth0 root; tc qdisc del dev veth1 root`)
}

// testHangingDevice has one device block in the kernel.
func testHangingDevice(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	g.set(t, "hang_device", 0)
	defer g.set(t, "hang_device", -1) // also when this step fails: the next ones go on
	var e exposition
	for range 3 {
		start := time.Now()
		var err error
		const timeout = 3 * time.Second
		if e, err = g.scrape(timeout); err != nil {
			t.Fatal(err)
		}
		// An emulated machine on a busy one may need a second more.
		if took := time.Since(start); took > timeout+time.Second {
			t.Errorf("a scrape that may take %v took %v", timeout, took)
		}
		e.none(t, metric.RDMAOutOfSequencePacketsReceived, "device", "mock_0")
		e.want(t, onPort(metric.RDMAOutOfSequencePacketsReceived, "mock_1"), wide(1, "out_of_sequence"))
		e.some(t, metric.RDMATransmittedPackets, "device", "rxe0")
		e.want(t, onPriority(metric.InterfacePFCFramesReceived, "mock0", 3), wide(0, "rx_prio3_pause"))
		e.want(t, success("rdma"), 0)
	}
	e.want(t, of(metric.ExporterStuck, "collector", "rdma"), 1)
	// One reader is stuck, not one for each scrape. The mock sleeps in short
	// naps, so that a single look can find it awake.
	if n := strings.TrimSpace(g.run(t, pid+`most=0
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			now=$(cat /proc/$pid/task/*/stat | grep -c ') D ') || true
			[ "$now" -le "$most" ] || most=$now
			sleep 0.05
		done
		echo "$most"`)); n != "1" {
		t.Errorf("%s threads of the exporter block in the kernel, want 1", n)
	}
	g.set(t, "hang_device", -1)
	g.eventually(t, 10*time.Second, func(e exposition) error {
		return errors.Join(
			e.check(onPort(metric.RDMAOutOfSequencePacketsReceived, "mock_0"), wide(0, "out_of_sequence")),
			e.check(of(metric.ExporterStuck, "collector", "rdma"), 0),
			e.check(success("rdma"), 1))
	})
}

func testFailingDevice(t *testing.T, g *guest) {
	g.set(t, "tick", tick)
	g.set(t, "eio_device", 0)
	time.Sleep(50 * time.Millisecond) // the kernel keeps values for 10 ms
	e := g.mustScrape(t)
	e.none(t, metric.RDMAOutOfSequencePacketsReceived, "device", "mock_0")
	// Not even the same device's other directory.
	e.want(t, onPort(metric.RDMAReceivedBytes, "mock_0"), 4*wide(0, "port_rcv_data"))
	e.want(t, onPort(metric.RDMAPortUp, "mock_0"), 1)
	e.want(t, onPort(metric.RDMAOutOfSequencePacketsReceived, "mock_1"), wide(1, "out_of_sequence"))
	e.want(t, success("rdma"), 0)
	e.some(t, metric.ExporterReadErrors, "collector", "rdma", "device", "mock_0", "reason", "eio")
	g.set(t, "eio_device", -1)
	g.eventually(t, 10*time.Second, func(e exposition) error {
		return errors.Join(
			e.check(onPort(metric.RDMAOutOfSequencePacketsReceived, "mock_0"), wide(0, "out_of_sequence")),
			e.check(success("rdma"), 1))
	})
}

// testUnload takes the driver away under the exporter, and brings it back.
func testUnload(t *testing.T, g *guest) {
	g.run(t, "rmmod roce_mock")
	e := g.eventually(t, 15*time.Second, func(e exposition) error {
		left := append(e.match("roce_", "device", "mock_0"), e.match("roce_", "interface", "mock0")...)
		if left = slices.DeleteFunc(left, func(s string) bool { return strings.HasPrefix(s, "roce_exporter_") }); len(left) > 0 {
			return fmt.Errorf("%s is there without its device", left[0])
		}
		return e.check(of(metric.ExporterDevices), 2)
	})
	for _, d := range []string{"rxe0", "rxe1"} {
		e.want(t, onPort(metric.RDMAPortUp, d), 1)
		e.some(t, metric.RDMATransmittedPackets, "device", d)
	}
	for _, c := range []string{"rdma", "interface", "ethtool", "dcb", "pause"} {
		e.want(t, success(c), 1)
	}
	g.run(t, fmt.Sprintf("insmod /guest/roce_mock.ko tick=%d devices=1; ip link set mock0 up", tick))
	g.eventually(t, 15*time.Second, func(e exposition) error {
		return errors.Join(
			e.check(onPort(metric.RDMAOutOfSequencePacketsReceived, "mock_0"), wide(0, "out_of_sequence")),
			e.check(onPriority(metric.InterfacePFCFramesReceived, "mock0", 3), wide(0, "rx_prio3_pause")),
			e.check(of(metric.ExporterDevices), 3))
	})
}

// testReload takes the driver away and brings it back a few times: nothing may
// pile up in the exporter.
func testReload(t *testing.T, g *guest) {
	cycle := func() {
		g.run(t, "rmmod roce_mock")
		g.eventually(t, 15*time.Second, func(e exposition) error { return e.check(of(metric.ExporterDevices), 2) })
		g.run(t, fmt.Sprintf("insmod /guest/roce_mock.ko tick=%d; ip link set mock0 up; ip link set mock1 up", tick))
		g.eventually(t, 15*time.Second, func(e exposition) error {
			return errors.Join(e.check(of(metric.ExporterDevices), 4), e.check(success("rdma"), 1), e.check(success("ethtool"), 1),
				e.check(onPort(metric.RDMAOutOfSequencePacketsReceived, "mock_1"), wide(1, "out_of_sequence")),
				e.check(onPriority(metric.InterfacePFCFramesReceived, "mock1", 3), wide(1, "rx_prio3_pause")))
		})
	}
	descriptors := func() int {
		n, err := strconv.Atoi(strings.TrimSpace(g.run(t, pid+"ls /proc/$pid/fd | wc -l")))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	cycle()
	before := descriptors()
	for range 5 {
		cycle()
	}
	// One or two are the connections of scrapes.
	if after := descriptors(); after > before+3 {
		t.Errorf("the exporter has %d open files, %d before the driver was loaded anew five times", after, before)
	}
}

// testKernelLog looks for what went wrong in the kernel, which would be the
// mock's fault, and in the exporter.
func testKernelLog(t *testing.T, g *guest) {
	for _, l := range strings.Split(g.run(t, "dmesg"), "\n") {
		for _, bad := range []string{"BUG:", "WARNING:", "Oops", "Call Trace", "general protection", "use-after-free"} {
			if strings.Contains(l, bad) {
				t.Errorf("kernel log: %s", l)
			}
		}
	}
	if log := g.run(t, "cat /tmp/exporter.log"); strings.Contains(log, "panic") || strings.Contains(log, "goroutine ") {
		t.Errorf("the exporter's log:\n%s", log)
	}
}

var recordTo = flag.String("record", "", "write a recording of each kernel to this directory")

// testRecord writes what the kernel says as a recording for the fast tests.
func testRecord(t *testing.T, g *guest, series string) {
	if *recordTo == "" {
		t.Skip("only with -record DIRECTORY")
	}
	g.set(t, "tick", tick)
	out := g.run(t, `/guest/recorder "$(cat <<'COMMENT'
recorded: the kernel of Debian, `+strings.TrimSpace(g.run(t, "uname -r"))+`, under qemu. rxe1 is
soft-RoCE, which received RDMA writes over a cable that lost packets; mock_0 is
the module of kerneltest/mock, which has mlx5's names and invented values.
GID and P_Key slots above 7, power/, queues/ and statistics/ are left out.
COMMENT
)" rxe1 mock_0`)
	if err := os.WriteFile(filepath.Join(*recordTo, "rxe_kernel_"+series+".txtar"), []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
