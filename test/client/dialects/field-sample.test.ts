import { describe, expect, test } from 'vitest';
import { toNumber, toText } from '../../../src/client/dialects/field-sample.ts';

describe('an element', () => {
  test.each([
    { element: 3, number: 3, text: '3' },
    { element: -0.5, number: -0.5, text: '-0.5' },
    { element: '3', number: 3, text: '3' },
    { element: ' 52.4 ', number: 52.4, text: '52.4' },
    { element: '011', number: 11, text: '011' },
    { element: 'L', number: undefined, text: 'L' },
    { element: '+', number: undefined, text: '+' },
    { element: '', number: undefined, text: undefined },
    { element: ' ', number: undefined, text: undefined },
    { element: null, number: undefined, text: undefined },
    { element: undefined, number: undefined, text: undefined },
    { element: true, number: undefined, text: undefined },
    { element: NaN, number: undefined, text: undefined },
    { element: 'NaN', number: undefined, text: 'NaN' },
    { element: Infinity, number: undefined, text: undefined },
    { element: '1e999', number: undefined, text: '1e999' },
    { element: { vd: '237.4' }, number: 237.4, text: '237.4' },
    { element: { value: '04', vd: '4' }, number: 4, text: '04' },
    { element: { value: null, vd: 5 }, number: 5, text: '5' },
    { element: {}, number: undefined, text: undefined },
    { element: { value: { value: 5 } }, number: undefined, text: undefined },
    { element: [5], number: undefined, text: undefined },
  ])('of $element is the number $number and the text $text', ({ element, number, text }) => {
    expect(toNumber(element)).toBe(number);
    expect(toText(element)).toBe(text);
  });
});
