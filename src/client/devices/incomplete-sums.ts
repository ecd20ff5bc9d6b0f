import type { Logger } from '../../base/log.ts';
import type { IncompleteSum } from '../dialects/combine.ts';

/** Logs the sums that are unknown for want of a part: once for each device and each set of keys. */
export class IncompleteSums {
  readonly #log: Logger;
  readonly #logged = new Map<string, Set<string>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  log(deviceId: string, sums: readonly IncompleteSum[]): void {
    for (const { quantity, keys } of sums) {
      const names = [...keys].sort().join(', ');
      const logged = this.#logged.get(deviceId) ?? new Set();
      this.#logged.set(deviceId, logged);
      if (logged.has(names)) continue;
      logged.add(names);
      this.#log.info(
        { device_id: deviceId, quantity, keys: names },
        'a string or phase that the device lists has no value while others have one, so that their sum is unknown until it has; a rule "quantity: nothing" in --dialect.file leaves out a key that the inverter does not use',
      );
    }
  }
}
