import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, scrapeHouse } from './house.ts';
import {
  DEVICE_ID,
  deviceList,
  flow,
  history,
  latest,
  type PortalAnswer,
  type PortalRequest,
  type Script,
  stationList,
} from './scripted-service.ts';

const KYIV = { 'iot-time-zone': 'Europe/Kyiv' };
const CATEGORY = 'summaryCategoryKey=pvInverterElectricityQuantityClass';

describe('each request is as the interface says', () => {
  const EVERYTHING: Script = {
    latestState: latest({}),
    energyFlow: flow({}),
    attributes: { data: [] },
    summaryDays: { data: { properties: [] } },
    summaryYears: { data: { properties: [] } },
    settingsGet: { data: { operatingMode: 'Backup' } },
  };
  const KEYS = [
    ...['pvInputPower', 'acOutputActivePower', 'batteryDischargeCurrent', 'batteryChargingCurrent'],
    ...['batteryVoltage', 'feedInPower', 'batterySOC'],
  ];

  test.each<{ endpoint: PortalRequest['endpoint']; query?: string; body?: object }>([
    { endpoint: 'stations', body: { page: 1, count: 50 } },
    { endpoint: 'devices', body: { page: 1, count: 50, stationId: '100000000000000003' } },
    {
      endpoint: 'readings',
      body: {
        deviceId: '100000000000000001',
        count: 2000,
        page: 1,
        fromTime: '2026-08-24T10:00:00+03:00',
        toTime: '2026-08-24T11:00:00+03:00',
        orderByTimeAsc: true,
        keys: KEYS,
      },
    },
    { endpoint: 'latestState', query: 'deviceId=100000000000000001&dataSource=1' },
    {
      endpoint: 'alarms',
      body: { page: 1, count: 500, stationId: '100000000000000003', orderByCreatedTimeDesc: true },
    },
    {
      endpoint: 'summary',
      query: `stationId=100000000000000003&${CATEGORY}`,
      body: { time: '2026' },
    },
    {
      endpoint: 'summaryDays',
      query: `stationId=100000000000000003&${CATEGORY}`,
      body: { time: '2026-08' },
    },
    {
      endpoint: 'summaryYears',
      query: `stationId=100000000000000003&${CATEGORY}`,
      body: { time: '2026-08-24T11:00:00+03:00' },
    },
    { endpoint: 'settingsGet', body: { deviceId: '100000000000000001' } },
  ])('$endpoint', async ({ endpoint, query = '', body = {} }) => {
    const { asked, page } = await scrapeHouse(EVERYTHING, {
      flags: { 'collect.settings': 'true' },
    });
    expect(page.value('solar_up')).toBe(1);
    const [request] = asked(endpoint);
    expect(request?.method).toBe(endpoint === 'latestState' ? 'GET' : 'POST');
    expect(request?.query.toString()).toBe(query);
    expect(request?.body).toEqual(body);
    const isOfStation = !['stations', 'devices', 'alarms', 'settingsGet'].includes(endpoint);
    expect(request?.headers).toMatchObject({
      'iot-token': 'made-up-token',
      accept: 'application/json',
      'accept-language': 'en',
      ...(isOfStation && KYIV),
      ...(request?.method === 'POST' && { 'content-type': 'application/json; charset=utf-8' }),
    });
  });

  test('in the zone that the user chose, before that of the station', async () => {
    const { requests, asked } = await scrapeHouse(EVERYTHING, {
      flags: { 'time-zone': 'Asia/Kathmandu' },
    });
    const zones = new Set(requests.map(({ headers }) => headers['iot-time-zone']));
    expect(zones).toEqual(new Set(['Asia/Kathmandu']));
    expect(asked('readings')[0]?.body['toTime']).toBe('2026-08-24T13:45:00+05:45');
  });

  test.each([
    [
      'without fractions of a second',
      '2026-08-24T08:00:00.999Z',
      ['10:00:00+03:00', '11:00:00+03:00'],
    ],
    [
      'over an hour that the clocks skip',
      '2026-03-29T01:30:00Z',
      ['02:30:00+02:00', '04:30:00+03:00'],
    ],
    [
      'over an hour that the clocks repeat',
      '2026-10-25T01:30:00Z',
      ['03:30:00+03:00', '03:30:00+02:00'],
    ],
  ])('with a window of readings of the last hour %s', async (_when, now, window) => {
    const { asked } = await scrapeHouse({}, { now });
    const { fromTime, toTime } = asked('readings')[0]?.body ?? {};
    expect([fromTime, toTime].map((time) => String(time).slice(11))).toEqual(window);
  });
});

