import { LOW_RATIO } from '../../status/problems.ts';
import type { FlowStatus } from '../../status/status.ts';
import { formatRatio, formatWatts } from './format.ts';
import { html, type Markup } from './markup.ts';

/** Below this, a panel or a house counts as idle. */
const LEAST_WATTS = 1;
/** Below this, grid and battery count as idle: their power is often computed from meters that differ by so much. */
const LEAST_BALANCE_WATTS = 20;
/** From this charge on, the battery is full. */
const FULL_RATIO = 0.995;

const SUN =
  'M0 -49v4m0 10v4m9 -9h-4m-10 0h-4m15.4 -6.4l-2.8 2.8m-7.2 7.2l-2.8 2.8m12.8 0l-2.8 -2.8m-7.2 -7.2l-2.8 -2.8M-3.5 -40a3.5 3.5 0 0 0 7 0a3.5 3.5 0 0 0 -7 0';
const HOUSE = 'M-10 -38L0 -47L10 -38M-7 -40V-30H7V-40';
const PYLON = 'M-5 -29L0 -49L5 -29M-9 -42H9M-7 -37H7M-4 -33L4 -37M4 -33L-4 -37';

/** What flows at one corner of the drawing. */
interface Corner {
  /** Absent when unknown. */
  readonly watts?: number;
  /** Towards the inverter or from it; absent when nothing flows. */
  readonly direction?: 'inward' | 'outward';
  /** What happens, in a word or two. */
  readonly what: string;
  readonly sentence: string;
}

/**
 * Draws where the energy of a station flows now, with sun, house, battery and grid around the inverter, and says it in
 * words below. So many of its devices say how full their battery is: of several, it says the mean.
 */
export function drawFlow(flow: FlowStatus, batteries: number): Markup {
  const { pvPowerWatts, loadPowerWatts, batterySocRatio: soc } = flow;
  const isMean = soc !== undefined && batteries > 1;
  const charge = soc === undefined ? '' : ` ${formatRatio(soc)}`;
  const sun = cornerOf('PV', pvPowerWatts, { inward: 'generating' });
  const house = cornerOf('House', loadPowerWatts && -loadPowerWatts, { outward: 'using' });
  const battery = batteryCorner(flow, isMean ? `Battery (mean${charge})` : `Battery${charge}`);
  const grid = gridCorner(flow);
  const circle = (icon: string) =>
    html`<circle class="shape" r="60" /><path class="icon" d="${icon}" />`;
  const sentence = `${[sun, house, battery, grid].map((corner) => corner.sentence).join('; ')}.`;
  return html`<svg class="flow" viewBox="0 0 440 372" role="img" aria-label="${sentence}">
<circle class="inverter" cx="220" cy="189" r="9" />
${draw('sun', sun, 'PV', circle(SUN), ['220 64', 'M220 127V175', '220 149', 90])}
${draw('grid', grid, 'Grid', circle(PYLON), ['72 189', 'M134 189H206', '166 189', 0])}
${draw('house', house, 'House', circle(HOUSE), ['368 189', 'M306 189H234', '274 189', 180])}
${draw('battery', battery, isMean ? `Mean of ${batteries}` : 'Battery', vessel(soc, battery.what), ['220 312', 'M220 250V203', '220 229', 270])}
</svg>
<figcaption aria-hidden="true">${sentence}</figcaption>`;
}

/** Says in the words of the dashboard what flows: PV, the battery, the grid. */
export function flowWords(flow: FlowStatus): readonly string[] {
  const { pvPowerWatts, batterySocRatio: soc } = flow;
  const kilowatts = (watts: number) => `${Math.round(watts / 10) / 100}\u00A0kW`;
  const [battery, grid] = [batteryCorner(flow), gridCorner(flow)];
  const does = battery.direction === undefined ? '' : ` ${battery.what}`;
  const at = soc === undefined ? '' : ` at ${formatRatio(soc)}`;
  const charge = soc !== undefined && soc >= FULL_RATIO ? ' full' : `${does}${at}`;
  return [
    pvPowerWatts === undefined ? '' : `${kilowatts(pvPowerWatts)} PV`,
    charge === '' ? '' : `battery${charge}`,
    grid.direction === undefined ? '' : `${grid.what} ${kilowatts(Math.abs(grid.watts ?? 0))}`,
  ].filter((words) => words !== '');
}

