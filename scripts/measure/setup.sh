#!/bin/sh
# Installs onnxruntime-node, each version in a folder of its own, for measure_onnxruntime.mjs.
#
#   setup.sh [--cache DIR] [VERSION|NAME|pytorch ...]     NAME is one from onnxruntime_versions.txt
#
# Without a version: all pinned ones. A version that already loads is left alone. pytorch: Debian's packages that the PyTorch adaptor needs,
# with an allocator for the setting "caching" and a BLAS without a pool of its own; nothing happens when they are there.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
pins=$here/onnxruntime_versions.txt
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/corecast/onnxruntime-node

usage() { echo "usage: setup.sh [--cache DIR] [VERSION|NAME|pytorch ...]" >&2; exit "$1"; }

pinned() { awk -v name="$1" '$1 == name { print $2 }' "$pins"; }

loads() { (cd "$1" 2>/dev/null && node -e 'require("onnxruntime-node")' >/dev/null 2>&1); }

install_version() {
    version=$1
    target=$cache/$version
    if loads "$target"; then
        echo "onnxruntime-node $version: already in $target"
        return
    fi
    echo "onnxruntime-node $version: installing into $target"
    # Built beside the target and renamed, so that an interrupted install never looks complete.
    staging=$cache/.$version.$$
    trap 'rm -rf "$staging"' EXIT
    trap 'exit 130' INT TERM
    mkdir -p "$staging"
    # The library is inside the package; its install script only fetches GPU parts, so it is not run.
    # No lock file is written: only the version is pinned.
    npm install --ignore-scripts --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
        --prefix "$staging" "onnxruntime-node@$version" || {
        echo "setup.sh: npm could not install onnxruntime-node $version" >&2; exit 2; }
    loads "$staging" || {
        echo "setup.sh: onnxruntime-node $version was installed but does not load on this host:" >&2
        (cd "$staging" && node -e 'require("onnxruntime-node")') 2>&1 | grep -m1 Error >&2 || true
        exit 2; }
    rm -rf "$target"
    mv "$staging" "$target"
    trap - EXIT INT TERM
    echo "onnxruntime-node $version: ready ($(du -sh "$target" | cut -f1))"
}

install_pytorch() {
    missing=
    for package in python3-torch python3-onnx python3-numpy libtcmalloc-minimal4 libopenblas0-openmp; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
    done
    [ -n "$missing" ] || { echo "pytorch: its packages are installed"; return; }
    echo "pytorch: installing$missing"
    root=
    if [ "$(id -u)" -ne 0 ]; then
        root=sudo
        command -v sudo >/dev/null || { echo "setup.sh: not root and no sudo; as root: apt-get install$missing" >&2; exit 2; }
    fi
    $root apt-get update -qq
    # shellcheck disable=SC2086 # several words
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
    echo "pytorch: ready; start its adaptor with /usr/bin/python3"
}

versions=
pytorch=
while [ $# -gt 0 ]; do
    case $1 in
        -h|--help) usage 0 ;;
        --cache) [ $# -ge 2 ] || usage 1; cache=$2; shift ;;
        pytorch) pytorch=yes ;;
        -*) echo "setup.sh: unknown option $1" >&2; usage 1 ;;
        [0-9]*.[0-9]*.[0-9]*) versions="$versions $1" ;;
        *)
            version=$(pinned "$1")
            [ -n "$version" ] || {
                echo "setup.sh: \"$1\" is neither a full version nor a name in $(basename "$pins")" >&2; exit 1; }
            versions="$versions $version" ;;
    esac
    shift
done
if [ -n "$pytorch" ]; then
    install_pytorch
    [ -n "$versions" ] || exit 0
fi
[ -n "$versions" ] || versions=$(awk '!/^#/ && NF == 2 { print $2 }' "$pins")

for tool in node npm; do
    command -v "$tool" >/dev/null || {
        echo "setup.sh: $tool is not installed (Node 20 or newer is needed)" >&2; exit 2; }
done
mkdir -p "$cache"
for version in $versions; do install_version "$version"; done
