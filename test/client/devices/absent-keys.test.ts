import { describe, expect, test } from 'vitest';
import { findAbsentKeys, withoutAbsent } from '../../../src/client/devices/absent-keys.ts';
import type { FieldSample } from '../../../src/client/dialects/field-sample.ts';
import { RuleSet } from '../../../src/client/dialects/rule-set.ts';

const CONTEXT = { source: 'latest', family: 'uwb1' } as const;

const sample = (key: string, value?: number): FieldSample =>
  value === undefined ? { key } : { key, number: { value }, text: { value: String(value) } };

describe('absent keys', () => {
  test.each<{ what: string; samples: readonly FieldSample[]; absent: readonly string[] }>([
    {
      what: 'are those of strings without a value beside a string with one',
      samples: [sample('pv1Power', 820), sample('pv2Power'), sample('pv3Power')],
      absent: ['pv2Power', 'pv3Power'],
    },
    {
      what: 'are those of phases without a value beside a phase with one',
      samples: [sample('aPhaseMainsPower', 495), sample('bPhaseMainsPower')],
      absent: ['bPhaseMainsPower'],
    },
    {
      what: 'are none where a zero is the value',
      samples: [sample('pv1Power', 820), sample('pv2Power', 0)],
      absent: [],
    },
    {
      what: 'are none where no string has a value',
      samples: [sample('pv1Power'), sample('pv2Power'), sample('batteryPercentage', 76)],
      absent: [],
    },
    {
      what: 'are none where another endpoint has the value',
      samples: [sample('pv1Power', 820), sample('pv2Power'), sample('pv2Power', 610)],
      absent: [],
    },
    {
      what: 'are none of quantities without parts',
      samples: [sample('pv1Power', 820), sample('batteryPercentage')],
      absent: [],
    },
  ])('$what', ({ samples, absent }) => {
    expect([...findAbsentKeys(samples, CONTEXT, new RuleSet())]).toEqual(absent);
  });

  test('are left out of an answer as long as they have no value', () => {
    const absentKeys = new Set(['pv2Power', 'pv3Power']);
    const samples = [sample('pv1Power', 820), sample('pv2Power'), sample('pv3Power', 5)];
    expect(withoutAbsent(samples, absentKeys).map(({ key }) => key)).toEqual([
      'pv1Power',
      'pv3Power',
    ]);
  });
});
