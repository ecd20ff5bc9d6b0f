import type { StateFile } from '../../../src/base/kept-file.ts';
import { EnergyCounts } from '../../../src/collectors/energy-counts/energy-counts.ts';
import type { EnergyCount } from '../../../src/model/energy-counter.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

/** A file in memory. */
export class MemoryFile implements StateFile {
  text: string | undefined;
  /** Everything that was written, in order. */
  readonly writes: string[] = [];
  /** How often it was set aside. */
  asides = 0;

  constructor(text?: string) {
    this.text = text;
  }

  read = (): Promise<string | undefined> => Promise.resolve(this.text);

  write = (text: string): Promise<void> => {
    this.writes.push(text);
    this.text = text;
    return Promise.resolve();
  };

  setAside = (): Promise<string> => {
    this.asides += 1;
    return Promise.resolve('/state/energy-counters.json.unusable');
  };
}

export async function openCounts(file?: StateFile, clock = new FakeClock()) {
  const log = new SilentLog();
  return { counts: await EnergyCounts.open({ file, clock, log }), clock, log };
}

/** A count of a load, of so many kWh, up to so many minutes after the clock's beginning. */
export function countAt(minute: number, consumptionKwh = minute / 60): EnergyCount {
  return {
    lastAtMs: new FakeClock().nowMs() + minute * 60_000,
    lastFlows: { consumptionKwh: 1000 },
    energies: { consumptionKwh },
    gapMs: 0,
    intervalsMs: [300_000, 300_000],
  };
}
