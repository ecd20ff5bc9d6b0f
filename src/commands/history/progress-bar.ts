import { Presets, SingleBar } from 'cli-progress';
import { printableLines } from '../../base/shown.ts';
import { days, type ProgressView } from './progress.ts';

/** Back to the beginning of the line, and nothing behind it. */
const EMPTY_LINE = '\r\u001B[K';

/**
 * Shows progress as a bar on a terminal, drawn by a library.
 *
 * @param totalMs - how much time all devices have together.
 */
export function progressBar(totalMs: number, terminal: NodeJS.WritableStream): ProgressView {
  const bar = new SingleBar(
    {
      stream: terminal,
      format: '{bar} {percentage} % | {value} of {total} days | {what} | {eta_formatted} to go',
      // A program that is killed leaves the terminal as it is.
      hideCursor: false,
      linewrap: true,
      gracefulExit: false,
      // A line that stays takes the place of the bar, which has to come again.
      forceRedraw: true,
      barsize: 20,
    },
    Presets.shades_classic,
  );
  bar.start(days(totalMs), 0, { what: '' });
  return {
    show: (doneMs, what) => bar.update(Math.min(days(doneMs), days(totalMs)), { what }),
    say: (line) => {
      // The bar writes to the terminal itself, past what keeps other output from obeying the service.
      terminal.write(`${EMPTY_LINE}${printableLines(line)}\n`);
      bar.render();
    },
    end: () => bar.stop(),
  };
}
