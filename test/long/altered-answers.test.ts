import { describe, expect, test } from 'vitest';
import { type ScrapedPage, startBoth } from '../doors/house.ts';
import { ENDPOINT_PLANS, type EndpointPlan } from '../support/faults.ts';

/** In the second year of the simulated plants: the first entry in a list of years is a past one. */
const NOW = '2025-01-02T04:00:00Z';
/** The shortest one; years live twelve times as long as the other summaries. */
const TTL = '1s';
const stepMs = ({ endpoint }: EndpointPlan): number =>
  endpoint === 'summary-years' ? 12_001 : 1001;
/** Everything hangs on the lists of stations and devices; on the rest, nothing but itself. */
const LISTS: ReadonlySet<string> = new Set(['stations', 'devices']);
const ALL_TTLS = ['readings', 'summary', 'devices', 'alarms', 'settings'].map(
  (what) => `cache.${what}-ttl`,
);
/** All of them within the five minutes for which the newest reading is the newest. */
const mostPerExporter = (plan: EndpointPlan): number => Math.min(120, 240_000 / stepMs(plan));
const REPLACEMENTS = [null, 'none of your business', '', 7, 1e300, [], {}, true];

type Path = readonly (string | number)[];

/** Every place in an answer, of a list the first entry only. */
function* places(node: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof node !== 'object' || node === null) return;
  const entries = Array.isArray(node) ? node.slice(0, 1).entries() : Object.entries(node);
  for (const [key, child] of entries) yield* places(child, [...path, key]);
}

function valueAt(node: unknown, path: Path): unknown {
  return path.reduce((at, step) => (at as Record<string | number, unknown>)[step], node);
}

/** The text of an answer with another value in one place. */
function replaced(body: string, path: Path, value: unknown): string {
  const answer: unknown = JSON.parse(body);
  const [last = '', ...before] = path.toReversed();
  (valueAt(answer, before.toReversed()) as Record<string | number, unknown>)[last] = value;
  return JSON.stringify(answer);
}

/** Names and settings are whatever the service calls them; they are checked word by word. */
const WORDS = /^solar_(station_info|device_info|device_setting)/;
/** How the exporter is doing, where it looked for values, and what it says by the calendar. */
const OF_EXPORTER =
  /^solar_(up|collector|api|token|session|exporter|rea|login|simulated|day_start|problem|device_(dialect|missing|unknown))/;

/** What the service says, by series. */
function toldBy(page: ScrapedPage): ReadonlyMap<string, number> {
  return new Map(
    page.samples
      .filter(({ name }) => !OF_EXPORTER.test(name) && !WORDS.test(name))
      .map(({ name, labels, value }) => [`${name}${JSON.stringify(labels)}`, value]),
  );
}

/** Every word in a name or a setting, with the label that it stands in. */
function wordsOf(page: ScrapedPage): readonly (readonly [label: string, word: string])[] {
  return page.samples
    .filter(({ name }) => WORDS.test(name))
    .flatMap(({ name, labels }) =>
      Object.entries(labels).map(([label, word]) => [`${name} ${label}`, word] as const),
    );
}

/** What a label may say where a value was put in the place of another. */
function sayable(label: string, value: unknown): readonly string[] {
  if (typeof value === 'string') return ['', value];
  // A setting that is neither text nor number is shown as JSON; a name is not shown then.
  const isShown = typeof value === 'number' || label.startsWith('solar_device_setting');
  return isShown ? ['', JSON.stringify(value)] : [''];
}

