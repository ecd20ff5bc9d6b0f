import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent, errors } from 'undici';
import { startTimer } from '../base/clock.ts';
import type { Secret } from '../base/shown.ts';
import { backOffMs, retryAfterMs } from '../client/exchange/retry.ts';
import type { Labels } from '../collectors/metric.ts';
import { sumOf } from '../model/units.ts';
import { inChunks, jsonLines } from './formats.ts';
import { StoppedError, wait, type WaitOptions } from './patience.ts';
import { type HistoryTarget, TargetError } from './run-history.ts';
import { sampleCount } from './series.ts';

/** Where VictoriaMetrics takes lines of JSON. */
const IMPORT_PATH = '/api/v1/import';
/** Before compression. */
const CHUNK_LENGTH = 1024 * 1024;
/** Far more than a database says of itself. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** A database that is being restarted is back by then. */
const LONGEST_OUTAGE_MS = 10 * 60_000;
/** VictoriaMetrics makes the page of its own metrics anew every second. */
const COUNTED_AFTER_MS = 3000;
/** What it counts of samples that it has acknowledged and thrown away. */
const IGNORED = /^vm_rows_ignored_total\{reason="(?:small|big)_timestamp"\} (\S+)$/gm;

const compress = promisify(gzip);

export interface PushOptions extends WaitOptions {
  /** The address of the database, without a user and a query; with the path under which it answers. */
  readonly address: string;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  /** The longest time of a request, from the first byte sent to the last byte received. */
  readonly timeoutMs: number;
  /** Of every series beside its own. */
  readonly labels: Labels;
}

/**
 * Connects to a database that takes the past, month by month. The first signal ends whatever is being sent.
 *
 * @throws TargetError when the database does not take an empty line at once.
 */
export async function openPush(options: PushOptions): Promise<HistoryTarget> {
  const { address, labels, clock, random, stop } = options;
  const place = address + IMPORT_PATH;
  const agent = new Agent({
    ...{ connections: 1, headersTimeout: 0, bodyTimeout: 0 },
    maxResponseSize: MAX_ANSWER_BYTES,
  });

  /** Sends a chunk again, for so long, where it meets an outage, too much load or a fault. */
  async function send(text: string, longestOutageMs: number): Promise<void> {
    const compressed = await compress(text);
    const givesUpAtMs = clock.nowMs() + longestOutageMs;
    for (let failures = 1; ; failures += 1) {
      const answer = await ask(agent, options, IMPORT_PATH, compressed);
      const { status = 503, reason = `HTTP ${status}` } = answer;
      if (status >= 200 && status < 300) return;
      const problem = `${place}: ${reason}`;
      if (status !== 429 && status < 500)
        throw new TargetError('PUSH_REFUSED', problem, remedyFor(status));
      const nowMs = clock.nowMs();
      if (nowMs >= givesUpAtMs)
        throw new TargetError(
          'PUSH_UNREACHABLE',
          problem,
          'check --push, and that the database runs; then run it again, with --from what was complete',
        );
      const pauseMs = retryAfterMs(answer.retryAfter, nowMs) ?? backOffMs(failures, random);
      await wait(problem, Math.min(pauseMs, givesUpAtMs - nowMs), options);
    }
  }

  /** Returns how many samples the database has thrown away; undefined where it does not say. */
  async function countDropped(): Promise<number | undefined> {
    const { status, text = '' } = await ask(agent, options, '/metrics');
    const counts = Array.from(text.matchAll(IGNORED), ([, count]) => Number(count));
    return status === 200 && counts.length > 0 ? sumOf(counts) : undefined;
  }

  let droppedBefore: number | undefined;
  try {
    await send('\n', 0);
    droppedBefore = await countDropped();
  } catch (error) {
    await agent.destroy();
    throw error;
  }
  const months: string[] = [];
  return {
    has: () => false,
    async write(part, month) {
      let bytes = 0;
      months.push(part.month);
      for (const chunk of inChunks(jsonLines(month, labels), CHUNK_LENGTH)) {
        await send(chunk, LONGEST_OUTAGE_MS);
        bytes += Buffer.byteLength(chunk);
      }
      return { part, place, samples: sampleCount(month), bytes, keep: () => Promise.resolve() };
    },
    async finish() {
      if (droppedBefore === undefined || months.length === 0) return;
      await clock.sleep(COUNTED_AFTER_MS, stop);
      // One that counts less than before was started again meanwhile.
      const dropped = ((await countDropped()) ?? 0) - droppedBefore;
      if (dropped <= 0) return;
      const [first = '', last = first] = [...new Set([months.sort()[0], months.at(-1)])];
      throw new TargetError(
        'PUSH_DROPPED',
        `${place}: threw away ${dropped} samples of ${last === first ? first : `${first} to ${last}`}, although it acknowledged them`,
        'raise -retentionPeriod of the VictoriaMetrics and run it again; or begin later, with --from',
      );
    },
    close: () => agent.destroy(),
  };
}

function remedyFor(status: number): string {
  return status === 401 || status === 403
    ? 'give the user and the password of the VictoriaMetrics: SOLAR_PUSH_USER and SOLAR_PUSH_PASSWORD'
    : 'check --push: it is the address of a VictoriaMetrics, without /api/v1/import';
}

/**
 * Posts compressed lines, or gets a text. Only this file of the room uses the HTTP library.
 *
 * @returns a reason in place of a status where there was no answer, such as `ECONNREFUSED`.
 * @throws StoppedError
 */
async function ask(
  agent: Agent,
  { address, user = '', password, timeoutMs, stop }: PushOptions,
  path: string,
  compressed?: Buffer,
): Promise<{
  status?: number;
  retryAfter?: string | string[] | undefined;
  text?: string;
  reason?: string;
}> {
  const { origin, pathname } = new URL(address);
  const isAnonymous = user === '' && password === undefined;
  const credentials = Buffer.from(`${user}:${password?.reveal() ?? ''}`).toString('base64');
  // One that sends a byte every now and then would keep to other limits: one timer limits the whole.
  const whole = new AbortController();
  const stopTimer = startTimer(timeoutMs, () => whole.abort());
  try {
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: pathname.replace(/\/$/, '') + path,
      method: compressed === undefined ? 'GET' : 'POST',
      headers: {
        ...(!isAnonymous && { authorization: `Basic ${credentials}` }),
        ...(compressed !== undefined && { 'content-encoding': 'gzip' }),
      },
      body: compressed ?? null,
      signal: AbortSignal.any([whole.signal, stop]),
    });
    return { status: statusCode, retryAfter: headers['retry-after'], text: await body.text() };
  } catch (error) {
    if (stop.aborted) throw new StoppedError('stopped while the database was being asked');
    if (whole.signal.aborted) return { reason: 'no complete answer in time' };
    if (error instanceof errors.HTTPParserError) return { reason: 'the answer is not HTTP' };
    // Errors of sockets, DNS and TLS have a code, and so has an answer that is too long.
    if (error instanceof Error && 'code' in error && typeof error.code === 'string')
      return { reason: error.code };
    throw error;
  } finally {
    stopTimer();
  }
}
