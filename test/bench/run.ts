import { abuse } from './abuse.ts';
import { cachedScrape } from './cached-scrape.ts';
import { coldRefresh } from './cold-refresh.ts';
import { firstLogin } from './first-login.ts';
import { memory } from './memory.ts';
import { counts } from './counts.ts';
import { history } from './history.ts';
import type { Result } from './result.ts';
import { upstreamRequests } from './upstream-requests.ts';

const MEASUREMENTS = {
  'cached-scrape': cachedScrape,
  'cold-refresh': coldRefresh,
  memory,
  abuse,
  'first-login': firstLogin,
  counts,
  'upstream-requests': upstreamRequests,
  history,
};

// `npm run bench abuse unread slow` measures one thing only, and of it what the further words name.
const [, , chosen, ...kinds] = process.argv;
if (chosen !== undefined && !(chosen in MEASUREMENTS))
  throw new Error(`no measurement "${chosen}"; there are ${Object.keys(MEASUREMENTS).join(', ')}`);

// Prints a table for people and JSON for programs. Every figure is a share of a limit measured in the
// same run, so that a slow machine is no excuse and a fast one no merit.
const results: Result[] = [];
for (const [measured, measure] of Object.entries(MEASUREMENTS)) {
  if (chosen !== undefined && measured !== chosen) continue;
  for (const result of await measure(kinds)) {
    results.push(result);
    const { name, value, unit, limit, isWithin, detail } = result;
    process.stdout.write(
      `${isWithin ? 'ok  ' : 'OVER'}  ${name}: ${value.toFixed(2)} ${unit} (limit ${limit}; ${detail})\n`,
    );
  }
}
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
