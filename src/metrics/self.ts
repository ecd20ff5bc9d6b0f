import { type DropReason, PAGE_DROP_REASONS } from '../base/limits.ts';
import type { Labels, MetricDefinition, Sample } from '../collectors/metric.ts';
import { AccountCounts } from './account-counts.ts';
import { COUNTED_METRICS } from './definitions.ts';
import { renderHeader, renderLabels, renderValue } from './page.ts';

/** The counts of an account, and the labels that tell it from the others on a page. */
export interface LabelledCounts {
  readonly labels: Labels;
  readonly counts: AccountCounts;
}

/** Counts what happens to the program, reloads say, and keeps the counts of its accounts over reloads. */
export class SelfMetrics {
  readonly #accounts = new Map<string | undefined, AccountCounts>();
  readonly #dropped = new Map<DropReason, number>(PAGE_DROP_REASONS.map((reason) => [reason, 0]));
  readonly #droppedLogLines: () => number;
  #version = 0;
  #isLastReloadSuccessful = true;

  /** @param droppedLogLines - how many lines of the log could not be written. */
  constructor(droppedLogLines = (): number => 0) {
    this.#droppedLogLines = droppedLogLines;
  }

  /** Grows with every change of a count. */
  get version(): number {
    let version = this.#version + this.#droppedLogLines();
    for (const counts of this.#accounts.values()) version += counts.version;
    return version;
  }

  get droppedLogLines(): number {
    return this.#droppedLogLines();
  }

  /** Returns the counts of an account, by its name where it has one. */
  countsOf(account?: string): AccountCounts {
    const known = this.#accounts.get(account);
    if (known !== undefined) return known;
    const counts = new AccountCounts();
    this.#accounts.set(account, counts);
    return counts;
  }

  /** Forgets the counts of an account that is configured no more. */
  forget(account: string | undefined): void {
    // The version never falls back to one that it had before.
    this.#version += (this.#accounts.get(account)?.version ?? 0) + 1;
    this.#accounts.delete(account);
  }

  reloadEnded(isSuccess: boolean): void {
    this.#isLastReloadSuccessful = isSuccess;
    this.#version += 1;
  }

  /** Counts what the limits of a page left out. The page does not change for that alone: it is rendered then. */
  dropped(reason: DropReason, count: number): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + count);
  }

  /** How much each limit of a page has left out. */
  get droppedSeries(): ReadonlyMap<DropReason, number> {
    return this.#dropped;
  }

  /** Whether the last reload succeeded; true before the first. */
  get isLastReloadSuccessful(): boolean {
    return this.#isLastReloadSuccessful;
  }
}

/** Renders the counts of accounts in the Prometheus text format, family by family. */
export async function renderCounts(accounts: readonly LabelledCounts[]): Promise<string> {
  const [first, ...others] = accounts;
  if (first === undefined || others.length === 0) return (await first?.counts.render()) ?? '';
  const samples = await Promise.all(accounts.map(({ counts, labels }) => counts.samples(labels)));
  return Object.values(COUNTED_METRICS)
    .map((definition) => {
      const lines = samples
        .flatMap((byName) => byName.get(definition.name) ?? [])
        .map(({ name, labels, value }) => `${name}${renderLabels(labels)} ${renderValue(value)}\n`);
      return `${renderHeader(definition)}${lines.join('')}`;
    })
    .join('');
}

/**
 * Renders a few samples in the Prometheus text format 0.0.4, grouped by metric in the order of
 * `definitions`. A metric without samples is left out altogether: unknown is absent.
 */
export function renderSamples(
  definitions: readonly MetricDefinition[],
  samples: Iterable<Sample>,
): string {
  const metrics = definitions.map((definition) => ({ ...definition, lines: [] as string[] }));
  const linesByName = new Map<string, string[]>(metrics.map(({ name, lines }) => [name, lines]));
  // The samples of a device share one labels object: its text is rendered once and not per metric.
  const textByLabels = new Map<Labels, string>();
  for (const { name, labels, value } of samples) {
    let labelsText = textByLabels.get(labels);
    if (labelsText === undefined) {
      labelsText = renderLabels(labels);
      textByLabels.set(labels, labelsText);
    }
    linesByName.get(name)?.push(`${name}${labelsText} ${renderValue(value)}\n`);
  }
  return metrics
    .map(({ lines, ...definition }) =>
      lines.length === 0 ? '' : renderHeader(definition) + lines.join(''),
    )
    .join('');
}
