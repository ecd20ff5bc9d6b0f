import { cut, printable, printableLines } from '../../base/shown.ts';
import { formatDuration } from '../../config/duration.ts';
import type { MonthPart } from '../../history/months.ts';
import type { Device } from '../../model/station.ts';
import type { CommandContext } from '../command.ts';

/** Shows how far a run has come, in the time of all devices together. */
export interface Progress {
  readonly begun: (part: MonthPart) => void;
  /** @param lastAtMs - until when a device was read; the devices of a part come one after the other. */
  readonly read: (part: MonthPart, device: Device, lastAtMs: number) => void;
  readonly written: (part: MonthPart) => void;
  /** Shows a line that stays. */
  readonly say: (line: string) => void;
  readonly end: () => void;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Back to the beginning of the line, and nothing behind it. */
const EMPTY_LINE = '\r\u001B[K';

/** Shows progress on a line of the terminal, or as a line a minute where no terminal is. */
export function showProgress(
  parts: readonly MonthPart[],
  {
    terminal,
    runtime: { clock },
    complain,
  }: Pick<CommandContext, 'terminal' | 'runtime' | 'complain'>,
): Progress {
  const lengthOf = ({ fromMs, toMs }: MonthPart): number => toMs - fromMs;
  const totalMs = parts.reduce((sum, part) => sum + lengthOf(part) * part.devices.length, 0);
  const days = (ms: number): number => Math.ceil(ms / DAY_MS);
  const startedAtMs = clock.nowMs();
  let [beforeMs, saidAtMs, line] = [0, startedAtMs, ''];
  const show = ({ station: { name, stationId }, month }: MonthPart, ofPartMs: number): void => {
    const doneMs = beforeMs + ofPartMs;
    const nowMs = clock.nowMs();
    const leftMs = ((nowMs - startedAtMs) * (totalMs - doneMs)) / Math.max(doneMs, 1);
    line = [
      `${Math.floor((100 * doneMs) / totalMs)} %`,
      `${days(doneMs)} of ${days(totalMs)} days`,
      `${cut(printable(name ?? stationId))} ${month}`,
      `${doneMs === 0 ? '?' : formatDuration(Math.ceil(leftMs / 1000) * 1000)} to go`,
    ].join(' | ');
    // Past what keeps other output from obeying the service: nothing of it stays in this line.
    if (terminal !== undefined) terminal.write(EMPTY_LINE + line);
    else if (nowMs - saidAtMs >= MINUTE_MS) {
      complain(`solar-exporter: ${line}\n`);
      saidAtMs = nowMs;
    }
  };
  return {
    begun: (part) => show(part, 0),
    read(part, device, lastAtMs) {
      const devicesBefore = part.devices.indexOf(device);
      const ofDeviceMs = Math.max(0, Math.min(lastAtMs - part.fromMs, lengthOf(part)));
      show(part, devicesBefore * lengthOf(part) + ofDeviceMs);
    },
    written(part) {
      const ofPartMs = lengthOf(part) * part.devices.length;
      show(part, ofPartMs);
      beforeMs += ofPartMs;
    },
    say(text) {
      if (terminal === undefined) complain(`${text}\n`);
      else terminal.write(`${EMPTY_LINE}${printableLines(text)}\n${line}`);
    },
    end: () => {
      if (line !== '') terminal?.write('\n');
    },
  };
}
