//go:build kernel

// Recorder writes what this host's kernel says about RDMA devices and their
// interfaces as a recording, the format of which collector/hosttest has.
//
//	recorder COMMENT DEVICE...
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/tools/txtar"

	"github.com/roce-exporter/roce_exporter/collector/host/dcb"
	"github.com/roce-exporter/roce_exporter/collector/host/ethtool"
	"github.com/roce-exporter/roce_exporter/collector/host/rdmanl"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: recorder COMMENT DEVICE...")
	}
	r := &recording{members: make(map[string]string)}
	var interfaces []string
	for _, device := range os.Args[2:] {
		r.class("infiniband", device)
		interfaces = append(interfaces, r.rdma(device)...)
	}
	for _, i := range interfaces {
		r.class("net", i)
		r.netif(i)
	}
	if r.err != nil {
		log.Fatal(r.err)
	}
	a := &txtar.Archive{Comment: []byte(os.Args[1] + "\n")}
	for name, content := range r.members {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(content)})
	}
	sort.Slice(a.Files, func(i, j int) bool { return a.Files[i].Name < a.Files[j].Name })
	os.Stdout.Write(txtar.Format(a))
}

// recording gathers members, and the errors that make it useless.
type recording struct {
	members map[string]string
	err     error
}

func (r *recording) fail(what string, err error) bool {
	if err != nil {
		r.err = errors.Join(r.err, fmt.Errorf("%s: %w", what, err))
	}
	return err != nil
}

// skip are directories, and one file, that say nothing about RoCE and are many.
var skip = map[string]bool{"power": true, "queues": true, "statistics": true, "msi_irqs": true, "uevent": true}

// class records the link /sys/class/CLASS/NAME and the directory that it leads
// to, and the links above that say which driver and bus its device is of.
func (r *recording) class(class, name string) {
	link := filepath.Join("/sys/class", class, name)
	target, err := os.Readlink(link)
	if r.fail(link, err) {
		return
	}
	r.members["sys/class/"+class+"/"+name+" -> "+target] = ""
	dir := filepath.Join("/sys/class", class, target)
	r.fail(dir, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case skip[d.Name()] && d.IsDir():
			return fs.SkipDir
		case skip[d.Name()]:
		case d.Type()&fs.ModeSymlink != 0:
			r.link(p)
		case d.Type().IsRegular() && !manySlots(p):
			r.file(p)
		}
		return nil
	}))
	if device := filepath.Join(dir, "device"); exists(device) {
		real, err := filepath.EvalSymlinks(device)
		r.fail(device, err)
		for _, l := range []string{"driver", "subsystem"} {
			if exists(filepath.Join(real, l)) {
				r.link(filepath.Join(real, l))
			}
		}
	}
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// manySlots says whether p is a slot of a GID or P_Key table above 7.
func manySlots(p string) bool {
	switch filepath.Base(filepath.Dir(p)) {
	case "gids", "types", "ndevs", "pkeys":
		slot := filepath.Base(p)
		return len(slot) > 1 || slot > "7"
	}
	return false
}

func (r *recording) link(p string) {
	target, err := os.Readlink(p)
	if !r.fail(p, err) {
		r.members[p[1:]+" -> "+target] = ""
	}
}

func (r *recording) file(p string) {
	if i, err := os.Stat(p); err != nil || i.Mode().Perm()&0o444 == 0 {
		return
	}
	b, err := os.ReadFile(p)
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		r.members[p[1:]+" !"+unix.ErrnoName(errno)] = ""
	case !r.fail(p, err):
		r.members[p[1:]] = string(b)
	}
}

