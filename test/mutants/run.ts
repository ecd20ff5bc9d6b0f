// Whether the tests notice when the program is wrong: changes one place of a room at a time, and runs the tests that reach it.
//
//   npm run mutants -- ROOM [COUNT] [SEED]
//
// ROOM is a folder of src/, COUNT how many places are tried (60), and SEED decides which (1). Prints what nobody noticed.
// All mutants are written into one copy of the repository, so that it is read once.
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { seededUnit } from '../../src/simulator/physics/seeded.ts';
import { type Mutant, type Place, placesOf, withMutants } from './places.ts';
import type { Answer, Question } from './worker.ts';

/** A mutant may keep a test waiting, or turning in a circle. */
const HANG_MS = 60_000;

const CONFIG = `
import config from './vitest.config.ts';
const projects = config.test.projects.filter(({ test }) => ['unit', 'doors'].includes(test.name));
for (const { test } of projects) {
  test.setupFiles.unshift('${resolve('test/mutants/setup.ts')}');
  test.exclude = [...(test.exclude ?? []), 'test/{programs,drift,fuzz,bench}/**'];
  test.maxWorkers = 1;
}
config.test.projects = projects;
config.test.bail = 1;
config.test.testTimeout = ${HANG_MS};
export default config;
`;

/** Some places of the files, no two of which overlap. */
function choose(paths: readonly string[], count: number, seed: number): readonly Mutant[] {
  const places = paths.flatMap(placesOf);
  const chosen: Mutant[] = [];
  const overlaps = (one: Place, other: Place): boolean =>
    one.path === other.path && one.start < other.end && other.start < one.end;
  while (chosen.length < count && places.length > 0) {
    const [place] = places.splice(Math.floor(seededUnit(seed, places.length) * places.length), 1);
    if (place !== undefined && !chosen.some((one) => overlaps(one, place)))
      chosen.push({ ...place, id: chosen.length });
  }
  return chosen;
}

/** A copy of what is tracked, with all mutants in it and each of them off. */
function copyWith(mutants: readonly Mutant[], files: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  const archive = execFileSync('tar', ['-c', ...files], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', copy], { input: archive });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  for (const path of new Set(mutants.map((mutant) => mutant.path))) {
    const own = mutants.filter((mutant) => mutant.path === path);
    writeFileSync(join(copy, path), withMutants(path, own));
  }
  writeFileSync(join(copy, 'vitest.mutants.config.ts'), CONFIG);
  return copy;
}

/** Asks a worker to run tests, and starts another one after one hung. */
class Asking {
  readonly #copy: string;
  #worker: ChildProcess | undefined;

  constructor(copy: string) {
    this.#copy = copy;
  }

  async ask(question: Question, limitMs: number): Promise<Answer> {
    this.#worker ??= await this.#start();
    this.#worker.send(question);
    const signal = AbortSignal.timeout(Math.ceil(limitMs));
    try {
      const [answer] = (await once(this.#worker, 'message', { signal })) as [Answer];
      return answer;
    } catch (error) {
      if (!signal.aborted) throw error;
      this.stop();
      return { durationsMs: {}, failure: 'nothing for too long' };
    }
  }

  async #start(): Promise<ChildProcess> {
    const env = {
      ...process.env,
      MUTANTS_ON: join(this.#copy, 'mutants-on.json'),
      MUTANTS_REACHED: join(this.#copy, 'mutants-reached.jsonl'),
    };
    const worker = fork(join(import.meta.dirname, 'worker.js'), {
      cwd: this.#copy,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(worker, 'message');
    return worker;
  }

  stop(): void {
    // With those that it started: it is one of these that turns in a circle.
    if (this.#worker?.pid !== undefined) process.kill(-this.#worker.pid, 'SIGKILL');
    this.#worker = undefined;
  }
}

interface Reached {
  readonly file: string;
  readonly inTests: readonly number[];
  readonly atImport: readonly number[];
}

/** Which files of tests reach each mutant. */
function readReached(copy: string, files: readonly string[]): (mutant: Mutant) => string[] {
  const lines = readFileSync(join(copy, 'mutants-reached.jsonl'), 'utf8').trim().split('\n');
  const reached = lines.map((line) => JSON.parse(line) as Reached);
  return ({ id }) =>
    // Only the first file that imports a module is seen to reach what runs then.
    reached.some(({ atImport }) => atImport.includes(id))
      ? [...files]
      : reached.filter(({ inTests }) => inTests.includes(id)).map(({ file }) => file);
}

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const [room, count = '60', seed = '1'] = process.argv.slice(2);
if (room === undefined) throw new Error('npm run mutants -- ROOM [COUNT] [SEED]');
const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const paths = tracked.filter((path) => path.startsWith(`src/${room}/`) && path.endsWith('.ts'));
const mutants = choose(paths, Number(count), Number(seed));
const copy = copyWith(mutants, tracked);
const asking = new Asking(copy);
try {
  const { durationsMs, failure } = await asking.ask({ on: [] }, 60 * HANG_MS);
  if (failure !== undefined) throw new Error(`The tests fail without a mutant: ${failure}`);
  const durationOf = (file: string): number => durationsMs[file] ?? 0;
  const reachedBy = readReached(copy, Object.keys(durationsMs));
  let noticed = 0;
  for (const mutant of mutants) {
    const files = reachedBy(mutant).sort((one, other) => durationOf(one) - durationOf(other));
    const limitMs = files.reduce((sum, file) => sum + 5 * durationOf(file), HANG_MS);
    const answer = await asking.ask({ on: [mutant.id], files }, limitMs);
    if (answer.failure !== undefined) noticed += 1;
    else say(`${mutant.path}:${mutant.line}: ${mutant.was} -> ${mutant.becomes || 'nothing'}`);
  }
  say(`${room}: ${noticed} of ${mutants.length} are noticed`);
} finally {
  asking.stop();
  rmSync(copy, { recursive: true });
}
