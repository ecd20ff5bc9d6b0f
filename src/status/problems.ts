import { SECOND_ACCOUNT } from '../base/remedies.ts';
import type { ProblemLevel } from '../metrics/definitions.ts';
import { aheadWords } from '../model/readings.ts';
import type {
  CollectorStatus,
  DeviceStatus,
  Problem,
  StationPageStatus,
  Status,
} from './status.ts';

/** Below this charge, a battery is low, and below half of it nearly empty: as for the alerts and the dashboard. */
export const LOW_RATIO = 0.2;

/** What to do about an account that has nothing. */
const NO_STATIONS_REMEDY =
  'add the plant to this account in the app of the portal, or have its owner share it with this account; if the app shows a plant, these credentials are of another account';

/** What to do where a token still works, and cannot be renewed. */
const NEW_TOKEN =
  'the token cannot be renewed: log in at the portal and put the new one in place of the old one';

/** Everything that can be wrong, by its fixed words, which the metric has as well: how bad it is, and what to do. */
const PROBLEMS = {
  'credentials refused': ['critical', 'solar-exporter check says which credentials are needed'],
  'no station can be read': ['critical', ''],
  'cannot be read': ['critical', ''],
  'battery nearly empty': [
    'critical',
    'switch off what you do not need, start a generator, or let the grid charge the battery',
  ],
  'somebody else uses the account': ['warning', SECOND_ACCOUNT],
  'no stations': ['warning', NO_STATIONS_REMEDY],
  'no devices': [
    'warning',
    'add the data logger to this plant in the app of the portal; if the app shows devices there, this account may not see them',
  ],
  'cannot be refreshed': ['warning', ''],
  'time zone unknown': ['warning', 'set the zone of the station in the portal, or --time-zone'],
  'battery low': [
    'warning',
    'switch off what you do not need, or charge the battery from the grid',
  ],
  alarm: ['warning', 'look it up in the manual of the device, or in the app of the portal'],
  'gone from the list': [
    'warning',
    'look for the device in the app of the portal; if you removed it, this ends after a day',
  ],
  'BMS silent': [
    'warning',
    'do not rely on the charge; check the cable between battery and inverter, and its protocol',
  ],
  'dated ahead': [
    'warning',
    'set the clock and the time zone of the logger, in the app of the portal',
  ],
  'no value that can be': [
    'warning',
    'run solar-exporter devices --explain: it names each key and what can be',
  ],
  silent: [
    'warning',
    'by day, check that its data logger has power, Wi-Fi and the right time, then look at it in the app of the portal; at night, an inverter without a battery is off',
  ],
  'unknown family': [
    'warning',
    'run solar-exporter devices --explain --share: its output makes a dialect file, or an issue that helps everybody; https://github.com/solar-exporter/solar-exporter/blob/main/docs/families.md#an-unknown-family says how',
  ],
  'not read yet': ['info', 'wait: it is being asked for the first time'],
} as const satisfies Readonly<Record<string, readonly [level: ProblemLevel, remedy: string]>>;

type ProblemName = keyof typeof PROBLEMS;

const RANKS = { critical: 0, warning: 1, info: 2 };

/** Returns where a problem belongs among others, the worst first; what has no problem comes last. */
export function rankOf(problem?: Problem): number {
  return problem === undefined ? 3 : RANKS[problem.level];
}

