import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../../src/client/dialects/dialect-file.ts';
import { decodeAnswer } from '../../../src/client/dialects/decoded-answer.ts';
import { RuleSet } from '../../../src/client/dialects/rule-set.ts';
import { parseUnit } from '../../../src/client/dialects/unit.ts';
import { readDialectEntries } from '../../../src/config/dialect-and-tariff.ts';
import { ConfigError } from '../../../src/base/errors.ts';

const PATH = 'dialect.yml';

/** The rules of a file; whether it is a list is judged before. */
async function parse(text: string) {
  const file = { path: PATH, text };
  const { dialect = { file, entries: [] }, problems } = await readDialectEntries(file);
  expect(problems).toEqual([]);
  return rulesOf(dialect);
}

async function problemsOf(text: string): Promise<readonly string[]> {
  try {
    await parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
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
      - {key: pvPower, quantity: nothing}
    `);
    const common = {
      families: [],
      sources: ['history', 'latest', 'flow'],
      confidence: 'user',
    };
    expect(rules).toEqual([
      { ...common, key: 'houseMeter', reads: 'loadPowerWatts', unit: 'kw' },
      {
        ...common,
        key: 'mains',
        reads: 'gridPower',
        unit: 'W',
        positive: 'feed-in',
        part: 'a',
        model: 'XX1',
      },
      {
        ...common,
        key: 'panel',
        reads: 'stringPowerWatts',
        unit: 'W',
        part: '1',
        model: '5000',
      },
      { ...common, key: 'state', reads: 'workingMode' },
      { ...common, key: 'pvPower', reads: 'nothing' },
    ]);
  });

  test.each([
    { what: 'empty', text: '' },
    { what: 'nothing but a comment', text: '# nothing yet\n' },
    { what: 'an empty list', text: '[]' },
  ])('may be $what', async ({ text }) => {
    expect(await parse(text)).toEqual([]);
  });

  test('may repeat an entry by an alias', async () => {
    const [first, second] = await parse(`
      - &meter {key: houseMeter, quantity: load_power, unit: kW}
      - *meter
    `);
    expect(second).toEqual(first);
  });

  test.each([
    { quantity: 'pv_power', more: 'unit: W' },
    { quantity: 'load_power', more: 'unit: kW' },
    { quantity: 'ac_output_power', more: 'unit: MW' },
    { quantity: 'grid_power', more: 'unit: W, sign: import' },
    { quantity: 'grid_import_power', more: 'unit: W' },
    { quantity: 'grid_feed_in_power', more: 'unit: W' },
    { quantity: 'battery_power', more: 'unit: W, sign: charging' },
    { quantity: 'battery_current', more: 'unit: A, sign: discharging' },
    { quantity: 'battery_charging_current', more: 'unit: mA' },
    { quantity: 'battery_discharge_current', more: 'unit: A' },
    { quantity: 'battery_voltage', more: 'unit: mV' },
    { quantity: 'battery_soc', more: "unit: '%'" },
    { quantity: 'battery_soh', more: "unit: '%'" },
    { quantity: 'battery_temperature', more: 'unit: ℃' },
    { quantity: 'battery_temperature', more: 'unit: °C, part: 1' },
    { quantity: 'grid_voltage', more: 'unit: V' },
    { quantity: 'grid_frequency', more: 'unit: Hz' },
    { quantity: 'ac_output_voltage', more: 'unit: V' },
    { quantity: 'ac_output_frequency', more: 'unit: Hz' },
    { quantity: 'string_power', more: 'unit: W, part: 1' },
    { quantity: 'string_voltage', more: 'unit: V, part: 2' },
    { quantity: 'string_current', more: 'unit: A, part: 3' },
    { quantity: 'temperature', more: 'unit: °F, part: coolant' },
  ])('may name $quantity with $more, and has it read', async ({ quantity, more }) => {
    const rules = await parse(`- {key: k, quantity: ${quantity}, ${more}}`);
    const sample = { key: 'k', number: { value: 40 }, text: { value: '40' } };
    const { measurements } = decodeAnswer([sample], { source: 'latest' }, new RuleSet(rules));
    const expected = parseUnit(rules[0]?.unit)?.toBase(40);
    expect(measurements.map(({ value }) => Math.abs(Number(value)))).toContain(expected);
  });
});

const FIELDS = 'key, quantity, unit, sign, part, model';
const SIGNED = 'grid_power, battery_power, battery_current';

describe('a dialect file is refused', () => {
  test.each([
    {
      text: '[{key: {"\\u007f": 0}, quantity: nothing}]',
      problem: 'key: {"\\u007f":"0"} is not accepted; accepted: a text or a number',
    },
    { text: '- pvPower', problem: `is not a mapping; accepted: ${FIELDS}` },
    { text: '- [pvPower]', problem: `is not a mapping; accepted: ${FIELDS}` },
    { text: '- null', problem: `is not a mapping; accepted: ${FIELDS}` },
    {
      text: '- {key: k, quantity: nothing, factor: 10}',
      problem: `"factor": unknown name; accepted: ${FIELDS}`,
    },
    {
      text: '- {key: [k], quantity: nothing}',
      problem: 'key: ["k"] is not accepted; accepted: a text or a number',
    },
    {
      text: '- {key: k, quantity: nothing, part: }',
      problem: 'part: "" is not accepted; accepted: a text or a number',
    },
    {
      text: "- {key: ' ', quantity: nothing}",
      problem: 'key: " " is not accepted; accepted: a text or a number',
    },
    {
      text: '- {quantity: nothing}',
      problem: 'key: is missing; accepted: a field key of the service',
    },
    {
      text: '- {key: k, quantity: battery_voltage}',
      problem: 'unit: is missing; accepted for battery_voltage: V, mV, kV',
    },
    {
      text: '- {key: k, quantity: battery_voltage, unit: W}',
      problem: 'unit: "W" is not accepted; accepted for battery_voltage: V, mV, kV',
    },
    {
      text: '- {key: k, quantity: pv_power, unit: kWp}',
      problem: 'unit: "kWp" is not accepted; accepted for pv_power: W, kW, MW, mW',
    },
    {
      text: '- {key: k, quantity: working_mode, unit: V}',
      problem: 'unit: "V" is not accepted; working_mode has none',
    },
    {
      text: '- {key: k, quantity: nothing, unit: kWh}',
      problem: 'unit: "kWh" is not accepted; nothing has none',
    },
    {
      text: '- {key: k, quantity: pv_power, unit: W, sign: import}',
      problem: `sign: "import" is not accepted; only ${SIGNED} have one`,
    },
    {
      text: '- {key: k, quantity: grid_power, unit: W}',
      problem:
        'sign: is missing; accepted for grid_power: import, feed-in (what a positive value means)',
    },
    {
      text: '- {key: k, quantity: battery_current, unit: A, sign: import}',
      problem:
        'sign: "import" is not accepted; accepted for battery_current: discharging, charging (what a positive value means)',
    },
    {
      text: '- {key: k, quantity: temperature, unit: °C}',
      problem: 'part: is missing; accepted for temperature: which string or sensor it is',
    },
    {
      text: '- {key: k, quantity: pv_power, unit: W, part: 1}',
      problem: 'part: "1" is not accepted; pv_power has no parts',
    },
  ])('$text: $problem', async ({ text, problem }) => {
    expect(await problemsOf(text)).toEqual([`--dialect.file: "${PATH}": entry 1: ${problem}`]);
  });

  test.each([
    { given: '', shown: 'is missing' },
    { given: 'quantity: power', shown: '"power" is not accepted' },
    { given: 'quantity: toString', shown: '"toString" is not accepted' },
    { given: 'quantity: __proto__', shown: '"__proto__" is not accepted' },
  ])('without a quantity that it knows: $given', async ({ given, shown }) => {
    const [problem, ...others] = await problemsOf(`- {key: k, ${given}}`);
    expect(others).toEqual([]);
    expect(problem).toContain(`entry 1: quantity: ${shown}; accepted: pv_power, load_power,`);
  });

  test('with every problem of every entry', async () => {
    const text = `
      - {key: k, quantity: nothing}
      - {quantity: grid_power}
      - nonsense
    `;
    const problems = await problemsOf(text);
    expect(problems.map((problem) => problem.replace(/^.*?(entry \d: \w+).*$/, '$1'))).toEqual([
      'entry 2: key',
      'entry 2: unit',
      'entry 2: sign',
      'entry 3: is',
    ]);
  });

  test('with every problem of an entry that is also of the wrong shape', async () => {
    const text = '- {key: [k], quantity: pv_power, unit: V, factor: 10, scale: 2}';
    expect(await problemsOf(text)).toEqual(
      [
        'key: ["k"] is not accepted; accepted: a text or a number',
        'unit: "V" is not accepted; accepted for pv_power: W, kW, MW, mW',
        `"factor": unknown name; accepted: ${FIELDS}`,
        `"scale": unknown name; accepted: ${FIELDS}`,
      ].map((problem) => `--dialect.file: "${PATH}": entry 1: ${problem}`),
    );
  });
});