/** A summary of PV with a point for each of these times. */
const pvSummary = (times: readonly string[], valueOf: (time: string) => number): PortalAnswer => ({
  data: {
    properties: [
      {
        property: { key: 'pvGeneratedEnergy', unit: 'kWh' },
        timePoints: times.map((time) => ({ time, value: valueOf(time), isRealValue: true })),
      },
    ],
  },
});

describe('the energy of the month', () => {
  const YEAR = pvSummary(['2026-08', '2026-09', '2026-12', '2027-01'], (time) =>
    Number(time.slice(5)),
  );
  const monthOf = (zone: string) => deviceList({ stationTimezone: zone });

  test.each<{
    when: string;
    script: Script;
    setup: HouseSetup;
    kwh: number;
    year: string;
    starts: string;
  }>([
    {
      when: 'of the station at New Year, where it is next year already',
      script: { devices: monthOf('Pacific/Auckland') },
      setup: { now: '2026-12-31T11:00:00Z' },
      kwh: 1,
      year: '2027',
      starts: '2027-01-01T00:00:00+13:00',
    },
    {
      when: 'of the station at New Year, where it is still this year',
      script: { devices: monthOf('Pacific/Honolulu') },
      setup: { now: '2026-12-31T11:00:00Z' },
      kwh: 12,
      year: '2026',
      starts: '2026-12-01T00:00:00-10:00',
    },
    {
      when: 'of the zone that the user chose',
      script: { devices: monthOf('Pacific/Auckland') },
      setup: { now: '2026-12-31T11:00:00Z', flags: { 'time-zone': 'Pacific/Honolulu' } },
      kwh: 12,
      year: '2026',
      starts: '2026-12-01T00:00:00-10:00',
    },
    {
      when: 'of the service, where our clock is three days behind',
      script: { devices: monthOf('UTC') },
      setup: { now: '2026-09-02T12:00:00Z', machineAheadMs: -3 * DAY_MS },
      kwh: 9,
      year: '2026',
      starts: '2026-09-01T00:00:00Z',
    },
    {
      when: 'of the service, where our clock is three days ahead',
      script: { devices: monthOf('UTC') },
      setup: { now: '2026-08-30T12:00:00Z', machineAheadMs: 3 * DAY_MS },
      kwh: 8,
      year: '2026',
      starts: '2026-08-01T00:00:00Z',
    },
  ])('is that $when', async ({ script, setup, kwh, year, starts }) => {
    const { scrape, asked } = await openHouse({ ...script, summary: YEAR }, setup);
    await scrape();
    const page = await scrape();
    expect(page.value('solar_month_pv_generated_kwh')).toBe(kwh);
    expect(page.value('solar_month_start_timestamp_seconds')).toBe(Date.parse(starts) / 1000);
    expect(asked('summary').at(-1)?.body).toEqual({ time: year });
  });
});

