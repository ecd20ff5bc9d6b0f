import { expect, test } from 'vitest';
import { readYaml } from '../support/repository.ts';
import { statusFields } from './status-fields.ts';

interface Sensor {
  readonly name: string;
  readonly unique_id: string;
  readonly device_class: string;
  readonly state_class?: string;
  readonly unit_of_measurement?: string;
  readonly value_template: string;
}

const { rest } = readYaml('examples/home-assistant/solar.yaml') as {
  readonly rest: readonly [
    { readonly resource: string; sensor: readonly Sensor[]; binary_sensor: readonly Sensor[] },
  ];
};
const [{ resource, sensor: sensors, binary_sensor: binarySensors }] = rest;
const ALL = [...sensors, ...binarySensors];

/** What a sensor of each kind has to be, and how its field in docs/api.md ends. */
const KINDS: Readonly<Record<string, readonly [state: string, unit: string, ending: string]>> = {
  power: ['measurement', 'W', 'Watts'],
  battery: ['measurement', '%', 'Ratio'],
  energy: ['total_increasing', 'kWh', 'Kwh'],
};
const FIELDS = statusFields().map(({ path }) => path);

/** The field that a figure shows, by its path in the answer. */
function fieldOf({ value_template: template, device_class: kind }: Sensor): string {
  const [, name = ''] = /\.(\w+(?:Watts|Kwh|Ratio))\b/.exec(template) ?? [];
  return `stations[].${kind === 'energy' ? 'energy.today' : 'flow'}.${name}`;
}

test('sensors for Home Assistant show each power and energy with its unit', () => {
  expect(resource).toBe('http://localhost:9877/api/v1/status');
  expect(new Set(ALL.map(({ unique_id: id }) => id)).size).toBe(ALL.length);
  const figures = sensors.filter(({ device_class: kind }) => kind !== 'timestamp');
  expect(figures.map(fieldOf).sort()).toEqual(
    FIELDS.filter((path) => /\]\.(flow|energy\.today)\./.test(path)).sort(),
  );
  for (const figure of figures) {
    const [state_class, unit_of_measurement, ending = '?'] = KINDS[figure.device_class] ?? [];
    expect(figure, figure.name).toMatchObject({ state_class, unit_of_measurement });
    expect(fieldOf(figure), figure.name).toMatch(new RegExp(`${ending}$`));
    expect(figure.value_template, figure.name).toMatch(/\| round(\(\d\))? \}\}/);
  }
});

test('they ask for no field that the answer does not have', () => {
  const fields = new Set(FIELDS.flatMap((path) => path.split(/[.[\]]+/)));
  const named = JSON.stringify(ALL).matchAll(/(?:\)|value_json|station|device)\.(\w+)/g);
  for (const [, name = ''] of named) expect([...fields]).toContain(name);
});
