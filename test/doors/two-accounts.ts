import type { SimulatorOptions } from '../../src/simulator/simulator.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { type PageSample, startExporterFor, startService, SteeredClock } from './house.ts';

const NOW = '2024-01-02T04:00:00Z';

/** The lines of one account in the configuration file. */
export type Entry = Readonly<Record<string, string | undefined>>;

/** No credentials outside of the file. */
const NO_CREDENTIALS = {
  SOLAR_ACCOUNT: '',
  SOLAR_PASSWORD: '',
  SOLAR_APP_ID: '',
  SOLAR_APP_SECRET: '',
};

type Service = Awaited<ReturnType<typeof startService>>;

/** The entry of an account of a simulator. */
function entryOf(name: string, { simulator, serviceUrl }: Service): Entry {
  const { account, password, appId, appSecret } = simulator.options;
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
function fileOf(entries: readonly Entry[], more: Entry = {}): string {
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

/** Two simulated services, each with an account, on one clock. */
export async function startAnnexAndRoof({
  roof: roofOptions = { seed: 1 },
  annex: annexOptions = { seed: 2, stations: 2 },
  changes = {},
  more = {},
  clock = new SteeredClock(NOW),
}: TwoAccountsSetup = {}) {
  const roof = await startService(roofOptions, clock);
  const annex = await startService(annexOptions, clock);
  const entries = [
    { ...entryOf('roof', roof), ...changes['roof'] },
    { ...entryOf('annex', annex), ...changes['annex'] },
  ];
  return {
    clock,
    roof,
    annex,
    entries,
    /** The configuration file with these accounts; both when left out. */
    fileWith: (accounts: readonly Entry[] = entries) => fileOf(accounts, more),
  };
}

/** An exporter of the accounts `roof` and `annex`. */
export async function startTwoAccounts(setup: TwoAccountsSetup = {}) {
  const services = await startAnnexAndRoof(setup);
  const { clock, roof, fileWith } = services;
  let text = fileWith();
  const exporter = await startExporterFor(roof.simulator, roof.serviceUrl, clock, {
    flags: { 'config.file': 'exporter.yaml' },
    env: NO_CREDENTIALS,
    readFile: () => text,
  });
  return {
    ...exporter,
    ...services,
    ask: async (path: string) => {
      const response = await fetch(exporter.url + path);
      return { status: response.status, text: await response.text() };
    },
    /** Reloads with these accounts. */
    reloadWith: (accounts: readonly Entry[]) => {
      text = fileWith(accounts);
      return exporter.reload();
    },
  };
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
