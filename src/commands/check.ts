import type { Connection, Page, ServiceApi } from '../client/client.ts';
import type { SessionStatus } from '../client/session/session.ts';
import type { Config } from '../config/config.ts';
import { isRefusal, outcomeOf, ServiceError, type ServiceErrorCode } from '../base/errors.ts';
import { remedyFor } from '../base/remedies.ts';
import { hostForPeople } from '../http/listen.ts';
import { readWebConfig } from '../http/web-config.ts';
import { describedStation } from '../collectors/inventory.ts';
import { aheadWords, type DeviceReport, isReporting, type Readings } from '../model/readings.ts';
import type { Device, Station } from '../model/station.ts';
import { accountProblems, conditionOf, remedyOf, stationProblems } from '../status/problems.ts';
import { statusOfReadings, text } from '../status/describe.ts';
import type { DeviceStatus, Problem } from '../status/status.ts';
import { isEmptyMonth } from '../model/energy.ts';
import { type Arguments, type CommandContext, EXIT_FAILED, EXIT_OK } from './command.ts';
import { withConnection } from './connection.ts';
import { readDevice } from './inventory.ts';
import { renderJson, renderTable } from './output.ts';

interface Step {
  readonly step: string;
  readonly result: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
  readonly code?: ServiceErrorCode | 'UNEXPECTED';
  readonly remedy?: string;
}

/** Tries the web configuration, the log-in, devices, readings and summary in turn, and prints what works and what does not. */
export async function check(context: CommandContext, { has }: Arguments): Promise<number> {
  const steps: Step[] = [];
  const { configFile } = context.config.web;
  if (configFile !== undefined) {
    // A file that the exporter would refuse ends the command.
    const { access: detail } = await readWebConfig(configFile, context.readFile);
    steps.push({ step: 'web configuration', result: 'ok', detail });
  }
  const walked = await withConnection(context, (connection) => walk(connection, context));
  for (const step of walked.steps) steps.push(step);
  const isOk = steps.every(({ result }) => result === 'ok');
  const problems = problemsOf(walked);
  const next = isOk ? whatNext(context.config, walked.stations) : '';
  context.out(
    has('json')
      ? renderJson({ ok: isOk, problems, steps })
      : `${conditionOf(problems)}\n\n${renderSteps(steps)}${next}`,
  );
  return isOk ? EXIT_OK : EXIT_FAILED;
}

/** From so many stations on, each is better a target of its own. */
const MANY_STATIONS = 6;

/** Says what an owner does after a good check, and what is still missing for it. */
function whatNext({ stateDir, web }: Config, stations: number): string {
  const { host, port } = web.listenAddress;
  const lacks =
    stateDir === undefined ? '; set SOLAR_STATE_DIR, or each restart logs in again' : '';
  const each = stations < MANY_STATIONS ? '' : '; docs/fleet.md has a target for each station';
  return `
What next:
  start   solar-exporter serve, under systemd or Docker so that it outlives this terminal${lacks}
  scrape  ${hostForPeople(host)}:${port}${web.telemetryPath} by Prometheus, as prometheus/scrape.example.yml says${each}
  look    import the dashboard, grafana/dashboards/solar.json, into Grafana
`;
}

/** What was tried, and what is known then. */
interface Walk {
  readonly steps: readonly Step[];
  readonly session: SessionStatus;
  readonly stations: number;
  readonly found: (Station & { readonly zoneProblem?: string | undefined }) | undefined;
  /** The first device of the station, once it was read. */
  readonly device: DeviceStatus | undefined;
}

