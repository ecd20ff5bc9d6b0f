import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';

const INTERVAL_SECONDS = 1;

/** Scrapes as Prometheus does: over one connection, never two at once, and saying how long it waits. */
export class PrometheusLike {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #scrapes = 0;
  #slowestMs = 0;
  readonly #failures: string[] = [];
  #page = '';

  constructor(url: string) {
    this.#url = new URL('/metrics', url);
  }

  get scrapes(): number {
    return this.#scrapes;
  }

  /** Why scrapes failed; nothing of the service may make one fail. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  get slowestMs(): number {
    return this.#slowestMs;
  }

  /** The value of a sample without labels on the last page. */
  value(name: string): number | undefined {
    const line = this.#page.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  }

  async scrape(): Promise<void> {
    const startedAtMs = performance.now();
    this.#scrapes += 1;
    try {
      this.#page = await this.#ask();
    } catch (error) {
      this.#failures.push(String(error));
    }
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedAtMs);
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(): Promise<string> {
    const headers = { 'x-prometheus-scrape-timeout-seconds': INTERVAL_SECONDS };
    return new Promise((resolve, reject) => {
      get(this.#url, { agent: this.#agent, headers }, (response) => {
        if (response.statusCode === 200) text(response).then(resolve, reject);
        else reject(new Error(`status ${response.statusCode ?? 'unknown'}`));
      }).once('error', reject);
    });
  }
}
