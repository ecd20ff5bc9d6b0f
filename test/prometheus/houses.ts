import { DAY, type Gauge, HOUR, inputSeries, type InputSeries, type Span } from './series.ts';

/** What a device shows over time, by the name of the metric without "solar_". */
export type DeviceGauges = Readonly<Record<string, Gauge>>;

const EXPORTER = { job: 'solar', instance: 'a' };
const constant =
  (value: number): Gauge =>
  () =>
    value;

/** What an exporter shows of itself and its station while all is well. */
export function exporterSeries(span: Span): readonly InputSeries[] {
  const shown = (name: string, labels: Readonly<Record<string, string>>) =>
    inputSeries(name, { ...EXPORTER, ...labels }, constant(1), span);
  return [
    shown('up', {}),
    shown('solar_up', { station_id: '1' }),
    shown('solar_config_last_reload_successful', {}),
    ...['readings', 'devices', 'alarms'].map((collector) =>
      shown('solar_collector_success', { station_id: '1', collector }),
    ),
  ];
}

/** What a device shows. A name may carry labels: `device_working_mode{mode="battery"}`. */
export function deviceSeries(id: string, gauges: DeviceGauges, span: Span): readonly InputSeries[] {
  return Object.entries(gauges).map(([key, gauge]) => {
    const [name = key] = key.split('{');
    const labels: Record<string, string> = { ...EXPORTER, station_id: '1', device_id: id };
    for (const [, label = '', value = ''] of key.matchAll(/(\w+)="([^"]*)"/g))
      labels[label] = value;
    return inputSeries(`solar_${name}`, labels, gauge, span);
  });
}

/** A device that reports all the time. */
export const reporting: DeviceGauges = {
  device_reporting: constant(1),
  reading_timestamp_seconds: (minute) => minute * 60,
};

/**
 * Panels alone at 61° N in November: the sun is up from 9:30 to 14:30, and gives `peaks` watts at noon, day by
 * day. The inverter is off under 40 W, and says nothing then but the time of its last reading. It begins at noon.
 */
export function panelsAlone(peaks: readonly number[], failsAt = Infinity): DeviceGauges {
  const watts = (minute: number) => {
    const clock = minute + 12 * HOUR;
    const peak = peaks[Math.floor(clock / DAY) % peaks.length] ?? 0;
    const angle = ((clock % DAY) - 9.5 * HOUR) / (5 * HOUR);
    return angle <= 0 || angle >= 1 ? 0 : Math.round(peak * Math.sin(Math.PI * angle));
  };
  const isOn = (minute: number) => minute < failsAt && watts(minute) >= 40;
  let heard = 0;
  return {
    device_reporting: (minute) => (isOn(minute) ? 1 : 0),
    pv_power_watts: (minute) => (isOn(minute) ? watts(minute) : undefined),
    reading_timestamp_seconds: (minute) => {
      if (minute === 0) heard = 0;
      if (isOn(minute)) heard = minute * 60;
      return heard;
    },
  };
}

/** How a battery that rests every night at its cut-off behaves. */
export interface NightlyRest {
  /** The charge at which the inverter stops to discharge. */
  readonly cutOff: number;
  /** The charge to which it drifts within three hours. */
  readonly driftsTo: number;
  /** From this minute on, it does not stop. */
  readonly fallsThroughAfter?: number;
  readonly isPowerKnown?: boolean;
}

/**
 * A battery that discharges from 18:00 on by ten points an hour, 600 W, stops at its cut-off, and charges from 8:00
 * on. At rest the inverter draws 30 W for itself.
 */
export function restingBattery(rest: NightlyRest): DeviceGauges {
  const { cutOff, driftsTo, fallsThroughAfter = Infinity, isPowerKnown = true } = rest;
  const state = (minute: number): { readonly soc: number; readonly watts: number } => {
    // A day from eight to eight.
    const hours = ((((minute - 8 * HOUR) % DAY) + DAY) % DAY) / HOUR;
    if (hours < 10)
      return { soc: Math.min(0.8, driftsTo + 0.1 * hours), watts: hours < 7 ? -700 : 0 };
    const left = 0.8 - 0.1 * (hours - 10);
    const isCutOff = minute < fallsThroughAfter;
    if (left > cutOff || !isCutOff) return { soc: Math.max(0, left), watts: left > 0 ? 600 : 0 };
    const resting = hours - 10 - (0.8 - cutOff) / 0.1;
    return { soc: resting >= 1.5 ? driftsTo : cutOff, watts: 30 };
  };
  return {
    ...reporting,
    // Whole points, as inverters report.
    battery_soc_ratio: (minute) => Math.round(state(minute).soc * 100) / 100,
    ...(isPowerKnown ? { battery_power_watts: (minute) => state(minute).watts } : {}),
    grid_voltage_volts: constant(230),
  };
}