describe('the energy of yesterday', () => {
  /** PV of every day of a month: as many kWh as the day has in its number. */
  const everyDay = ({ body }: PortalRequest): PortalAnswer => {
    const days = Array.from({ length: 31 }, (_, index) => String(index + 1).padStart(2, '0'));
    const times = days.map((day) => `${String(body['time'])}-${day}`);
    return pvSummary(times, (time) => Number(time.slice(8)));
  };
  const unless =
    (isFailing: () => boolean, failure: PortalAnswer) =>
    (request: PortalRequest): PortalAnswer =>
      request.body['time'] === '2026-08' && isFailing() ? failure : everyDay(request);
  const NO: PortalAnswer = { envelope: { code: 20_101, message: 'no' } };
  const TODAY = 'solar_energy_today_kwh{flow="pv"}';
  const YESTERDAY = 'solar_energy_yesterday_kwh{flow="pv"}';

  test.each<{
    when: string;
    now: string;
    days?: Script['summaryDays'];
    today?: number;
    yesterday?: number;
    months: readonly string[];
  }>([
    {
      when: 'comes with today',
      now: '2026-08-24T09:00:00Z',
      today: 24,
      yesterday: 23,
      months: ['2026-08'],
    },
    {
      when: 'is of the month before on the first',
      now: '2026-08-31T22:00:00Z',
      today: 1,
      yesterday: 31,
      months: ['2026-09', '2026-08'],
    },
    {
      when: 'is of the year before on New Year',
      now: '2026-12-31T23:00:00Z',
      today: 1,
      yesterday: 31,
      months: ['2027-01', '2026-12'],
    },
    {
      when: 'is unknown where the month before is refused',
      now: '2026-08-31T22:00:00Z',
      days: unless(() => true, NO),
      today: 1,
      months: ['2026-09', '2026-08'],
    },
    {
      when: 'fails with today where the month before is no summary',
      now: '2026-08-31T22:00:00Z',
      days: unless(() => true, { data: 'a page' }),
      months: ['2026-09', '2026-08'],
    },
    {
      when: 'fails with today where the month before cannot be had',
      now: '2026-08-31T22:00:00Z',
      days: unless(() => true, { status: 400 }),
      today: 1,
      months: ['2026-09', '2026-08'],
    },
  ])('$when', async ({ now, days = everyDay, today, yesterday, months }) => {
    const { page, asked } = await scrapeHouse({ summaryDays: days }, { now });
    const expected = { [TODAY]: today, [YESTERDAY]: yesterday };
    expect(page.like(expected)).toEqual(expected);
    expect(asked('summaryDays').map(({ body }) => body['time'])).toEqual(months);
  });

  test('is asked for after midnight and once more three hours later, takes up what is late, and is kept', async () => {
    let isLate = true;
    const script = { summaryDays: unless(() => isLate, { data: {} }) };
    const { scrape, scrapeAfter, asked, answers } = await openHouse(script, {
      now: '2026-08-31T21:00:00Z',
    });
    expect((await scrape()).value('solar_energy_yesterday_kwh', { flow: 'pv' })).toBeUndefined();
    isLate = false;
    await scrapeAfter(2 * HOUR_MS);
    const page = await scrapeAfter(HOUR_MS);
    expect(page.value('solar_energy_yesterday_kwh', { flow: 'pv' })).toBe(31);
    answers.summaryDays = unless(() => true, NO);
    const later = await scrapeAfter(3 * HOUR_MS);
    expect(later.value('solar_energy_yesterday_kwh', { flow: 'pv' })).toBe(31);
    const august = asked('summaryDays').filter(({ body }) => body['time'] === '2026-08');
    expect(august).toHaveLength(2);
  });

  test.each<{ what: string; refusal: PortalAnswer }>([
    { what: 'refuses them', refusal: NO },
    { what: 'answers something else', refusal: { data: 'a page' } },
  ])(
    'and of years are absent, said once, and no failure where the service $what',
    async ({ refusal }) => {
      const script = {
        stations: stationList('3', '4'),
        summaryDays: refusal,
        summaryYears: refusal,
      };
      const { page, scrapeAfter, log, answers } = await scrapeHouse(script);
      expect(page.all('solar_energy_lifetime_kwh')).toEqual([]);
      const failed = page.all('solar_collector_success').filter(({ value }) => value === 0);
      expect(failed).toEqual([]);
      await scrapeAfter(DAY_MS);
      const missing = log.lines.filter(
        ({ fields }) =>
          fields['operation'] === 'summary-days' || fields['operation'] === 'summary-years',
      );
      expect(missing).toHaveLength(2);
      answers.summaryDays = everyDay;
      const found = await scrapeAfter(DAY_MS);
      expect(found.value('solar_energy_today_kwh', { flow: 'pv' })).toBe(26);
    },
  );
});

