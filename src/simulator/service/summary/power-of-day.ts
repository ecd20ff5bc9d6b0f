import type { PlantState } from '../../physics/plant.ts';
import type { Reply } from '../reply.ts';
import { jsonBody, type ServiceRequest } from '../service-request.ts';
import type { World } from '../world.ts';
import { matched, twoDigits } from './buckets.ts';
import { expectCategory, property, summary, type TimePoint } from './categories.ts';
import type { Scope, Share } from './scopes.ts';

const CATEGORY = 'pvInverterPowerClass';
const STEP_MS = 30 * 60_000;

/** The keys that clients draw; the signs are filled in: discharging and import are positive. */
const PROPERTIES: readonly {
  readonly key: string;
  readonly name: string;
  readonly watts: (state: PlantState) => number;
}[] = [
  { key: 'generationPower', name: 'PV power', watts: (state) => state.pvPowerWatts },
  { key: 'loadPower', name: 'Load power', watts: (state) => state.loadPowerWatts },
  { key: 'batteryPower', name: 'Battery power', watts: (state) => state.batteryPowerWatts },
  {
    key: 'gridPower',
    name: 'Grid power',
    watts: (state) => state.gridImportPowerWatts - state.gridFeedInPowerWatts,
  },
];

interface Point {
  readonly time: string;
  readonly timeDisplay: string;
  /** Undefined for a point that is yet to come. */
  readonly states: readonly { readonly state: PlantState; readonly weight: number }[] | undefined;
}

/** Serves the powers of one day, `2026-08-24`, in kW (field notes 1.4 and 2.9). */
export function summarizePower(scope: Scope) {
  return (request: ServiceRequest, world: World): Reply => {
    const { time } = jsonBody(request);
    const shares = scope(request, world);
    expectCategory(request, CATEGORY);
    const points = pointsOf(time, shares, world);
    return summary(
      { id: '2', key: CATEGORY, name: 'Power' },
      PROPERTIES.map(({ key, name, watts }) =>
        property(
          { key, name, unit: 'kW' },
          points.map((point) => powerPoint(point, watts)),
        ),
      ),
    );
  };
}

function pointsOf(time: unknown, shares: readonly Share[], world: World): readonly Point[] {
  const [day = '', ...parts] = matched(time, /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/);
  const [year = 0, month = 0, dayOfMonth = 0] = parts.map(Number);
  const startMs = world.calendar.midnightMs(year, month, dayOfMonth);
  const endMs = world.calendar.midnightMs(year, month, dayOfMonth + 1);
  const nowMs = world.clock.nowMs();
  const points: Point[] = [];
  for (let atMs = startMs; atMs < endMs; atMs += STEP_MS) {
    const minutes = Math.round(world.calendar.hourAt(atMs) * 60);
    const timeDisplay = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
    const states = (): Point['states'] =>
      shares.map(({ station, weight }) => ({
        state: world.plant(station).stateAt(world.physicalMs(atMs)),
        weight,
      }));
    // Local time, and a space where an instant would have a T (field notes 2.9).
    points.push({
      time: `${day} ${timeDisplay}:00`,
      timeDisplay,
      states: atMs <= nowMs ? states() : undefined,
    });
  }
  return points;
}

function powerPoint(
  { time, timeDisplay, states }: Point,
  watts: (state: PlantState) => number,
): TimePoint {
  const sum = (states ?? []).reduce((total, { state, weight }) => total + watts(state) * weight, 0);
  return {
    time,
    timeDisplay,
    value: Math.round(sum) / 1000,
    isRealValue: states !== undefined,
  };
}
