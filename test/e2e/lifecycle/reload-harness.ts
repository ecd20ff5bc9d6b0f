import { completeOptions } from '../../../src/simulator/options.ts';
import {
  type PageSample,
  type ScrapedPage,
  startExporterFor,
  startService,
  SteeredClock,
} from '../../doors/house.ts';
import { Holding, startProxy } from '../../support/proxy.ts';

export const NOW = '2024-01-02T04:00:00Z';

/** What the configuration file says; undefined: nothing. */
export type Lines = Readonly<Record<string, string | undefined>>;

const { account, password, appId, appSecret } = completeOptions({});
/** What has to stand in the file of an exporter that works. */
export const GOOD: Lines = { account, password, 'app-id': appId, 'app-secret': appSecret };

/** An exporter in this process whose configuration file can be rewritten. */
export async function startReloadable({
  stateDir,
  ...more
}: Lines & { readonly stateDir?: string | undefined } = {}) {
  const clock = new SteeredClock(NOW);
  const { simulator, serviceUrl } = await startService({}, clock);
  const proxy = new Holding();
  let lines: Lines = {
    ...GOOD,
    'state.dir': stateDir,
    ...more,
  };
  const files = new Map<string, string>();
  const write = (changes: Lines): void => {
    lines = { ...lines, ...changes };
    const given = Object.entries(lines).filter(([, value]) => value !== undefined);
    files.set('exporter.yaml', given.map(([key, value]) => `${key}: ${value}\n`).join(''));
  };
  write({});
  const exporter = await startExporterFor(
    simulator,
    await startProxy(serviceUrl, proxy.pass),
    clock,
    {
      flags: { 'config.file': 'exporter.yaml' },
      env: {
        SOLAR_ACCOUNT: '',
        SOLAR_PASSWORD: '',
        SOLAR_APP_ID: '',
        SOLAR_APP_SECRET: '',
      },
      readFile: (path) => {
        const text = files.get(path);
        if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
        return text;
      },
    },
  );
  return {
    ...exporter,
    simulator,
    clock,
    proxy,
    files,
    write,
    /** Rewrites some lines and reloads. */
    reloadWith: (changes: Lines) => {
      write(changes);
      return exporter.reload();
    },
  };
}

/** The values of stations and devices, without the exporter's own. */
export function stationSamples({ samples }: ScrapedPage): readonly PageSample[] {
  return samples.filter(
    ({ name, labels }) => 'station_id' in labels && !name.includes('collector'),
  );
}

/** Whether the page says that the last reload succeeded: 1 or 0. */
export function reloadSuccess(page: ScrapedPage): number | undefined {
  return page.value('solar_config_last_reload_successful');
}
