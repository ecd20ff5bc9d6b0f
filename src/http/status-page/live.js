/// <reference lib="dom" />
import { renderParts } from './view.js';

/** @import { Status } from '../../status/status.ts' */

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
  try {
    const response = await fetch('api/v1/status', { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    show(await response.json());
    report('');
  } catch {
    report('The exporter does not answer. The values below are no longer live.');
  } finally {
    isUnderWay = false;
  }
}

/** @param {Status} status */
function show(status) {
  for (const [id, part] of Object.entries(renderParts(status))) {
    const element = document.getElementById(id);
    if (element === null || shown.get(id) === part.text) continue;
    shown.set(id, part.text);
    element.innerHTML = part.text;
  }
}

/** @param {string} text */
function report(text) {
  const element = document.getElementById('connection');
  if (element === null || element.textContent === text) return;
  element.textContent = text;
  element.hidden = text === '';
  document.body.classList.toggle('lost', text !== '');
}

setInterval(() => void update(), EVERY_MS);
document.addEventListener('visibilitychange', () => void update());
