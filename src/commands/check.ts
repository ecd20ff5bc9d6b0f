import type { Page, ServiceApi } from '../client/client.ts';
import { isRefusal, outcomeOf, ServiceError, type ServiceErrorCode } from '../base/errors.ts';
import { remedyFor } from '../base/remedies.ts';
import { readWebConfig } from '../http/web-config.ts';
import { describedStation } from '../collectors/inventory.ts';
import { aheadWords, type DeviceReport, isReporting, type Readings } from '../model/readings.ts';
import type { Device, Station } from '../model/station.ts';
import { NO_STATIONS_REMEDY } from '../status/problems.ts';
import { isEmptyMonth } from '../model/energy.ts';
import { type CommandContext, EXIT_FAILED, EXIT_OK, withConnection } from './command.ts';
import type { Arguments } from './commands.ts';
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
  const walked = await withConnection(context, ({ api }) => walk(api, context));
  for (const step of walked) steps.push(step);
  const isOk = steps.every(({ result }) => result === 'ok');
  context.out(has('json') ? renderJson({ ok: isOk, steps }) : renderSteps(steps));
  return isOk ? EXIT_OK : EXIT_FAILED;
}

async function walk(api: ServiceApi, context: CommandContext): Promise<readonly Step[]> {
  const { config } = context;
  const steps: Step[] = [];
  /** Runs a step unless a step before it failed to find what this one needs. */
  async function step<Need, Found>(
    name: string,
    need: Need | undefined,
    run: (
      need: Need,
    ) => Promise<readonly [detail: string, found: Found | undefined, remedy?: string | undefined]>,
  ): Promise<Found | undefined> {
    if (need === undefined) {
      const detail = 'needs what failed or is missing above';
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
          const stations = await api.listStations();
          const remedy = stations.length === 0 ? NO_STATIONS_REMEDY : undefined;
          return [`${stations.length} in the account`, stations[0], remedy];
        })
      : { stationId: given };
  const reachable = session === undefined ? undefined : listed;
  const found = await step('devices', reachable, async (one) => {
    const { stationId } = one;
    const { total, entries } = await firstDevice(api, stationId);
    const timeZone = config.timeZone ?? one.timeZone;
    const { station, zoneProblem } = describedStation({ ...one, timeZone }, entries);
    const count = `${total ?? `at least ${entries.length}`} in station ${stationId}`;
    return [count, { station, device: entries[0] }, entries.length > 0 ? zoneProblem : undefined];
  });
  const station = found?.station ?? reachable;
  const subject = station && found?.device && { station, device: found.device };
  await step('readings', subject, async (target) => {
    const { report, newest } = await readDevice(api, context, target);
    const { deviceId } = target.device;
    const { datedAheadMs } = newest;
    if (datedAheadMs !== undefined)
      throw new ServiceError(
        'SERVICE_PAYLOAD_INVALID',
        `device ${deviceId}: the newest are ${aheadWords(datedAheadMs)}`,
        { remedy: 'set the clock and the time zone of the logger, in the app of the portal' },
      );
    return [`device ${deviceId}: ${describeReadings(report, newest)}`, true];
  });
  await step('summary', station, async (one) => {
    const month = await api.fetchMonthlyEnergy(one);
    return [isEmptyMonth(month) ? 'empty this month' : 'values of this month', true];
  });
  return steps;
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
  if (report.newestAtMs === undefined) return 'none in the last hour';
  const newestAt = new Date(report.newestAtMs).toISOString();
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
