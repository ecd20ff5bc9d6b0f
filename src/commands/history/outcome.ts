import { printable } from '../../base/shown.ts';
import { formatDuration } from '../../config/duration.ts';
import type { Estimate } from '../../history/run/estimate.ts';
import type { DeviceGaps } from '../../history/run/gaps-by-device.ts';
import type { PlannedPart, RunOutcome } from '../../history/run/run-history.ts';
import type { Device } from '../../model/station.ts';

/** More gaps of one device than anybody reads. */
const MOST_GAPS = 20;

/** Says what a run has written, and what the service does not have. */
export function outcomeText(
  { written, gaps }: RunOutcome,
  plan: readonly PlannedPart[],
  { complete, intoFiles }: { readonly complete: number; readonly intoFiles: boolean },
): string {
  const samples = sum(written.map((one) => one.samples));
  const bytes = sum(written.map((one) => one.bytes));
  const noun = intoFiles ? 'file' : 'month';
  const before = complete === 0 ? '' : `; ${plural(complete, noun)} complete before`;
  const lines = [
    `${plural(written.length, noun)} written: ${count(samples)} samples, ${sizeOf(bytes)}${before}`,
    ...(intoFiles ? written.map(({ place }) => `  ${place}`) : []),
    ...gapLines(gaps, plan),
  ];
  return `${lines.join('\n')}\n`;
}

function gapLines(gaps: readonly DeviceGaps[], plan: readonly PlannedPart[]): readonly string[] {
  const devices = new Map(
    plan.flatMap((planned) => planned.devices.map((device) => [device.deviceId, device] as const)),
  );
  return gaps.flatMap(({ deviceId, gaps: spans }) => {
    const shown = spans.slice(0, MOST_GAPS).map(({ fromMs, toMs }) => {
      return `  ${minuteOf(fromMs)} to ${minuteOf(toMs)}`;
    });
    const more = spans.length - shown.length;
    return [
      `the service has no readings of ${nameOf(devices.get(deviceId) ?? { deviceId })}:`,
      ...shown,
      ...(more > 0 ? [`  and ${more} times more`] : []),
    ];
  });
}

/** Says how much a run will be. */
export function estimateText(
  plan: readonly PlannedPart[],
  { requests, readings, samples, bytes }: Estimate,
  { complete, perSecond }: { readonly complete: number; readonly perSecond: number },
): string {
  const stations = new Set(plan.map(({ part }) => part.station.stationId));
  const devices = new Set(plan.flatMap((planned) => planned.devices.map((one) => one.deviceId)));
  const before = complete === 0 ? '' : `; ${plural(complete, 'part')} complete before`;
  const lengthMs = Math.ceil(requests / perSecond) * 1000;
  const lines = [
    `${plural(devices.size, 'device')} of ${plural(stations.size, 'station')}, ${plural(plan.length, 'month or part of one', 'months or parts of one')}${before}`,
    `at most about, where the service has a reading every five minutes:`,
    `  requests  ${count(requests)}, which take ${formatDuration(lengthMs)} at ${perSecond} a second`,
    `  readings  ${count(readings)}`,
    `  samples   ${count(samples)}`,
    `  bytes     ${sizeOf(bytes)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Names a device as a person knows it. */
export function nameOf({ deviceId, name }: Device): string {
  return name === undefined ? deviceId : `${printable(name)} (${deviceId})`;
}

function minuteOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function plural(many: number, one: string, several = `${one}s`): string {
  return `${count(many)} ${many === 1 ? one : several}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Writes a length in bytes with its unit: `1.2 MB`. */
function sizeOf(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const rounded = bytes / 1000 ** power;
  return `${power === 0 ? rounded : rounded.toFixed(1)} ${units[power] ?? ''}`;
}
