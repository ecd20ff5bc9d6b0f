import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../../src/client/dialects/dialect-file.ts';
import { decoderOf, RuleSet } from '../../../src/client/dialects/interpret.ts';
import type { FieldRule } from '../../../src/client/dialects/rules.ts';
import { parseUnit } from '../../../src/client/dialects/unit.ts';
import { parse as parseConfig } from '../config/parse.ts';
import { problemsOf as problemsOfRun } from '../../support/refusals.ts';

/** The rules of a file; whether it is a list is judged before. */
async function parse(text: string): Promise<readonly FieldRule[]> {
  const given = { flags: { 'dialect.file': 'dialect.yml' }, files: { 'dialect.yml': text } };
  const { dialect } = (await parseConfig(given)).config;
  if (dialect === undefined) throw new TypeError('the configuration has no dialect');
  return rulesOf(dialect);
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const problems = await problemsOfRun(() => parse(text));
  const prefix = '--dialect.file: "dialect.yml": entry ';
  expect(problems.every((problem) => problem.startsWith(prefix))).toBe(true);
  return problems.map((problem) => problem.slice(prefix.length));
}

describe('a dialect file', () => {
  test('gives a rule for each of its entries, in their order', async () => {
    const rules = await parse(`
      - key: houseMeter
        quantity: load_power
        unit: kw
      - {key: mains, quantity: grid_power, unit: W, sign: feed-in, part: a, model: XX1}
      - {key: panel, quantity: string_power, unit: W, part: 1, model: 5000}
      - {key: state, quantity: working_mode}
      - &unread {key: pvPower, quantity: nothing}
      - *unread
    `);
    const common = { families: [], sources: ['history', 'latest', 'flow'], confidence: 'user' };
    const mains = { reads: 'gridPower', unit: 'W', positive: 'feed-in', part: 'a', model: 'XX1' };
    const panel = { reads: 'stringPowerWatts', unit: 'W', part: '1', model: '5000' };
    expect(rules).toEqual([
      { ...common, key: 'houseMeter', reads: 'loadPowerWatts', unit: 'kw' },
      { ...common, key: 'mains', ...mains },
      { ...common, key: 'panel', ...panel },
      { ...common, key: 'state', reads: 'workingMode' },
      { ...common, key: 'pvPower', reads: 'nothing' },
      { ...common, key: 'pvPower', reads: 'nothing' },
    ]);
  });

  test.each<[more: string, ...quantities: readonly string[]]>([
    ['unit: W', 'pv_power', 'grid_import_power', 'grid_feed_in_power'],
    ['unit: kW', 'load_power'],
    ['unit: MW', 'ac_output_power'],
    ['unit: W, sign: import', 'grid_power'],
    ['unit: W, sign: charging', 'battery_power'],
    ['unit: A, sign: discharging', 'battery_current'],
    ['unit: A', 'battery_discharge_current'],
    ['unit: mA', 'battery_charging_current'],
    ['unit: V', 'grid_voltage', 'ac_output_voltage'],
    ['unit: mV', 'battery_voltage'],
    ["unit: '%'", 'battery_soc', 'battery_soh'],
    ['unit: ℃', 'battery_temperature'],
    ['unit: °C, part: 1', 'battery_temperature'],
    ['unit: Hz', 'grid_frequency', 'ac_output_frequency'],
    ['unit: W, part: 1', 'string_power'],
    ['unit: V, part: 2', 'string_voltage'],
    ['unit: A, part: 3', 'string_current'],
    ['unit: °F, part: coolant', 'temperature'],
  ])('may name, with %s, %s %s %s, and has it read', async (more, ...quantities) => {
    for (const quantity of quantities) {
      const rules = await parse(`- {key: k, quantity: ${quantity}, ${more}}`);
      const sample = { key: 'k', number: { value: 40 }, text: { value: '40' } };
      const context = { source: 'latest', ratedPowerWatts: 1e9 } as const;
      const { measurements } = decoderOf(context, new RuleSet(rules))([sample]);
      const expected = parseUnit(rules[0]?.unit)?.toBase(40);
      const values = measurements.map(({ value }) => Math.abs(Number(value)));
      expect(values, quantity).toContain(expected);
    }
  });
});

