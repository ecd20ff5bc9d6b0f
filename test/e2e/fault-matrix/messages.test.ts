import { describe, expect, test } from 'vitest';
import { startBoth } from '../../doors/house.ts';
import { FAULTS_NOW } from './fault-cases.ts';
import { type Patience, withPatience } from './patience.ts';
import type { Fault } from '../../../src/simulator/simulator.ts';

/** What the device list is asked for; HOST stands for the address of the simulator. */
const LIST = 'HOST/apis/device/list';

/** What is logged of a fault of the device list: one line per change, with the whole reason in it. */
const MESSAGES: readonly { readonly fault: Fault; readonly message: string }[] = [
  { fault: { kind: 'status', status: 500 }, message: `${LIST}: HTTP 500` },
  {
    fault: { kind: 'status', status: 502, body: '<h1>Bad Gateway</h1>' },
    message: `${LIST}: HTTP 502`,
  },
  { fault: { kind: 'status', status: 503 }, message: `${LIST}: HTTP 503` },
  { fault: { kind: 'status', status: 404 }, message: `${LIST}: HTTP 404` },
  { fault: { kind: 'status', status: 405 }, message: `${LIST}: HTTP 405` },
  { fault: { kind: 'status', status: 429 }, message: `${LIST}: HTTP 429` },
  { fault: { kind: 'status', status: 301 }, message: `${LIST}: HTTP 301` },
  { fault: { kind: 'redirect' }, message: `${LIST}: HTTP 302` },
  {
    fault: { kind: 'status', status: 401 },
    message: `re-authentication is required: a renewed token was refused: ${LIST}: HTTP 401`,
  },
  {
    fault: { kind: 'status', status: 403 },
    message: `re-authentication is required: a renewed token was refused: ${LIST}: HTTP 403`,
  },
  {
    fault: { kind: 'envelope', code: 9, message: 'Token expired' },
    message: `re-authentication is required: a renewed token was refused: ${LIST}: service answered code 9: the access token has expired`,
  },
  { fault: { kind: 'html' }, message: `${LIST}: the answer is not JSON` },
  { fault: { kind: 'truncated' }, message: `${LIST}: the answer is not JSON` },
  { fault: { kind: 'empty' }, message: `${LIST}: the answer is not JSON` },
  { fault: { kind: 'gzip-bomb' }, message: `${LIST}: the answer is not JSON` },
  { fault: { kind: 'array' }, message: `${LIST}: the answer is not an envelope` },
  { fault: { kind: 'oversize' }, message: `${LIST}: more than 8388608 bytes` },
  {
    fault: { kind: 'envelope', code: 20_101, message: 'no' },
    message: `${LIST}: service answered code 20101: an argument was not accepted, such as an id or a time zone`,
  },
  {
    fault: { kind: 'envelope', code: 70_001, message: 'no right' },
    message: `${LIST}: service answered code 70001: no right`,
  },
  {
    fault: { kind: 'data-null' },
    message: `${LIST}: unexpected answer: Invalid input: expected object, received null`,
  },
  {
    fault: { kind: 'data', data: 'none' },
    message: `${LIST}: unexpected answer: Invalid input: expected object, received string`,
  },
  {
    fault: { kind: 'data', data: { list: [{ name: 'nobody' }] } },
    message: `${LIST}: no record on the page has an id`,
  },
  { fault: { kind: 'reset' }, message: `${LIST}: UND_ERR_SOCKET` },
  { fault: { kind: 'refuse' }, message: `${LIST}: UND_ERR_SOCKET` },
];

const SLOW: readonly Fault[] = [{ kind: 'hang' }, { kind: 'drip' }];

async function loggedOf(fault: Fault, flags: Patience = {}) {
  const { simulator, log, scrape } = await startBoth({ now: FAULTS_NOW, flags });
  simulator.setFault('devices', fault);
  await scrape();
  return log.lines
    .filter(({ message }) => message === 'collector failed')
    .map(({ level, fields }) => ({
      level,
      message: (fields['err'] as Error).message.replace(/http:\/\/127\.0\.0\.1:\d+/, 'HOST'),
    }));
}

describe('the log says of a device list, in one line,', () => {
  test.each(MESSAGES)('$message', async ({ fault, message }) => {
    expect(await loggedOf(fault)).toEqual([{ level: 'warn', message }]);
  });

  test('that it did not come in time', async () => {
    const expected = [{ level: 'warn', message: `${LIST}: no complete answer in time` }];
    await Promise.all(
      SLOW.map((fault) =>
        withPatience(async (patience) => {
          expect(await loggedOf(fault, patience)).toEqual(expected);
        }),
      ),
    );
  });
});
