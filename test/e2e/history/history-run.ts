import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../../src/simulator/simulator.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { credentialsFor } from '../../doors/house.ts';
import { type RunningProcess, startProgram } from '../../support/running-process.ts';

/** More requests a second than the simulator is asked. */
const AS_FAST_AS_IT_ANSWERS = '--request.rate=1000';

/** A simulated service with a past, and what a program needs to log in to it. */
export interface ServiceWithPast {
  readonly simulator: Simulator;
  readonly env: Readonly<Record<string, string>>;
  readonly stationId: string;
  readonly deviceId: string;
}

/** Starts a service by the clock of this machine, as the program sees it; it stops with the test. */
export async function startServiceWithPast(
  options: Partial<SimulatorOptions> = {},
): Promise<ServiceWithPast> {
  const simulator = createSimulator(options, systemClock);
  const url = await simulator.start();
  onTestFinished(() => simulator.stop());
  const [stationId = ''] = simulator.stationIds;
  const [deviceId = ''] = simulator.deviceIds(stationId);
  const env = { SOLAR_BASE_URL: url, ...credentialsFor(simulator) };
  return { simulator, env, stationId, deviceId };
}

/** Starts `solar-exporter history`. */
export function startHistory(
  env: Readonly<Record<string, string>>,
  ...arguments_: readonly string[]
): RunningProcess {
  const rate = arguments_.some((word) => word.startsWith('--request.rate='))
    ? []
    : [AS_FAST_AS_IT_ANSWERS];
  return startProgram(['history', ...rate, ...arguments_], env);
}

/** Runs `solar-exporter history` to its end, which has to be a good one; resolves to what it said. */
export async function runHistory(
  env: Readonly<Record<string, string>>,
  ...arguments_: readonly string[]
): Promise<string> {
  const program = startHistory(env, ...arguments_);
  const exit = await program.exited;
  const said = program.stdout + program.stderr;
  expect(exit, said).toEqual({ status: 0, signal: null });
  return said;
}

/** Makes a directory for files of the past, which goes with the test. */
export function outputDirectory(): string {
  const directory = join(temporaryDirectory(), 'history');
  mkdirSync(directory);
  return directory;
}

/** Lists the files of a directory that match, in order. */
export function filesIn(directory: string, pattern: RegExp): readonly string[] {
  return readdirSync(directory)
    .filter((name) => pattern.test(name))
    .toSorted();
}

/** A digest of every file in a directory, by name; a lock is of a run, and not of its outcome. */
export function digestsOf(directory: string): Readonly<Record<string, string>> {
  const digest = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(directory, name)))
      .digest('hex');
  return Object.fromEntries(filesIn(directory, /^(?!lock|\.)/).map((name) => [name, digest(name)]));
}

/** Spells an instant as `--from` and `--to` take it, in whole seconds. */
export function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
