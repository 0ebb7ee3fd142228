#!/usr/bin/env bash
# Gets ready what the kernel test boots: for each kernel series a Debian kernel,
# an initramfs with the tools that the guest needs, and the mock module.
#
#   prepare.sh [SERIES...]      default: 6.1 6.12
#
# Of all packages only qemu, and a compiler if there is none, are installed;
# the others are downloaded and unpacked below the cache directory, which is
# $ROCE_KERNEL_CACHE, else $XDG_CACHE_HOME/roce_exporter/kernel, else
# ~/.cache/roce_exporter/kernel. What is there already is not made again;
# remove the directory to get newer packages.
#
# Exit status: 2 wrong arguments, 3 this machine cannot do it, 4 no packages
# (network, mirror), 5 something did not build.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${ROCE_KERNEL_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/roce_exporter/kernel}
debs=$cache/debs
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

# What the guest's commands are made of; libraries only as far as they need them.
tools=(busybox-static kmod iproute2 ethtool ibverbs-providers perftest
	libibverbs1 librdmacm1 libnl-3-200 libnl-route-3-200 libmnl0 libbpf1 libelf1
	libcap2 libbsd0 libmd0 libpci3 libxtables12 libudev1 libc6 zlib1g libzstd1
	liblzma5 libssl3)
programs=(ip tc rdma dcb ethtool kmod ib_write_bw)
# Modules of the kernel package that the guest loads; depmod knows what they need.
modules=(virtio_pci virtio_net af_packet rdma_rxe ib_uverbs crc32_generic veth sch_netem 8021q bonding)

say() { printf 'prepare: %s\n' "$*" >&2; }
die() {
	local status=$1
	shift
	say "$*"
	exit "$status"
}

# update refreshes the package lists, once per run.
updated=
update() {
	[ -z "$updated" ] || return 1
	[ "$(id -u)" = 0 ] || die 4 "the package lists are missing or old; run apt-get update as root"
	say "apt-get update"
	apt-get update -q >&2 || die 4 "apt-get update failed: is there a network, and does /etc/apt name a mirror that answers?"
	updated=1
}

# install PROGRAM PACKAGE... installs the packages unless the program is there.
install() {
	local program=$1
	shift
	command -v "$program" >/dev/null && return
	[ "$(id -u)" = 0 ] || die 3 "$program is missing; run this as root once, or install: $*"
	say "apt-get install $*"
	known "$@" || update
	apt-get install -qy --no-install-recommends "$@" >/dev/null ||
		{ update && apt-get install -qy --no-install-recommends "$@" >/dev/null; } ||
		die 3 "$program is missing, and apt-get install $* failed"
	hash -r
	command -v "$program" >/dev/null || die 3 "$program is missing although $* is installed"
}

# known says whether the package lists have all these packages.
known() {
	local p
	for p; do [ -n "$(apt-cache madison "$p" 2>/dev/null)" ] || return 1; done
}

# have prints the file of a downloaded package.
have() { compgen -G "$debs/$1_*.deb" | head -n 1; }

