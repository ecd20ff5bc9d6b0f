import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES_FILE } from '../../prometheus/rule-files.ts';
import {
  deviceSeries,
  exporterSeries,
  panelsAlone,
  restingBattery,
  type DeviceGauges,
} from '../../prometheus/houses.ts';
import { DAY, HOUR } from '../../prometheus/series.ts';
import { hasProgram } from '../../support/programs.ts';
import { copyOfRules, promtool } from './promtool.ts';

/** Weeks of a house with several devices, and which of them have had an alert, by its name. */
interface House {
  readonly lives: string;
  readonly minutes: number;
  readonly step: number;
  readonly devices: Readonly<Record<string, DeviceGauges>>;
  readonly told: readonly Told[];
}

/** Which devices have had an alert between two minutes. */
interface Told {
  readonly alert: string;
  readonly from: number;
  readonly to: number;
  readonly devices: readonly string[];
}

/** Peaks of days in a dull November. Three of them never wake the inverter, two of which follow each other. */
const NOVEMBER = [260, 180, 55, 240, 25, 210, 30, 20, 130, 45, 260, 70];

const HOUSES: readonly House[] = [
  {
    lives: 'on panels alone in a dark November, with a battery that says 0 % and 27 V or without',
    minutes: 12 * DAY,
    step: 15,
    devices: {
      panels: panelsAlone(NOVEMBER),
      // No battery, but the charger holds its terminals at 27 V.
      charger: floating(panelsAlone(NOVEMBER)),
      // Fails at noon of the third day.
      broken: panelsAlone(NOVEMBER, 2 * DAY),
    },
    told: [
      { alert: 'Solar.*', from: 0, to: 5 * DAY, devices: [] },
      { alert: 'Solar.*', from: 5 * DAY, to: 12 * DAY, devices: ['broken'] },
    ],
  },
  {
    lives: 'with batteries that rest every night at their cut-offs',
    minutes: 5 * DAY + 8 * HOUR,
    step: 10,
    devices: {
      ten: restingBattery({ cutOff: 0.1, driftsTo: 0.09 }),
      unknown: restingBattery({ cutOff: 0.1, driftsTo: 0.09, isPowerKnown: false }),
      nine: restingBattery({ cutOff: 0.09, driftsTo: 0.09 }),
      fifteen: restingBattery({ cutOff: 0.15, driftsTo: 0.14 }),
      twenty: restingBattery({ cutOff: 0.2, driftsTo: 0.19 }),
      // Knows its cut-off from a setting.
      setting: {
        ...restingBattery({ cutOff: 0.1, driftsTo: 0.09 }),
        'device_setting_value{setting="batteryCutOffSOC",unit="%"}': () => 10,
      },
      // In the last night it does not stop.
      falls: restingBattery({ cutOff: 0.1, driftsTo: 0.09, fallsThroughAfter: 4 * DAY + 9 * HOUR }),
    },
    told: [
      {
        // Nobody knows yet where they rest.
        alert: 'SolarBatteryCritical',
        from: 0,
        to: 3 * DAY,
        devices: ['falls', 'nine', 'ten', 'unknown'],
      },
      { alert: 'SolarBatteryCritical', from: 3 * DAY + 12 * HOUR, to: 5 * DAY, devices: [] },
      { alert: 'SolarBatteryCritical', from: 5 * DAY, to: 5 * DAY + 8 * HOUR, devices: ['falls'] },
      {
        // On its way to 10 or 15 %, a battery is low. One that drifts from 20 to 19 % is not.
        alert: 'SolarBatteryLow',
        from: 4 * DAY + 12 * HOUR,
        to: 5 * DAY + 8 * HOUR,
        devices: ['falls', 'fifteen', 'nine', 'setting', 'ten', 'unknown'],
      },
      // At rest, none is.
      { alert: 'SolarBatteryLow', from: 4 * DAY + 4 * HOUR, to: 4 * DAY + 8 * HOUR, devices: [] },
    ],
  },
];

/** A device without a battery whose charge is 0 % at the voltage of its charger. */
function floating(gauges: DeviceGauges): DeviceGauges {
  const awake = (minute: number) => gauges['device_reporting']?.(minute) === 1;
  return {
    ...gauges,
    battery_soc_ratio: (minute) => (awake(minute) ? 0 : undefined),
    battery_voltage_volts: (minute) => (awake(minute) ? 27 : undefined),
  };
}

/** The house as a test file of promtool. JSON is YAML. */
function testFile({ minutes, step, devices, told }: House): string {
  const span = { minutes, step };
  return JSON.stringify({
    rule_files: [RULES_FILE],
    evaluation_interval: `${step}m`,
    tests: [
      {
        interval: `${step}m`,
        input_series: [
          ...exporterSeries(span),
          ...Object.entries(devices).flatMap(([id, gauges]) => deviceSeries(id, gauges, span)),
        ],
        promql_expr_test: told.map(({ alert, from, to, devices: ids }) => ({
          expr: `count by (device_id) (max by (device_id) (max_over_time(ALERTS{alertname=~"${alert}",alertstate="firing"}[${to - from}m])))`,
          eval_time: `${to}m`,
          exp_samples: ids.map((id) => ({ labels: `{device_id="${id}"}`, value: 1 })),
        })),
      },
    ],
  });
}

describe.skipIf(!hasProgram('promtool'))('the alerts of a house', () => {
  test.each(HOUSES)('that lives $lives', (house) => {
    const directory = copyOfRules();
    writeFileSync(join(directory, 'house.test.yml'), testFile(house));
    const { status, output } = promtool(directory, 'test', 'rules', 'house.test.yml');
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
