import { cachedScrape } from './cached-scrape.ts';
import { memory } from './memory.ts';
import { refresh } from './refresh.ts';
import type { Result, Scope } from './result.ts';
import { start } from './start.ts';

const MEASUREMENTS: Readonly<Record<string, (scope: Scope) => Promise<readonly Result[]>>> = {
  'cached-scrape': cachedScrape,
  memory,
  refresh,
  start,
};

// `npm run bench start` measures one thing only; `npm run bench -- --short` measures less, and fails where a
// figure is far over its limit.
const words = process.argv.slice(2).filter((word) => word !== '--short');
const isShort = words.length < process.argv.length - 2;
const [chosen] = words;
if (chosen !== undefined && !(chosen in MEASUREMENTS))
  throw new Error(`no measurement "${chosen}"; there are ${Object.keys(MEASUREMENTS).join(', ')}`);

// Prints a table for people and JSON for programs.
const results: Result[] = [];
for (const [measured, measure] of Object.entries(MEASUREMENTS)) {
  if (chosen !== undefined && measured !== chosen) continue;
  for (const result of await measure({ isShort })) {
    results.push(result);
    const { name, value, unit, limit, isWithin, isFarOver, detail } = result;
    const verdict = isWithin ? 'ok  ' : isFarOver ? 'FAR ' : 'OVER';
    process.stdout.write(
      `${verdict}  ${name}: ${value.toFixed(2)} ${unit} (limit ${limit}; ${detail})\n`,
    );
  }
}
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
if (isShort && results.some(({ isFarOver }) => isFarOver)) process.exitCode = 1;
