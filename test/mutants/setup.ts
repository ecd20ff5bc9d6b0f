import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

declare global {
  var __mutant: ((id: number) => boolean) | undefined;
}

const { MUTANTS_ON: onPath = '', MUTANTS_REACHED: reachedPath = '' } = process.env;
const on = new Set(JSON.parse(readFileSync(onPath, 'utf8')) as readonly number[]);
const reachedAtImport = new Set<number>();
const reachedInTests = new Set<number>();
let reached = reachedAtImport;

globalThis.__mutant = (id) => {
  reached.add(id);
  return on.has(id);
};
beforeAll(() => {
  reached = reachedInTests;
});
afterAll(() => {
  const file = expect.getState().testPath;
  const line = { file, inTests: [...reachedInTests], atImport: [...reachedAtImport] };
  appendFileSync(reachedPath, `${JSON.stringify(line)}\n`);
});
