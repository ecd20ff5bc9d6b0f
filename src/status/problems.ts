import { aheadWords } from '../model/readings.ts';
import type { DeviceStatus, Problem, StationPageStatus, Status } from './status.ts';

/** At this charge or below, a battery is low, and at half of it nearly empty: as for the alerts and the dashboard. */
export const LOW_RATIO = 0.2;

/** What to do about an account that has nothing. */
export const NO_STATIONS_REMEDY =
  'add the plant to this account in the app of the portal, or have its owner share it with this account; if the app shows a plant, these credentials are of another account';

const RANKS = { critical: 0, warning: 1, notice: 2 };

/** Returns where a problem belongs among others, the worst first; what has no problem comes last. */
export function rankOf(problem?: Problem): number {
  return problem === undefined ? 3 : RANKS[problem.level];
}

/** Says what is wrong with the account, or not known of it yet, in the words of the dashboard. */
export function* accountProblems({
  session,
  account: collectors,
  stations,
}: Pick<Status, 'session' | 'account' | 'stations'>): Generator<Problem> {
  const isFailing = collectors.some(({ code }) => code !== 'ok');
  if (session.isReauthenticationRequired) yield { level: 'critical', what: 'credentials refused' };
  if (session.isShared) yield { level: 'warning', what: 'somebody else uses the account' };
  if (stations.length > 0) {
    if (isFailing) yield { level: 'warning', what: 'cannot be refreshed: stations' };
  } else if (isFailing) yield { level: 'critical', what: 'no station can be read' };
  else if (collectors.length > 0)
    yield { level: 'warning', what: 'no stations', remedy: NO_STATIONS_REMEDY };
  else yield { level: 'notice', what: 'not read yet' };
}

/**
 * Returns the same of a station and its devices, the worst first.
 *
 * @param zoneProblem - says that its zone is not known.
 */
export function stationProblems(
  station: Omit<StationPageStatus, 'problems'>,
  zoneProblem?: string,
): readonly Problem[] {
  const { stationId, name = stationId, isUp, collectors, devices, flow } = station;
  const problems: Problem[] = [];
  const add = (level: Problem['level'], what: string) => problems.push({ level, what, name });
  if (isUp === undefined) add('notice', 'not read yet');
  // The last values may still be shown.
  if (isUp === false && Object.keys(flow).length === 0) add('critical', 'cannot be read');
  else if (isUp === false) add('warning', 'cannot be refreshed: readings');
  for (const { collector, code } of collectors)
    if (code !== 'ok' && collector !== 'readings')
      add('warning', `cannot be refreshed: ${collector}`);
  if (zoneProblem !== undefined) add('warning', zoneProblem);
  for (const device of devices) {
    const { deviceId, name = deviceId } = device;
    for (const [level, what] of deviceProblems(device))
      problems.push({ level, what, name, deviceId });
  }
  return problems.sort((one, other) => rankOf(one) - rankOf(other));
}

function* deviceProblems(
  device: DeviceStatus,
): Generator<readonly ['critical' | 'warning', string]> {
  const { alarms, batterySocRatio: ratio = Infinity } = device;
  if (ratio <= LOW_RATIO)
    yield ratio > LOW_RATIO / 2 ? ['warning', 'battery low'] : ['critical', 'battery nearly empty'];
  for (const { alarm, level } of alarms)
    yield level === 'critical' ? [level, alarm] : ['warning', `${alarm} (${level})`];
  if (device.unlistedSinceMs !== undefined) yield ['warning', 'gone from the list'];
  if (device.isBmsSilent === true) yield ['warning', 'BMS silent'];
  if (device.datedAheadMs !== undefined) yield ['warning', aheadWords(device.datedAheadMs)];
  else if (device.isReporting === false) yield ['warning', 'silent'];
  if (device.family === 'unknown') yield ['warning', 'unknown family'];
}
