import { describe, expect, test } from 'vitest';
import { loadYamlReader } from '../../../src/base/yaml-content.ts';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';
import { tariffOf } from '../../../src/collectors/tariff/tariff-file.ts';
import { type Direction, priceAt, type Tariff } from '../../../src/model/tariff.ts';
import { problemsOf as problemsOfRun } from '../../support/refusals.ts';

const PATH = '/etc/tariff.yml';

async function tariffFrom(text: string): Promise<Tariff> {
  const read = (await loadYamlReader())(text);
  if ('fault' in read) throw new Error(read.fault);
  return tariffOf({ file: { path: PATH }, ...read });
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const problems = await problemsOfRun(() => tariffFrom(text));
  const start = `--tariff.file: "${PATH}": `;
  for (const problem of problems) expect(problem.slice(0, start.length)).toBe(start);
  return problems.map((problem) => problem.slice(start.length));
}

/** Returns a price by the clock of a zone, at an instant. */
function priceOf(tariff: Tariff, direction: Direction, instant: string, zone = 'Europe/Berlin') {
  const moment = new ZonedCalendar(zone).quarterHour(Date.parse(instant));
  return priceAt(tariff.rules[direction] ?? [], moment);
}

const BY_TIME = `
currency: EUR
import:
  - { from: 2026-07-01, weekdays: sat-sun, price: 0.20 }
  - { from: 2026-07-01, hours: 06:00-22:00, price: 0.36 }
  - { from: 2026-07-01, months: apr-sep, price: 0.28 }
  - { from: 2026-07-01, price: 0.25 }
  - { from: 2026-01-01, price: 0.30 }
  - price: 0.27
feed-in: 0.082
`;

