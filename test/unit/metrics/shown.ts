import type { Sample } from '../../../src/collectors/metric.ts';
import type { ShownSamples } from '../../../src/collectors/run/shown-target.ts';

/** Something of which these samples are shown for good. */
export function asShown(samples: readonly Sample[]): ShownSamples {
  return { untilMs: Infinity, samples: () => samples };
}
