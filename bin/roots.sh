# Bare Debian systems for bin/try-packages and bin/try-systems, which source this file: debootstrap creates them below $roots, as root.
# shellcheck shell=bash disable=SC2154,SC2034
mirror=http://deb.debian.org/debian
failed=0
mounted=""
# shellcheck disable=SC2086  # the names are words
trap '[ -z "$mounted" ] || umount $mounted' EXIT

root_of() {  # name, suite, and words for debootstrap
  local name=$1 suite=$2
  shift 2
  mkdir -p "$roots"
  [ -e "$roots/$name/etc/debian_version" ] || debootstrap --variant=minbase "$@" "$suite" "$roots/$name" "$mirror" >"$roots/$name.log"
}

mount_in() {  # name of the root, folder, type of file system; unmounted at exit
  mkdir -p "$roots/$1/$2"
  mountpoint -q "$roots/$1/$2" || mount -t "$3" "$3" "$roots/$1/$2"
  mounted="$roots/$1/$2 $mounted"
}

copy_root() {  # from one root to a new one, so that installations don't change the original
  umount -q "$roots/$2/dev/shm" "$roots/$2/dev/pts" "$roots/$2/proc" 2>/dev/null || true
  rm -rf "${roots:?}/$2"
  mkdir -p "$roots/$2/proc"
  tar -C "$roots/$1" --exclude=./proc/* --exclude=./opt --exclude=./home -c . | tar -C "$roots/$2" -x
}

expect() {  # a title, text that the output must contain, the command
  local what=$1 wanted=$2 output
  shift 2
  output=$("$@" 2>&1) || true
  if [[ $output == *"$wanted"* ]]; then
    echo "  $what: ok"
  else
    echo "  $what: FAILED: $output"
    failed=1
  fi
}