// rdma records what RDMA netlink says about a device and returns its ports'
// interfaces.
func (r *recording) rdma(name string) (interfaces []string) {
	c, err := rdmanl.Dial()
	if r.fail(name, err) {
		return nil
	}
	defer c.Close()
	devices, err := c.Devices()
	r.fail(name, err)
	for _, d := range devices {
		if d.Name != name {
			continue
		}
		id, known, err := c.DriverID(d.Index)
		r.fail(name, err)
		var b strings.Builder
		fmt.Fprintf(&b, "index: %d\nprotocol: %s\n", d.Index, d.Protocol)
		if known {
			fmt.Fprintf(&b, "driver_id: %d\n", id)
		}
		fmt.Fprintf(&b, "ports: %d\n", d.Ports)
		if d.Firmware != "" {
			fmt.Fprintf(&b, "firmware: %s\n", d.Firmware)
		}
		fmt.Fprintf(&b, "node_guid: %s\nsys_image_guid: %s\nnode_type: %d\n", guid(d.NodeGUID), guid(d.SystemImageGUID), d.NodeType)
		r.members["rdma/"+name] = b.String()
		for n := uint32(1); n <= d.Ports; n++ {
			member := fmt.Sprintf("rdma/%s/%d", name, n)
			p, err := c.Port(d.Index, n)
			if r.fail(member, err) {
				continue
			}
			state := fmt.Sprintf("state: %d\nphysical_state: %d\n", p.State, p.PhysicalState)
			if p.Interface != "" {
				state += fmt.Sprintf("interface: %s\nifindex: %d\n", p.Interface, p.InterfaceIndex)
				interfaces = append(interfaces, p.Interface)
			}
			r.members[member] = state
			counters, err := c.PortCounters(d.Index, n, nil)
			if r.fail(member, err) {
				continue
			}
			b.Reset()
			for _, k := range counters {
				fmt.Fprintf(&b, "%s: %d\n", k.Name, k.Value)
			}
			r.members[member+"/counters"] = b.String()
		}
		return interfaces
	}
	r.fail(name, errors.New("no such RDMA device"))
	return nil
}

// guid writes a GUID as sysfs does.
func guid(v uint64) string {
	return fmt.Sprintf("%04x:%04x:%04x:%04x", v>>48, v>>32&0xffff, v>>16&0xffff, v&0xffff)
}

// netif records ethtool and DCB of an interface. What its driver does not know
// is left out.
func (r *recording) netif(name string) {
	s, err := ethtool.NewSocket()
	if r.fail(name, err) {
		return
	}
	defer s.Close()
	if i, err := ethtool.DriverInfo(s, name); err == nil {
		r.members["ethtool/"+name+"/driver"] = fmt.Sprintf("driver: %s\nversion: %s\nfirmware-version: %s\nbus-info: %s\n", i.Driver, i.Version, i.Firmware, i.Bus)
	}
	statistics := ethtool.NewStatistics(s, name)
	defer statistics.Close()
	var b strings.Builder
	if names, values, _, err := statistics.Read(); err == nil {
		for i, n := range names {
			fmt.Fprintf(&b, "%s: %d\n", n, values[i])
		}
		r.members["ethtool/"+name+"/statistics"] = b.String()
	}
	if n, err := ethtool.DialNetlink(); !r.fail(name, err) {
		defer n.Close()
		if p, err := n.Pause(name); err == nil && p.HasReceived && p.HasTransmitted {
			r.members["ethtool/"+name+"/pause"] = fmt.Sprintf("rx: %d\ntx: %d\n", p.Received, p.Transmitted)
		}
	}
	if d, err := dcb.Dial(); !r.fail(name, err) {
		defer d.Close()
		if p, ok, err := d.PFC(name); err == nil && ok {
			var on []string
			for i := range 8 {
				if p.Enabled>>i&1 == 1 {
					on = append(on, fmt.Sprint(i))
				}
			}
			list := func(v [8]uint64) string { return strings.Trim(fmt.Sprint(v), "[]") }
			r.members["dcb/"+name+"/pfc"] = fmt.Sprintf("capable: %d\nenabled: %s\nrequests: %s\nindications: %s\n",
				p.Capable, strings.Join(on, " "), list(p.Requests), list(p.Indications))
		}
	}
}
