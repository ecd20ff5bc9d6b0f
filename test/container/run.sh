#!/bin/sh
# Runs the demo of an image that was built before, with nothing of what a container may be given: no root,
# no capability, no new privilege, no file to write, no shell, no network but its own. Fails when it does not
# work like that, or when one of these is not enforced.
#
#   sudo test/container/run.sh IMAGE       needs buildah, runc and node
set -eu
image=${1:?the name of an image}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
name="solar-$$"
container=$(buildah from --pull-never "$image")
rootfs=$(buildah mount "$container")
trap 'runc delete -f "$name" 2>/dev/null || true
  buildah umount "$container" >/dev/null; buildah rm "$container" >/dev/null; rm -rf "$work"' EXIT
cd "$work"

# In this copy only: whatever needs a shell fails.
rm -f "$rootfs"/bin/sh "$rootfs"/bin/bash "$rootfs"/bin/dash
node "$here/bundle.js" "$image" "$rootfs" demo
runc run --bundle . --pid-file pid "$name" > out.log 2> err.log < /dev/null &
runner=$!

step() { echo "ok  $1"; }
patience=50
until node "$here/bundle.js" --healthy "$name"; do
  patience=$((patience - 1))
  [ "$patience" -gt 0 ] || { cat err.log; exit 1; }
  sleep 0.2
done
step 'the health check of the image'

status=/proc/$(cat pid)/status
grep -Eqx 'Uid:(.65532){4}' "$status" && grep -Eqx 'Gid:(.65532){4}' "$status"
step 'user and group 65532'
[ "$(grep -Ec '^Cap(Inh|Prm|Eff|Bnd|Amb):.0{16}$' "$status")" = 5 ]
step 'no capability in any set'
grep -Eqx 'NoNewPrivs:.1' "$status"
step 'no new privileges'
runc exec "$name" node -e '
  for (const path of ["/x", "/app/x", "/tmp/x", "/var/lib/solar-exporter/x"])
    try {
      fs.writeFileSync(path, "");
      process.exit(1);
    } catch (error) {
      if (error.code !== "EROFS") throw error;
    }'
step 'nothing can be written'
runc exec "$name" node -e '
  fetch("http://127.0.0.1:9877/metrics").then(async (page) =>
    process.exit(/^solar_up\{.*\} 1$/m.test(await page.text()) ? 0 : 1));'
step 'metrics of a station that is up'
runc kill "$name" TERM
wait "$runner"
step 'exit status 0 at SIGTERM'
