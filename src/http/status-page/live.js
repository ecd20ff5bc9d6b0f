/// <reference lib="dom" />

const EVERY_MS = 10_000;
const PATIENCE_MS = 9_000;

/** The parts that change, beside the stations. */
const PARTS = ['simulated', 'notices', 'as-of', 'exporter'];

let isUnderWay = false;

/** Asks for the page again and shows it; tells the reader when that fails. */
async function update() {
  // A page in the background sends no requests.
  if (document.hidden || isUnderWay) return;
  isUnderWay = true;
  report(await shown().finally(() => (isUnderWay = false)));
}

/** @returns {Promise<string>} a message for the reader; empty when all is well */
async function shown() {
  const next = await ask();
  const version = next?.documentElement.dataset['version'];
  // Whatever else may answer here, such as the page of a proxy, has no version.
  if (next === undefined || version === undefined)
    return 'The exporter does not answer. The values below are no longer live.';
  // This script knows the parts of a page of its own version only.
  if (version !== document.documentElement.dataset['version'])
    return 'The exporter is another version now: load this page again.';
  show(next);
  return '';
}

/** @returns {Promise<Document | undefined>} */
async function ask() {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch('./', { signal });
    if (!response.ok) return undefined;
    // Nothing in it is run or loaded.
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  } catch {
    return undefined;
  }
}

/** @param {Document} next */
function show(next) {
  for (const id of PARTS) replace(document.getElementById(id), next.getElementById(id));
  const [holder, other] = [document, next].map((page) => page.getElementById('stations'));
  const [articles, others] = [holder, other].map((list) => [...(list?.children ?? [])]);
  const [ids, otherIds] = [articles, others].map((all) =>
    all?.map((article) => article.getAttribute('data-station')).join(),
  );
  if (ids !== otherIds) replace(holder ?? null, other ?? null);
  else articles?.forEach((article, index) => replace(article, others?.[index] ?? null));
}

/**
 * Puts what is in an element into another, unless that has the same, or the reader is selecting text in it.
 *
 * @param {Element | null} element
 * @param {Element | null} next
 */
function replace(element, next) {
  if (element === null || next === null) return;
  if (next.innerHTML === element.innerHTML || isMarked(element)) return;
  const hadFocus = element.contains(document.activeElement);
  element.replaceChildren();
  while (next.firstChild !== null) element.append(next.firstChild);
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
