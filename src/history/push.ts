import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ExporterError } from '../base/errors.ts';
import type { Runtime } from '../base/clock.ts';
import { backOffMs, retryAfterMs } from '../client/exchange/retry.ts';
import { inChunks } from './chunks.ts';
import type { PushAnswer, PushRequest } from './push-request.ts';

/** Where VictoriaMetrics takes lines of the text format of Prometheus. */
const IMPORT_PATH = '/api/v1/import/prometheus';
/** Before compression. */
const CHUNK_LENGTH = 1024 * 1024;
/** A database that is being restarted is back by then. */
const LONGEST_OUTAGE_MS = 10 * 60_000;

const compress = promisify(gzip);

/** The database did not take what was sent to it. The message has no user and no password. */
export class PushError extends ExporterError {
  override readonly name = 'PushError';
  readonly code: 'PUSH_REFUSED' | 'PUSH_UNREACHABLE' | 'PUSH_DROPPED';

  constructor(code: PushError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export interface PushOptions extends Pick<Runtime, 'clock' | 'random'> {
  /** Is told why and for how long nothing is sent. */
  readonly onWait?: ((reason: string, pauseMs: number) => void) | undefined;
}

/**
 * Returns where lines are sent to.
 *
 * @param base - the address of the database, with the path under which it answers.
 */
export function importUrl(base: URL): URL {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + IMPORT_PATH;
  return url;
}

/** Returns where the database says how it is; of {@link importUrl}. */
export function metricsUrl(url: URL): URL {
  return new URL(url.href.replace(IMPORT_PATH, '/metrics'));
}

/** Says where lines are sent to, without a user, a password, or a query. */
export function pushAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/**
 * Sends texts to a database, in chunks of about 1 MiB, each compressed, and each after the one before it was
 * acknowledged. A chunk that meets an outage or too much load is sent again for ten minutes.
 *
 * @param texts - each ends with the end of a line.
 * @param url - of {@link importUrl}, for the message of an error.
 * @throws PushError when the database refuses a chunk, or when the outage lasts.
 */
export async function push(
  texts: Iterable<string>,
  request: Pick<PushRequest, 'send'>,
  url: URL,
  options: PushOptions,
): Promise<void> {
  for (const chunk of inChunks(texts, CHUNK_LENGTH))
    await sendUntilTaken(await compress(chunk), request, url, options);
}

async function sendUntilTaken(
  compressed: Buffer,
  request: Pick<PushRequest, 'send'>,
  url: URL,
  { clock, random, onWait }: PushOptions,
): Promise<void> {
  const givesUpAtMs = clock.nowMs() + LONGEST_OUTAGE_MS;
  for (let failures = 1; ; failures += 1) {
    const answer = await request.send(compressed);
    if (isTaken(answer)) return;
    const problem = `${pushAddress(url)}: ${answer.reason ?? `HTTP ${answer.status ?? ''}`}`;
    if (!isPassing(answer)) throw new PushError('PUSH_REFUSED', problem);
    const nowMs = clock.nowMs();
    if (nowMs >= givesUpAtMs) throw new PushError('PUSH_UNREACHABLE', problem);
    const pauseMs = retryAfterMs(answer.retryAfter, nowMs) ?? backOffMs(failures, random);
    const waitMs = Math.min(pauseMs, givesUpAtMs - nowMs);
    onWait?.(problem, waitMs);
    await clock.sleep(waitMs);
  }
}

function isTaken({ status = 0 }: PushAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Whether the same chunk may be taken later: no answer at all, too much load, a fault of the database. */
function isPassing({ status }: PushAnswer): boolean {
  return status === undefined || status === 429 || status >= 500;
}
