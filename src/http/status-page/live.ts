/// <reference lib="dom" />

/**
 * Keeps an open page up to date: asks for it again and takes up what has changed. The browser is sent the text of this
 * function, so it uses nothing from outside of it.
 */
export function live(): void {
  const [everyMs, patienceMs] = [10_000, 9_000];
  let isUnderWay = false;

  async function update(): Promise<void> {
    // A page in the background sends no requests.
    if (document.hidden || isUnderWay) return;
    isUnderWay = true;
    const silent = 'The exporter does not answer. The values below are no longer live.';
    const trouble = await renew().catch(() => silent);
    isUnderWay = false;
    const banner = document.getElementById('connection');
    // What is written again is read aloud again.
    if (banner !== null && banner.textContent !== trouble) banner.textContent = trouble;
    document.body.classList.toggle('lost', trouble !== '');
  }

  /** Returns what the reader has to know; nothing when all is well. */
  async function renew(): Promise<string> {
    const response = await fetch(`./${location.search}`, {
      signal: AbortSignal.timeout(patienceMs),
    });
    // Nothing in it is run or loaded.
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    const { version } = next.documentElement.dataset;
    // Whatever else may answer here, such as the page of a proxy, has no version.
    if (version === undefined) throw new Error('this is no status page');
    if (version !== document.documentElement.dataset['version'])
      return 'The exporter is another version now: load this page again.';
    if (idsOf(document) !== idsOf(next))
      replace(document.querySelector('main'), next.querySelector('main'));
    else for (const part of partsOf(document)) replace(part, next.getElementById(part.id));
    return '';
  }

  const partsOf = (page: Document): Element[] => [...page.querySelectorAll('main > *')];
  const idsOf = (page: Document): string => String(partsOf(page).map(({ id }) => id));

  /** Replaces what is in an element, unless it is the same, or the reader is selecting text in it. */
  function replace(element: Element | null, next: Element | null): void {
    if (element === null || next === null || element.innerHTML === next.innerHTML) return;
    const selection = document.getSelection();
    if (selection?.isCollapsed === false && selection.containsNode(element, true)) return;
    const focused = document.activeElement?.getAttribute('href');
    const hadFocus = element.contains(document.activeElement);
    element.replaceChildren();
    while (next.firstChild !== null) element.append(next.firstChild);
    const links = [...element.querySelectorAll('a')];
    const link = links.find((one) => one.getAttribute('href') === focused);
    if (hadFocus) link?.focus({ preventScroll: true });
  }

  setInterval(() => void update(), everyMs);
  document.addEventListener('visibilitychange', () => void update());
}
