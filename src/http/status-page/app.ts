import { crc32, deflateSync } from 'node:zlib';

/** The sun, for a tab of a browser. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="8" fill="#fade2a" stroke="#8a5a00"/></svg>';

/** What a phone needs to know to install the page. All addresses are relative, for those below a path of a proxy. */
export const MANIFEST = {
  name: 'solar-exporter',
  short_name: 'Solar',
  id: '../',
  start_url: '../',
  scope: '../',
  display: 'standalone',
  background_color: '#12161c',
  theme_color: '#12161c',
  icons: [192, 512].flatMap((size) =>
    ['any', 'maskable'].map((purpose) => ({
      src: `icon-${size}.png`,
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose,
    })),
  ),
};

const GROUND = [0x12, 0x16, 0x1c] as const;
const SUN = [0xfa, 0xde, 0x2a] as const;

/** Draws the icon as PNG: a sun with eight rays, within the circle that every shape of an icon leaves. */
export function drawIcon(size: number): Buffer {
  const rows = Buffer.alloc(size * (1 + 3 * size));
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const distance = toSun((2 * x + 1) / size - 1, (2 * y + 1) / size - 1);
      const share = Math.min(1, Math.max(0, 0.5 - (distance * size) / 2));
      // Every row begins with the number of its filter, 0.
      const at = y * (1 + 3 * size) + 1 + 3 * x;
      for (const [channel, ground] of GROUND.entries())
        rows[at + channel] = Math.round(ground + share * ((SUN[channel] ?? 0) - ground));
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns how far a place is from the sun, and how far within it below 0; the picture is from -1 to 1. */
function toSun(x: number, y: number): number {
  const radius = Math.hypot(x, y);
  const angle = Math.atan2(y, x);
  const fromRay = angle - (Math.round(angle / (Math.PI / 4)) * Math.PI) / 4;
  const [along, beside] = [radius * Math.cos(fromRay), radius * Math.sin(fromRay)];
  const toRay = Math.hypot(Math.max(0.46 - along, 0, along - 0.62), beside) - 0.05;
  return Math.min(radius - 0.34, toRay);
}

function chunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}
