#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# need.sh PACKAGE...: installs those Debian packages that are missing, when there is a way to.
# Never fails: what is still missing is named, and the build or the test that needs it says so.
missing=
command -v dpkg-query >/dev/null || exit 0
for package in "$@"; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0
as_root=
if [ "$(id -u)" != 0 ]; then
	as_root='sudo -n'
	if ! sudo -n true 2>/dev/null; then
		echo "need.sh: not installed, and no right to install them:$missing" >&2
		exit 0
	fi
fi
export DEBIAN_FRONTEND=noninteractive
install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null; }
echo "need.sh: installing:$missing"
# shellcheck disable=SC2086
if ! install $missing; then
	$as_root apt-get update >/dev/null
	install $missing || for package in $missing; do
		install "$package" || echo "need.sh: cannot install $package" >&2
	done
fi
exit 0
