/** What VictoriaMetrics counts of samples that it has acknowledged and thrown away, by reason. */
const IGNORED =
  /^vm_rows_ignored_total\{reason="(?:small|big)_timestamp"\} (\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/gm;

/**
 * Returns how many samples a VictoriaMetrics has thrown away because they are older than its retention, or too
 * far in the future. It answers that it took them.
 *
 * @param metrics - its own metrics, in the text format of Prometheus.
 * @returns undefined where it does not say.
 */
export function droppedRows(metrics: string): number | undefined {
  const counts = Array.from(metrics.matchAll(IGNORED), ([, count]) => Number(count));
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}
