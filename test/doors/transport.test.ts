import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, scrapeHouse } from './house.ts';
import {
  CLASSIC,
  deviceList,
  history,
  NOW,
  type PortalAnswer,
  type Script,
  STATION_ID,
  stationList,
} from './scripted-service.ts';

const STATIONS = `{"code":0,"data":{"total":1,"list":[{"id":${STATION_ID},"name":"Käthe"}]}}`;
const MEGABYTE = 'x'.repeat(1_000_000);

const REJECTED = 'SERVICE_REQUEST_REJECTED';
const INVALID = 'SERVICE_PAYLOAD_INVALID';
const UNREACHABLE = 'SERVICE_UNREACHABLE';
const TIMEOUT = 'SERVICE_TIMEOUT';

const REJECTED_TOKEN = 'SERVICE_AUTH_REJECTED';
const REFUSED_TOKEN = 'The service no longer accepts this token. Get a new one.';
const BLOCKED = 'SERVICE_BLOCKED';
const A_PAGE = 'a web page in place of an answer';
const NO_JSON = 'the answer is not JSON';
const DAMAGED = 'what it is compressed with is damaged';
const TOO_LONG = 'more than 8388608 bytes';
const NO_HTTP = 'the answer is not HTTP';
const BROKEN = 'UND_ERR_SOCKET';
const LATE = 'no complete answer in time';
const SHORT_WAIT = { 'request.timeout': '500ms' };

const bytes = (text: string): PortalAnswer => ({
  raw: (response) => void response.socket?.end(text),
});
const packed = (encoding: string, body: Buffer): PortalAnswer => ({
  raw: (response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body),
});
/** Writes this much and then does that. */
const begun = (
  status: number,
  headers: Readonly<Record<string, string>>,
  then: (response: ServerResponse) => void = () => undefined,
): PortalAnswer => ({
  raw: (response) => {
    response.writeHead(status, headers);
    response.write('{"code":0,', () => then(response));
  },
});
/** Goes on with a byte every now and then: no wait for the next one is long. */
const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};
const breakOff = (response: ServerResponse): void => void response.destroy();

const ofStatus = (status: number, outcome: string, reason = `HTTP ${status}`) =>
  [
    `of status ${status}`,
    { status, text: STATIONS, headers: { location: '/elsewhere' } },
    outcome,
    reason,
  ] as const;

/** Scrapes a house whose list of stations gets this answer; says what the page counts and the log says. */
async function stationsAnswered(answer: PortalAnswer, setup: HouseSetup = {}) {
  const { page, log, serviceUrl } = await scrapeHouse({ stations: answer }, setup);
  const [outcome] = page
    .all('solar_api_requests_total')
    .filter(({ labels }) => labels['operation'] === 'stations');
  const reasons = log.lines.map(({ fields }) => (fields['err'] as Error | undefined)?.message);
  return {
    page,
    outcome: outcome?.labels['outcome'],
    reasons,
    said: (reason: string) => `${serviceUrl}/apis/station/list: ${reason}`,
  };
}