describe('a tariff file', () => {
  test('with a fixed price is one line for each direction', async () => {
    const tariff = await tariffFrom('currency: EUR\nimport: 0.32\nfeed-in: -0.01\n');
    expect(tariff.currency).toBe('EUR');
    for (const instant of ['1999-01-01T00:00Z', '2026-06-15T12:34:56Z', '2103-12-31T23:59Z']) {
      expect(priceOf(tariff, 'import', instant)).toBe(0.32);
      expect(priceOf(tariff, 'feed-in', instant)).toBe(-0.01);
    }
  });

  test('may leave a direction out', async () => {
    const tariff = await tariffFrom('currency: UAH\nimport: 4.32');
    expect(Object.keys(tariff.rules)).toEqual(['import']);
  });

  test.each([
    { instant: '2025-12-31T23:59:59+01:00', price: 0.27, when: 'before the first day' },
    { instant: '2026-01-01T00:00:00+01:00', price: 0.3, when: 'on the first day, from midnight' },
    { instant: '2026-06-30T23:59:59+02:00', price: 0.3, when: 'on the last day of a list' },
    { instant: '2026-07-01T00:00:00+02:00', price: 0.28, when: 'in a summer night (Wednesday)' },
    { instant: '2026-07-01T05:59:59+02:00', price: 0.28, when: 'a second before the day begins' },
    { instant: '2026-07-01T06:00:00+02:00', price: 0.36, when: 'when the day begins' },
    { instant: '2026-07-01T22:00:00+02:00', price: 0.28, when: 'when the night begins' },
    { instant: '2026-10-01T23:00:00+02:00', price: 0.25, when: 'in a winter night' },
    { instant: '2026-10-03T03:00:00+02:00', price: 0.2, when: 'on a Saturday' },
    { instant: '2026-10-05T00:15:00+02:00', price: 0.25, when: 'on a Monday after midnight' },
    // The clocks of Berlin go back at 03:00 on Sunday 25 October 2026, and on at 02:00 on 28 March 2027.
    { instant: '2026-10-25T23:59:00+01:00', price: 0.2, when: 'on a Sunday of 25 hours' },
    { instant: '2026-10-26T05:59:00+01:00', price: 0.25, when: 'on the Monday after it' },
    { instant: '2026-10-26T06:00:00+01:00', price: 0.36, when: 'when that Monday begins' },
    { instant: '2026-07-01T20:30:00Z', price: 0.28, when: 'by the clock of the station' },
    {
      instant: '2026-07-01T20:30:00Z',
      price: 0.36,
      when: 'by another clock',
      zone: 'Europe/Lisbon',
    },
  ])('has the price of $price $when', async ({ instant, price, zone }) => {
    expect(priceOf(await tariffFrom(BY_TIME), 'import', instant, zone)).toBe(price);
  });

  const NO_DAY = '"2026-02-30" is not a day; accepted: one such as 2026-08-01';
  const NOT_ALWAYS =
    'is the last entry, and does not hold always; accepted: one with a price alone behind it';
  const HOURS =
    'is not a range of hours; accepted: quarter hours such as 22:00-06:00 or 00:00-24:00';
  const WEEKDAYS = 'is not a weekday; accepted: one such as sun, or a range such as mon-fri';
  const MONTHS = 'is not a month; accepted: one such as jan, or a range such as oct-mar';

  test.each([
    ['', 'line 1: is not a mapping'],
    ['import: 0.3', 'line 1: currency: is missing; accepted: a code such as EUR'],
    ['currency: euro', 'line 1: currency: "euro" is not a currency; accepted: a code such as EUR'],
    ['currency: EUR\nx: 1', 'line 2: "x": unknown name; accepted: currency, import, feed-in'],
  ])('is refused by its line: %j: %s', async (text, problem) => {
    expect(await problemsOf(text)).toEqual([problem]);
  });

  test.each([
    ['0,3', 'line 2: price: "0,3" is not a price; accepted: a number such as 0.32'],
    ['[]', 'line 2: import: has no entry'],
    ['{ price: 3 }', 'line 2: import: is neither a price nor a list'],
    ['\n  - { from: 2026-02-30, price: 1 }\n  - price: 1', `line 3: from: ${NO_DAY}`],
    ['\n  - { from: 2026-02-01, price: 1 }', `line 3: ${NOT_ALWAYS}`],
    ['\n  - price: 1\n  - { price: 2, hours: 00:00-24:00 }', `line 4: ${NOT_ALWAYS}`],
    [
      '\n  - { from: 2026-02-01, prices: 1, price: 1 }\n  - price: 1',
      'line 3: "prices": unknown name; accepted: price, from, months, weekdays, hours',
    ],
  ])('is refused by the line of an import %j: %s', async (text, problem) => {
    expect(await problemsOf(`currency: EUR\nimport: ${text}`)).toEqual([problem]);
  });

  test.each([
    ['price: 1, hours: 6-22', `3: hours: "6-22" ${HOURS}`],
    ['price: 1, hours: 06:10-22:00', `3: hours: "06:10-22:00" ${HOURS}`],
    ['price: 1, hours: 06:00-24:15', `3: hours: "06:00-24:15" ${HOURS}`],
    ['price: 1, hours: 06:00-06:00', `3: hours: "06:00-06:00" ${HOURS}`],
    ['price: 1, weekdays: mo-fr', `3: weekdays: "mo-fr" ${WEEKDAYS}`],
    ['price: 1, months: june', `3: months: "june" ${MONTHS}`],
    ['hours: 00:00-24:00', '3: price: is missing; accepted: a number such as 0.32'],
    [
      'price: 1, day: mon',
      '3: "day": unknown name; accepted: price, from, months, weekdays, hours',
    ],
  ])('is refused by the line of a rule { %s }: line %s', async (rule, problem) => {
    const text = `currency: EUR\nimport:\n  - { ${rule} }\n  - price: 1\n`;
    expect(await problemsOf(text)).toEqual([`line ${problem}`]);
  });

  test('says everything that is wrong with it at once', async () => {
    const text = 'currency: EUR\nimport: x\nfeed-in: y\nfee-in: 1';
    expect(await problemsOf(text)).toHaveLength(3);
  });
});
