import type { ServiceApi } from '../client/client.ts';
import { outcomeOf, type ServiceErrorCode } from '../base/errors.ts';
import { describeWebConfig, readWebConfig } from '../http/web-config.ts';
import { type DeviceReport, isReporting, type Readings } from '../model/readings.ts';
import { isEmptyMonth } from '../model/energy.ts';
import { type CommandContext, EXIT_FAILED, EXIT_OK, withConnection } from './command.ts';
import { ofEachAccount } from './choose-account.ts';
import type { Arguments } from './commands.ts';
import { renderJson, renderTable } from './output.ts';
import { readDevice } from './read-device.ts';
import { remedyFor } from './remedies.ts';

interface Step {
  /** The name of the account that it tries, where there are several. */
  readonly account?: string | undefined;
  readonly step: string;
  readonly result: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
  readonly code?: ServiceErrorCode | 'UNEXPECTED';
  readonly remedy?: string;
}

/** Tries the web configuration, then of every account the log-in, devices, readings and summary in turn, and prints what works and what does not. */
export async function check(context: CommandContext, { has }: Arguments): Promise<number> {
  const contexts = ofEachAccount(context);
  const steps = [...(await webConfigStep(context))];
  // One after the other, so that a person sees which one is asked; what fails for one stops no other.
  for (const account of contexts) {
    const name = context.config.accounts.length > 1 ? account.config.accountName : undefined;
    const walked = await withConnection(account, ({ api }) => walk(api, account));
    for (const step of walked) steps.push(name === undefined ? step : { account: name, ...step });
  }
  const isOk = steps.every(({ result }) => result === 'ok');
  context.out(has('json') ? renderJson({ ok: isOk, steps }) : renderSteps(steps));
  return isOk ? EXIT_OK : EXIT_FAILED;
}

/** Describes who may ask the exporter itself. A file that the exporter would refuse ends the command. */
async function webConfigStep({ config, readFile }: CommandContext): Promise<readonly Step[]> {
  const { configFile } = config.web;
  if (configFile === undefined) return [];
  const detail = describeWebConfig(await readWebConfig(configFile, readFile));
  return [{ step: 'web configuration', result: 'ok', detail }];
}

async function walk(api: ServiceApi, context: CommandContext): Promise<readonly Step[]> {
  const { config } = context;
  const [configuredStationId] = config.stationIds;
  const steps: Step[] = [];
  /** Runs a step unless a step before it failed to find what this one needs. */
  async function step<Need, Found>(
    name: string,
    need: Need | undefined,
    run: (need: Need) => Promise<{ found: Found | undefined; detail: string }>,
  ): Promise<Found | undefined> {
    if (need === undefined) {
      steps.push({
        step: name,
        result: 'skipped',
        detail: 'needs what failed or is missing above',
      });
      return undefined;
    }
    try {
      const { found, detail } = await run(need);
      steps.push({ step: name, result: 'ok', detail });
      return found;
    } catch (error) {
      const code = outcomeOf(error);
      const detail = error instanceof Error ? error.message : String(error);
      const remedy = remedyFor(error);
      steps.push({ step: name, result: 'failed', detail, code, remedy });
      return undefined;
    }
  }

  const session = await step('log-in', 'nothing', async () => {
    await api.authenticate();
    return { found: 'session', detail: 'an access token is at hand' };
  });
  const stationId =
    configuredStationId ??
    (await step('stations', session, async () => {
      const stations = await api.listStations();
      return { found: stations[0]?.stationId, detail: `${stations.length} in the account` };
    }));
  const device = await step(
    'devices',
    session === undefined ? undefined : stationId,
    async (id) => {
      const { total, entries } = await api.firstDevice(id);
      return {
        found: entries[0],
        detail: `${total ?? `at least ${entries.length}`} in station ${id}`,
      };
    },
  );
  await step('readings', device, async (found) => {
    const { deviceId, stationTimeZone } = found;
    const timeZone = config.timeZone ?? stationTimeZone;
    const station = { stationId: stationId ?? '', timeZone };
    const { report, newest } = await readDevice(context, api, { device: found, station });
    return { found: true, detail: `device ${deviceId}: ${describeReadings(report, newest)}` };
  });
  await step('summary', session === undefined ? undefined : stationId, async (id) => {
    const month = await api.fetchMonthlyEnergy({
      stationId: id,
      timeZone: device?.stationTimeZone,
    });
    return {
      found: true,
      detail: isEmptyMonth(month) ? 'empty this month' : 'values of this month',
    };
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
  const areSeveral = steps.some(({ account }) => account !== undefined);
  const named = (account = ''): readonly string[] => (areSeveral ? [account] : []);
  const rows = steps.map(({ account, step, result, detail }) => [
    ...named(account),
    ...[step, result, detail],
  ]);
  const remedies = steps
    .filter(({ remedy }) => remedy !== undefined)
    .map(({ account, step, code = '', remedy = '' }) => {
      const of = account === undefined ? '' : ` of ${account}`;
      return `\n${step}${of}: ${code}\n  → ${remedy}\n`;
    });
  const header = [...(areSeveral ? ['account'] : []), ...['step', 'result', 'detail']];
  return renderTable(header, rows) + remedies.join('');
}