describe('an answer', () => {
  test.each<[what: string, answer: PortalAnswer]>([
    ['with a mark of its encoding before it', { text: `\ufeff${STATIONS}` }],
    ['in pieces', { raw: inPieces }],
    ['after another that says it will come', { raw: continued }],
    ['of status 201', { status: 201, text: STATIONS }],
    ['of gzip', packed('gzip', gzipSync(STATIONS))],
    ['of gzip by another name', packed('X-GZIP', gzipSync(STATIONS))],
    ['of brotli', packed('br', brotliCompressSync(STATIONS))],
    ['of deflate', packed('deflate', deflateSync(STATIONS))],
    ['of deflate without a header', packed('deflate', deflateRawSync(STATIONS))],
    ['with an encoding that is none', packed('utf-8', Buffer.from(STATIONS))],
  ])('%s is read without losing a digit or a letter', async (_what, answer) => {
    const { page, outcome } = await stationsAnswered(answer);
    expect(outcome).toBe('ok');
    expect(page.value('solar_station_info', { station_id: STATION_ID, name: 'Käthe' })).toBe(1);
  });

  test.each<readonly [what: string, answer: PortalAnswer, outcome: string, reason: string]>([
    ...[302, 400, 404].map((status) => ofStatus(status, REJECTED)),
    ...[401, 403, 419, 440, 498].map((status) => ofStatus(status, REJECTED_TOKEN, REFUSED_TOKEN)),
    ofStatus(429, 'SERVICE_RATE_LIMITED'),
    ofStatus(500, 'SERVICE_SERVER_ERROR'),
    ['of status 503 that breaks off', begun(503, {}, breakOff), 'SERVICE_SERVER_ERROR', 'HTTP 503'],
    ['that is a page', { text: '<!doctype html><p>secret</p>' }, BLOCKED, A_PAGE],
    ['of status 403 that is a page', { status: 403, text: '<p>secret</p>' }, BLOCKED, 'HTTP 403'],
    [
      'of status 401 that is a page',
      { status: 401, text: '<p>secret</p>' },
      REJECTED_TOKEN,
      REFUSED_TOKEN,
    ],
    ...[407, 451, 511].map((status) => ofStatus(status, BLOCKED)),
    ['that is cut short', { text: '{"code":0,"data":{"token":"secret"' }, INVALID, NO_JSON],
    ['of a million values', { text: '['.repeat(1_000_000) }, INVALID, 'more than 100000 values'],
    ['of 10 MB', { text: MEGABYTE.repeat(10) }, INVALID, TOO_LONG],
    ['of gzip that is cut', packed('gzip', gzipSync(STATIONS).subarray(0, 30)), INVALID, DAMAGED],
    [
      'of 10 MB of brotli',
      packed('br', brotliCompressSync(MEGABYTE.repeat(10))),
      INVALID,
      TOO_LONG,
    ],
    ['of an unknown encoding', packed('zstd', gzipSync(STATIONS)), INVALID, NO_JSON],
    [
      'that is cut within a text',
      { text: `{"a":"${String.raw`\"`.repeat(2e6)}` },
      INVALID,
      NO_JSON,
    ],
    ['that is no envelope', { text: '[1, 2]' }, INVALID, 'the answer is not an envelope'],
    ['that ends early', begun(200, { 'content-length': '1000' }, breakOff), UNREACHABLE, BROKEN],
    ['that is none', 'hang up', UNREACHABLE, BROKEN],
    ['of another protocol', bytes('SSH-2.0-OpenSSH_9.2\r\n'), UNREACHABLE, NO_HTTP],
    [
      'in pieces that are none',
      bytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nsecret'),
      UNREACHABLE,
      NO_HTTP,
    ],
    ['that does not come', 'silence', TIMEOUT, LATE],
    ['that drips', begun(200, {}, drip), TIMEOUT, LATE],
    ['of status 503 that drips', begun(503, {}, drip), 'SERVICE_SERVER_ERROR', 'HTTP 503'],
  ])('%s has the outcome and the reason that it should', async (what, answer, outcome, reason) => {
    const waits = /not come|drips/.test(what);
    const ended = await stationsAnswered(answer, waits ? { flags: SHORT_WAIT } : {});
    expect(ended.outcome).toBe(outcome);
    expect(ended.reasons).toContain(reason === REFUSED_TOKEN ? reason : ended.said(reason));
    expect(ended.reasons.join()).not.toContain('secret');
  });

  test('that would unpack to a gigabyte is not unpacked', async () => {
    const bomb = packed('gzip', Buffer.concat(Array<Buffer>(1000).fill(gzipSync(MEGABYTE))));
    const before = process.resourceUsage().maxRSS;
    const ended = await stationsAnswered(bomb);
    expect(ended.reasons).toContain(ended.said(TOO_LONG));
    // Kilobytes: a gigabyte of text would need a gigabyte.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(300_000);
  });

  test('does not come where nobody listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise((resolve) => server.close(resolve));
    const ended = await stationsAnswered('silence', { flags: { 'base-url': `${url}/behind/` } });
    expect(ended.outcome).toBe('SERVICE_UNREACHABLE');
    expect(ended.reasons).toContain(`${url}/behind/apis/station/list: ECONNREFUSED`);
  });
});