async function walk(
  connection: Pick<Connection, 'api' | 'session'>,
  context: CommandContext,
): Promise<Walk> {
  const { api } = connection;
  const { config } = context;
  const steps: Step[] = [];
  let stations = config.stationIds.length;
  let device: DeviceStatus | undefined;
  /** Runs a step unless a step before it failed to find what this one needs. */
  async function step<Need, Found>(
    name: string,
    need: Need | undefined,
    run: (
      need: Need,
    ) => Promise<readonly [detail: string, found: Found | undefined, remedy?: string | undefined]>,
  ): Promise<Found | undefined> {
    if (need === undefined) {
      const detail = 'not tried, because an earlier step did not find what it needs';
      steps.push({ step: name, result: 'skipped', detail });
      return undefined;
    }
    try {
      const [detail, found, remedy] = await run(need);
      steps.push({ step: name, result: 'ok', detail, ...(remedy && { remedy }) });
      return found;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      const [code, remedy] = [outcomeOf(error), remedyFor(error)];
      steps.push({ step: name, result: 'failed', detail, code, remedy });
      return undefined;
    }
  }

  const session = await step('log-in', true, async () => {
    await api.authenticate();
    // The name of an account is a secret, too.
    return [config.password === undefined ? 'a token is given' : 'logged in as the account', true];
  });
  const [given] = config.stationIds;
  const listed: Station | undefined =
    given === undefined
      ? await step('stations', session, async () => {
          const { entries: all } = await api.listStations();
          stations = all.length;
          const remedy = stations === 0 ? remedyOf('no stations') : undefined;
          return [`${stations} in the account`, all[0], remedy];
        })
      : { stationId: given };
  const reachable = session === undefined ? undefined : listed;
  const found = await step('devices', reachable, async (one) => {
    const { stationId } = one;
    const { total, entries } = await firstDevice(api, stationId);
    const timeZone = config.timeZone ?? one.timeZone;
    const { station, zoneProblem } = describedStation({ ...one, timeZone }, entries);
    const count = `${total ?? `at least ${entries.length}`} in station ${stationId}`;
    const [device] = entries;
    const problem = device && zoneProblem;
    const remedy = device ? problem : remedyOf('no devices');
    return [count, { station, device, zoneProblem: problem }, remedy];
  });
  const station = found?.station ?? reachable;
  const subject = station && found?.device && { station, device: found.device };
  await step('readings', subject, async (target) => {
    const { report, newest } = await readDevice(api, context, target);
    const { deviceId } = target.device;
    const { datedAheadMs } = newest;
    const known = { deviceId, missingQuantities: [], alarms: [], ...statusOfReadings(newest) };
    device = { ...known, ...text('name', target.device.name) };
    if (datedAheadMs !== undefined)
      throw new ServiceError(
        'SERVICE_PAYLOAD_INVALID',
        `device ${deviceId}: the newest are ${aheadWords(datedAheadMs)}`,
        { remedy: remedyOf('dated ahead') },
      );
    return [`device ${deviceId}: ${describeReadings(report, newest)}`, true];
  });
  await step('summary', station, async (one) => {
    const month = await api.fetchMonthlyEnergy(one);
    if (month.misread !== undefined) throw month.misread;
    return [isEmptyMonth(month) ? 'empty this month' : 'values of this month', true];
  });
  const known = station && { ...station, zoneProblem: found?.zoneProblem };
  return { steps, session: connection.session.status(), stations, found: known, device };
}

/** Returns what is wrong with the house by what the steps found, as the page would say it. */
function problemsOf({ steps, session, stations, found, device }: Walk): readonly Problem[] {
  const collectors = steps.map(({ step: collector, code = 'ok' as const, remedy }) => {
    return { collector, code, ...(remedy && { remedy }) };
  });
  const account = collectors.filter(({ collector }) => /^(log-in|stations)$/.test(collector));
  const isKnown = stations > 0 && account.every(({ code }) => code === 'ok');
  const problems = isKnown
    ? []
    : [...accountProblems({ session, account, stations: { length: stations } })];
  if (found === undefined) return problems;
  const failing = collectors.filter((one) => one.code !== 'ok' && !account.includes(one));
  // That a reading is dated ahead is a problem of its device.
  const ofStation = failing.filter(({ collector }) => collector !== 'readings');
  const isUp = device !== undefined || failing.every(({ collector }) => collector === 'summary');
  const { stationId, name = stationId, zoneProblem } = found;
  const devices = device === undefined ? [] : [device];
  const judged = { stationId, name, isUp, collectors: ofStation, devices };
  return [...problems, ...stationProblems(judged, zoneProblem)];
}

/** Asks for a device of a station. Where there is none, the id may be no station's. */
async function firstDevice(api: ServiceApi, stationId: string): Promise<Page<Device>> {
  const asked = api.firstDevice(stationId);
  const page = await asked.catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    return undefined;
  });
  if (page !== undefined && page.length > 0) return page;
  const mistake = await api.mistakeIn(stationId).catch(() => undefined);
  if (mistake !== undefined) throw new ServiceError('SERVICE_REQUEST_REJECTED', mistake);
  return asked;
}

function describeReadings(report: DeviceReport, newest: Readings): string {
  const { family, source } = report.dialect;
  const dialect = `family ${family}, read from ${source}`;
  if (isReporting(newest)) return `${report.measurements.length} values, ${dialect}`;
  const { newestAtMs, misread: [misread] = [] } = report;
  if (misread !== undefined) return `no value that can be: ${misread.key} ${misread.why}`;
  if (newestAtMs === undefined) return 'none in the last hour';
  const newestAt = new Date(newestAtMs).toISOString();
  return `the newest are from ${newestAt}, too old to show; ${dialect}`;
}

function renderSteps(steps: readonly Step[]): string {
  const rows = steps.map(({ step, result, detail }) => [step, result, detail]);
  const table = renderTable(['step', 'result', 'detail'], rows);
  const remedies = steps.map(({ step, code, remedy }) => {
    const heading = [step, code ?? []].flat().join(': ');
    return remedy === undefined ? '' : `\n${heading}\n  → ${remedy}\n`;
  });
  return table + remedies.join('');
}
