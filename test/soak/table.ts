import type { Observation } from './judgement.ts';

type Column = readonly [title: string, width: number, text: (observation: Observation) => string];

const COLUMNS: readonly Column[] = [
  ['minute', 6, ({ minute }) => minute.toFixed(1)],
  ['round', 22, ({ round }) => round],
  ['RSS KiB', 8, ({ rssKibibytes }) => rssKibibytes.toFixed(0)],
  ['heap KiB', 8, ({ heapKibibytes }) => heapKibibytes.toFixed(0)],
  ['fds', 4, ({ fileDescriptors }) => fileDescriptors.toFixed(0)],
  ['sockets', 7, ({ sockets }) => sockets.toFixed(0)],
  ['threads', 7, ({ threads }) => threads.toFixed(0)],
  ['lag ms', 6, ({ eventLoopLagSeconds }) => (eventLoopLagSeconds * 1000).toFixed(0)],
  ['scrapes', 7, ({ scrapes }) => scrapes.toFixed(0)],
  ['failed', 6, ({ failed }) => failed.toFixed(0)],
  ['slowest ms', 10, ({ slowestMs }) => slowestMs.toFixed(0)],
  ['requests', 8, ({ requests }) => requests.toFixed(0)],
];

/** The line above all others. */
export const HEADING = COLUMNS.map(([title, width]) => title.padStart(width)).join('  ');

/** What was observed, as a line of the table. */
export function row(observation: Observation): string {
  return COLUMNS.map(([, width, text]) => text(observation).padStart(width)).join('  ');
}
