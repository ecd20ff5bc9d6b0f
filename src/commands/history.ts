import { ConfigError } from '../base/errors.ts';
import { earliestOf, instantOf, type Moment } from '../base/instant.ts';
import { durationWords, printable, quote } from '../base/shown.ts';
import { calendarOf, FALLBACK_TIME_ZONE, type ZonedCalendar } from '../base/time-zone.ts';
import type { ServiceApi } from '../client/client.ts';
import type { Labels } from '../collectors/metric.ts';
import type { Config } from '../config/config.ts';
import { formatDuration } from '../config/duration.ts';
import { MOST_READINGS } from '../history/device-replay.ts';
import { type HistoryDirectory, openDirectory, WriteError } from '../history/directory.ts';
import { energiesOnce } from '../history/energies.ts';
import { HISTORY_METRICS } from '../history/history-metrics.ts';
import { arrivedUntilMs, type Month, monthsOf, type Span } from '../history/months.ts';
import { retrying, StoppedError } from '../history/retrying.ts';
import { writeMonths, type WrittenMonth } from '../history/write-months.ts';
import type { Device } from '../model/station.ts';
import { type CommandContext, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK } from './command.ts';
import { withConnection } from './connection.ts';
import { findDevice } from './find-device.ts';
import { listAllDevices, type ListContext } from './inventory.ts';

/** What the service is asked per second, unless the user says otherwise: whatever else asks it comes first. */
const REQUESTS_PER_SECOND = 1;

/** What a Prometheus adds that scrapes the exporter as prometheus/scrape.example.yml says. */
const DEFAULT_LABELS: Labels = { job: 'solar', instance: 'localhost:9877' };

/** Writes the past that the service holds into files, and goes on where a run before it stopped. */
export async function history(given: CommandContext): Promise<number> {
  const { request } = given.config;
  const { ratePerSecond = REQUESTS_PER_SECOND } = request;
  const config = { ...given.config, request: { ...request, ratePerSecond } };
  const context: CommandContext = { ...given, config };
  const { complain, runtime } = context;
  const nowMs = runtime.clock.nowMs();
  spanOf(config.history, nowMs);
  const path = outputOf(config);

  const stopping = new AbortController();
  void context.stopRequested(true).then(() => {
    complain('solar-exporter: stopping after the month in work; once more stops at once\n');
    stopping.abort();
  });
  try {
    return await withConnection(context, async ({ api }) => {
      const directory = await openOutput(path, context);
      try {
        const wanted = await wantedMonths(api, context, nowMs);
        const { signal: stop } = stopping;
        return await writeWanted(wanted, directory, { api, context, nowMs, stop });
      } finally {
        await directory.close();
      }
    });
  } catch (error) {
    if (error instanceof StoppedError) return EXIT_INTERRUPTED;
    if (!(error instanceof WriteError)) throw error;
    complain(`solar-exporter: ${error.code}: ${error.message}\n  → ${error.remedy}\n`);
    return EXIT_FAILED;
  }
}

/**
 * Returns the directory to write to, and refuses labels that the metrics have themselves.
 *
 * @throws ConfigError
 */
function outputOf({ history: { output, labels } }: Config): string {
  const ownLabels = new Set(HISTORY_METRICS.flatMap(({ labelNames }) => labelNames));
  const problems = Array.from(labels.keys())
    .filter((name) => ownLabels.has(name))
    .map(
      (name) => `--label: ${name} is a label of the metrics; accepted: another name, such as job`,
    );
  if (output !== undefined && problems.length === 0) return output;
  if (output === undefined) problems.push('--output: is missing; accepted: --output DIRECTORY');
  throw new ConfigError(problems);
}

function openOutput(path: string, { config, runtime }: CommandContext): Promise<HistoryDirectory> {
  const { format, intervalMs, labels: given } = config.history;
  const { independent } = config.station;
  // An empty value takes a label away, as in Prometheus.
  const labels: Labels = Object.fromEntries(
    Object.entries({ ...DEFAULT_LABELS, ...Object.fromEntries(given) }).filter(
      ([, value]) => value !== '',
    ),
  );
  const madeBy = {
    '--interval': formatDuration(intervalMs),
    '--label': labels,
    '--dialect.file': config.dialect?.entries,
    '--cache.max-age': config.cache.maxAgeMs,
    '--collect.energy': config.collect.energy,
    ...(independent.length > 0 && { '--station.independent': independent }),
  };
  const settings = `${JSON.stringify(madeBy, undefined, 2)}\n`;
  return openDirectory({ path, format, labels, settings, nonce: runtime.newNonce() });
}

interface WriteContext {
  readonly api: ServiceApi;
  readonly context: CommandContext;
  readonly nowMs: number;
  readonly stop: AbortSignal;
}

/**
 * Writes the months that the directory lacks, and says of each what came.
 *
 * @returns the exit status: a failure where one is not complete.
 */
