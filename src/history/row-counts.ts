/** What VictoriaMetrics counts of samples that it has acknowledged and thrown away, by reason. */
const IGNORED = /^vm_rows_ignored_total\{reason="(?:small|big)_timestamp"\} (\S+)$/gm;
/** What it counts of samples that came in the text format of Prometheus. */
const TAKEN = /^vm_rows_inserted_total\{type="prometheus"\} (\S+)$/m;

/** How many samples a database has counted since it started. */
export interface RowCounts {
  /** Those that it took, whatever became of them; 0 where it does not say. */
  readonly taken: number;
  /** Those that it threw away because they are older than its retention, or too far in the future. */
  readonly dropped: number;
}

/**
 * Returns how many samples a VictoriaMetrics has taken and thrown away. It answers that it took both.
 *
 * @param metrics - its own metrics, in the text format of Prometheus.
 * @returns undefined where it does not say.
 */
export function rowCounts(metrics: string): RowCounts | undefined {
  const ignored = Array.from(metrics.matchAll(IGNORED), ([, count]) => Number(count));
  if (ignored.length === 0) return undefined;
  const taken = Number(TAKEN.exec(metrics)?.[1] ?? 0);
  return { taken, dropped: ignored.reduce((sum, count) => sum + count, 0) };
}
