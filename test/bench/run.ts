import { abuse } from './abuse.ts';
import { cachedScrape } from './cached-scrape.ts';
import { coldRefresh } from './cold-refresh.ts';
import { firstLogin } from './first-login.ts';
import { memory } from './memory.ts';
import type { Result } from './result.ts';
import { upstreamRequests } from './upstream-requests.ts';

// Prints a table for people and JSON for programs. Every figure is a share of a limit measured in the
// same run, so that a slow machine is no excuse and a fast one no merit.
const results: Result[] = [];
for (const measure of [cachedScrape, coldRefresh, memory, abuse, firstLogin, upstreamRequests]) {
  for (const result of await measure()) {
    results.push(result);
    const { name, value, unit, limit, isWithin, detail } = result;
    process.stdout.write(
      `${isWithin ? 'ok  ' : 'OVER'}  ${name}: ${value.toFixed(2)} ${unit} (limit ${limit}; ${detail})\n`,
    );
  }
}
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
