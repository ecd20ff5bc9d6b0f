import { describe, expect, test } from 'vitest';
import { tableRows } from '../../drift/markdown.ts';
import { readText, readYaml } from '../../stack/repository.ts';
import { eventually } from '../../support/eventually.ts';
import { hasJinja, renderJinja } from '../../support/jinja.ts';
import { startBoth } from '../../doors/house.ts';

interface Sensor {
  readonly unique_id: string;
  readonly name: string;
  readonly device_class: string;
  readonly state_class?: string;
  readonly unit_of_measurement?: string;
  readonly availability: string;
  readonly value_template: string;
}

interface Station {
  readonly partial: readonly string[];
  readonly [field: string]: unknown;
}

interface Status {
  readonly stations: readonly Station[];
}

const FILE = 'examples/home-assistant/solar.yaml';
const { rest } = readYaml(FILE) as {
  readonly rest: readonly [
    {
      readonly resource: string;
      readonly sensor: readonly Sensor[];
      readonly binary_sensor: readonly Sensor[];
    },
  ];
};
const [{ resource, sensor: sensors, binary_sensor: binarySensors }] = rest;
/** Those whose value is a figure of the answer. */
const FIGURES = sensors.filter(({ device_class: kind }) => kind !== 'timestamp');

/** What a sensor of each kind has to be, and the unit of its field in docs/api.md. */
const KINDS: Readonly<Record<string, readonly [state: string, unit: string, documented: string]>> =
  {
    power: ['measurement', 'W', 'W'],
    battery: ['measurement', '%', '0 to 1'],
    energy: ['total_increasing', 'kWh', 'kWh'],
  };

/** The field that a figure shows, by its path in a station. */
function fieldOf({ value_template: template, device_class: kind }: Sensor): string {
  const [, name = ''] = /\.(\w+(?:Watts|Kwh|Ratio))\b/.exec(template) ?? [];
  return kind === 'energy' ? `energy.today.${name}` : `flow.${name}`;
}

/** What is at a path; undefined where any part of it is absent. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (found, key) => (found as Readonly<Record<string, unknown>> | undefined)?.[key],
      value,
    );
}

/** What Home Assistant shows of each sensor; undefined while one is unavailable. */
function shown(of: readonly Sensor[], answer: Status): ReadonlyMap<string, string | undefined> {
  const templates = of.flatMap((sensor) => [sensor.availability, sensor.value_template]);
  const rendered = renderJinja(templates, { value_json: answer });
  return new Map(
    of.map(({ unique_id: id }, index) => [
      id,
      rendered[2 * index] === 'True' ? rendered[2 * index + 1] : undefined,
    ]),
  );
}

/** Holds what is shown against the answer: the figure itself, or nothing. */
function expectFigures(answer: Status): number {
  const values = shown(FIGURES, answer);
  let known = 0;
  for (const figure of FIGURES) {
    const field = fieldOf(figure);
    const [station] = answer.stations;
    const value = at(station, field);
    const isWhole = !(station?.partial ?? []).includes(field.replace('flow.', ''));
    const told = values.get(figure.unique_id);
    if (typeof value !== 'number' || !isWhole) {
      expect(told, figure.name).toBeUndefined();
      continue;
    }
    known += 1;
    const scale = figure.unit_of_measurement === '%' ? 100 : 1;
    expect(Number(told), figure.name).toBeCloseTo(value * scale, 1);
  }
  return known;
}

describe('the sensors for Home Assistant', () => {
  const documented = new Map(
    tableRows(readText('docs/api.md'), 'field').map(([path = '', , unit = '']) => [
      path.replaceAll('`', ''),
      unit,
    ]),
  );

  test('ask where the exporter answers', () => {
    expect(resource).toBe('http://localhost:9877/api/v1/status');
  });

  test('have names and ids of their own', () => {
    const all = [...sensors, ...binarySensors];
    expect(new Set(all.map(({ unique_id: id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  test.each(FIGURES)('$name has the class and the unit of its field', (figure) => {
    const [state, unit, inDocument] = KINDS[figure.device_class] ?? [];
    expect(figure).toMatchObject({ state_class: state, unit_of_measurement: unit });
    expect(documented.get(`stations[].${fieldOf(figure)}`)).toBe(inDocument);
  });

  test('show every power, the charge and all energies of the day', () => {
    const ofStation = [...documented.keys()].filter((path) =>
      /^stations\[\]\.(flow|energy\.today)\./.test(path),
    );
    expect(FIGURES.map((figure) => `stations[].${fieldOf(figure)}`).sort()).toEqual(
      ofStation.toSorted(),
    );
  });
});

describe.skipIf(!hasJinja())('Jinja makes of the templates', () => {
  const golden = (name: string) =>
    JSON.parse(readText(`test/fixtures/status/${name}.json`)) as Status;

  test('every figure of a station that knows all of them', () => {
    const { stations } = golden('full-station');
    expect(expectFigures({ stations: stations.map((one) => ({ ...one, partial: [] })) })).toBe(13);
  });

  test.each([
    // Each sum of power lacks a device.
    { name: 'full-station', known: 6 },
    { name: 'stations-in-trouble', known: 0 },
    { name: 'two-accounts', known: 4 },
    { name: 'nothing-known', known: 0 },
  ])('what $name knows, and nothing of the rest', ({ name, known }) => {
    expect(expectFigures(golden(name))).toBe(known);
  });

  test('the state of a station that is in trouble', () => {
    const values = shown(binarySensors, golden('full-station'));
    expect([...values.values()].every((value) => /^(True|False)$/.test(value ?? ''))).toBe(true);
    expect(shown(binarySensors, golden('nothing-known'))).toEqual(
      new Map([
        ['solar_service_reached', undefined],
        ['solar_inverter_alarm', undefined],
        ['solar_credentials_refused', expect.stringMatching(/^(True|False)$/)],
      ]),
    );
  });

  test('of a real exporter its figures, and the time of its newest reading', async () => {
    const { url } = await startBoth({ now: '2024-01-02T04:00:00Z' });
    const answer = await eventually(async () => {
      const response = await fetch(`${url}/api/v1/status`);
      const status = (await response.json()) as Status;
      expect(expectFigures(status)).toBeGreaterThan(4);
      return status;
    });
    const [device] = answer.stations[0]?.['devices'] as readonly [{ measuredAtMs: number }];
    const told = shown(sensors, answer).get('solar_newest_reading');
    expect(Date.parse(told ?? '')).toBe(device.measuredAtMs);
    expect(Object.fromEntries(shown(binarySensors, answer))).toEqual({
      solar_service_reached: 'True',
      solar_inverter_alarm: 'False',
      solar_credentials_refused: 'False',
    });
  });
});
