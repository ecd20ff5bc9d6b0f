import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ParsedSample, sampleOf } from './exposition.ts';

export type PageSample = ParsedSample;

/** An answer of `/metrics`. */
export class ScrapedPage {
  readonly status: number;
  readonly text: string;
  readonly #lines: readonly string[];

  constructor(status: number, body: string) {
    this.status = status;
    this.text = body;
    this.#lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  get samples(): readonly PageSample[] {
    return this.#lines.map(sampleOf);
  }

  /** Everything of one name. */
  all(name: string): readonly PageSample[] {
    const starts = [`${name} `, `${name}{`];
    return this.#lines
      .filter((line) => starts.some((start) => line.startsWith(start)))
      .map(sampleOf);
  }

  /** The first value of one name whose labels are, among others, these; absent when there is none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    return this.all(name).find((sample) =>
      Object.entries(labels).every(([label, wanted]) => sample.labels[label] === wanted),
    )?.value;
  }

  /**
   * The values that a row of a table expects, by the same keys: a name, or a name with label values such as
   * `solar_pv_string_power_watts{string="2"}`. A key whose sample is absent has `undefined`.
   */
  like(expected: Readonly<Record<string, number | undefined>>): Record<string, number | undefined> {
    return Object.fromEntries(
      Object.keys(expected).map((key) => {
        const { name, labels } = sampleOf(`${key} 0`);
        return [key, this.value(name, labels)];
      }),
    );
  }

  /** How often requests of an operation ended so. */
  requests(operation: string, outcome: string): number {
    return this.value('solar_api_requests_total', { operation, outcome }) ?? 0;
  }
}

/** Keeps its connections, as Prometheus does; a simulated day is thousands of scrapes. */
const agent = new Agent({ keepAlive: true });

/** Scrapes once, as Prometheus would. */
export function scrapePage(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  path = '/metrics',
): Promise<ScrapedPage> {
  return new Promise((resolve, reject) => {
    get(new URL(path, url), { agent, headers }, (response) => {
      text(response).then(
        (page) => resolve(new ScrapedPage(response.statusCode ?? 0, page)),
        reject,
      );
    }).once('error', reject);
  });
}