/** Whether a series may show this although, or because, a place of the answer was altered. */
function isTrue(
  series: string,
  honest: number | undefined,
  shown: number,
  value: unknown,
): boolean {
  // An alarm may be of no level, or of one that nobody knows, which is shown as it is.
  const levels = ['unknown', String(value)].map((level) => `"level":${JSON.stringify(level)}`);
  // Without a key it goes by its name.
  const ofAlarm = [...levels, '"alarm":"Line loss"'];
  if (series.startsWith('solar_device_alarm_firing{'))
    if (ofAlarm.some((said) => series.includes(said))) return true;
  // A list that lacks a device is not believed, and the page says so; as it does of an answer without values.
  if (/^solar_device_(?:listed|reporting)\{/.test(series) && shown === 0) return true;
  if (series.startsWith('solar_station_devices_missing{') && shown > 0) return true;
  // What the service does not say of today any more is counted, and marked as that.
  if (series.includes('"source":"counter"')) return true;
  // The counters go on with the clock, and count less than that meanwhile.
  if (series.startsWith('solar_device_energy_kwh_total{') && shown < 0.5) return true;
  if (honest === undefined) return false;
  // What is not measured is worked out from what is, to within its rounding; so is a month from its days.
  const ofMonth = series.startsWith('solar_energy_month_kwh{') ? 0.02 : 0;
  const rounding = /^solar_\w+_power_watts\{/.test(series) ? 5 : ofMonth;
  return Math.abs(honest - shown) <= rounding;
}

async function start({ endpoint, family, flags }: EndpointPlan) {
  const ttls = LISTS.has(endpoint) ? ALL_TTLS : Object.keys(flags);
  const both = await startBoth({
    now: NOW,
    flags: { 'collect.settings': 'true', ...Object.fromEntries(ttls.map((ttl) => [ttl, TTL])) },
    // The sun stands still, and so do all counters.
    simulator: { speed: 1e-9, ...(family && { family }) },
  });
  both.simulator.setAlarms(both.deviceId, [{ key: 'lineLoss', level: 2 }]);
  return { ...both, honest: await both.scrape() };
}

/** The honest answer of an endpoint. */
async function honestAnswer(plan: EndpointPlan): Promise<string> {
  const { simulator, scrapeAfter } = await start(plan);
  let answer = '';
  simulator.setFault(plan.endpoint, { kind: 'altered', alter: (body) => (answer = body) });
  plan.strike?.(simulator);
  await scrapeAfter(stepMs(plan));
  return answer;
}

describe.each(ENDPOINT_PLANS)('an answer of $endpoint with one field of another type', (plan) => {
  test('brings no value that the honest answer does not have', async () => {
    const answer = await honestAnswer(plan);
    const all = [...places(JSON.parse(answer))].flatMap((path) =>
      REPLACEMENTS.map((value) => ({ path, value })),
    );
    const stride = Math.max(1, Math.ceil(all.length / mostPerExporter(plan)) | 1);
    const mutations = all.filter((_, index) => index % stride === 0);
    expect(mutations.length).toBeGreaterThanOrEqual(15);

    const { simulator, scrapeAfter, honest } = await start(plan);
    const truth = toldBy(honest);
    const words = new Set(wordsOf(honest).map(([, word]) => word));
    const lies: string[] = [];
    for (const { path, value } of mutations) {
      const alter = (body: string): string => replaced(body, path, value);
      simulator.setFault(plan.endpoint, { kind: 'altered', alter });
      plan.strike?.(simulator);
      const page = await scrapeAfter(stepMs(plan));
      const at = `${path.join('.')} = ${JSON.stringify(value)}`;
      expect(page.status, at).toBe(200);
      expect(page.text, at).not.toMatch(/ (NaN|[+-]Inf)$/m);
      expect(page.text, at).not.toContain('UNEXPECTED');
      // Where a name is missing, another field of the same answer may stand in for it.
      for (const [label, word] of wordsOf(page))
        if (!words.has(word) && !answer.includes(`"${word}"`))
          if (!sayable(label, value).includes(word)) lies.push(`${at}: ${label} ${word}`);
      // A number in place of another is the service's own word, unless nothing is so large.
      const isOwnWord = /^-?[\d.]+$/.test(String(valueAt(JSON.parse(answer), path)));
      if (!(value === 7 && isOwnWord))
        for (const [series, shown] of toldBy(page))
          if (!isTrue(series, truth.get(series), shown, value))
            lies.push(`${at}: ${series} ${shown}`);
      simulator.setFault(plan.endpoint, undefined);
      await scrapeAfter(stepMs(plan));
    }
    expect(lies).toEqual([]);
  });
});