describe('the list of alarms', () => {
  const DEVICES = Array.from({ length: 80 }, (_, index) => ({ id: String(index + 1) }));
  const alarms = (count: number, isActive = true, from = 0): readonly object[] =>
    Array.from({ length: count }, (_, index) => ({
      key: `key-${from + index}`,
      deviceId: String(1 + Math.floor((from + index) / 50)),
      level: 2,
      disappearedAt: isActive ? null : '2026-08-24T04:00:00Z',
    }));
  /** Serves these, newest first, in the pages that are requested. */
  const listOf =
    (all: readonly object[]): Script['alarms'] =>
    ({ body }) => {
      const [page, count] = [Number(body['page']), Number(body['count'])];
      return { data: { list: all.slice((page - 1) * count, page * count) } };
    };
  const QUIET = {
    flags: { 'cache.readings-ttl': '9h', 'collect.energy': 'false', 'cache.max-age': '10h' },
  };
  const of = (list: Script['alarms']): Script => ({
    devices: deviceList(...DEVICES),
    alarms: list,
  });

  test.each([
    { what: 'no alarm', all: [], firing: 0, pages: 1 },
    { what: 'a page that is not full', all: alarms(499), firing: 499, pages: 1 },
    { what: 'a page of the past', all: alarms(1250, false), firing: 0, pages: 1 },
    {
      what: 'the past after active ones',
      all: [...alarms(600), ...alarms(1500, false, 600)],
      firing: 600,
      pages: 3,
    },
    { what: 'a full page, then none', all: alarms(500), firing: 500, pages: 2 },
    { what: 'more than anybody would look at', all: alarms(4000), firing: 2500, pages: 5 },
    {
      what: 'ones that come twice',
      all: [...alarms(500), ...alarms(2, true, 498)],
      firing: 500,
      pages: 2,
    },
  ])('ends with $what', async ({ all, firing, pages }) => {
    const { page, asked } = await scrapeHouse(of(listOf(all)), QUIET);
    expect(page.all('solar_device_alarm_firing')).toHaveLength(firing);
    expect(asked('alarms')).toHaveLength(pages);
  });

  test('that a service does not have is none, said once, and asked for again after ten minutes', async () => {
    const { scrape, scrapeAfter, asked, log, answers } = await openHouse(
      of({ status: 404 }),
      QUIET,
    );
    const page = await scrape();
    expect(page.value('solar_collector_success', { collector: 'alarms' })).toBe(1);
    await scrapeAfter(9 * MINUTE_MS);
    expect(asked('alarms')).toHaveLength(1);
    answers.alarms = listOf(alarms(1));
    await scrapeAfter(MINUTE_MS);
    expect((await scrapeAfter(2 * MINUTE_MS)).all('solar_device_alarm_firing')).toHaveLength(1);
    expect(log.messages('warn')).toEqual([
      'the service has no list of alarms for us: none are shown',
    ]);
    answers.alarms = { status: 404 };
    const lost = await scrapeAfter(10 * MINUTE_MS);
    expect(lost.value('solar_collector_success', { collector: 'alarms' })).toBe(0);
  });

  test.each<{ answer: PortalAnswer; code: string; after?: number }>([
    { answer: { status: 500 }, code: 'SERVICE_SERVER_ERROR', after: 2 },
    { answer: { envelope: { code: 70_001, message: 'no right' } }, code: 'SERVICE_API_REFUSED' },
    { answer: { data: 'a page' }, code: 'SERVICE_PAYLOAD_INVALID' },
  ])('that fails with $code is not an empty one', async ({ answer, code, after = 1 }) => {
    const { page, scrapeAfter, asked, answers, log } = await scrapeHouse(of(answer), QUIET);
    expect(page.value('solar_collector_success', { collector: 'alarms' })).toBe(0);
    expect(page.requests('alarms', code)).toBeGreaterThan(0);
    expect(page.value('solar_up')).toBe(1);
    // A list that is refused is not asked for again for ten minutes.
    await scrapeAfter(10 * MINUTE_MS - 1);
    expect(asked('alarms')).toHaveLength(after);
    const reasons = log.lines.map(({ fields }) => (fields['err'] as Error | undefined)?.message);
    expect(reasons.join().includes('--collect.alarms=false does without')).toBe(after === 1);
    answers.alarms = listOf(alarms(1));
    const found = await scrapeAfter(3 * MINUTE_MS);
    expect(found.all('solar_device_alarm_firing')).toHaveLength(1);
  });
});

