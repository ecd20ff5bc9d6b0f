import { turn } from '../base/turns.ts';
import { leastOf, sumOf } from '../model/units.ts';
import { figures } from './known-fields.ts';
import type { DeviceStatus, FlowStatus } from './status.ts';

const FLOW_SUMS = [
  'pvPowerWatts',
  'loadPowerWatts',
  'gridPowerWatts',
  'gridImportPowerWatts',
  'gridFeedInPowerWatts',
  'batteryPowerWatts',
] as const satisfies (keyof FlowStatus)[];

/** The figures of a station that are made of those of its devices. */
const SUMMED_FIGURES = [...FLOW_SUMS, 'batterySocRatio', 'pvEnergyTodayKwh'] as const;

type SummedFigure = (typeof SUMMED_FIGURES)[number];

/** A figure of all devices together. */
interface StationFigure {
  readonly total: number | undefined;
  /** How many devices know it. */
  readonly devices: number;
}

/** What the devices of a station know together. */
export type StationFigures = Readonly<Record<SummedFigure, StationFigure>>;

/** Sums up what the devices know; others have their turn between figures. */
export async function summedFigures(devices: readonly DeviceStatus[]): Promise<StationFigures> {
  const sums: Partial<Record<SummedFigure, StationFigure>> = {};
  for (const name of SUMMED_FIGURES) {
    if (turn.isOver()) await turn.next();
    const known = knownOf(devices, name);
    sums[name] = { total: totalOf(known, name), devices: known.length };
  }
  return sums as StationFigures;
}

/** The sum of a figure, or of the charge of the batteries the least; absent when no device knows it. */
function totalOf(known: readonly number[], name: SummedFigure): number | undefined {
  if (known.length === 0) return undefined;
  return name === 'batterySocRatio' ? leastOf(known) : sumOf(known);
}

/** Returns the power of a station, and the charge of its emptiest battery. */
export function flowOf(sums: StationFigures): FlowStatus {
  const flow = [...FLOW_SUMS, 'batterySocRatio'] as const;
  const totals = flow.map((name) => [name, sums[name].total] as const);
  return figures(Object.fromEntries(totals) as Record<(typeof flow)[number], number | undefined>);
}

/** Returns the figures that only some devices know. */
export function partialFigures(
  sums: StationFigures,
  devices: readonly DeviceStatus[],
): readonly SummedFigure[] {
  return SUMMED_FIGURES.filter((name) => isPartial(sums[name], devices));
}

/** Whether some devices know a figure and others do not. */
function isPartial(sum: StationFigure, devices: readonly DeviceStatus[]): boolean {
  return sum.devices > 0 && sum.devices < devices.length;
}

function knownOf(devices: readonly DeviceStatus[], name: SummedFigure): readonly number[] {
  return devices.map((device) => device[name]).filter((value) => value !== undefined);
}
