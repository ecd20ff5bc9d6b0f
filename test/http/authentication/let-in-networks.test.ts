import { describe, expect, test } from 'vitest';
import {
  LetInNetworks,
  type NetworkFile,
} from '../../../src/http/authentication/let-in-networks.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { textFile } from './guessing-harness.ts';

const DAY_MS = 24 * 3_600_000;

async function open(file?: NetworkFile, clock = new FakeClock()) {
  const log = new SilentLog();
  return { networks: await LetInNetworks.open({ file, clock, log }), log, clock };
}

function fileOf(...networks: readonly { network: string; letInAtMs: number }[]): string {
  return JSON.stringify({ version: 1, networks });
}

describe('a network from which somebody was let in', () => {
  test('is known from then on, also after a restart', async () => {
    const file = textFile();
    const { networks } = await open(file);
    expect(networks.has('192.0.2.1')).toBe(false);
    networks.add('192.0.2.1');
    expect(networks.has('192.0.2.1')).toBe(true);
    await networks.close();
    const { networks: later, clock } = await open(file);
    expect(later.has('192.0.2.1')).toBe(true);
    expect(file.writes).toEqual([
      `${fileOf({ network: '192.0.2.1', letInAtMs: clock.nowMs() })}\n`,
    ]);
  });

  test('is known without a file until the program ends', async () => {
    const { networks, log } = await open();
    networks.add('192.0.2.1');
    await networks.close();
    expect(networks.has('192.0.2.1')).toBe(true);
    expect(log.lines).toEqual([]);
  });

  test('is written once a day, however often somebody is let in', async () => {
    const file = textFile();
    const { networks, clock } = await open(file);
    for (let hour = 0; hour < 48; hour += 1) {
      networks.add('192.0.2.1');
      await networks.close();
      clock.advance(DAY_MS / 24);
    }
    expect(file.writes).toHaveLength(2);
  });

  test('is a stranger again after 30 days, if nobody was let in meanwhile', async () => {
    const file = textFile();
    const { networks, clock } = await open(file);
    networks.add('192.0.2.1');
    await networks.close();
    clock.advance(30 * DAY_MS - 1);
    expect(networks.has('192.0.2.1')).toBe(true);
    clock.advance(1);
    expect(networks.has('192.0.2.1')).toBe(false);
    expect((await open(file, clock)).networks.has('192.0.2.1')).toBe(false);
  });

  test('is forgotten when 64 others came after it', async () => {
    const { networks, clock } = await open();
    networks.add('often');
    networks.add('once');
    clock.advance(DAY_MS);
    networks.add('often');
    for (let other = 0; other < 63; other += 1) networks.add(`other ${other}`);
    expect([networks.has('often'), networks.has('once')]).toEqual([true, false]);
  });

  test('counts from now on when its time lies in the future: the clock was set back', async () => {
    const clock = new FakeClock();
    const future = { network: '192.0.2.1', letInAtMs: clock.nowMs() + 10_000 * DAY_MS };
    const file = textFile(fileOf(future));
    const { networks } = await open(file, clock);
    expect(networks.has('192.0.2.1')).toBe(true);
    clock.advance(30 * DAY_MS);
    expect(networks.has('192.0.2.1')).toBe(false);
  });

  test('is written with the time of now when the clock was set back', async () => {
    const file = textFile();
    const { networks, clock } = await open(file);
    networks.add('192.0.2.1');
    clock.advance(-2 * DAY_MS);
    networks.add('192.0.2.1');
    await networks.close();
    expect(file.writes.at(-1)).toContain(String(clock.nowMs()));
  });
});

describe('the file', () => {
  test.each([
    { what: 'empty', text: '' },
    { what: 'not JSON', text: '{"version":1' },
    { what: 'of another version', text: '{"version":2,"networks":[]}' },
    { what: 'without a list', text: '{"version":1}' },
    { what: 'with a network that is none', text: fileOf({ network: '', letInAtMs: 0 }) },
    {
      what: 'with a time that is none',
      text: '{"version":1,"networks":[{"network":"a","letInAtMs":1e999}]}',
    },
  ])('that is $what is ignored with one line, and replaced', async ({ text }) => {
    const file = textFile(text);
    const { networks, log } = await open(file);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: { reason: 'not a list of networks of this version' },
        message: 'the list of who was let in before cannot be used and begins anew',
      },
    ]);
    networks.add('192.0.2.1');
    await networks.close();
    expect((await open(file)).networks.has('192.0.2.1')).toBe(true);
  });

  test('that cannot be read is ignored with the reason of the system', async () => {
    const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
    const { log } = await open({ ...textFile(), read: () => Promise.reject(denied) });
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { reason: 'EACCES' } }]);
  });

  test('that cannot be written is said once, and again after it worked', async () => {
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    const outcomes = [full, full, undefined, full];
    const write = () => {
      const outcome = outcomes.shift();
      return outcome === undefined ? Promise.resolve() : Promise.reject(outcome);
    };
    const { networks, log } = await open({ ...textFile(), write });
    for (const network of ['a', 'b', 'c', 'd']) {
      networks.add(network);
      await networks.close();
    }
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { reason: 'ENOSPC' },
      { reason: 'ENOSPC' },
    ]);
    expect(networks.has('a')).toBe(true);
  });

  test('is written once for all who come while it is being written', async () => {
    const gate = deferred<undefined>();
    const file = textFile();
    const write = (text: string) => gate.promise.then(() => file.write(text));
    const { networks } = await open({ ...file, write });
    for (const network of ['a', 'b', 'c']) networks.add(network);
    await settled();
    gate.resolve(undefined);
    await networks.close();
    expect(file.writes).toHaveLength(2);
    expect(file.writes.at(-1)).toContain('"c"');
  });
});
