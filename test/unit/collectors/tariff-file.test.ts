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
  return priceAt(tariff.priceLists[direction] ?? [], moment);
}

const BY_TIME = `
currency: EUR
import:
  - from: 2026-01-01
    prices: 0.30
  - from: 2026-07-01
    prices:
      - { price: 0.36, weekdays: mon-fri, hours: 06:00-22:00 }
      - { price: 0.28, weekdays: mon-fri, hours: 22:00-06:00, months: apr-sep }
      - { price: 0.25, weekdays: mon-fri, hours: 22:00-06:00, months: oct-mar }
      - { price: 0.20, weekdays: sat-sun }
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
    expect(Object.keys(tariff.priceLists)).toEqual(['import']);
  });

  test.each([
    { instant: '2025-12-31T23:59:59+01:00', price: undefined, when: 'before the first day' },
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
  const NOT_LATER = 'from: needs a day after that of the list before it';
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
    ['\n  - { from: 2026-02-30, prices: 1 }', `line 3: from: ${NO_DAY}`],
    ['\n  - { x: 2026-02-01, prices: 1 }', 'line 3: "x": unknown name; accepted: from, prices'],
    ['\n  - { prices: 1 }\n  - { prices: 2 }', `line 4: ${NOT_LATER}`],
    [
      `\n  - { prices: 1 }${'\n  - { from: 2026-02-01, prices: 2 }'.repeat(2)}`,
      `line 5: ${NOT_LATER}`,
    ],
  ])('is refused by the line of an import %j: %s', async (text, problem) => {
    expect(await problemsOf(`currency: EUR\nimport: ${text}`)).toEqual([problem]);
  });

  test.each([
    ['price: 1, hours: 6-22', `4: hours: "6-22" ${HOURS}`],
    ['price: 1, hours: 06:10-22:00', `4: hours: "06:10-22:00" ${HOURS}`],
    ['price: 1, hours: 06:00-24:15', `4: hours: "06:00-24:15" ${HOURS}`],
    ['price: 1, hours: 06:00-06:00', `4: hours: "06:00-06:00" ${HOURS}`],
    ['price: 1, weekdays: mo-fr', `4: weekdays: "mo-fr" ${WEEKDAYS}`],
    ['price: 1, months: june', `4: months: "june" ${MONTHS}`],
    ['hours: 00:00-24:00', '4: price: is missing; accepted: a number such as 0.32'],
    ['price: 1, day: mon', '4: "day": unknown name; accepted: price, months, weekdays, hours'],
    [
      'price: 0.1, hours: 00:00-12:15 }\n      - { price: 0.2, hours: 12:00-24:00',
      '5: has a price for 12:00 on mon in jan, as entry 1 of the same list has',
    ],
    [
      'price: 1, weekdays: mon-sat }\n      - { price: 1, weekdays: sun, months: dec-oct',
      '4: prices: there is none for 00:00 on sun in nov',
    ],
  ])('is refused by the line of a rule { %s }: line %s', async (rule, problem) => {
    const text = `currency: EUR\nimport:\n  - prices:\n      - { ${rule} }\n`;
    expect(await problemsOf(text)).toEqual([`line ${problem}`]);
  });

  test('says everything that is wrong with it at once', async () => {
    const text = 'currency: EUR\nimport: x\nfeed-in: y\nfee-in: 1';
    expect(await problemsOf(text)).toHaveLength(3);
  });
});
