import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderNotices } from '../../../src/http/status-page/notices.js';
import type { CollectorStatus, Status } from '../../../src/status/status.ts';
import { AT_MS, sampleDevice, sampleStation, sampleStatus } from './sample-status.ts';
import { shownText } from './shown-text.ts';

const FAILED: CollectorStatus = {
  collector: 'stations',
  code: 'SERVICE_UNREACHABLE',
  durationSeconds: 1,
  isServed: false,
};
const { session } = sampleStatus();

/** A station with so many devices of an unknown family, and one that is known. */
function withDevices(count: number): Partial<Status> {
  const unknown = Array.from({ length: count }, (_, index) =>
    sampleDevice({
      deviceId: String(index + 1),
      name: `Shed ${index + 1}`,
      family: 'unknown',
      missingQuantities: ['pv_power'],
    }),
  );
  return { stations: [sampleStation({ devices: [sampleDevice(), ...unknown] })] };
}

describe('the notices', () => {
  test('are none while all is well', () => {
    expect(renderNotices(sampleStatus()).text).toBe('');
  });

  test.each<{ when: string; status: Partial<Status>; says: readonly RegExp[] }>([
    {
      when: 'nothing was asked yet',
      status: { stations: [], account: [] },
      says: [/first time; this page fills by itself/],
    },
    {
      when: 'the account has no stations',
      status: { stations: [] },
      says: [/no stations/],
    },
    {
      when: 'the list of stations never came',
      status: { stations: [], account: [FAILED] },
      says: [/No station is known.*SERVICE_UNREACHABLE/],
    },
    {
      when: 'the list of stations fails later',
      status: { account: [FAILED] },
      says: [/could not be read again: SERVICE_UNREACHABLE/],
    },
    {
      when: 'the demo runs although an account is configured',
      status: { isSimulated: true, areCredentialsIgnored: true },
      says: [/Your account is not used.*solar-exporter serve.*EXPORTER_COMMAND=serve/],
    },
    {
      when: 'the family of an inverter is unknown, and values are missing',
      status: withDevices(1),
      says: [/Unknown inverter family: Shed 1\. .*devices --explain.*dialect file.*issue/],
    },
    {
      when: 'a fleet of them is unknown',
      status: withDevices(5),
      says: [/family: Shed 1, Shed 2, Shed 3 and 2 more\. /],
    },
    {
      when: 'credentials are refused',
      status: { session: { ...session, isReauthenticationRequired: true } },
      says: [/New credentials are needed/],
    },
    {
      when: 'log-ins are held back',
      status: { session: { ...session, blockedUntilMs: AT_MS + 330_000 } },
      says: [/does not get locked.*12:05:30 UTC/],
    },
    {
      when: 'the requests of the day are used up',
      status: {
        stations: [
          sampleStation({
            collectors: [{ ...FAILED, collector: 'readings', code: 'SERVICE_BUDGET_USED_UP' }],
          }),
        ],
      },
      says: [/requests of the day are used up.*before midnight UTC.*--request.daily-budget/],
    },
    {
      when: 'everything is wrong at once',
      status: {
        session: { ...session, isReauthenticationRequired: true, blockedUntilMs: AT_MS + 1 },
        stations: [],
        account: [FAILED],
      },
      says: [/New credentials/, /does not get locked/, /No station is known/],
    },
  ])('say it when $when, and nothing else', ({ status, says }) => {
    const notices = renderNotices(sampleStatus(status));
    for (const pattern of says) expect(shownText(notices)).toMatch(pattern);
    expect(notices.text.split('<p ')).toHaveLength(says.length + 1);
  });

  test.each([AT_MS, AT_MS - 1, -Infinity])(
    'leave out a pause that is over (%d)',
    (blockedUntilMs) => {
      expect(renderNotices(sampleStatus({ session: { ...session, blockedUntilMs } })).text).toBe(
        '',
      );
    },
  );

  test('do not complain of an unknown family that lacks nothing', () => {
    const device = sampleDevice({ family: 'unknown' });
    const status = sampleStatus({ stations: [sampleStation({ devices: [device] })] });
    expect(renderNotices(status).text).toBe('');
  });

  test('lead to the section that says what to do about an unknown family', () => {
    const { text } = renderNotices(sampleStatus(withDevices(1)));
    const [, url = ''] = /href="([^"]+)"/.exec(text) ?? [];
    const [, path = '', anchor = ''] = /\/blob\/main\/(.*)#(.*)$/.exec(url) ?? [];
    const heading = new RegExp(`^## ${anchor.replaceAll('-', ' ')}$`, 'im');
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')).toMatch(heading);
  });

  test('stay as they are while time passes', () => {
    const at = (atMs: number) =>
      renderNotices(
        sampleStatus({
          atMs,
          stations: [],
          session: { ...session, isReauthenticationRequired: true, blockedUntilMs: AT_MS + 60_000 },
        }),
      ).text;
    expect(at(AT_MS + 10_000)).toBe(at(AT_MS));
  });
});
