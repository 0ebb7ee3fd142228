package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/roce-exporter/roce_exporter/collector"
	"github.com/roce-exporter/roce_exporter/collector/host"
	"github.com/roce-exporter/roce_exporter/collector/host/dcb"
	"github.com/roce-exporter/roce_exporter/collector/host/ethtool"
	"github.com/roce-exporter/roce_exporter/collector/host/rdmanl"
	"github.com/roce-exporter/roce_exporter/collector/host/sysfs"
)

// hostSources makes the sources of this host that the flags ask for, and what
// the landing page says about it.
func hostSources(o *options, log *slog.Logger) ([]collector.Source, func() []collector.Section, error) {
	include, err := wholeName("collector.rdma.device-include", o.include)
	if err != nil {
		return nil, nil, err
	}
	exclude, err := wholeName("collector.rdma.device-exclude", o.exclude)
	if err != nil {
		return nil, nil, err
	}
	dir, err := sysfs.OpenDir(o.sysfs)
	if err != nil {
		return nil, nil, fmt.Errorf("--path.sysfs=%s: %w", o.sysfs, err)
	}
	if _, err := dir.Stat("class"); err != nil {
		return nil, nil, fmt.Errorf("--path.sysfs=%s: not a sysfs, nor a copy of one: %w", o.sysfs, err)
	}
	kernel := host.Kernel{Sysfs: dir}
	live := dir.IsSysfs()
	if live {
		socket, err := ethtool.NewSocket()
		if err != nil {
			return nil, nil, fmt.Errorf("no socket for ethtool statistics: %w", err)
		}
		kernel.Ethtool = socket
		kernel.RDMA = rdmanl.Dial
		kernel.Pause = ethtool.DialNetlink
		kernel.DCB = dcb.Dial
	}
	on := func(name string) bool { return *o.enabled[name] }
	h := host.New(host.Config{
		Kernel: kernel, Include: include, Exclude: exclude, Raw: host.Raw(o.raw), Logger: log,
		WithoutEthtool: !on("ethtool"),
	})
	var sources []collector.Source
	var skipped []string
	add := func(name string, needsKernel bool, s collector.Source) {
		switch {
		case !on(name):
		case needsKernel && !live:
			skipped = append(skipped, name)
		default:
			sources = append(sources, s)
		}
	}
	add("rdma", false, h.RDMA())
	add("interface", false, h.Interface())
	add("ethtool", true, h.Ethtool())
	add("dcb", true, h.DCB())
	add("pause", true, h.Pause())
	if len(skipped) > 0 {
		log.Info("this is a copied tree: collectors that ask the kernel are skipped", "path.sysfs", o.sysfs, "skipped", skipped)
	}
	if len(sources) == 0 {
		log.Warn("all collectors are switched off or skipped: nothing will be collected")
	}
	if _, err := dir.Stat("class/infiniband"); errors.Is(err, fs.ErrNotExist) {
		if live {
			log.Info("this host has no RDMA devices now; they are served when they appear", "kernel", rdmaSupport())
		} else {
			log.Warn("the copied tree has no class/infiniband: no RDMA devices", "path.sysfs", o.sysfs)
		}
	}
	return sources, func() []collector.Section { return hostSections(h, o, live, skipped) }, nil
}

// rdmaSupport says, for people, whether the kernel has RDMA at all.
func rdmaSupport() string {
	c, err := rdmanl.Dial()
	if err != nil {
		return fmt.Sprintf("has no RDMA: %v; is ib_core loaded?", err)
	}
	c.Close()
	return "has RDMA"
}

// hostSections is what the landing page says about this host.
func hostSections(h *host.Host, o *options, live bool, skipped []string) []collector.Section {
	devices := collector.Section{
		Title:  "RDMA devices",
		Header: []string{"Device", "Driver", "Protocol", "PCI function", "Kind", "Ports and interfaces", "Counters from", "Remarks"},
	}
	for _, d := range h.Devices() {
		devices.Rows = append(devices.Rows, []string{d.Name, d.Driver, d.Protocol, d.PCI, d.Function, d.Ports, d.Via, d.Remark})
	}
	if len(devices.Rows) == 0 {
		devices.Text = "None found, or not scraped yet. This page and /metrics show them as soon as the kernel has one."
	}
	system := collector.Section{Title: "This process", Header: []string{"What", "How it is"}}
	system.Rows = append(system.Rows, []string{"sysfs", o.sysfs})
	if live {
		system.Rows = append(system.Rows, []string{"Kernel", rdmaSupport()})
	} else {
		system.Rows = append(system.Rows, []string{"Kernel", fmt.Sprintf("not asked: %s is a copied tree; skipped: %v", o.sysfs, skipped)})
	}
	system.Rows = append(system.Rows,
		[]string{"User", fmt.Sprintf("uid %d", os.Geteuid())},
		[]string{"Privileges", "Nothing here needs a capability or root. What this user may still not read is listed above under Cannot read."})
	return []collector.Section{devices, system}
}
