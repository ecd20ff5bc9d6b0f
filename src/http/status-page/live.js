/// <reference lib="dom" />
import { renderParts } from './view.js';

/** @import { Status } from '../../status/status.ts' */
/** @import { Markup } from './markup.js' */
/** @import { Parts } from './view.js' */

const EVERY_MS = 10_000;
const PATIENCE_MS = 9_000;

/** What each part was last rendered to: what has not changed is left alone. */
const shown = new Map();
let isUnderWay = false;

/** Asks for the status and renders what changed; says so when the exporter does not answer. */
async function update() {
  // A page that nobody looks at asks for nothing.
  if (document.hidden || isUnderWay) return;
  isUnderWay = true;
  const status = await ask().finally(() => (isUnderWay = false));
  report(
    status === undefined
      ? 'The exporter does not answer. The values below are no longer live.'
      : '',
  );
  if (status === undefined) return;
  // The scripts of this page know only the status of their own version.
  if (status.version === document.documentElement.dataset['version']) show(status);
  else location.reload();
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
  // Whoever has marked something wants to copy it.
  if (document.getSelection()?.isCollapsed === false) return;
  const { stations, ...parts } = renderParts(status);
  for (const [id, part] of Object.entries(parts)) replace(document.getElementById(id), id, part);
  showStations(stations);
}

/** @param {Parts['stations']} stations */
function showStations(stations) {
  const holder = document.getElementById('stations');
  if (holder === null) return;
  const articles = [...holder.children];
  const isSame =
    articles.length === stations.length &&
    stations.every(
      ({ stationId }, index) => articles[index]?.getAttribute('data-station') === stationId,
    );
  if (!isSame) holder.innerHTML = stations.map(({ markup }) => markup.text).join('');
  stations.forEach(({ stationId, markup }, index) => {
    const id = `station ${stationId}`;
    if (isSame && shown.get(id) !== markup.text && articles[index] !== undefined)
      articles[index].outerHTML = markup.text;
    shown.set(id, markup.text);
  });
}

/**
 * @param {HTMLElement | null} element
 * @param {string} id
 * @param {Markup} part
 */
function replace(element, id, part) {
  if (element === null || shown.get(id) === part.text) return;
  shown.set(id, part.text);
  element.innerHTML = part.text;
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