# download PACKAGE... fetches what is not there yet.
download() {
	local p want=()
	for p; do [ -n "$(have "$p")" ] || want+=("$p"); done
	[ ${#want[@]} -gt 0 ] || return 0
	say "downloading ${#want[@]} packages: ${want[0]} ..."
	known "${want[@]}" || update || true
	# Into a directory of its own: an interrupted download must not look like a package.
	rm -rf "$debs/partial"
	mkdir -p "$debs/partial"
	fetch() { (cd "$debs/partial" && apt-get download -q "${want[@]}" >/dev/null 2>"$debs/errors"); }
	fetch || { update && fetch; } || {
		tail -n 3 "$debs/errors" >&2
		die 4 "the download failed: is there a network, and does the mirror in /etc/apt have these packages? If it has newer ones only, remove $cache"
	}
	mv "$debs"/partial/*.deb "$debs/"
}

# image SERIES prints the package of the newest kernel of the series, by the
# meta-package that depends on it: linux-image-amd64 for the release's own
# kernel, linux-image-SERIES-amd64 for a newer one.
image() {
	local meta
	for meta in "linux-image-$1-amd64" linux-image-amd64; do
		apt-cache depends "$meta" 2>/dev/null | sed -n "s/.*Depends: \(linux-image-${1//./\\.}\.[^ ]*-amd64\)$/\1/p" | head -n 1
	done | head -n 1
}

# uncompress FILE writes the ELF kernel inside a bzImage: qemu starts that
# directly, and the guest need not decompress itself, which takes it seconds.
uncompress() {
	local magic program offset
	while read -r magic program; do
		while IFS=: read -r offset _; do
			tail -c "+$((offset + 1))" "$1" | $program -dc >"$1.elf" 2>/dev/null || true
			[ "$(head -c 4 "$1.elf" | tail -c 3)" = ELF ] && return
		done < <(grep -aboP "$magic" "$1")
	done <<-'MAGIC'
		\xFD7zXZ\x00 xz
		\x28\xB5\x2F\xFD zstd
		\x1F\x8B\x08 gzip
	MAGIC
	return 1
}

# unpack puts the guest's tools below $cache/tools, once for all kernels.
unpack() {
	local p
	[ "$(cat "$cache/tools/done" 2>/dev/null)" = "${tools[*]}" ] && return
	download "${tools[@]}"
	say "unpacking the guest's tools"
	rm -rf "$cache/tools"
	mkdir -p "$cache/tools"
	for p in "${tools[@]}"; do dpkg -x "$(have "$p")" "$cache/tools"; done
	cp "$cache/tools/bin/busybox" "$cache/busybox"
	echo "${tools[*]}" >"$cache/tools/done"
}

# guest PROGRAM ARGUMENT... runs an unpacked program with its own libraries.
libraries() { printf '%s' "$cache/tools/lib/x86_64-linux-gnu:$cache/tools/usr/lib/x86_64-linux-gnu"; }
loader() { readlink -f "$cache/tools/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"; }
kmod() { # as depmod or modprobe, by the name it is called with
	local name=$1
	shift
	(exec -a "$name" "$(loader)" --argv0 "$name" --library-path "$(libraries)" "$cache/tools/bin/kmod" "$@")
}

# base SERIES makes vmlinux and base.cpio.
base() {
	local dir=$cache/$1 package version root file name stamp
	stamp=$(sha256sum <"$here/prepare.sh")
	[ "$(cat "$dir/base.done" 2>/dev/null)" = "$stamp" ] && return
	mkdir -p "$dir"
	unpack
	package=$(cat "$dir/package" 2>/dev/null || true)
	if [ -z "$package" ]; then
		package=$(image "$1")
		if [ -z "$package" ]; then
			update || true
			package=$(image "$1")
		fi
		[ -n "$package" ] || die 4 "the package lists have no kernel $1 for amd64; bookworm with its security updates has 6.1 and 6.12"
	fi
	download "$package"
	say "$1: unpacking $package"
	version=${package#linux-image-}
	rm -rf "$dir/image" "$dir/root"
	mkdir -p "$dir/image"
	dpkg -x "$(have "$package")" "$dir/image"
	[ -d "$dir/image/lib/modules" ] || { mkdir -p "$dir/image/lib" && mv "$dir/image/usr/lib/modules" "$dir/image/lib/"; }
	cp "$dir/image/boot/vmlinuz-$version" "$dir/bzImage"
	uncompress "$dir/bzImage" || die 5 "no kernel found inside $package's vmlinuz"
	mv "$dir/bzImage.elf" "$dir/vmlinux"

	say "$1: building the initramfs"
	root=$dir/root
	mkdir -p "$root"/{bin,usr/bin,sbin,lib64,lib/x86_64-linux-gnu,usr/lib/x86_64-linux-gnu/libibverbs,etc/libibverbs.d,proc,sys,dev,tmp,run,var/run,root}
	cp "$cache/busybox" "$root/bin/busybox"
	for name in "${programs[@]}"; do
		file=
		for d in bin sbin usr/bin usr/sbin; do [ ! -e "$cache/tools/$d/$name" ] || file=$(readlink -f "$cache/tools/$d/$name"); done
		[ -n "$file" ] || die 5 "no package has the program $name"
		cp "$file" "$root/usr/bin/$name"
	done
	cp "$cache/tools/etc/libibverbs.d/rxe.driver" "$root/etc/libibverbs.d/"
	cp "$cache"/tools/usr/lib/x86_64-linux-gnu/libibverbs/librxe-*.so "$root/usr/lib/x86_64-linux-gnu/libibverbs/"
	cp "$(loader)" "$root/lib64/ld-linux-x86-64.so.2"
	for file in "$root"/usr/bin/* "$root"/usr/lib/x86_64-linux-gnu/libibverbs/*; do
		"$(loader)" --library-path "$(libraries)" --list "$file" || die 5 "a library of ${file##*/} is missing"
	done | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r file; do
		case $file in
		"$cache"/*) cp -L "$file" "$root/lib/x86_64-linux-gnu/" ;;
		*) die 5 "$file is this machine's and not of a package listed here" ;;
		esac
	done

	kmod depmod -b "$dir/image" "$version"
	mkdir -p "$root/lib/modules/$version/kernel"
	for name in "${modules[@]}"; do
		kmod modprobe -d "$dir/image" -S "$version" --show-depends "$name" || die 5 "$package has no module $name"
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r file; do
		name=$root/lib/modules/$version/kernel/$(basename "$file")
		case $file in
		*.xz) xz -dc "$file" >"${name%.xz}" ;;
		*.zst) zstd -dcq "$file" >"${name%.zst}" ;;
		*) cp "$file" "$name" ;;
		esac
	done
	cp "$dir/image/lib/modules/$version"/modules.{builtin,builtin.modinfo,order} "$root/lib/modules/$version/"
	kmod depmod -b "$root" "$version"
	printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' >"$root/etc/passwd"
	echo '127.0.0.1 localhost' >"$root/etc/hosts"
	(cd "$root" && find . | sort | "$cache/busybox" cpio -o -H newc -R 0:0) >"$dir/base.cpio" 2>/dev/null
	rm -rf "$dir/image" "$dir/root" "$dir/bzImage"
	echo "$package" >"$dir/package"
	echo "$stamp" >"$dir/base.done"
}

# mock SERIES builds roce_mock.ko against the headers of that very kernel.
mock() {
	local dir=$cache/$1 version headers depends p stamp tree cc
	stamp=$(cat "$dir/base.done" "$here"/mock/*.c "$here/mock/Makefile" | sha256sum)
	[ "$(cat "$dir/mock.done" 2>/dev/null)" = "$stamp" ] && return
	version=$(sed 's/^linux-image-//' "$dir/package")
	headers=linux-headers-$version
	tree=$dir/headers
	if [ "$(cat "$tree/done" 2>/dev/null)" != "$version" ]; then
		download "$headers"
		depends=$(dpkg-deb -f "$(have "$headers")" Depends | grep -oE 'linux-(headers|kbuild)-[^ ,|]+' | sort -u)
		# shellcheck disable=SC2086 # a list of names
		download $depends
		say "$1: unpacking the headers"
		rm -rf "$tree"
		mkdir -p "$tree"
		for p in "$headers" $depends; do dpkg -x "$(have "$p")" "$tree"; done
		# The makefile names the directory where it would be installed.
		sed -i "s,/usr/src/,$tree/usr/src/,g" "$tree/usr/src/$headers/Makefile"
		echo "$version" >"$tree/done"
	fi
	# The compiler of the kernel's own major version, as kbuild wants it.
	cc=$(sed -n 's/^CONFIG_GCC_VERSION=\(.*\)[0-9]\{4\}$/gcc-\1/p' "$tree/usr/src/$headers/.config")
	install "${cc:=gcc-12}" "$cc" libelf1
	install make make
	say "$1: building the mock module"
	rm -rf "$dir/mock"
	mkdir -p "$dir/mock"
	cp "$here"/mock/*.c "$here/mock/Makefile" "$dir/mock/"
	make -s -C "$tree/usr/src/$headers" M="$dir/mock" CC="$cc" CONFIG_DEBUG_INFO_BTF_MODULES= modules >&2 ||
		die 5 "$1: the mock module does not build"
	strip --strip-debug "$dir/mock/roce_mock.ko"
	mv "$dir/mock/roce_mock.ko" "$dir/roce_mock.ko"
	rm -rf "$dir/mock"
	echo "$stamp" >"$dir/mock.done"
}

for p in apt-get apt-cache dpkg dpkg-deb; do
	command -v "$p" >/dev/null || die 3 "$p is missing: this needs a Debian machine"
done
[ "$(dpkg --print-architecture)" = amd64 ] || die 3 "this machine is $(dpkg --print-architecture); the test is made for amd64"
[ $# -gt 0 ] || set -- 6.1 6.12
for series; do
	[[ $series =~ ^[0-9]+\.[0-9]+$ ]] || die 2 "$series is not a kernel series such as 6.1"
done
mkdir -p "$debs"
exec 9>"$cache/lock"
flock 9
install qemu-system-x86_64 qemu-system-x86
for p in xz zstd; do install "$p" "${p/%xz/xz-utils}"; done
for series; do
	base "$series"
	mock "$series"
done
say "ready in $cache"
