import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countSamples,
  samplesBetween,
  type SampleSpan,
  spansOutside,
} from '../../../../src/simulator/service/samples/sample-spans.ts';

const TEN = { first: 10, last: 19 };

describe('a span of samples', () => {
  test.each([
    { gaps: 'nothing', cut: [], left: [TEN] },
    { gaps: 'its start', cut: [{ first: 5, last: 12 }], left: [{ first: 13, last: 19 }] },
    { gaps: 'its end', cut: [{ first: 19, last: 30 }], left: [{ first: 10, last: 18 }] },
    {
      gaps: 'its middle',
      cut: [{ first: 12, last: 13 }],
      left: [
        { first: 10, last: 11 },
        { first: 14, last: 19 },
      ],
    },
    { gaps: 'all of it', cut: [{ first: 0, last: 40 }], left: [] },
    { gaps: 'what lies beside it', cut: [{ first: 20, last: 40 }], left: [TEN] },
    { gaps: 'a gap without a sample', cut: [{ first: 15, last: 14 }], left: [TEN] },
    {
      gaps: 'gaps that overlap, in any order',
      cut: [
        { first: 15, last: 17 },
        { first: 12, last: 15 },
      ],
      left: [
        { first: 10, last: 11 },
        { first: 18, last: 19 },
      ],
    },
  ])('without $gaps is $left', ({ cut, left }) => {
    expect(spansOutside(TEN, cut)).toEqual(left);
  });

  test('whose end is before its start holds nothing', () => {
    expect(spansOutside({ first: 10, last: 9 }, [])).toEqual([]);
    expect(spansOutside({ first: 10, last: 9 }, [{ first: 1, last: 2 }])).toEqual([]);
  });

  test('without gaps holds the samples that are in none of them, whatever the gaps', () => {
    const number = fc.integer({ min: 0, max: 30 });
    const spans = fc.array(fc.record({ first: number, last: number }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.record({ first: number, last: number }), spans, (span, gaps) => {
        const left = spansOutside(span, gaps);
        const expected = Array.from({ length: 31 }, (_, sample) => sample).filter(
          (sample) => isIn(sample, span) && !gaps.some((gap) => isIn(sample, gap)),
        );
        expect(samplesBetween(left, 0, Infinity)).toEqual(expected);
        expect(countSamples(left)).toBe(expected.length);
        // Any pages, one after the other, are the whole.
        const pages = Array.from({ length: 11 }, (_, page) =>
          samplesBetween(left, page * 3, (page + 1) * 3),
        );
        expect(pages.flat()).toEqual(expected);
      }),
    );
  });
});

function isIn(sample: number, { first, last }: SampleSpan): boolean {
  return first <= sample && sample <= last;
}