/** Returns problems with the worst first. */
function worstFirst(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Returns what is wrong with the account and with stations, the worst first; of several, a device is named with its own. */
export function allProblems({
  problems,
  stations,
}: Pick<Status, 'problems' | 'stations'>): readonly Problem[] {
  const ofStations = stations.flatMap(({ stationId, name: station = stationId, problems: own }) =>
    own.map((problem) => {
      const { name, deviceId } = problem;
      const isNamed = stations.length === 1 || deviceId === undefined;
      return isNamed ? problem : { ...problem, name: `${station}: ${name}` };
    }),
  );
  return worstFirst([...problems, ...ofStations]);
}

/** Says whose a problem is, and what it is. */
export function wordsOf({ name, what }: Problem): string {
  return name === undefined ? what : `${name}: ${what}`;
}

/** Says in a line how a house is doing: the worst that is wrong, and how much more is. */
export function conditionOf(problems: readonly Problem[]): string {
  const [worst, ...others] = worstFirst(problems);
  if (worst === undefined) return 'all is well';
  return `${wordsOf(worst)}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}

/** Returns what to do about a problem. */
export function remedyOf(problem: ProblemName): string {
  return PROBLEMS[problem][1];
}

/** Makes a problem of its fixed words, and of what is known beyond them. */
function problemOf(problem: ProblemName, more: Partial<Problem> = {}): Problem {
  const [level, remedy] = PROBLEMS[problem];
  return { level, problem, what: problem, ...(remedy !== '' && { remedy }), ...more };
}

/** Says what is wrong with the account, or not known of it yet. */
export function* accountProblems({
  session,
  account: collectors,
  stations,
}: Pick<Status, 'session'> & {
  readonly account: readonly JudgedCollector[];
  readonly stations: { readonly length: number };
}): Generator<Problem> {
  const [failing] = collectors.filter(({ code }) => code !== 'ok');
  // What helps depends on where the credentials came from, which whoever was refused knows.
  const refused = collectors.find(({ code, remedy }) => code === 'SERVICE_AUTH_REJECTED' && remedy);
  // The token may work for minutes more, while a log-in is not tried again.
  if (session.isReauthenticationRequired || session.blockedUntilMs !== undefined) {
    const isOfToken = refused === undefined && session.mode.endsWith('_token');
    yield problemOf('credentials refused', isOfToken ? { remedy: NEW_TOKEN } : causeOf(refused));
  }
  if (session.isShared) yield problemOf('somebody else uses the account');
  if (failing !== undefined)
    yield stations.length > 0
      ? notRefreshed([failing.collector], failing)
      : problemOf('no station can be read', causeOf(failing));
  else if (stations.length === 0)
    yield problemOf(collectors.length > 0 ? 'no stations' : 'not read yet');
}

/** What a station is judged by, beside its devices. */
export interface JudgedStation {
  readonly isUp?: boolean | undefined;
  readonly collectors: readonly JudgedCollector[];
  readonly devices: readonly DeviceStatus[];
  /** Says that its zone is not known. */
  readonly zoneProblem?: string | undefined;
}

/** More devices are counted, not named. */
const MOST_NAMED = 3;

type JudgedCollector = Pick<CollectorStatus, 'collector' | 'code' | 'reason' | 'remedy'>;

/** Says what is wrong with a station, beside its devices. */
export function* problemsOfStation(station: JudgedStation): Generator<Problem> {
  const { isUp, collectors, devices, zoneProblem } = station;
  const failing = collectors.filter(({ code }) => code !== 'ok');
  const names = new Set(failing.map(({ collector }) => collector));
  if (isUp === false) names.add('readings');
  if (isUp === undefined) yield problemOf('not read yet');
  if (isUp === true && devices.length === 0) yield problemOf('no devices');
  // The last values may still be shown, although they cannot be refreshed.
  const isShown = devices.some(({ isReporting }) => isReporting === true);
  const unread = devices.filter(
    ({ isReporting, unlistedSinceMs }) =>
      isReporting === undefined && unlistedSinceMs === undefined,
  );
  if (isUp === false && (!isShown || unread.length > 0)) {
    names.delete('readings');
    const unreadNames = unread.map(({ name, deviceId }) => name ?? deviceId).join(', ');
    const which = unread.length > MOST_NAMED ? `${unread.length} devices` : unreadNames;
    const what = isShown ? `cannot be read: ${which}` : 'cannot be read';
    yield problemOf('cannot be read', { what, ...causeOf(failing.at(-1)) });
  }
  if (names.size > 0) yield notRefreshed([...names], failing[0]);
  if (zoneProblem !== undefined) yield problemOf('time zone unknown', { what: zoneProblem });
}

function notRefreshed(names: readonly string[], failing: JudgedCollector | undefined): Problem {
  const what = `cannot be refreshed: ${names.join(', ')}`;
  return problemOf('cannot be refreshed', { what, ...causeOf(failing) });
}

/** Says why something fails, and what to do about that. */
function causeOf(failing: JudgedCollector | undefined): Pick<Problem, 'reason' | 'remedy'> {
  if (failing === undefined) return {};
  const { code, reason, remedy } = failing;
  return {
    reason: reason === undefined ? code : `${reason} (${code})`,
    ...(remedy !== undefined && { remedy }),
  };
}

const ALARM_LEVELS = new Map<string, ProblemLevel>([
  ['critical', 'critical'],
  ['notice', 'info'],
]);

/** Says what is wrong with a device. */
export function* problemsOfDevice(device: DeviceStatus): Generator<Problem> {
  const { alarms, batterySocRatio: ratio = Infinity } = device;
  if (ratio < LOW_RATIO)
    yield problemOf(ratio < LOW_RATIO / 2 ? 'battery nearly empty' : 'battery low');
  for (const { alarm, level: said } of alarms) {
    const level = ALARM_LEVELS.get(said) ?? 'warning';
    yield problemOf('alarm', { level, what: said === 'critical' ? alarm : `${alarm} (${said})` });
  }
  if (device.unlistedSinceMs !== undefined) yield problemOf('gone from the list');
  if (device.isBmsSilent === true) yield problemOf('BMS silent');
  if (device.datedAheadMs !== undefined)
    yield problemOf('dated ahead', { what: aheadWords(device.datedAheadMs) });
  else if (device.isReporting === false)
    yield problemOf(device.misread === undefined ? 'silent' : 'no value that can be');
  if (device.family === 'unknown' && device.missingQuantities.length > 0)
    yield problemOf('unknown family');
}

/**
 * Returns what is wrong with a station and its devices, the worst first.
 *
 * @param zoneProblem - says that its zone is not known.
 */
export function stationProblems(
  station: Pick<StationPageStatus, 'stationId' | 'name' | 'isUp' | 'devices'> &
    Pick<JudgedStation, 'collectors'>,
  zoneProblem?: string,
): readonly Problem[] {
  const { stationId, name = stationId, devices } = station;
  const problems: Problem[] = [];
  for (const problem of problemsOfStation({ ...station, zoneProblem }))
    problems.push({ ...problem, name });
  for (const device of devices)
    for (const problem of problemsOfDevice(device)) {
      const { deviceId, name: deviceName = deviceId } = device;
      problems.push({ ...problem, name: deviceName, deviceId });
    }
  return worstFirst(problems);
}