async function writeWanted(
  wanted: readonly Month[],
  directory: HistoryDirectory,
  { api, context, nowMs, stop }: WriteContext,
): Promise<number> {
  const { config, runtime, out, complain } = context;
  const retry = retrying({
    ...runtime,
    stop,
    onWait(reason, waitMs) {
      complain(`solar-exporter: ${reason}; trying again in ${durationWords(waitMs)}\n`);
    },
  });
  const before = wanted.filter((month) => directory.has(month)).length;
  let [files, status] = [0, EXIT_OK];
  for await (const written of writeMonths(wanted, {
    api,
    directory,
    retry,
    stop,
    stepMs: config.history.intervalMs,
    maxAge: config.cache.maxAgeMs,
    energies: config.collect.energy ? energiesOnce(api, retry) : undefined,
  })) {
    const { month, collected, file, isComplete } = written;
    for (const line of remarksOn(written)) complain(`solar-exporter: ${line}\n`);
    if (isComplete) {
      files += 1;
      out(`${titleOf(month)}: ${collected.readings} readings in ${file}\n`);
    } else status = EXIT_FAILED;
  }
  const arrivedMs = arrivedUntilMs(nowMs);
  out(
    [
      `${files} ${files === 1 ? 'file' : 'files'} written`,
      before > 0 ? `, ${before} complete before` : '',
      wanted.some(({ toMs }) => toMs === arrivedMs)
        ? `; readings after ${new Date(arrivedMs).toISOString()} may still be on their way`
        : '',
    ].join('') + '\n',
  );
  return status;
}

/** Says what a month lacks. */
function remarksOn({ month, collected, isComplete }: WrittenMonth): readonly string[] {
  const remarks = collected.devices.flatMap(({ device, refusal, isComplete: isWhole }) => {
    const name = nameOf(device);
    if (refusal !== undefined) {
      const what = isWhole ? 'the service refuses its past' : 'its past cannot be read to its end';
      return `${name} is left out of ${month.month}: ${what}: ${refusal.code}: ${refusal.message}`;
    }
    if (isWhole) return [];
    return `${name} has more than ${MOST_READINGS} readings in ${month.month}: the later ones are left out`;
  });
  if (isComplete) return remarks;
  const isSilent = collected.readings === 0 && remarks.length === 0;
  const why = isSilent ? ': the service answered without readings' : '';
  return [...remarks, `${titleOf(month)} is not complete${why}; the next run asks again`];
}

function titleOf({ month, station: { name, stationId } }: Month): string {
  return `${month} of ${printable(name ?? stationId)}`;
}

function nameOf({ deviceId, name }: Device): string {
  return name === undefined ? deviceId : `${printable(name)} (${deviceId})`;
}

/**
 * Returns the span that the options ask for, by the calendar of a station, as far as all of it has arrived at the
 * service. Without a calendar, only what is wrong wherever the station is gets refused.
 *
 * @throws ConfigError when it has no beginning, is in the future, or ends before it begins.
 */
export function spanOf(
  { from, to }: Pick<Config['history'], 'from' | 'to'>,
  nowMs: number,
  calendar?: ZonedCalendar,
): Span {
  if (from === undefined)
    throw new ConfigError(['--from: is missing; accepted: a date such as 2026-08-01']);
  const at = (moment: Moment): number =>
    calendar === undefined ? earliestOf(moment) : instantOf(moment, calendar);
  const arrivedMs = arrivedUntilMs(nowMs);
  const [fromMs, toMs] = [at(from), to === undefined ? nowMs : at(to)];
  const refuse = (flag: string, { text }: Moment, why: string): never => {
    throw new ConfigError([`${flag}: ${quote(text)} ${why}`]);
  };
  const inFuture = 'is in the future; accepted: a time of the past';
  if (fromMs >= nowMs) refuse('--from', from, inFuture);
  if (to !== undefined && toMs > nowMs) refuse('--to', to, inFuture);
  const isComparable =
    calendar !== undefined || (from.offsetMs === undefined) === (to?.offsetMs === undefined);
  if (to !== undefined && fromMs >= toMs && isComparable)
    refuse('--from', from, `is not before --to ${quote(to.text)}; accepted: an earlier time`);
  const arrived = new Date(arrivedMs).toISOString();
  const tooLate = `is too late: readings after ${arrived} may still be on their way; accepted: an earlier time`;
  if (fromMs >= arrivedMs) refuse('--from', from, tooLate);
  return { fromMs, toMs: Math.min(toMs, arrivedMs) };
}

/**
 * Lists what is wanted: station by station, month by month, oldest first. Asks for the lists of stations and
 * devices alone.
 *
 * @throws ConfigError when there is no such device, or the range is wrong at a station; ServiceError.
 */
async function wantedMonths(
  api: ServiceApi,
  context: ListContext & { readonly config: Pick<Config, 'history'> },
  nowMs: number,
): Promise<readonly Month[]> {
  const { device, ...range } = context.config.history;
  const isOneDevice = device !== undefined;
  const targets = isOneDevice
    ? [await findDevice(api, context, device)]
    : await listAllDevices(api, context);
  const stations = new Map(targets.map(({ station }) => [station.stationId, station]));
  return [...stations.values()].flatMap((listed) => {
    const station = { ...listed, timeZone: listed.timeZone ?? FALLBACK_TIME_ZONE };
    const ofStation = targets.filter((target) => target.station.stationId === listed.stationId);
    const devices = ofStation.map((target) => target.device);
    const span = spanOf(range, nowMs, calendarOf(station.timeZone));
    const isParallel = ofStation.some((target) => target.isParallel === true);
    return monthsOf({ station, devices, isParallel, isOneDevice }, span);
  });
}
