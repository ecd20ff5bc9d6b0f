#!/bin/sh
# Builds the Debian package: what `npm pack` gives, its libraries as `npm ci` has installed them from the lock file, and
# the systemd unit. The same commit gives the same bytes.
#
#   deploy/debian/build.sh FOLDER [TARBALL]     writes solar-exporter_VERSION-1_all.deb into FOLDER
#
# Without TARBALL it runs `npm pack`, which builds the program.
set -eu
umask 022
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
repository=$(CDPATH='' cd -- "$here/../.." && pwd)
output=$(CDPATH='' cd -- "${1:?a folder}" && pwd)
tarball=${2:+$(realpath "$2")}
: "${SOURCE_DATE_EPOCH:=$(git -C "$repository" log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$repository"
if [ -z "$tarball" ]; then
  npm pack --silent --pack-destination "$work" >/dev/null
  tarball=$(ls "$work"/*.tgz)
fi

root=$work/root
program=$root/usr/lib/solar-exporter
documents=$root/usr/share/doc/solar-exporter
mkdir -p "$program" "$documents" "$root/usr/bin" "$root/usr/share/man/man1" "$root/usr/share/lintian/overrides" \
  "$root/usr/lib/systemd/system" "$root/usr/lib/sysusers.d" "$root/etc/solar-exporter" "$root/DEBIAN"

# The program, and of each library what it runs: no types, no maps, no programs of its own, no prose but the licence.
tar -xzf "$tarball" -C "$program" --strip-components=1
version=$(node -p 'require(process.argv[1]).version' "$program/package.json")
# 1.0.0~rc.1 comes before 1.0.0 in Debian, 1.0.0-rc.1 would come after it.
debian_version=$(echo "$version" | sed 's/-/~/')-1
npm ls --all --omit=dev --parseable | sed "s|^$repository/*||; /^\$/d" | sort -u > "$work/libraries"
while read -r library; do
  mkdir -p "$program/$library"
  # A library inside another one is a line of its own.
  tar -C "$library" --exclude=./node_modules -cf - . | tar -C "$program/$library" -xf -
done < "$work/libraries"
find "$program/node_modules" -type d \( -name '.?*' -o -name bin -o -name test -o -name tests -o -name docs \
  -o -name benchmarks -o -name examples \) -prune -exec rm -rf {} +
find "$program/node_modules" -type f ! -iname 'licen[cs]e*' \( -name '.*' -o -name '*.[cm]ts' -o -name '*.ts' -o -name '*.map' \
  -o -name '*.md' -o -name '*.markdown' -o -name '*.html' -o -name '*.yml' -o -name '*.sh' -o -name 'bin.js' -o -name 'bin.mjs' \) -delete
find "$program/node_modules" -type d -empty -delete
ln -s ../lib/solar-exporter/dist/cli.js "$root/usr/bin/solar-exporter"

# Where the one unit is made to fit: the program's folder, a user that lasts, and no start before there are secrets.
{
  echo '# To change it: systemctl edit solar-exporter'
  sed -e '1,/^\[Unit\]$/{/^\[Unit\]$/!d}' \
    -e 's|/opt/solar-exporter/|/usr/lib/solar-exporter/|' \
    -e 's|^DynamicUser=yes$|User=solar-exporter\nGroup=solar-exporter|' \
    -e 's|^# It needs no user, no home|# It needs no home|' \
    -e 's|^StartLimitIntervalSec=0$|&\n# Both are empty until somebody fills them in.\nConditionFileNotEmpty=/etc/solar-exporter/password\nConditionFileNotEmpty=/etc/solar-exporter/app-secret|' \
    "$repository/deploy/systemd/solar-exporter.service"
} > "$root/usr/lib/systemd/system/solar-exporter.service"
{
  echo '# Read by solar-exporter.service at its start.'
  sed -e '1d' -e 's|^# Secrets are not set here: the unit loads them from files\.|# Secrets are in password and app-secret beside this file.|' \
    "$repository/deploy/systemd/solar-exporter.env.example"
} > "$root/etc/solar-exporter/solar-exporter.env"
cp "$here/sysusers.conf" "$root/usr/lib/sysusers.d/solar-exporter.conf"

# Documents.
mv "$program/README.md" "$documents/"
rm -f "$program/LICENSE" "$program/CHANGELOG.md"
gzip -9n < "$repository/CHANGELOG.md" > "$documents/changelog.gz"
cp "$here/README.Debian" "$documents/"
gzip -9n < "$program/man/solar-exporter.1" > "$root/usr/share/man/man1/solar-exporter.1.gz"
rm -r "$program/man"
maintainer='The solar-exporter project <solar-exporter@users.noreply.github.com>'
LC_ALL=C date --utc --date="@$SOURCE_DATE_EPOCH" "+solar-exporter ($debian_version) stable; urgency=medium

  * Version $version: changelog.gz says what is new.

 -- $maintainer  %a, %d %b %Y %H:%M:%S +0000" | gzip -9n > "$documents/changelog.Debian.gz"
node "$here/copyright.js" "$program" < "$here/copyright" > "$documents/copyright"
cp "$here/lintian-overrides" "$root/usr/share/lintian/overrides/solar-exporter"

# The package.
find "$root" -path "$root/DEBIAN" -prune -o -type f -exec chmod 0644 {} +
find "$root" -type d -exec chmod 0755 {} +
chmod 0755 "$program/dist/cli.js"
sed -e "s/@VERSION@/$debian_version/" -e "s/@MAINTAINER@/$maintainer/" \
  -e "s/@SIZE@/$(du -sk --apparent-size "$root" | cut -f1)/" "$here/control" > "$root/DEBIAN/control"
echo /etc/solar-exporter/solar-exporter.env > "$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 0755 "$here/$script" "$root/DEBIAN/$script"; done
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs -d '\n' md5sum > DEBIAN/md5sums)
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --build --root-owner-group -Zxz "$root" "$output/solar-exporter_$version-1_all.deb" >/dev/null
echo "$output/solar-exporter_$version-1_all.deb"
