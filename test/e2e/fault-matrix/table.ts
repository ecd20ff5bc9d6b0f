import type { Observed } from './cell.ts';

const SHORT: Readonly<Record<string, string>> = {
  SERVICE_UNREACHABLE: 'unreachable',
  SERVICE_TIMEOUT: 'timeout',
  SERVICE_SERVER_ERROR: 'server',
  SERVICE_REQUEST_REJECTED: 'rejected',
  SERVICE_AUTH_REJECTED: 'auth',
  SERVICE_RATE_LIMITED: 'rate',
  SERVICE_API_REFUSED: 'refused',
  SERVICE_PAYLOAD_INVALID: 'payload',
};

const LEGEND = [
  'Faults by endpoint: outcome, requests that arrived, seconds to recover.',
  'A fault lasts 10 minutes, with a scrape every 15 s and, after 3 minutes, every 30 s; silence and drip last 5, with one every minute and one right after the last.',
  '"as X": not met here, for it ends like X, whoever asked; met at readings.',
];

/** A cell that is left out, and the fault that is met in its place. */
export interface LeftOut {
  readonly endpoint: string;
  readonly fault: string;
  readonly standIn: string;
}

/** Draws what was observed: a row per fault, a column per endpoint. */
export function drawTable(
  cells: readonly (Observed | LeftOut)[],
  notes: readonly string[],
): string {
  const columns = [...new Set(cells.map(({ endpoint }) => endpoint))];
  const faults = [...new Set(cells.map(({ fault }) => fault))];
  const rows = faults.map((fault) => [
    fault,
    ...columns.map((column) => {
      const cell = cells.find(({ endpoint, fault: at }) => endpoint === column && at === fault);
      // Failed: its test says why.
      return cell === undefined ? 'FAILED' : describeCell(cell);
    }),
  ]);
  const lines = [['fault', ...columns], ...rows];
  const widths = lines[0]?.map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  const drawn = lines.map((line) =>
    line.map((text, index) => text.padEnd(widths?.[index] ?? 0)).join('  '),
  );
  return ['', ...LEGEND, ...drawn, ...notes, ''].join('\n');
}

function describeCell(cell: Observed | LeftOut): string {
  if ('standIn' in cell) return `as ${cell.standIn}`;
  const { outcomes, requests, recoveryMs } = cell;
  const names = outcomes.map((outcome) => SHORT[outcome] ?? outcome).join('+');
  return `${names === '' ? 'ok' : names} ${requests} ${recoveryMs / 1000}s`;
}
