import { expect, test } from 'vitest';
import { wordsOf } from '../../src/collectors/metric-words.ts';
import { SUM_NAMES } from '../../src/http/status-page/station-view.js';
import { CATALOGUE } from '../../src/metrics/definitions.ts';

const METRICS = CATALOGUE.map(({ name }) => name);

test.each(Object.entries(SUM_NAMES))(
  'the status page says of %s what the metric and the command readings say: %s',
  (field, words) => {
    const ending = `_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    const metric = METRICS.find(
      (name) => name.replace('solar_device_', 'solar_') === `solar${ending}`,
    );
    expect(wordsOf(metric ?? '').quantity).toBe(words);
  },
);
