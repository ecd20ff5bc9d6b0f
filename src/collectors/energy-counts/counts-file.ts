import { z } from 'zod';
import { nextTurn } from '../../base/clock.ts';
import { isBelievable } from '../../base/instant.ts';
import { jsonOrNothing } from '../../base/kept-file.ts';
import { ENERGY_QUANTITIES } from '../../model/energy.ts';
import type { EnergyCount } from '../../model/energy-counter.ts';

/** Grows when an older program could no longer read what a newer one writes. */
const VERSION = 1;

const instant = z.number().refine(isBelievable);
const amount = z.number().min(0);
const byFlow = z.partialRecord(z.enum(ENERGY_QUANTITIES), amount);

const fileSchema = z.object({
  version: z.literal(VERSION),
  lookedAtMs: instant,
  devices: z.array(
    z.object({
      deviceId: z.string().min(1),
      unseenDays: amount,
      count: z.object({
        lastAtMs: instant,
        lastFlows: byFlow,
        energies: byFlow,
        gapMs: amount,
        intervalsMs: z.array(amount),
      }),
    }),
  ),
});

/** The count of one device. */
export interface KeptCount {
  readonly count: EnergyCount;
  /** On how many days in a row nobody asked for it. */
  readonly unseenDays: number;
}

/** What is kept of all devices. */
export interface KeptCounts {
  readonly devices: ReadonlyMap<string, KeptCount>;
  /** When the devices that nobody asks for were last looked for, by our clock. */
  readonly lookedAtMs: number;
}

/** So many devices take a few milliseconds; then others have their turn. */
const DEVICES_PER_TURN = 250;

/** Writes all counts as text, in slices: nobody may change them meanwhile. */
export async function encodeCounts({ devices, lookedAtMs }: KeptCounts): Promise<string> {
  const parts: string[] = [];
  for (const [deviceId, kept] of devices) {
    if (parts.length % DEVICES_PER_TURN === DEVICES_PER_TURN - 1) await nextTurn();
    parts.push(JSON.stringify({ deviceId, ...kept }));
  }
  return `{"version":${VERSION},"lookedAtMs":${JSON.stringify(lookedAtMs)},"devices":[${parts.join(',')}]}\n`;
}

/** Reads what {@link encodeCounts} wrote; absent when it is anything else, or of another version. */
export function decodeCounts(text: string): KeptCounts | undefined {
  const { success, data } = fileSchema.safeParse(jsonOrNothing(text));
  if (!success) return undefined;
  const { lookedAtMs, devices } = data;
  return { lookedAtMs, devices: new Map(devices.map(({ deviceId, ...kept }) => [deviceId, kept])) };
}
