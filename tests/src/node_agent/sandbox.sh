# Runs a container's command with a root of its own: this machine's files, with
# what the container writes kept in memory, and its volumes mounted.
#
# sandbox.sh ROOT MODE USER GROUP DIRECTORY {SOURCE TARGET MODE}... -- COMMAND ARGUMENT...
#
# In a private mount namespace, so that everything ends with the last process.
# The process keeps its id throughout: a signal that comes early ends it as well.
set -eu
root=$1 root_mode=$2 user=$3 group=$4 directory=$5
shift 5

mount -t tmpfs tmpfs "$root"
mkdir "$root/upper" "$root/work" "$root/merged"
mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/merged"
for system in /proc /dev /sys; do
    mount --rbind "$system" "$root/merged$system"
done

while [ "$1" != -- ]; do
    # Links must lead somewhere in the new root, not out of it.
    target=$root/merged$(chroot "$root/merged" readlink --canonicalize-missing "$2")
    if [ -d "$1" ]; then
        mkdir -p "$target"
    else
        mkdir -p "${target%/*}"
        : >"$target"
    fi
    mount --bind "$1" "$target"
    if [ "$3" = ro ]; then
        mount -o remount,bind,ro "$target"
    fi
    shift 3
done
shift
if [ "$root_mode" = ro ]; then
    mount -o remount,ro "$root/merged"
fi

# The parent's death must not leave it behind. Last, as a change of user resets it.
exec chroot "$root/merged" setpriv --reuid="$user" --regid="$group" --clear-groups \
    --pdeathsig=KILL env --chdir="$directory" -- "$@"
