import type { Logger } from '../../base/log.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import type { IncompleteSum } from '../dialects/combine.ts';

/** A device that lists other keys each time would have a line for each. */
const MOST_LINES = 20;

/** Logs the sums that are unknown for want of a part: once for each device and each set of keys. */
export class IncompleteSums {
  readonly #log: Logger;
  readonly #logged = new RecentMap<string, Set<string>>(MOST_REMEMBERED);

  constructor(log: Logger) {
    this.#log = log;
  }

  log(deviceId: string, sums: readonly IncompleteSum[]): void {
    for (const { quantity, keys } of sums) {
      const names = [...keys].sort().join(', ');
      const logged = this.#logged.getOrMake(deviceId, () => new Set());
      if (logged.has(names) || logged.size >= MOST_LINES) continue;
      logged.add(names);
      this.#log.info(
        { device_id: deviceId, quantity, keys: names },
        'a string or phase that the device lists has no value while others have one, so that their sum is unknown until it has; a rule "quantity: nothing" in --dialect.file leaves out a key that the inverter does not use',
      );
    }
  }
  /** Forgets a device that is no longer listed. */
  forget(deviceId: string): void {
    this.#logged.delete(deviceId);
  }
}
