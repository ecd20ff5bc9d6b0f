import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  HOUR_MS,
  type HouseSetup,
  MINUTE_MS,
  openHouse,
  type ScrapedPage,
  scrapeHouse,
  SECOND_MS,
} from './house.ts';
import {
  CLASSIC,
  DEVICE_ID,
  deviceList,
  flow,
  latest,
  type PortalAnswer,
  type PortalRequest,
  type Script,
  stationList,
} from './scripted-service.ts';
import { pvSummary, summaries } from './summaries.ts';

const KYIV = { 'iot-time-zone': 'Europe/Kyiv' };
const CATEGORY = 'summaryCategoryKey=pvInverterElectricityQuantityClass';

describe('each request is as the specification says', () => {
  const EVERYTHING: Script = {
    latestState: latest({}),
    energyFlow: flow({}),
    attributes: { data: [] },
    summaryDays: { data: { properties: [] } },
    summaryYears: { data: { properties: [] } },
    settingsGet: { data: { operatingMode: 'Backup' } },
  };
  const KEYS = Object.keys(CLASSIC);
  const STATION = '100000000000000003';
  const OF_DEVICE = { deviceId: DEVICE_ID };
  const OF_STATION = `stationId=${STATION}&${CATEGORY}`;
  const ASCENDING = { count: 2000, page: 1, orderByTimeAsc: true };
  const WINDOW = { fromTime: '2026-08-24T10:00:00+03:00', toTime: '2026-08-24T11:00:00+03:00' };
  /** With the end of the day before, and what may stand for a missing value then. */
  const SINCE_MIDNIGHT = { ...WINDOW, fromTime: '2026-08-23T21:30:00+03:00' };

  /** All rows look at one scrape. */
  let scraped: ReturnType<typeof scrapeHouse> | undefined;
  test.each<[endpoint: PortalRequest['endpoint'], query: string, body: object]>([
    ['stations', '', { page: 1, count: 50 }],
    ['devices', '', { page: 1, count: 50, stationId: STATION }],
    ['readings', '', { ...OF_DEVICE, ...SINCE_MIDNIGHT, ...ASCENDING, keys: KEYS }],
    ['latestState', `deviceId=${DEVICE_ID}&dataSource=1`, {}],
    ['alarms', '', { page: 1, count: 500, orderByCreatedTimeDesc: true }],
    ['summary', OF_STATION, { time: '2026' }],
    ['summaryDays', OF_STATION, { time: '2026-08' }],
    ['summaryYears', OF_STATION, { time: WINDOW.toTime }],
    ['settingsGet', '', OF_DEVICE],
  ])('%s', async (endpoint, query, body) => {
    scraped ??= scrapeHouse(EVERYTHING, { flags: { 'collect.settings': 'true' } });
    const { asked, page } = await scraped;
    expect(page.value('solar_up')).toBe(1);
    const [request] = asked(endpoint);
    expect(request?.method).toBe(endpoint === 'latestState' ? 'GET' : 'POST');
    expect(request?.query.toString()).toBe(query);
    expect(request?.body).toEqual(body);
    const isOfStation = !['stations', 'devices', 'alarms', 'settingsGet'].includes(endpoint);
    expect(request?.headers).toMatchObject({
      'iot-token': 'made-up-token',
      accept: 'application/json',
      'accept-encoding': 'identity',
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
    ['2026-08-24T08:00:00.999Z', 'as whole seconds', ['10:00:00+03:00', '11:00:00+03:00']],
    ['2026-10-25T01:30:00Z', 'that the clocks repeat', ['03:30:00+03:00', '03:30:00+02:00']],
  ])('at %s with a window of readings of the last hour, %s', async (now, _which, window) => {
    const { asked } = await scrapeHouse({}, { now, flags: { 'collect.energy': 'false' } });
    const { fromTime, toTime } = asked('readings')[0]?.body ?? {};
    expect([fromTime, toTime].map((time) => String(time).slice(11))).toEqual(window);
  });
});

describe('the energy of the month', () => {
  const YEAR = pvSummary({ '2026-08': 8, '2026-09': 9, '2026-12': 12, '2027-01': 1 });

  test.each<[when: string, zone: string, setup: HouseSetup, starts: string]>([
    [
      'of the station at New Year, where it is next year already',
      'Pacific/Auckland',
      { now: '2026-12-31T11:00:00Z' },
      '2027-01-01T00:00:00+13:00',
    ],
    [
      'of the service, where our clock is three days behind',
      'UTC',
      { now: '2026-09-02T12:00:00Z', machineAheadMs: -3 * DAY_MS },
      '2026-09-01T00:00:00Z',
    ],
  ])('is that %s', async (_when, zone, setup, starts) => {
    const devices = deviceList({ stationTimezone: zone });
    const { scrape, asked } = await openHouse({ devices, summary: YEAR }, setup);
    await scrape();
    const page = await scrape();
    const [year, month] = starts.split('-');
    expect(page.value('solar_month_pv_generated_kwh')).toBe(Number(month));
    expect(page.value('solar_month_start_timestamp_seconds')).toBe(Date.parse(starts) / 1000);
    expect(asked('summary').at(-1)?.body).toEqual({ time: year });
  });
});

describe('the energy of yesterday', () => {
  const { summaryDays: everyDay } = summaries('Europe/Kyiv');
  const unless =
    (isFailing: () => boolean, failure: PortalAnswer) =>
    (request: PortalRequest): PortalAnswer =>
      request.body['time'] === '2026-08' && isFailing() ? failure : everyDay(request);
  const NO: PortalAnswer = { envelope: { code: 20_101, message: 'no' } };
  const TEXT: PortalAnswer = { data: 'a page' };
  const TODAY = 'solar_energy_today_kwh{flow="pv"}';
  const YESTERDAY = 'solar_energy_yesterday_kwh{flow="pv"}';

  const SEPTEMBER = '2026-08-31T22:00:00Z';
  const BACK_TO_AUGUST = ['2026-09', '2026-08'];
  const august = (failure: PortalAnswer) => unless(() => true, failure);

  test.each<
    [
      when: string,
      now: string,
      days: Script['summaryDays'],
      kwh: readonly [today?: number, yesterday?: number],
      months: readonly string[],
    ]
  >([
    ['comes with today', '2026-08-24T09:00:00Z', everyDay, [24, 23], ['2026-08']],
    ['is of the month before on the first', SEPTEMBER, everyDay, [1, 31], BACK_TO_AUGUST],
    ['is unknown where August is refused', SEPTEMBER, august(NO), [1], BACK_TO_AUGUST],
    [
      'is unknown where August is none, and today stands',
      SEPTEMBER,
      august(TEXT),
      [1],
      BACK_TO_AUGUST,
    ],
  ])('%s', async (_when, now, days, [today, yesterday], months) => {
    const { page, asked } = await scrapeHouse({ summaryDays: days }, { now });
    const expected = { [TODAY]: today, [YESTERDAY]: yesterday };
    expect(page.like(expected)).toEqual(expected);
    expect(asked('summaryDays').map(({ body }) => body['time'])).toEqual(months);
  });

  test('is asked for after midnight and three hours later, then kept', async () => {
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

  test.each([
    ['refuses them', NO],
    ['answers something else', TEXT],
  ])('and of years are absent, and no failure, where the service %s', async (_what, refusal) => {
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
  });
});

describe('the list of alarms', () => {
  const DEVICES = Array.from({ length: 8 }, (_, index) => ({ id: String(index + 1) }));
  const alarms = (count: number, isActive = true, from = 0): readonly object[] =>
    Array.from({ length: count }, (_, index) => ({
      key: `key-${from + index}`,
      deviceId: String(1 + Math.floor((from + index) / 500)),
      level: 2,
      createdAt: new Date(Date.UTC(2026, 7, 24) - (from + index) * 1000).toISOString(),
      disappearedAt: isActive ? null : '2026-08-24T04:00:00Z',
    }));
  /** Serves these, newest first, in the pages that are requested. */
  const listOf =
    (all: readonly object[]) =>
    ({ body }: Pick<PortalRequest, 'body'>): PortalAnswer => {
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
    ['a page that is not full', alarms(499), 499, 1],
    ['the past', alarms(1250, false), 0, 3],
    ['active ones after the past', [...alarms(600, false), ...alarms(2, true, 600)], 2, 2],
    ['the past after active ones', [...alarms(600), ...alarms(1500, false, 600)], 600, 5],
    ['a full page, then none', alarms(500), 500, 2],
    ['ones that come twice', [...alarms(500), ...alarms(2, true, 498)], 500, 2],
  ])('ends with %s', async (_what, all, firing, pages) => {
    const { page, asked } = await scrapeHouse(of(listOf(all)), QUIET);
    expect(page.all('solar_device_alarm_firing')).toHaveLength(firing);
    expect(asked('alarms')).toHaveLength(pages);
  });

  const wellOf = (page: ScrapedPage) =>
    page.value('solar_collector_success', { collector: 'alarms' });
  const past = alarms(1250, false, 1);

  test.each<[what: string, all: readonly object[], laterRequests: number]>([
    ['the past alone', past, 1],
    ['an active one on its second page', [...past.slice(0, 600), ...alarms(1), ...past], 3],
    ['the oldest alarm first', [...past.toReversed(), ...alarms(1)], 3],
  ])('is searched once a day, and else read as far as needed: %s', async (_what, all, later) => {
    const house = await scrapeHouse(of(listOf(all)), QUIET);
    const firing = house.page.all('solar_device_alarm_firing').length;
    const before = house.asked('alarms').length;
    const next = await house.scrapeAfter(10 * MINUTE_MS);
    expect(house.asked('alarms')).toHaveLength(before + later);
    expect(next.all('solar_device_alarm_firing')).toHaveLength(firing);
    expect(wellOf(next)).toBe(1);
    house.answers.alarms = listOf([...past, ...alarms(1)]);
    const found = await house.scrapeAfter(DAY_MS);
    expect(found.all('solar_device_alarm_firing')).toHaveLength(1);
  });

  test('says that more may fire where it has no end, or a later page fails', async () => {
    const endless = [...alarms(1), ...alarms(20_500, false, 1)];
    const house = await scrapeHouse(of(listOf(endless)), QUIET);
    const reasons = () =>
      house.log.lines.map(({ fields }) => (fields['err'] as Error | undefined)?.message);
    expect(wellOf(house.page)).toBe(0);
    expect(reasons().join()).toContain('goes on after 40 pages');
    house.answers.alarms = listOf([...alarms(1), ...past]);
    expect(wellOf(await house.scrapeAfter(DAY_MS))).toBe(1);
    const whole = listOf([...alarms(1), ...past]);
    house.answers.alarms = (request) =>
      request.body['page'] === 2 ? { status: 500 } : whole(request);
    const failing = await house.scrapeAfter(DAY_MS);
    expect(failing.all('solar_device_alarm_firing')).toHaveLength(1);
    expect(wellOf(failing)).toBe(0);
    house.answers.alarms = listOf([...alarms(1), ...past]);
    expect(wellOf(await house.scrapeAfter(10 * MINUTE_MS))).toBe(1);
  });

  test('ends with a page after the first that is refused', async () => {
    const full = listOf(alarms(500));
    const { page } = await scrapeHouse(
      of((request) => (request.body['page'] === 1 ? full(request) : { status: 400 })),
      QUIET,
    );
    expect(page.all('solar_device_alarm_firing')).toHaveLength(500);
    expect(wellOf(page)).toBe(1);
  });

  test('that was never there is no failure, and one that is lost is', async () => {
    const { scrape, scrapeAfter, asked, log, answers } = await openHouse(
      of({ status: 404 }),
      QUIET,
    );
    expect(wellOf(await scrape())).toBe(1);
    await scrapeAfter(9 * MINUTE_MS);
    expect(asked('alarms')).toHaveLength(1);
    answers.alarms = listOf(alarms(1));
    await scrapeAfter(MINUTE_MS);
    expect((await scrapeAfter(2 * MINUTE_MS)).all('solar_device_alarm_firing')).toHaveLength(1);
    expect(log.messages('warn')).toEqual([
      'the service has no list of alarms for us: none are shown',
    ]);
    answers.alarms = { status: 404 };
    expect(wellOf(await scrapeAfter(10 * MINUTE_MS))).toBe(0);
    answers.alarms = listOf(alarms(1));
    expect(wellOf(await scrapeAfter(SECOND_MS))).toBe(1);
  });

  test.each([[['3', '4', '5']], [['3']]])(
    'is one for the account, of which stations %j take their alarms',
    async (stations) => {
      const all = ['3', '4', '5', '9'].map((id) => ({
        stationId: id,
        deviceId: `1${id}`,
        key: 'lineLoss',
        level: 2,
      }));
      const house = await openHouse(
        {
          stations: stationList('3', '4', '5'),
          devices: ({ body }) => deviceList({ id: `1${String(body['stationId'])}` }),
          alarms: listOf(all),
        },
        { flags: { ...QUIET.flags, ...(stations.length === 1 && { station: '3' }) } },
      );
      await house.keepScraping(30 * MINUTE_MS, 5 * MINUTE_MS, (page) => {
        const firing = page.all('solar_device_alarm_firing').map(({ labels }) => labels);
        expect(firing.map((labels) => [labels['station_id'], labels['device_id']])).toEqual(
          stations.map((id) => [id, `1${id}`]),
        );
        const success = page.all('solar_collector_success');
        expect(success.filter(({ value }) => value === 0)).toEqual([]);
      });
      expect(house.asked('alarms')).toHaveLength(3);
      const probed = await house.scrape({}, '/probe?target=3');
      expect(probed.all('solar_device_alarm_firing')).toHaveLength(1);
    },
  );

  test.each<[code: string, answer: PortalAnswer, requests: number]>([
    ['SERVICE_SERVER_ERROR', { status: 500 }, 2],
    ['SERVICE_API_REFUSED', { envelope: { code: 70_001, message: 'no right' } }, 1],
    ['SERVICE_PAYLOAD_INVALID', { data: 'a page' }, 1],
  ])('that fails with %s is not an empty one', async (code, answer, requests) => {
    const { page, scrapeAfter, asked, answers, log } = await scrapeHouse(of(answer), QUIET);
    expect(page.value('solar_collector_success', { collector: 'alarms' })).toBe(0);
    expect(page.requests('alarms', code)).toBeGreaterThan(0);
    expect(page.value('solar_up')).toBe(1);
    // A list that is refused is not asked for again for ten minutes.
    await scrapeAfter(10 * MINUTE_MS - 1);
    expect(asked('alarms')).toHaveLength(requests);
    const reasons = log.lines.map(({ fields }) => (fields['err'] as Error | undefined)?.message);
    expect(reasons.join().includes('--collect.alarms=false does without')).toBe(requests === 1);
    answers.alarms = listOf(alarms(1));
    const found = await scrapeAfter(3 * MINUTE_MS);
    expect(found.all('solar_device_alarm_firing')).toHaveLength(1);
  });
});

describe('the settings of a device', () => {
  const FLAT: PortalAnswer = { data: { maxChargingCurrent: 60 } };
  const refused = (code: number): PortalAnswer => ({ envelope: { code, message: 'no' } });
  const BODY = `{"deviceId":"${DEVICE_ID}"}`;
  const QUERY = `?deviceId=${DEVICE_ID} {}`;

  const TWICE = [BODY, BODY];
  const BY_QUERY = [BODY, QUERY, QUERY];
  const REFUSED = 'SERVICE_API_REFUSED';

  test.each<
    [
      when: string,
      byBody: PortalAnswer,
      byQuery: PortalAnswer,
      asked: readonly string[],
      outcome: string,
    ]
  >([
    ['its id is taken in the body', FLAT, FLAT, TWICE, 'ok'],
    ['the body is refused with a code', refused(20_101), FLAT, BY_QUERY, 'ok'],
    ['the body is refused with a status', { status: 400 }, FLAT, BY_QUERY, 'ok'],
    ['both are refused', refused(70_001), refused(20_101), [BODY, QUERY, BODY, QUERY], REFUSED],
    ['the device does not answer', refused(71_301), FLAT, TWICE, REFUSED],
    ['the service is down', { status: 500 }, FLAT, TWICE, 'SERVICE_SERVER_ERROR'],
  ])('are asked for as the service takes it, where %s', async (...row) => {
    const [, byBody, byQuery, expected, outcome] = row;
    const { scrape, scrapeAfter, asked } = await openHouse(
      { settingsGet: ({ query }) => (query.size === 0 ? byBody : byQuery) },
      { flags: { 'collect.settings': 'true', 'cache.settings-ttl': '1m' } },
    );
    const first = await scrape();
    expect(first.requests('settings-get', outcome)).toBeGreaterThan(0);
    await scrapeAfter(120_000);
    const forms = asked('settingsGet').map(
      ({ query, body }) =>
        `${query.size === 0 ? '' : `?${query.toString()} `}${JSON.stringify(body)}`,
    );
    expect(forms).toEqual(expected);
  });
});
