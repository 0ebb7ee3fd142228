package sysfs

import (
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Dir is a directory of the host as a file system whose files cost as few
// system calls as can be: os.File registers each descriptor with the runtime's
// poller (fcntl, epoll_ctl), which sysfs attributes have no use for.
type Dir struct {
	fs.ReadLinkFS // os.DirFS: links and directories
	root          string
}

// OpenDir returns directory root as a file system. It is an error if root is
// not a readable directory.
func OpenDir(root string) (*Dir, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: root, Err: syscall.ENOTDIR}
	}
	return &Dir{ReadLinkFS: os.DirFS(root).(fs.ReadLinkFS), root: root}, nil
}

// IsSysfs says whether the directory is a mounted sysfs, that is, whether it
// speaks of the kernel that runs this program and not of a copied tree.
func (d *Dir) IsSysfs() bool {
	var st unix.Statfs_t
	return unix.Statfs(d.root, &st) == nil && st.Type == unix.SYSFS_MAGIC
}

// Open opens file name for reading. A copied tree may hold anything, so a named
// pipe in it does not block.
func (d *Dir) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	for {
		fd, err := unix.Open(d.root+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return &file{fd: fd, name: name}, nil
	}
}

// ReadDir lists directory name.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.ReadLinkFS, name) }

// Stat describes file name, following links.
func (d *Dir) Stat(name string) (fs.FileInfo, error) { return fs.Stat(d.ReadLinkFS, name) }

// file is an open attribute. One goroutine uses it at a time.
type file struct {
	fd   int
	name string
	off  int64
}

// ReadAt reads with exactly one pread. Unlike io.ReaderAt in general it returns
// a short count without an error: an attribute comes whole in one read.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pread(f.fd, p, off)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, &fs.PathError{Op: "read", Path: f.name, Err: err}
		}
		return n, nil
	}
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.off)
	f.off += int64(n)
	if n == 0 && err == nil && len(p) > 0 {
		err = io.EOF
	}
	return n, err
}

func (f *file) Close() error { return unix.Close(f.fd) }

func (f *file) Stat() (fs.FileInfo, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: f.name, Err: err}
	}
	return attributeInfo{name: f.name, st: st}, nil
}

type attributeInfo struct {
	name string
	st   unix.Stat_t
}

func (i attributeInfo) Name() string       { return i.name }
func (i attributeInfo) Size() int64        { return i.st.Size }
func (i attributeInfo) Mode() fs.FileMode  { return fs.FileMode(i.st.Mode & 0o777) }
func (i attributeInfo) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i attributeInfo) IsDir() bool        { return i.st.Mode&unix.S_IFMT == unix.S_IFDIR }
func (i attributeInfo) Sys() any           { return &i.st }
