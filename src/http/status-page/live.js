/// <reference lib="dom" />
import { renderArticles, renderParts } from './view.js';

/** @import { Status } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */

const EVERY_MS = 10_000;
const PATIENCE_MS = 9_000;

let isUnderWay = false;

/** Fetches the status and shows it; tells the reader when that fails. */
async function update() {
  // A page in the background sends no requests.
  if (document.hidden || isUnderWay) return;
  isUnderWay = true;
  report(await shown().finally(() => (isUnderWay = false)));
}

/** @returns {Promise<string>} a message for the reader; empty when all is well */
async function shown() {
  const status = await ask();
  if (status === undefined)
    return 'The exporter does not answer. The values below are no longer live.';
  // The scripts of this page can read only the status of their own version.
  if (status.version !== document.documentElement.dataset['version'])
    return 'The exporter is another version now: load this page again.';
  try {
    show(status);
    return '';
  } catch {
    return 'This page cannot show what the exporter answers: load it again.';
  }
}

/** @returns {Promise<Status | undefined>} */
async function ask() {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch('api/v1/status', { signal });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Status} status */
function show(status) {
  const { stations, ...parts } = renderParts(status);
  for (const [id, part] of Object.entries(parts)) replace(document.getElementById(id), part);
  const holder = document.getElementById('stations');
  const articles = [...(holder?.children ?? [])];
  const isSame =
    articles.length === stations.length &&
    stations.every(
      ({ stationId }, index) => articles[index]?.getAttribute('data-station') === stationId,
    );
  if (!isSame) replace(holder, renderArticles(stations));
  else stations.forEach(({ markup }, index) => replace(articles[index] ?? null, markup));
}

/**
 * Puts new markup into an element, unless it is the same, or the reader is selecting text in it.
 *
 * @param {Element | null} element
 * @param {Markup} part
 */
function replace(element, part) {
  const next = document.createElement('template');
  next.innerHTML = part.text;
  if (element === null || next.innerHTML === element.innerHTML || isMarked(element)) return;
  const hadFocus = element.contains(document.activeElement);
  element.replaceChildren(next.content);
  if (hadFocus) element.querySelector('a')?.focus({ preventScroll: true });
}

/** @param {Element} element */
function isMarked(element) {
  const selection = document.getSelection();
  return selection?.isCollapsed === false && selection.containsNode(element, true);
}

/** @param {string} text */
function report(text) {
  const element = document.getElementById('connection');
  if (element === null || element.textContent === text) return;
  element.textContent = text;
  document.body.classList.toggle('lost', text !== '');
}

setInterval(() => void update(), EVERY_MS);
document.addEventListener('visibilitychange', () => void update());
