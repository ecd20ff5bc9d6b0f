import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { ProcessView } from '../../../src/commands/command.ts';
import { run } from '../../../src/commands/run.ts';
import type { SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { createSimulator } from '../../support/faulty-simulator.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { NOW, type Script, startScriptedService } from '../scripted-service.ts';

/** Noon in Manila, early in a year and a month, so that the simulator has little to sum up. */
const SIMULATED_NOW = '2026-01-02T04:00:00Z';

/** The outcome of one command line. */
export interface CommandRun {
  readonly status: number;
  readonly out: string;
  readonly complaints: string;
}

/** A command that does what it was asked to, and prints this. */
export function done(out: string): CommandRun {
  return { status: 0, out, complaints: '' };
}

/** A command that is used wrongly, and prints only why. */
export function refused(...problems: readonly string[]): CommandRun {
  const complaints = problems.map((problem) => `solar-exporter: ${problem}\n`).join('');
  return { status: 2, out: '', complaints };
}

/** A process that commands run in; a test may change its fields before each run. */
export class FakeProcess {
  env: Readonly<Record<string, string>> = {};
  files: Readonly<Record<string, string>> = {};
  /** The answer of the person at the terminal; undefined without a terminal. */
  answer: string | undefined;
  readonly questions: string[] = [];
  readonly clock: FakeClock;
  readonly log = new SilentLog();
  newNonce = (): string => randomBytes(16).toString('hex');
  /** The level and format of the log created last. */
  logOptions: readonly [string, string | undefined] | undefined;
  readonly #stop = deferred<undefined>();
  #out = '';
  #complaints = '';

  constructor(clock = new FakeClock(SIMULATED_NOW)) {
    this.clock = clock;
  }

  /** The text printed since the last run began. */
  get out(): string {
    return this.#out;
  }

  /** What was printed for a person since the last run began. */
  get complaints(): string {
    return this.#complaints;
  }

  /** Asks a running command to read its configuration again, once it accepts such requests. */
  requestReload: () => void = () => undefined;

  /** Asks a running command to end. */
  requestStop(): void {
    this.#stop.resolve(undefined);
  }

  /** Runs one command line to its end. */
  async run(...argv: readonly string[]): Promise<CommandRun> {
    this.#out = '';
    this.#complaints = '';
    const status = await run(argv, this.#view());
    return { status, out: this.#out, complaints: this.#complaints };
  }

  /** Runs one command line to its end, and lets two seconds pass whenever it sleeps. */
  async runInTime(...argv: readonly string[]): Promise<CommandRun> {
    let ended: CommandRun | undefined;
    const running = this.run(...argv).then((ran) => (ended = ran));
    while (ended === undefined) {
      if (this.clock.sleeperCount > 0) this.clock.advance(2000);
      await settled();
    }
    return running;
  }

  /** Waits for so many lines of the log that say this, and returns the fields of the last. */
  logged(message: string, count = 1): Promise<Readonly<Record<string, unknown>>> {
    return eventually(() => {
      const lines = this.log.lines.filter((line) => line.message === message);
      expect(lines).toHaveLength(count);
      return lines.at(-1)?.fields ?? {};
    });
  }

  /** Waits until an exporter answers, and returns its address. */
  async listening(): Promise<string> {
    return String((await this.logged('listening'))['url']);
  }

  #view(): ProcessView {
    const { answer } = this;
    return {
      env: this.env,
      readFile: (path) => {
        const text = this.files[path];
        if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
        return text;
      },
      out: (text) => (this.#out += text),
      complain: (text) => (this.#complaints += text),
      createLog: (level, format) => {
        this.logOptions = [level, format];
        return Promise.resolve(this.log);
      },
      ask:
        answer === undefined
          ? undefined
          : (question) => {
              this.questions.push(question);
              return Promise.resolve(answer);
            },
      stopRequested: () => this.#stop.promise,
      onReloadRequested: (reload) => (this.requestReload = reload),
      runtime: {
        clock: this.clock,
        random: () => 0.5,
        newNonce: () => this.newNonce(),
      },
      build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
    };
  }
}

/** Creates a process whose environment points at a simulator, which stops with the test. */
export async function startProcess(
  options: Partial<SimulatorOptions> = {},
  shell = new FakeProcess(),
) {
  const simulator = createSimulator(options, shell.clock);
  const serviceUrl = await simulator.start();
  onTestFinished(() => simulator.stop());
  const { account, password, appId, appSecret } = simulator.options;
  shell.env = {
    SOLAR_BASE_URL: serviceUrl,
    SOLAR_ACCOUNT: account,
    SOLAR_PASSWORD: password,
    SOLAR_APP_ID: appId,
    SOLAR_APP_SECRET: appSecret,
  };
  const [stationId = ''] = simulator.stationIds;
  const [deviceId = ''] = simulator.deviceIds(stationId);
  return { shell, simulator, stationId, deviceId };
}

/** Creates a process whose environment points at a service that answers as a script says. */
export async function startScriptedProcess(script: Script) {
  const shell = new FakeProcess(new FakeClock(NOW));
  const service = await startScriptedService(script, shell.clock);
  shell.env = { SOLAR_BASE_URL: service.serviceUrl, SOLAR_ACCESS_TOKEN: 'made-up' };
  return { shell, ...service };
}