test('readings of nothing are a device that does not report', async () => {
  const { page } = await scrapeHouse({ readings: history({}, []) });
  expect(page.value('solar_device_reporting')).toBe(0);
});

describe('the settings of a device', () => {
  const FLAT: PortalAnswer = { data: { maxChargingCurrent: 60 } };
  const refused = (code: number): PortalAnswer => ({ envelope: { code, message: 'no' } });
  const BODY = `{"deviceId":"${DEVICE_ID}"}`;
  const QUERY = `?deviceId=${DEVICE_ID} {}`;

  test.each<{
    when: string;
    byBody: PortalAnswer;
    byQuery?: PortalAnswer;
    asked: readonly string[];
    outcome: string;
  }>([
    { when: 'its id is taken in the body', byBody: FLAT, asked: [BODY, BODY], outcome: 'ok' },
    {
      when: 'its id is taken in the query alone, refused with a code',
      byBody: refused(20_101),
      byQuery: FLAT,
      asked: [BODY, QUERY, QUERY],
      outcome: 'ok',
    },
    {
      when: 'its id is taken in the query alone, refused with a status',
      byBody: { status: 400 },
      byQuery: FLAT,
      asked: [BODY, QUERY, QUERY],
      outcome: 'ok',
    },
    {
      when: 'it is refused either way',
      byBody: refused(70_001),
      byQuery: refused(20_101),
      asked: [BODY, QUERY, BODY, QUERY],
      outcome: 'SERVICE_API_REFUSED',
    },
    {
      when: 'it does not answer',
      byBody: refused(71_301),
      asked: [BODY, BODY],
      outcome: 'SERVICE_API_REFUSED',
    },
    {
      when: 'the service is down',
      byBody: { status: 500 },
      asked: [BODY, BODY],
      outcome: 'SERVICE_SERVER_ERROR',
    },
    {
      when: 'the service is busy',
      byBody: { status: 429 },
      asked: [BODY, BODY],
      outcome: 'SERVICE_RATE_LIMITED',
    },
    {
      when: 'the answer is no envelope',
      byBody: { text: '[]' },
      asked: [BODY, BODY],
      outcome: 'SERVICE_PAYLOAD_INVALID',
    },
  ])('are asked for as the service takes it, where $when', async (row) => {
    const { byBody, byQuery = FLAT } = row;
    const { scrape, scrapeAfter, asked } = await openHouse(
      { settingsGet: ({ query }) => (query.size === 0 ? byBody : byQuery) },
      { flags: { 'collect.settings': 'true', 'cache.settings-ttl': '1m' } },
    );
    const first = await scrape();
    expect(first.requests('settings-get', row.outcome)).toBeGreaterThan(0);
    await scrapeAfter(120_000);
    const forms = asked('settingsGet').map(
      ({ query, body }) =>
        `${query.size === 0 ? '' : `?${query.toString()} `}${JSON.stringify(body)}`,
    );
    expect(forms).toEqual(row.asked);
  });
});