const FIELDS = 'accepted: key, quantity, unit, sign, part, model';
const NO_WORDS = 'is not accepted; accepted: a text or a number';

describe('a dialect file is refused', () => {
  test.each([
    ['pvPower', `is not a mapping; ${FIELDS}`],
    ['[pvPower]', `is not a mapping; ${FIELDS}`],
    ['null', `is not a mapping; ${FIELDS}`],
    ['{key: k, quantity: nothing, factor: 10}', `"factor": unknown name; ${FIELDS}`],
    ['{key: {"\\u007f": 0}, quantity: nothing}', `key: {"\\u007f":"0"} ${NO_WORDS}`],
    ['{key: [k], quantity: nothing}', `key: ["k"] ${NO_WORDS}`],
    ['{key: k, quantity: nothing, part: }', `part: "" ${NO_WORDS}`],
    ["{key: ' ', quantity: nothing}", `key: " " ${NO_WORDS}`],
    ['{quantity: nothing}', 'key: is missing; accepted: a field key of the service'],
  ])('with the entry %s: %s', async (entry, problem) => {
    expect(await problemsOf(`[${entry}]`)).toEqual([`1: ${problem}`]);
  });

  const VOLTS = 'accepted for battery_voltage: V, mV, kV';
  const NEEDS_SIGN = 'accepted for grid_power: import, feed-in (what a positive value means)';
  test.each([
    ['battery_voltage', `unit: is missing; ${VOLTS}`],
    ['battery_voltage, unit: W', `unit: "W" is not accepted; ${VOLTS}`],
    ['pv_power, unit: kWp', 'unit: "kWp" is not accepted; accepted for pv_power: W, kW, MW, mW'],
    ['working_mode, unit: V', 'unit: "V" is not accepted; working_mode has none'],
    ['nothing, unit: kWh', 'unit: "kWh" is not accepted; nothing has none'],
    [
      'pv_power, unit: W, sign: import',
      'sign: "import" is not accepted; only grid_power, battery_power, battery_current have one',
    ],
    ['grid_power, unit: W', `sign: is missing; ${NEEDS_SIGN}`],
    ['grid_power, unit: W, sign: charging', `sign: "charging" is not accepted; ${NEEDS_SIGN}`],
    [
      'temperature, unit: °C',
      'part: is missing; accepted for temperature: which string or sensor it is',
    ],
    ['pv_power, unit: W, part: 1', 'part: "1" is not accepted; pv_power has no parts'],
  ])('with the quantity %s: %s', async (quantity, problem) => {
    expect(await problemsOf(`- {key: k, quantity: ${quantity}}`)).toEqual([`1: ${problem}`]);
  });

  test.each([
    ['', 'is missing'],
    ['quantity: power', '"power" is not accepted'],
    ['quantity: toString', '"toString" is not accepted'],
    ['quantity: __proto__', '"__proto__" is not accepted'],
  ])('without a quantity that it knows: %s', async (given, shown) => {
    const [problem, ...others] = await problemsOf(`- {key: k, ${given}}`);
    expect(others).toEqual([]);
    expect(problem).toContain(`1: quantity: ${shown}; accepted: pv_power, load_power,`);
  });

  test('with every problem of every entry, also of one of the wrong shape', async () => {
    const problems = await problemsOf(`
      - {key: k, quantity: nothing}
      - {quantity: grid_power}
      - nonsense
      - {key: [k], quantity: pv_power, unit: V, factor: 10, scale: 2}
    `);
    expect(problems.map((problem) => problem.split(' ', 2).join(' '))).toEqual([
      '2: key:',
      '2: unit:',
      '2: sign:',
      '3: is',
      '4: key:',
      '4: unit:',
      '4: "factor":',
      '4: "scale":',
    ]);
  });
});
