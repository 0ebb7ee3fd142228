// Package sysfs reads a sysfs tree, real or recorded, with few system calls.
//
// A file that is read at every scrape is kept open and read with one pread: on
// kernfs a read at offset 0 runs the driver's callback afresh (fs/seq_file.c),
// so nothing is stale, and openat, close and the poller's registration are
// saved. An open descriptor does not hold the device: kernfs drains it when the
// device goes, and the next read says ENODEV (fs/kernfs/file.c).
package sysfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
	"syscall"
)

// MaxFile is the largest file that is read, in bytes: a sysfs attribute is at
// most one page (Documentation/filesystems/sysfs.rst).
const MaxFile = 4096

// ErrNotANumber says that a file that should hold one unsigned decimal number
// holds something else.
var ErrNotANumber = errors.New("not an unsigned decimal number")

// ErrNotAvailable says that a file holds the words "N/A (no PMA)", which
// kernels of the 4.x and 5.x series print, with success, for a counter that
// the device does not have.
var ErrNotAvailable = errors.New("not available on this device")

// Tree is a sysfs tree. It is safe for concurrent use; a Kept file is not.
type Tree struct {
	fsys fs.FS
}

// New returns the tree in fsys, whose root is what is mounted at /sys. Reads of
// kept files use io.ReaderAt where fsys's files have it.
func New(fsys fs.FS) *Tree { return &Tree{fsys: fsys} }

// Names returns the sorted names of the entries of directory dir.
func (t *Tree) Names(dir string) ([]string, error) {
	entries, err := fs.ReadDir(t.fsys, dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	sort.Strings(names)
	return names, nil
}

// Exists says whether name is there, following links.
func (t *Tree) Exists(name string) bool {
	_, err := fs.Stat(t.fsys, name)
	return err == nil
}

// Text returns the content of file name without white space at its ends. The
// file is opened, read once and closed.
func (t *Tree) Text(name string) (string, error) {
	k := t.Keep(name)
	defer k.Close()
	b, err := k.Bytes()
	return strings.TrimSpace(string(b)), err
}

// Link returns the target of symbolic link name as it is written.
func (t *Tree) Link(name string) (string, error) {
	return fs.ReadLink(t.fsys, name)
}

// LinkBase returns the last element of the target of symbolic link name, or ""
// where there is no such link: the driver of a device, the address of a PCI
// function.
func (t *Tree) LinkBase(name string) string {
	target, err := t.Link(name)
	if err != nil {
		return ""
	}
	return path.Base(target)
}

// Kept is a file that is read again and again. It is opened by the first read,
// stays open until Close, and is opened anew after a read that failed.
// One goroutine may use it at a time.
type Kept struct {
	tree *Tree
	name string
	file fs.File
	buf  []byte
}

// Keep returns file name of the tree, not yet opened.
func (t *Tree) Keep(name string) *Kept { return &Kept{tree: t, name: name} }

// Name returns the file's path in the tree.
func (k *Kept) Name() string { return k.name }

// Bytes returns the file's content as the kernel gives it now, valid until the
// next read. It is one system call when the file is open already.
func (k *Kept) Bytes() ([]byte, error) {
	if k.file == nil {
		f, err := k.tree.fsys.Open(k.name)
		if err != nil {
			return nil, err
		}
		k.file = f
	}
	if k.buf == nil {
		// Counters are short; a longer file makes the buffer grow below.
		k.buf = make([]byte, 64)
	}
	n, err := k.read()
	if err == nil && n == len(k.buf) && len(k.buf) < MaxFile {
		k.buf = make([]byte, MaxFile)
		n, err = k.read()
	}
	if err != nil {
		k.Close()
		return nil, fmt.Errorf("read %s: %w", k.name, errnoOf(err))
	}
	// tar fills the files of sysfs up to the page that they claim to have.
	b, _, _ := bytes.Cut(k.buf[:n], nul)
	return b, nil
}

var nul = []byte{0}

// read fills the buffer from the start of the file with one read.
func (k *Kept) read() (int, error) {
	if r, ok := k.file.(interface {
		ReadAt(p []byte, off int64) (int, error)
	}); ok {
		n, err := r.ReadAt(k.buf, 0)
		return n, ignoreEOF(err)
	}
	// No random access: start over with a new descriptor.
	k.file.Close()
	f, err := k.tree.fsys.Open(k.name)
	if err != nil {
		k.file = nil
		return 0, err
	}
	k.file = f
	n, err := f.Read(k.buf)
	return n, ignoreEOF(err)
}

// Uint returns the file's content as a number.
func (k *Kept) Uint() (uint64, error) {
	b, err := k.Bytes()
	if err != nil {
		return 0, err
	}
	v, err := ParseUint(b)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", k.name, err)
	}
	return v, nil
}

// Close closes the descriptor; the next read opens the file anew.
func (k *Kept) Close() {
	if k.file != nil {
		k.file.Close()
		k.file = nil
	}
}

// ParseUint parses the content of a counter file: decimal digits, then at most
// white space.
//
// Errors: ErrNotAvailable for the kernel's "N/A (no PMA)", ErrNotANumber for
// anything else, a number above 64 bits included.
func ParseUint(b []byte) (uint64, error) {
	n := len(b)
	for n > 0 && (b[n-1] == '\n' || b[n-1] == ' ') {
		n--
	}
	if n == 0 {
		return 0, fmt.Errorf("%w: empty", ErrNotANumber)
	}
	if strings.HasPrefix(string(b[:n]), "N/A") {
		return 0, ErrNotAvailable
	}
	var v uint64
	for _, c := range b[:n] {
		d := uint64(c - '0')
		if d > 9 || v > (1<<64-1-d)/10 {
			return 0, fmt.Errorf("%w: %.32q", ErrNotANumber, b[:n])
		}
		v = v*10 + d
	}
	return v, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// errnoOf takes the errno out of a PathError, whose path a kept file's error
// names already.
func errnoOf(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