/** The list of stations, broken within a letter of two bytes. */
function inPieces(response: ServerResponse): void {
  const whole = Buffer.from(STATIONS);
  const middle = whole.indexOf('ä') + 1;
  response.write(whole.subarray(0, middle), () => response.end(whole.subarray(middle)));
}

function continued(response: ServerResponse): void {
  response.writeProcessing();
  response.end(STATIONS);
}

test('as many requests are under way as may be, and one connection more', async () => {
  const LIMIT = 4;
  const stationIds = Array.from({ length: 3 * LIMIT }, (_, index) => String(index + 1));
  let underWay = 0;
  let most = 0;
  const rounds = [deferred<undefined>(), deferred<undefined>(), deferred<undefined>()];
  let asked = 0;
  const connections = new Set<unknown>();
  const raw = (response: ServerResponse): void => {
    connections.add(response.socket);
    response.end('{"code":0,"data":{"total":0,"list":[]}}');
  };
  await scrapeHouse(
    {
      stations: stationList(...stationIds),
      devices: async () => {
        const round = rounds[Math.floor(asked / LIMIT)];
        asked += 1;
        underWay += 1;
        most = Math.max(most, underWay);
        // All but the last of a round wait for that one: there are so many, and no more.
        if (underWay === LIMIT) round?.resolve(undefined);
        await round?.promise;
        underWay -= 1;
        return { raw };
      },
    },
    {
      flags: {
        'request.concurrency': String(LIMIT),
        'collect.energy': 'false',
        'collect.alarms': 'false',
      },
    },
  );
  expect([asked, most]).toEqual([stationIds.length, LIMIT]);
  expect(connections.size).toBeLessThanOrEqual(LIMIT + 1);
});

describe('the date of an answer', () => {
  const AHEAD_MS = 2 * HOUR_MS;
  const ahead = (afterMs: number) => new Date(Date.parse(NOW) + AHEAD_MS + afterMs).toUTCString();
  const dated = (data: object, headers: object): PortalAnswer => ({
    status: 200,
    text: JSON.stringify({ code: 0, data }),
    headers: { date: ahead(0), ...headers },
  });

  test.each([
    ['is the time of the service', {}, AHEAD_MS],
    ['of a cache is not', { age: '3600' }, 0],
    ['that is no date is not', { date: 'yesterday' }, 0],
  ])('%s', async (_what, headers, aheadMs) => {
    const { asked } = await scrapeHouse(
      {
        stations: dated({ list: [{ id: STATION_ID }] }, headers),
        devices: dated({ list: [{ id: '1', stationTimezone: 'UTC' }] }, headers),
      },
      { isDated: false },
    );
    const toTime = asked('readings')[0]?.body['toTime'];
    expect(Date.parse(String(toTime))).toBe(Date.parse(NOW) + aheadMs);
  });

  const asking = (retryAfter: string) => ({ date: ahead(0), 'retry-after': retryAfter });

  test.each<[when: string, headers: Readonly<Record<string, string>>, pauseMs: number]>([
    ['in seconds', { 'retry-after': '120' }, 2 * MINUTE_MS],
    ['as a date, by the clock of that answer', asking(ahead(3 * MINUTE_MS)), 3 * MINUTE_MS],
    ['as a date that is none: its own pause is the one', asking('soon'), 1000],
  ])('says how long to wait %s', async (_when, headers, pauseMs) => {
    const script: Script = { devices: deviceList({}), readings: { status: 503, headers } };
    const { scrape, scrapeAfter, asked, answers } = await openHouse(script, {
      flags: { 'cache.readings-ttl': '1ms', 'collect.energy': 'false' },
    });
    await scrape();
    answers.readings = history(CLASSIC);
    await scrapeAfter(pauseMs - 1);
    expect(asked('readings')).toHaveLength(1);
    await scrapeAfter(1);
    expect(asked('readings').length).toBeGreaterThan(1);
  });
});
