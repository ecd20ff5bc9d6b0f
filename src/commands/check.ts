import type { ServiceApi } from '../client/client.ts';
import { outcomeOf, type ServiceErrorCode } from '../base/errors.ts';
import { remedyFor } from '../base/remedies.ts';
import { readWebConfig } from '../http/web-config.ts';
import { type DeviceReport, isReporting, type Readings } from '../model/readings.ts';
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
    run: (need: Need) => Promise<readonly [detail: string, found: Found | undefined]>,
  ): Promise<Found | undefined> {
    if (need === undefined) {
      const detail = 'needs what failed or is missing above';
      steps.push({ step: name, result: 'skipped', detail });
      return undefined;
    }
    try {
      const [detail, found] = await run(need);
      steps.push({ step: name, result: 'ok', detail });
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
  const stationId =
    config.stationIds[0] ??
    (await step('stations', session, async () => {
      const stations = await api.listStations();
      return [`${stations.length} in the account`, stations[0]?.stationId];
    }));
  const reachable = session === undefined ? undefined : stationId;
  const device = await step('devices', reachable, async (id) => {
    const { total, entries } = await api.firstDevice(id);
    return [`${total ?? `at least ${entries.length}`} in station ${id}`, entries[0]];
  });
  await step('readings', device, async (found) => {
    const timeZone = config.timeZone ?? found.stationTimeZone;
    const station = { stationId: stationId ?? '', timeZone };
    const { report, newest } = await readDevice(api, context, { device: found, station });
    return [`device ${found.deviceId}: ${describeReadings(report, newest)}`, true];
  });
  await step('summary', reachable, async (id) => {
    const timeZone = device?.stationTimeZone;
    const month = await api.fetchMonthlyEnergy({ stationId: id, timeZone });
    return [isEmptyMonth(month) ? 'empty this month' : 'values of this month', true];
  });
  return steps;
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
  const remedies = steps.map(({ step, code, remedy }) =>
    remedy === undefined ? '' : `\n${step}: ${code ?? ''}\n  → ${remedy}\n`,
  );
  return table + remedies.join('');
}
