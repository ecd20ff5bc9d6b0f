import type { SpokenDialect } from '../../model/readings.ts';
import type { DecodedAnswer } from '../dialects/interpret.ts';
import type { FieldSample } from '../dialects/field-sample.ts';

/** How the time series of one device is read. */
export interface SeriesDialect {
  /** The keys to ask for. */
  readonly keys: readonly string[];
  readonly spoken: SpokenDialect;
  /** Decodes what is known of each key. */
  readonly decode: (samples: readonly FieldSample[]) => DecodedAnswer;
}
