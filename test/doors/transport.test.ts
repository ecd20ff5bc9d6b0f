import type { RequestListener, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTransport, type TransportOptions } from '../../src/client/exchange/transport.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { abandonedOrigin, bodyOf, serve } from '../support/tiny-server.ts';

const TOKEN = 'secret-access-token-0123456789';
const PASSWORD = 'secret-password-0123456789';
const PATH = '/apis/device/list';

function openTransport(options: Partial<TransportOptions> = {}) {
  const clock = new FakeClock();
  const nowMs = () => clock.nowMs();
  const transport = createTransport({ timeoutMs: 20_000, concurrency: 2, nowMs, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

function requestTo(origin: string) {
  return {
    url: new URL(`${PATH}?key=value`, origin),
    headers: { 'iot-token': TOKEN, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ password: PASSWORD }),
  };
}

/** Posts one request to a server with this listener and returns the failure. */
async function failureOf(
  listener: RequestListener,
  options?: Partial<TransportOptions>,
): Promise<ServiceError> {
  return failureAt(await serve(listener), options);
}

async function failureAt(
  origin: string,
  options?: Partial<TransportOptions>,
): Promise<ServiceError> {
  const error: unknown = await openTransport(options)
    .send(requestTo(origin))
    .then(
      () => new Error('the request succeeded'),
      (reason: unknown) => reason,
    );
  if (!(error instanceof ServiceError)) throw error;
  // The host that was asked, and neither the query nor anything that was sent.
  expect(error.message).toContain(`${origin}${PATH}: `);
  const everything = inspect(error, { depth: 20, showHidden: true });
  expect(everything).not.toContain(TOKEN);
  expect(everything).not.toContain(PASSWORD);
  return error;
}

/** The message of a failure: what was asked, and this reason. */
const failedWith = (reason: string): unknown =>
  expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:\\d+${PATH}: ${reason}$`));

const answering =
  (status: number, body = '', headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

describe('a request', () => {
  test('arrives byte for byte and its answer comes back without losing a digit', async () => {
    const arrived: unknown[] = [];
    const origin = await serve((request, response) => {
      void bodyOf(request).then((bytes) => {
        arrived.push([request.method, request.url, request.headers['x-name'], bytes.toString()]);
        response.end('{"code":0,"data":{"id":100000000000000003}}');
      });
    });
    const answer = await openTransport().send({
      url: new URL('/path/to?stationId=3&name=%C3%A4', origin),
      headers: { 'X-Name': 'value' },
      body: '{"account":"käthe@例え.jp" }',
    });
    expect(answer.payload).toEqual({ code: 0, data: { id: '100000000000000003' } });
    expect(arrived).toEqual([
      ['POST', '/path/to?stationId=3&name=%C3%A4', 'value', '{"account":"käthe@例え.jp" }'],
    ]);
  });

  test('without a body is a GET', async () => {
    const arrived: unknown[] = [];
    const origin = await serve((request, response) => {
      arrived.push([request.method, request.url, request.headers['content-length']]);
      response.end('{"code":0}');
    });
    const url = new URL('/path?deviceId=1', origin);
    expect((await openTransport().send({ url, headers: {} })).payload).toEqual({ code: 0 });
    expect(arrived).toEqual([['GET', '/path?deviceId=1', undefined]]);
  });

  test.each([
    { date: 'Mon, 24 Aug 2026 08:00:00 GMT', dateMs: Date.parse('2026-08-24T08:00:00Z') },
    { date: 'yesterday', dateMs: undefined },
  ])('tells that the service dated its answer $date', async ({ date, dateMs }) => {
    const origin = await serve((_request, response) => {
      response.setHeader('date', date);
      response.end('{"code":0}');
    });
    expect((await openTransport().send(requestTo(origin))).dateMs).toBe(dateMs);
  });

  test('ignores the date of an answer from a cache', async () => {
    const origin = await serve((_request, response) => {
      response.setHeader('date', 'Mon, 24 Aug 2026 08:00:00 GMT');
      response.setHeader('age', '3600');
      response.end('{"code":0}');
    });
    expect((await openTransport().send(requestTo(origin))).dateMs).toBeUndefined();
  });

  test.each([200, 500])(
    'notices at an answer of status %i that the service is simulated, and keeps it in mind',
    async (status) => {
      let isMarked = true;
      const origin = await serve((_request, response) => {
        if (isMarked) response.setHeader('x-simulated-service', 'any');
        response.writeHead(status).end('{"code":0}');
      });
      const transport = openTransport();
      expect(transport.isSimulated).toBe(false);
      const send = () => transport.send(requestTo(origin)).catch(() => undefined);
      await send();
      expect(transport.isSimulated).toBe(true);
      isMarked = false;
      await send();
      expect(transport.isSimulated).toBe(true);
    },
  );

  test('takes a service that does not say that it is simulated for a real one', async () => {
    const transport = openTransport();
    await transport.send(requestTo(await serve(answering(200, '{"code":0}'))));
    expect(transport.isSimulated).toBe(false);
  });

  test('opens no more connections than the limit', async () => {
    let open = 0;
    let peak = 0;
    const waiting: ServerResponse[] = [];
    const origin = await serve((_request, response) => {
      open += 1;
      peak = Math.max(peak, open);
      waiting.push(response);
      if (waiting.length < 2) return;
      for (const each of waiting.splice(0)) {
        open -= 1;
        each.end('{}');
      }
    });
    const transport = openTransport();
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => transport.send(requestTo(origin))));
    expect(peak).toBe(2);
  });
});

describe('an answer', () => {
  test.each([
    { status: 301, code: 'SERVICE_REQUEST_REJECTED' },
    { status: 302, code: 'SERVICE_REQUEST_REJECTED' },
    { status: 400, code: 'SERVICE_REQUEST_REJECTED' },
    { status: 401, code: 'SERVICE_AUTH_REJECTED' },
    { status: 403, code: 'SERVICE_AUTH_REJECTED' },
    { status: 404, code: 'SERVICE_REQUEST_REJECTED' },
    { status: 405, code: 'SERVICE_REQUEST_REJECTED' },
    { status: 429, code: 'SERVICE_RATE_LIMITED' },
    { status: 500, code: 'SERVICE_SERVER_ERROR' },
    { status: 502, code: 'SERVICE_SERVER_ERROR' },
    { status: 503, code: 'SERVICE_SERVER_ERROR' },
  ])('with status $status is $code, whatever its body says', async ({ status, code }) => {
    const headers = { location: '/elsewhere' };
    const error = await failureOf(answering(status, `{"code":0,"data":"${TOKEN}"}`, headers));
    expect(error).toMatchObject({
      code,
      message: failedWith(`HTTP ${status}`),
      retryAfterMs: undefined,
    });
  });

  test.each([
    { status: 429, retryAfter: '120', expected: 120_000 },
    { status: 429, retryAfter: 'Mon, 24 Aug 2026 08:02:00 GMT', expected: 120_000 },
    { status: 503, retryAfter: '5', expected: 5000 },
    { status: 503, retryAfter: 'Mon, 24 Aug 2026 08:01:00 GMT', expected: 60_000 },
    { status: 503, retryAfter: 'soon', expected: undefined },
  ])(
    'with status $status and Retry-After "$retryAfter" asks for $expected ms',
    async ({ status, retryAfter, expected }) => {
      const error = await failureOf(
        answering(status, '', { 'retry-after': retryAfter, date: 'Mon, 24 Aug 2026 08:00:00 GMT' }),
      );
      expect(error.retryAfterMs).toBe(expected);
    },
  );

  test.each([
    { what: 'a web page', body: `<!doctype html><p>${TOKEN}</p>` },
    { what: 'nothing', body: '' },
    { what: 'JSON that breaks off', body: `{"code":0,"data":{"token":"${TOKEN}"` },
    { what: 'two documents', body: '{"code":0}{"code":0}' },
    { what: 'a number gone wrong', body: `{"code":-${PASSWORD}}` },
    { what: 'brackets without end', body: '['.repeat(90_000) },
  ])('that is $what is invalid', async ({ body }) => {
    const error = await failureOf(answering(200, body));
    expect(error).toMatchObject({
      code: 'SERVICE_PAYLOAD_INVALID',
      message: failedWith(`the answer is not JSON`),
    });
  });

  test('of more values than an answer may have is refused before it is parsed', async () => {
    const error = await failureOf(answering(200, '['.repeat(1_000_000)));
    expect(error).toMatchObject({
      code: 'SERVICE_PAYLOAD_INVALID',
      message: failedWith('more than 100000 values'),
    });
  });

  test('that is JSON without an envelope passes', async () => {
    const origin = await serve(answering(200, '[1, 2]'));
    expect((await openTransport().send(requestTo(origin))).payload).toEqual([1, 2]);
  });

  test('of 10 MB is too much', async () => {
    const error = await failureOf(answering(200, `{"data":"${'x'.repeat(10_000_000)}"}`));
    expect(error).toMatchObject({
      code: 'SERVICE_PAYLOAD_INVALID',
      message: failedWith(`more than 8388608 bytes`),
    });
  });

  test('of 1 MB is not', async () => {
    const origin = await serve(answering(200, `"${'x'.repeat(1_000_000)}"`));
    expect((await openTransport().send(requestTo(origin))).payload).toHaveLength(1_000_000);
  });
});

describe('a connection', () => {
  test('that nobody accepts makes the service unreachable', async () => {
    expect(await failureAt(await abandonedOrigin())).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      message: failedWith(`ECONNREFUSED`),
    });
  });

  test.each<{ when: string; listener: RequestListener }>([
    { when: 'before the answer', listener: (request) => void request.socket.destroy() },
    {
      when: 'in the middle of a body of known length',
      listener: (_request, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"code":0,', () => response.destroy());
      },
    },
    {
      when: 'in the middle of a body of unknown length',
      listener: (_request, response) => {
        response.write('{"code":0,', () => response.destroy());
      },
    },
  ])('that breaks $when makes the service unreachable', async ({ listener }) => {
    const error = await failureOf(listener);
    expect(error.code).toBe('SERVICE_UNREACHABLE');
    expect(error.message).toEqual(failedWith('[A-Z_]+'));
  });

  test.each([
    { what: 'another protocol', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' },
    { what: 'a header with a control character', bytes: 'HTTP/1.1 200 OK\r\nx: \u0001\r\n\r\n' },
    { what: 'a length that is none', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n' },
  ])('that speaks $what makes the service unreachable', async ({ bytes }) => {
    const error = await failureOf((request) => void request.socket.end(bytes));
    expect(error).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      message: failedWith(`the answer is not HTTP`),
    });
  });

  test('that is closed under a request makes the service unreachable', async () => {
    const transport = openTransport();
    const origin = await serve(() => void transport.close());
    await expect(transport.send(requestTo(origin))).rejects.toMatchObject({
      code: 'SERVICE_UNREACHABLE',
    });
  });
});

describe('the time-out', () => {
  test.each<{ what: string; listener: RequestListener }>([
    { what: 'no answer', listener: () => undefined },
    {
      what: 'headers alone',
      listener: (_request, response) => {
        response.writeHead(200).flushHeaders();
      },
    },
    {
      what: 'half a body',
      listener: (_request, response) => {
        response.write('{"code":0,');
      },
    },
  ])('ends a request that gets $what', async ({ listener }) => {
    const error = await failureOf(listener, { timeoutMs: 60 });
    expect(error).toMatchObject({
      code: 'SERVICE_TIMEOUT',
      message: failedWith(`no complete answer in time`),
    });
  });
});

test('a bug of the program keeps its type and stack', async () => {
  const bug = new TypeError('a bug');
  const nowMs = () => {
    throw bug;
  };
  const origin = await serve(answering(500));
  await expect(openTransport({ nowMs }).send(requestTo(origin))).rejects.toBe(bug);
});

test.each<{ what: string; listener: RequestListener }>([
  {
    what: 'never ends',
    listener: (_request, response) => {
      response.writeHead(503);
      response.write('sorry');
    },
  },
  {
    what: 'breaks off',
    listener: (_request, response) => {
      response.writeHead(503);
      response.write('sorry', () => response.destroy());
    },
  },
  { what: 'has a megabyte', listener: answering(503, 'x'.repeat(1_000_000)) },
])('an error is known by its status, although its body $what', async ({ listener }) => {
  const error = await failureOf(listener, { timeoutMs: 500 });
  expect(error).toMatchObject({ code: 'SERVICE_SERVER_ERROR', message: failedWith('HTTP 503') });
});

test('a mark at the beginning of an answer that says its encoding is no part of it', async () => {
  const origin = await serve(answering(200, '\ufeff{"code":0,"data":"Käthe"}'));
  const { payload } = await openTransport().send(requestTo(origin));
  expect(payload).toEqual({ code: 0, data: 'Käthe' });
});