/** Says what a battery does. */
export function batteryCorner({ batteryPowerWatts }: FlowStatus, name = 'Battery'): Corner {
  const words = { inward: 'discharging', outward: 'charging' };
  return cornerOf(name, batteryPowerWatts, words, LEAST_BALANCE_WATTS);
}

/**
 * Three phases, or several inverters, may import and feed in at once: the greater is drawn, and the sentence names both.
 * Many inverters cannot feed in and do not report it: then only "not importing" is known.
 */
function gridCorner({ gridImportPowerWatts, gridFeedInPowerWatts }: FlowStatus): Corner {
  const imported = Math.max(0, gridImportPowerWatts ?? 0);
  const fedIn = Math.max(0, gridFeedInPowerWatts ?? 0);
  const [most, other] = imported >= fedIn ? [imported, -fedIn] : [-fedIn, imported];
  const words = { inward: 'importing', outward: 'feeding in' };
  const grid = cornerOf('Grid', most, words, LEAST_BALANCE_WATTS);
  if (Math.abs(other) >= LEAST_BALANCE_WATTS) {
    const also = other > 0 ? words.inward : words.outward;
    return { ...grid, sentence: `${grid.sentence} and ${also} ${formatWatts(Math.abs(other))}` };
  }
  if (grid.direction !== undefined) return grid;
  if (gridImportPowerWatts === undefined) return cornerOf('Grid', undefined, words);
  if (gridFeedInPowerWatts !== undefined) return grid;
  return { ...grid, what: 'not importing', sentence: 'Grid: not importing' };
}

/** Words what flows inward, or outward when it is negative; no meter should report a direction without a word. */
function cornerOf(
  name: string,
  inwardWatts: number | undefined,
  words: Readonly<Partial<Record<'inward' | 'outward', string>>>,
  leastWatts = LEAST_WATTS,
): Corner {
  if (inwardWatts === undefined) return { what: 'no data', sentence: `${name}: power unknown` };
  const watts = Math.abs(inwardWatts);
  if (watts < leastWatts) return { watts, what: 'idle', sentence: `${name}: idle` };
  const direction = inwardWatts > 0 ? 'inward' : 'outward';
  const what = words[direction];
  if (what === undefined) {
    const sentence = `${name}: below zero ${formatWatts(-watts)}`;
    return { watts: -watts, what: 'below zero', sentence };
  }
  return { watts, direction, what, sentence: `${name}: ${what} ${formatWatts(watts)}` };
}

/** Draws a corner and its line to the inverter, with a head that points there when it is turned by these degrees. */
function draw(
  kind: string,
  { watts, direction, what }: Corner,
  label: string,
  shape: Markup,
  [at, line, head, degrees]: readonly [at: string, line: string, head: string, degrees: number],
): Markup {
  const isKnown = watts !== undefined;
  const flowing = direction === undefined ? (isKnown ? 'idle' : 'unknown') : `${kind} ${direction}`;
  const turned = direction === 'inward' ? degrees : (degrees + 180) % 360;
  const [labelY, valueY, whatY] = kind === 'battery' ? [-34, 22, 41] : [-8, 12, 29];
  return html`<path class="line ${flowing}" d="${line}" />${direction && html`<path class="head ${kind}" d="M-8 -9L10 0L-8 9Z" transform="translate(${head}) rotate(${turned})" />`}
<g class="node ${kind} ${!isKnown && 'unknown'}" transform="translate(${at})">${shape}<text class="label" y="${labelY}">${label}</text>
<text class="value" y="${valueY}"${isKnown && html` data-value="${watts}"`}>${isKnown ? formatWatts(watts) : '–'}</text>
<text class="what" y="${whatY}">${what}</text></g>`;
}

/** Draws the battery as a vessel that is as full as it is, where that is known. */
function vessel(socRatio: number | undefined, what: string): Markup {
  const shown = Math.min(1, Math.max(0, socRatio ?? 0));
  const height = shown * 104;
  const charge = html`<rect class="level ${shown < LOW_RATIO ? 'low' : what} ${shown < LOW_RATIO / 2 && 'empty'}" x="-48" y="${(54 - height).toFixed(1)}" width="96" height="${height.toFixed(1)}" rx="6" />
<text class="soc" y="-4">${formatRatio(socRatio ?? 0)}</text>`;
  return html`<path class="shape" d="M-16 -54V-61H16V-54M-42 -54H42a10 10 0 0 1 10 10V48a10 10 0 0 1 -10 10H-42a10 10 0 0 1 -10 -10V-44a10 10 0 0 1 10 -10Z" />${socRatio !== undefined && charge}`;
}
