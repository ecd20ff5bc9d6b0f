import type { Simulator, SimulatorOptions } from '../../src/simulator/simulator.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import {
  type PageSample,
  ScrapedPage,
  startExporterFor,
  startService,
  SteeredClock,
} from './house.ts';

export const NOW = '2024-01-02T04:00:00Z';

/** The lines of one account in the configuration file. */
export type Entry = Readonly<Record<string, string | undefined>>;

/** No credentials outside of the file. */
const NO_CREDENTIALS = {
  SOLAR_ACCOUNT: '',
  SOLAR_PASSWORD: '',
  SOLAR_APP_ID: '',
  SOLAR_APP_SECRET: '',
};

/** The entry of an account of a simulator. */
export function entryOf(name: string, { options }: Simulator, serviceUrl: string): Entry {
  const { account, password, appId, appSecret } = options;
  return {
    name,
    'base-url': serviceUrl,
    account,
    password,
    'app-id': appId,
    'app-secret': appSecret,
  };
}

/** Writes a configuration file of accounts. */
export function fileOf(entries: readonly Entry[], more: Entry = {}): string {
  const given = (entry: Entry): readonly string[] =>
    Object.entries(entry).flatMap(([key, value]) =>
      value === undefined ? [] : `${key}: ${value}`,
    );
  const listed = entries.map((entry) => `  - ${given(entry).join('\n    ')}\n`);
  return `${given(more).join('\n')}\naccounts:\n${listed.join('')}`;
}

export interface TwoAccountsSetup {
  /** What the second service is like; the first is as simulators are. */
  readonly annex?: Partial<SimulatorOptions>;
  readonly roof?: Partial<SimulatorOptions>;
  /** Over the lines of each entry. */
  readonly changes?: Readonly<Record<string, Entry>>;
  /** Lines beside the accounts. */
  readonly more?: Entry;
  readonly clock?: FakeClock;
}

/** An exporter of two accounts, `roof` and `annex`, each in a simulated service of its own, on one clock. */
export async function startTwoAccounts({
  roof: roofOptions = { seed: 1 },
  annex: annexOptions = { seed: 2, stations: 2 },
  changes = {},
  more = {},
  clock = new SteeredClock(NOW),
}: TwoAccountsSetup = {}) {
  const roof = await startService(roofOptions, clock);
  const annex = await startService(annexOptions, clock);
  const entries = new Map<string, Entry>(
    [
      entryOf('roof', roof.simulator, roof.serviceUrl),
      entryOf('annex', annex.simulator, annex.serviceUrl),
    ].map((entry) => [entry['name'] ?? '', { ...entry, ...changes[entry['name'] ?? ''] }]),
  );
  let text = fileOf([...entries.values()], more);
  const exporter = await startExporterFor(roof.simulator, roof.serviceUrl, clock, {
    flags: { 'config.file': 'exporter.yaml' },
    env: NO_CREDENTIALS,
    readFile: () => text,
  });
  const ask = async (path: string) => {
    const response = await fetch(exporter.url + path);
    return { status: response.status, text: await response.text() };
  };
  return {
    ...exporter,
    clock,
    roof,
    annex,
    entries,
    ask,
    probe: async (path: string) => {
      const { status, text: body } = await ask(path);
      return new ScrapedPage(status, body);
    },
    /** Reloads with these accounts. */
    reloadWith: (accounts: readonly Entry[]) => {
      text = fileOf(accounts, more);
      return exporter.reload();
    },
  };
}

/** Starts an exporter that has one account alone, by single options. */
export function startAlone(
  { simulator, serviceUrl }: { readonly simulator: Simulator; readonly serviceUrl: string },
  clock: FakeClock,
  env: Readonly<Record<string, string>> = {},
) {
  return startExporterFor(simulator, serviceUrl, clock, { env });
}

/** The samples of one account, without their label. */
export function ofAccount(name: string, samples: readonly PageSample[]): readonly PageSample[] {
  return samples
    .filter(({ labels }) => labels['account'] === name)
    .map((sample) => {
      const labels = Object.entries(sample.labels).filter(([label]) => label !== 'account');
      return { ...sample, labels: Object.fromEntries(labels) };
    });
}
