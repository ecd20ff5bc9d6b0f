import { describe, expect, test } from 'vitest';
import { INTERFACE_KEYS } from '../../../src/client/dialects/family.ts';
import { EVERYWHERE } from '../../../src/client/dialects/field-rule.ts';
import { ServiceError, type ServiceErrorCode } from '../../../src/base/errors.ts';
import {
  createReader,
  DAY_MS,
  type DeviceAnswers,
  type Fields,
  HOUR_MS,
  MINUTE_MS,
} from '../dialects/reader-harness.ts';

/** Six keys of the interface, in the time series. */
const SIX = {
  pvInputPower: 1200,
  acOutputActivePower: 0.85,
  batteryDischargeCurrent: 0,
  batteryChargingCurrent: 7.5,
  batteryVoltage: 52.4,
  batterySOC: 93,
};
const SIX_MEASURED = {
  pvPowerWatts: 1200,
  acOutputPowerWatts: 850,
  batteryDischargeCurrentAmperes: 0,
  batteryChargingCurrentAmperes: 7.5,
  batteryVoltageVolts: 52.4,
  batterySocRatio: 0.93,
};
/** All seven. */
const SEVEN = { ...SIX, feedInPower: 30 };
const SEVEN_MEASURED = { ...SIX_MEASURED, gridFeedInPowerWatts: 30 };

/** A classic device without the feed-in, which no endpoint lists. */
const WITHOUT_FEED_IN: DeviceAnswers = {
  history: SIX,
  latest: {
    pvInputPower: [1200, 'W'],
    acOutputActivePower: [0.85, 'kW'],
    batteryDischargeCurrent: [0, 'A'],
    batteryChargingCurrent: [7.5, 'A'],
    batteryVoltage: [52.4, 'V'],
    batterySOC: [93, '%'],
  },
  flow: { pvInputPower: [1200, 'W'] },
};

const HPVINV02_FIELDS: Fields = {
  pvPower: [1.2, 'kW'],
  outputActivePower: [0.85, 'kW'],
  mainsPower: [0.3, 'kW'],
  mainsCurrentFlowDirection: ['+', ''],
  batteryCapacity: [88, '%'],
  batteryVoltage: [52.1, 'V'],
  batteryChargingCurrent: [0, 'A'],
  batteryDischargeCurrent: [4, 'A'],
  pvGeneratedEnergyOfDay: [4.5, 'kWh'],
  houseMeter: [1, 'W'],
};
const HPVINV02_HISTORY = Object.fromEntries(
  Object.entries(HPVINV02_FIELDS).map(([key, [value]]) => [key, value]),
);
/** A device whose keys are others than those of the interface, in the time series, too. */
const HPVINV02: DeviceAnswers = { history: HPVINV02_HISTORY, latest: HPVINV02_FIELDS };
const HPVINV02_KEYS = [
  'batteryDischargeCurrent',
  'batteryChargingCurrent',
  'batteryVoltage',
  'pvPower',
  'outputActivePower',
  'mainsPower',
  'mainsCurrentFlowDirection',
  'batteryCapacity',
];
/** No list of the device says whether it has a second string, so that it is asked for one. */
const HPVINV02_QUESTION = [...HPVINV02_KEYS, 'pv2Power'];

/** Grid and PV show in the energy flow alone. */
const UWB1: DeviceAnswers = {
  history: {},
  latest: { batteryPercentage: [76, '%'] },
  flow: {
    pv1Power: [820, 'W'],
    pv2Power: [610, 'W'],
    aPhaseMainsPower: [495, 'W'],
    batteryPower: [-505, 'W'],
    load_power: [0.43, 'kW'],
  },
};
const NO_FLOW_RULE = { fails: 'SERVICE_API_REFUSED', serviceCode: '70132' } as const;
const NO_FLOW_MESSAGE = 'the service has no energy flow for this device; it is not asked again';
const TIMED_OUT = { fails: 'SERVICE_TIMEOUT' } as const;

const sorted = (keys: readonly string[] | undefined) => keys?.toSorted();

describe('a device that answers all seven keys', () => {
  test('is read with one request, and asked for their units once a day', async () => {
    const { read, clock, log, keysAsked } = createReader({ history: SEVEN });
    for (let reading = 0; reading < 50; reading += 1) {
      const { asked, report, measured } = await read();
      expect(asked).toEqual(reading % 24 === 0 ? ['history', 'latest'] : ['history']);
      expect(measured).toEqual(SEVEN_MEASURED);
      expect(report.dialect).toEqual({
        family: 'classic',
        source: 'history',
        missing: [],
        unknownKeys: [],
      });
      clock.advance(HOUR_MS);
    }
    expect(new Set(keysAsked.flat())).toEqual(new Set(INTERFACE_KEYS));
    expect(log.lines).toEqual([]);
  });

  test('is read in the units that its latest state names', async () => {
    const { read, clock, device } = createReader({
      history: { ...SEVEN, pvInputPower: 1.2, acOutputActivePower: 850 },
      latest: { pvInputPower: [1.2, 'kW'], acOutputActivePower: [850, 'W'] },
    });
    expect((await read()).measured).toEqual(SEVEN_MEASURED);
    clock.advance(HOUR_MS);
    expect(await read()).toMatchObject({ asked: ['history'], measured: SEVEN_MEASURED });
    // A latest state that fails a day later says nothing about the units.
    device.answers = { ...device.answers, latest: TIMED_OUT };
    clock.advance(DAY_MS);
    expect(await read()).toMatchObject({
      asked: ['history', 'latest'],
      measured: SEVEN_MEASURED,
    });
    clock.advance(MINUTE_MS);
    expect((await read()).asked).toEqual(['history']);
    clock.advance(10 * MINUTE_MS);
    expect((await read()).asked).toEqual(['history', 'latest']);
  });

  test('is learnt where its latest state names a unit that no rule reads', async () => {
    const latest = { ...WITHOUT_FEED_IN.latest, feedInPower: [30, 'kWp'] } as const;
    const { read } = createReader({ history: SEVEN, latest });
    const { measured, report } = await read();
    expect(measured).toEqual(SIX_MEASURED);
    expect(report.dialect.missing).toEqual(['gridFeedInPowerWatts']);
  });

  test('is learnt where its latest state has keys of another family', async () => {
    const { read } = createReader({
      history: { ...SEVEN, pvInputPower: 1.2, pv2InputPower: 0.8 },
      latest: {
        pvInputPower: [1.2, 'kW'],
        pv2InputPower: [0.8, 'kW'],
        GridPower: [-30, 'W'],
      },
    });
    const { measured, report } = await read();
    expect(report.dialect.family).toBe('mega-eco');
    expect(measured).toMatchObject({ pvPowerWatts: 2000 });
    expect((await read()).asked).toEqual(['history']);
  });

  test("has its time, and the service's clock, in the report", async () => {
    const { read, clock, serviceClock } = createReader({ history: SEVEN, ageMs: 5 * MINUTE_MS });
    serviceClock.observe(clock.nowMs() + 2 * HOUR_MS);
    const { report } = await read();
    expect(report.serviceAheadMs).toBe(2 * HOUR_MS);
    expect(report.newestAtMs).toBe(clock.nowMs() + 2 * HOUR_MS - 5 * MINUTE_MS);
  });
});

describe('a device that lacks a key', () => {
  test('is learnt once, and then read with one request for the keys that it has', async () => {
    const { read, clock, keysAsked } = createReader(WITHOUT_FEED_IN);
    const first = await read();
    expect(first.asked).toEqual(['history', 'latest', 'flow']);
    expect(first.measured).toEqual(SIX_MEASURED);
    for (let reading = 0; reading < 20; reading += 1) {
      clock.advance(HOUR_MS);
      const { asked, measured, report } = await read();
      expect(asked).toEqual(['history']);
      expect(measured).toEqual(SIX_MEASURED);
      expect(report.dialect).toMatchObject({
        family: 'classic',
        missing: ['gridFeedInPowerWatts'],
      });
    }
    expect(keysAsked).toHaveLength(21);
    expect(new Set(keysAsked.slice(1).flat())).toEqual(new Set(Object.keys(SIX)));
  });

  test('is learnt again after it was forgotten, and no other device is', async () => {
    const { read, reader } = createReader(WITHOUT_FEED_IN);
    await read('1');
    await read('2');
    reader.forget('1');
    expect((await read('1')).asked).toEqual(['history', 'latest', 'flow']);
    expect((await read('2')).asked).toEqual(['history']);
  });

  test('is learnt on its own: no other device is learnt with it', async () => {
    const { read } = createReader(WITHOUT_FEED_IN);
    await read('1');
    expect((await read('2')).asked).toEqual(['history', 'latest', 'flow']);
    expect((await read('1')).asked).toEqual(['history']);
    expect((await read('2')).asked).toEqual(['history']);
  });
});

describe('a device with keys of its own', () => {
  test('is asked for these keys only', async () => {
    const { read, clock, keysAsked } = createReader(HPVINV02);
    const first = await read();
    expect(first.asked).toEqual(['history', 'latest', 'attributes', 'history']);
    clock.advance(MINUTE_MS);
    const { asked, measured, report } = await read();
    expect(asked).toEqual(['history']);
    expect(sorted(keysAsked.at(-1))).toEqual(sorted(HPVINV02_QUESTION));
    expect(measured).toEqual({
      pvPowerWatts: 1200,
      'stringPowerWatts 1': 1200,
      acOutputPowerWatts: 850,
      gridImportPowerWatts: 300,
      gridFeedInPowerWatts: 0,
      batterySocRatio: 0.88,
      batteryVoltageVolts: 52.1,
      batteryChargingCurrentAmperes: 0,
      batteryDischargeCurrentAmperes: 4,
    });
    expect(first.measured).toEqual(measured);
    expect(report.dialect).toEqual({
      family: 'hpvinv02',
      source: 'history',
      missing: [],
      unknownKeys: ['houseMeter'],
    });
  });

  test('is read by the units that another endpoint names', async () => {
    const inWatts = { ...HPVINV02_FIELDS, pvPower: [1200, 'W'] } as const;
    const { read } = createReader({
      history: { ...HPVINV02_HISTORY, pvPower: 1200 },
      latest: inWatts,
    });
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 1200 });
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 1200 });
  });

  test('that has them only in its latest state is read there', async () => {
    const { read, clock } = createReader({ history: {}, latest: HPVINV02_FIELDS });
    const first = await read();
    expect(first.asked).toEqual(['history', 'latest', 'attributes', 'history']);
    for (let reading = 0; reading < 5; reading += 1) {
      clock.advance(MINUTE_MS);
      const { asked, measured, report } = await read();
      expect(asked).toEqual(['latest']);
      expect(measured).toEqual(first.measured);
      expect(measured).toMatchObject({ pvPowerWatts: 1200, gridImportPowerWatts: 300 });
      expect(report.dialect).toMatchObject({ family: 'hpvinv02', source: 'latest', missing: [] });
    }
  });

  test('that has them only in its energy flow is read there', async () => {
    const { read, clock } = createReader(UWB1);
    const first = await read();
    expect(first.asked).toEqual(['history', 'latest', 'flow', 'attributes', 'history']);
    for (let reading = 0; reading < 5; reading += 1) {
      clock.advance(MINUTE_MS);
      const { asked, measured, report } = await read();
      expect(asked).toEqual(['flow']);
      expect(measured).toEqual({
        pvPowerWatts: 1430,
        'stringPowerWatts 1': 820,
        'stringPowerWatts 2': 610,
        gridImportPowerWatts: 0,
        gridFeedInPowerWatts: 495,
        batteryPowerWatts: -505,
        loadPowerWatts: 430,
      });
      expect(report.dialect).toMatchObject({ family: 'uwb1', source: 'flow' });
    }
  });

  test('that has them only in its catalogue is asked for them', async () => {
    const { read, keysAsked } = createReader({
      history: HPVINV02_HISTORY,
      latest: {},
      attributes: HPVINV02_FIELDS,
    });
    expect((await read()).asked).toEqual(['history', 'latest', 'attributes', 'flow', 'history']);
    expect(sorted(keysAsked.at(-1))).toEqual(sorted(HPVINV02_KEYS));
    const { asked, measured } = await read();
    expect(asked).toEqual(['history']);
    expect(measured).toMatchObject({ pvPowerWatts: 1200, gridImportPowerWatts: 300 });
  });
});

describe('a mode', () => {
  test('is shown by the words that were learnt, where its own answer has none', async () => {
    const { read, device, clock } = createReader({
      history: { ...SIX, workingStates: '4' },
      latest: { ...WITHOUT_FEED_IN.latest, workingStates: ['4', '', 'Line Mode'] },
      agesMs: { latest: HOUR_MS },
    });
    expect((await read()).measured).toMatchObject({ workingMode: 'line' });
    expect(await read()).toMatchObject({ asked: ['history'], measured: { workingMode: 'line' } });
    // Words that nobody has said yet are learnt with the next profile, and the old ones are kept.
    device.answers = {
      history: { ...SIX, workingStates: '3' },
      latest: { ...WITHOUT_FEED_IN.latest, workingStates: ['3', '', 'Battery Mode'] },
    };
    expect((await read()).measured).toMatchObject({ workingMode: '3' });
    clock.advance(DAY_MS);
    expect((await read()).measured).toMatchObject({ workingMode: 'battery' });
    device.answers = { history: { ...SIX, workingStates: '4' } };
    expect((await read()).measured).toMatchObject({ workingMode: 'line' });
  });
});

describe('a key without a value while the device is learnt', () => {
  test('is still asked for', async () => {
    const atNight = { ...HPVINV02_HISTORY, pvPower: null };
    const { read, clock, device } = createReader({
      history: atNight,
      latest: {},
      attributes: HPVINV02_FIELDS,
      flow: NO_FLOW_RULE,
    });
    expect((await read()).measured).not.toHaveProperty('pvPowerWatts');
    device.answers = { ...device.answers, history: HPVINV02_HISTORY };
    clock.advance(10 * HOUR_MS);
    const { asked, measured } = await read();
    expect(asked).toEqual(['history']);
    expect(measured).toMatchObject({ pvPowerWatts: 1200 });
  });
});

describe('a time series that does not answer the keys that were learnt', () => {
  /** Answers the keys of the interface alone; the question that fails is not among those asked. */
  function createShort(fails: ServiceErrorCode) {
    const harness = createReader({ history: HPVINV02_HISTORY, latest: HPVINV02_FIELDS });
    const { transport } = harness;
    const usual = transport.answer;
    transport.answer = (request) => {
      if (request.body?.includes('pvPower') === true) throw new ServiceError(fails, 'too long');
      return usual(request);
    };
    return harness;
  }

  test('does not fail the reading: the device is read from another source', async () => {
    const { read } = createShort('SERVICE_API_REFUSED');
    const { asked, measured, report } = await read();
    expect(asked).toEqual(['history', 'latest', 'attributes']);
    expect(measured).toMatchObject({ pvPowerWatts: 1200, gridImportPowerWatts: 300 });
    expect(report.dialect).toMatchObject({ family: 'hpvinv02', source: 'latest' });
    expect((await read()).asked).toEqual(['latest']);
  });

  test('because of a time-out is asked again after ten minutes', async () => {
    const { read, clock } = createShort('SERVICE_TIMEOUT');
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 1200 });
    clock.advance(10 * MINUTE_MS - 1);
    expect((await read()).asked).toEqual(['latest']);
    clock.advance(1);
    expect((await read()).asked).toContain('history');
  });
});

describe('a model without an energy flow', () => {
  const answers: DeviceAnswers = { ...WITHOUT_FEED_IN, flow: NO_FLOW_RULE };

  test('is not asked for it again, not even when it is learnt again', async () => {
    const { read, clock, log } = createReader(answers);
    expect((await read()).asked).toEqual(['history', 'latest', 'flow']);
    for (let day = 0; day < 3; day += 1) {
      expect((await read()).asked).toEqual(['history']);
      clock.advance(DAY_MS);
      expect((await read()).asked).toEqual(['history', 'latest']);
    }
    expect(log.messages('info')).toEqual([NO_FLOW_MESSAGE]);
  });

  test('is logged once for each device', async () => {
    const { read, log } = createReader(answers);
    await read('1');
    await read('2');
    await read('1');
    expect(
      log.lines.filter(({ level }) => level === 'info').map(({ fields }) => fields['device_id']),
    ).toEqual(['1', '2']);
  });
});

describe('a service that has only the endpoints of the interface', () => {
  const answers: DeviceAnswers = { history: SIX };

  test('gives the readings of the interface', async () => {
    const { read } = createReader(answers);
    const { asked, measured, report } = await read();
    expect(asked).toEqual(['history', 'latest', 'attributes', 'flow']);
    expect(measured).toEqual(SIX_MEASURED);
    expect(report.dialect).toEqual({
      family: 'classic',
      source: 'history',
      missing: ['gridFeedInPowerWatts'],
      unknownKeys: [],
    });
  });

  test('is asked for more a day later, and not before', async () => {
    const { read, clock, keysAsked, log } = createReader(answers);
    await read();
    clock.advance(DAY_MS - 1);
    expect((await read()).asked).toEqual(['history']);
    clock.advance(1);
    expect((await read()).asked).toEqual(['history', 'latest', 'attributes', 'flow']);
    expect((await read()).asked).toEqual(['history']);
    expect(new Set(keysAsked.map((keys) => keys.join()))).toEqual(new Set([INTERFACE_KEYS.join()]));
    expect(log.messages('warn')).toEqual([]);
  });

  test('is asked again after an hour while the device has no value', async () => {
    const { read, clock } = createReader({ history: {} });
    expect((await read()).asked).toEqual(['history', 'latest', 'attributes', 'flow']);
    clock.advance(HOUR_MS - 1);
    expect((await read()).asked).toEqual(['history']);
    clock.advance(1);
    expect((await read()).asked).toEqual(['history', 'latest', 'attributes', 'flow']);
  });
});

describe('a request that times out while a device is learnt', () => {
  test('does not fail the reading, and is repeated after ten minutes', async () => {
    const { read, clock, device } = createReader({ ...WITHOUT_FEED_IN, latest: TIMED_OUT });
    const { asked, measured } = await read();
    // The other endpoints might delay the reading by another time-out each.
    expect(asked).toEqual(['history', 'latest']);
    expect(measured).toMatchObject({ pvPowerWatts: 1200, acOutputPowerWatts: 850 });
    clock.advance(10 * MINUTE_MS - 1);
    expect((await read()).asked).toEqual(['history']);
    device.answers = WITHOUT_FEED_IN;
    clock.advance(1);
    expect((await read()).asked).toEqual(['history', 'latest', 'flow']);
    clock.advance(DAY_MS - 1);
    expect((await read()).asked).toEqual(['history']);
  });

  test('does not fail the reading at the energy flow either, and is repeated after ten minutes', async () => {
    const { read, clock } = createReader({ ...WITHOUT_FEED_IN, flow: TIMED_OUT });
    expect((await read()).asked).toEqual(['history', 'latest', 'flow']);
    clock.advance(10 * MINUTE_MS - 1);
    expect((await read()).asked).toEqual(['history']);
    clock.advance(1);
    expect((await read()).asked).toContain('flow');
  });

  test.each([
    'SERVICE_UNREACHABLE',
    'SERVICE_SERVER_ERROR',
    'SERVICE_RATE_LIMITED',
    'SERVICE_AUTH_REJECTED',
    'SERVICE_PAYLOAD_INVALID',
  ] as const)('is repeated like one that fails with %s', async (fails) => {
    const { read, clock } = createReader({ ...WITHOUT_FEED_IN, flow: { fails } });
    await read();
    clock.advance(10 * MINUTE_MS);
    expect((await read()).asked).toContain('flow');
  });

  test.each(['SERVICE_API_REFUSED', 'SERVICE_REQUEST_REJECTED'] as const)(
    'is repeated sooner than one that fails with %s, which is repeated a day later',
    async (fails) => {
      const { read, clock } = createReader({ ...WITHOUT_FEED_IN, flow: { fails } });
      await read();
      clock.advance(DAY_MS - 1);
      expect((await read()).asked).toEqual(['history']);
      clock.advance(1);
      expect((await read()).asked).toContain('flow');
    },
  );

  test('does not cause the warning about an unknown family', async () => {
    const { read, log } = createReader({ history: {}, latest: TIMED_OUT, flow: TIMED_OUT });
    await read();
    expect(log.messages('warn')).toEqual([]);
  });

  test('leaves the known profile in use when it is learnt again', async () => {
    const { read, clock, device } = createReader(HPVINV02);
    await read();
    const before = await read();
    device.answers = {
      ...HPVINV02,
      latest: TIMED_OUT,
      attributes: TIMED_OUT,
      flow: TIMED_OUT,
    };
    clock.advance(DAY_MS);
    const during = await read();
    expect(during.measured).toEqual(before.measured);
    expect(during.report.dialect).toEqual(before.report.dialect);
    clock.advance(10 * MINUTE_MS - 1);
    expect((await read()).asked).toEqual(['history']);
    device.answers = HPVINV02;
    clock.advance(1);
    const after = await read();
    expect(after.asked).toEqual(['history', 'latest', 'attributes', 'history']);
    expect(after.measured).toEqual(before.measured);
  });

  test('is repeated while the best source refuses to answer', async () => {
    const { read, attempt, clock, device } = createReader(UWB1);
    await read();
    const before = await read();
    expect(before.asked).toEqual(['flow']);
    device.answers = { ...UWB1, flow: { fails: 'SERVICE_REQUEST_REJECTED' } };
    clock.advance(10 * MINUTE_MS);
    await attempt();
    // Meanwhile the device is read from the second-best source.
    expect((await read()).asked).toEqual(['history', 'latest', 'flow', 'history']);
    clock.advance(10 * MINUTE_MS);
    await read();
    device.answers = UWB1;
    clock.advance(HOUR_MS);
    expect((await read()).measured).toEqual(before.measured);
    expect((await read()).asked).toEqual(['flow']);
  });

  test('throws when it is a bug of ours', async () => {
    const { read, transport } = createReader(WITHOUT_FEED_IN);
    const usual = transport.answer;
    transport.answer = (request) => {
      if (request.url.pathname === '/latest') throw new TypeError('not a function');
      return usual(request);
    };
    await expect(read()).rejects.toThrow(TypeError);
  });
});

describe('a reading that fails', () => {
  test('asks one endpoint, and no other one afterwards', async () => {
    const { attempt } = createReader({ ...HPVINV02, history: TIMED_OUT });
    expect(await attempt()).toEqual({ code: 'SERVICE_TIMEOUT', asked: ['history'] });
    expect(await attempt()).toEqual({ code: 'SERVICE_TIMEOUT', asked: ['history'] });
  });

  test('asks the source of the profile, and keeps the profile', async () => {
    const { read, attempt, device } = createReader(UWB1);
    await read();
    device.answers = { ...UWB1, flow: TIMED_OUT };
    expect(await attempt()).toEqual({ code: 'SERVICE_TIMEOUT', asked: ['flow'] });
    device.answers = UWB1;
    expect((await read()).asked).toEqual(['flow']);
  });
});

describe('the daily refresh', () => {
  test('learns what has changed', async () => {
    const { read, clock, device } = createReader(HPVINV02);
    await read();
    // Another firmware counts in watts.
    device.answers = {
      history: { ...HPVINV02_HISTORY, pvPower: 1300 },
      latest: { ...HPVINV02_FIELDS, pvPower: [1300, 'W'] },
    };
    clock.advance(DAY_MS - 1);
    expect((await read()).asked).toEqual(['history']);
    clock.advance(1);
    const { asked, measured } = await read();
    expect(asked).toEqual(['history', 'latest', 'attributes', 'history']);
    expect(measured).toMatchObject({ pvPowerWatts: 1300 });
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 1300 });
  });

  test.each([
    { random: 0, share: 0.9 },
    { random: 1, share: 1.1 },
  ])('comes after $share days for the random number $random', async ({ random, share }) => {
    const { read, clock } = createReader(HPVINV02, { random });
    await read();
    clock.advance(share * DAY_MS - MINUTE_MS);
    expect((await read()).asked).toEqual(['history']);
    clock.advance(MINUTE_MS);
    expect((await read()).asked).toEqual(['history', 'latest', 'attributes', 'history']);
  });

  test('stops learning a device that now answers all seven keys', async () => {
    const { read, clock, device } = createReader(WITHOUT_FEED_IN);
    await read();
    device.answers = { history: SEVEN };
    clock.advance(DAY_MS);
    for (let reading = 0; reading < 3; reading += 1) {
      const { asked, report } = await read();
      expect(asked).toEqual(reading === 0 ? ['history', 'latest'] : ['history']);
      expect(report.dialect).toMatchObject({ family: 'classic', missing: [] });
    }
  });
});

describe('a device that is offline while it is learnt', () => {
  const OFFLINE: DeviceAnswers = { history: {}, latest: HPVINV02_FIELDS, ageMs: 3 * DAY_MS };

  test('is read from the source of its last values', async () => {
    const { read, clock } = createReader(OFFLINE);
    const { report } = await read();
    expect(report.newestAtMs).toBe(clock.nowMs() - 3 * DAY_MS);
    for (let reading = 0; reading < 5; reading += 1) {
      clock.advance(HOUR_MS);
      expect((await read()).asked).toEqual(['latest']);
    }
  });

  test('is learnt again when it comes back', async () => {
    const { read, clock, device } = createReader(OFFLINE);
    await read();
    device.answers = HPVINV02;
    clock.advance(MINUTE_MS);
    expect((await read()).asked).toEqual(['latest']);
    const { asked, report } = await read();
    expect(asked).toEqual(['history', 'latest', 'attributes', 'history']);
    expect(report.dialect).toMatchObject({ family: 'hpvinv02', source: 'history' });
    clock.advance(HOUR_MS);
    expect((await read()).asked).toEqual(['history']);
  });

  test('is online or offline by the clock of the service', async () => {
    const ageMs = 10 * MINUTE_MS;
    const { read, clock, serviceClock } = createReader({ ...HPVINV02, ageMs });
    serviceClock.observe(clock.nowMs() - 5 * DAY_MS);
    await read();
    expect((await read()).asked).toEqual(['history']);
    expect((await read()).asked).toEqual(['history']);
  });

  test('that answers all seven keys when it comes back is not learnt again', async () => {
    const latest = Object.fromEntries(
      Object.entries(SEVEN).map(([key, value]) => [key, [value]] as const),
    );
    const { read, device } = createReader({ history: {}, latest, ageMs: DAY_MS });
    expect((await read()).report.dialect).toMatchObject({ family: 'classic', source: 'latest' });
    device.answers = { history: SEVEN, latest };
    expect((await read()).asked).toEqual(['latest']);
    expect((await read()).asked).toEqual(['history', 'latest']);
    expect((await read()).asked).toEqual(['history']);
  });
});

describe('a family that has not been described', () => {
  const UNKNOWN: DeviceAnswers = {
    history: { batteryVoltage: 52.4 },
    latest: { solarYieldNow: [1200, 'W'], batteryVoltage: [52.4, 'V'], generationPower: [1.2] },
    flow: NO_FLOW_RULE,
  };

  test('is read by the rules that all families agree on', async () => {
    const { read } = createReader(UNKNOWN);
    const { measured, report } = await read();
    expect(measured).toEqual({ batteryVoltageVolts: 52.4 });
    expect(report.dialect).toMatchObject({
      family: 'unknown',
      unknownKeys: ['solarYieldNow', 'generationPower'],
    });
  });

  test('causes a warning once for each device, not for each reading', async () => {
    const { read, clock, log } = createReader(UNKNOWN);
    for (let day = 0; day < 3; day += 1) {
      await read('1');
      await read('1');
      await read('2');
      clock.advance(DAY_MS);
    }
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields }) => fields)).toEqual([
      { device_id: '1', unknown_keys: 2 },
      { device_id: '2', unknown_keys: 2 },
    ]);
    expect(warnings[0]?.message).toContain('devices --explain');
  });
});

describe("the user's rules", () => {
  const houseMeter = {
    key: 'houseMeter',
    reads: 'loadPowerWatts',
    unit: 'kW',
    families: [],
    sources: EVERYWHERE,
    confidence: 'user',
  } as const;

  test('add their keys to the first request', async () => {
    const { read, keysAsked } = createReader(
      { history: { ...SEVEN, houseMeter: 0.4 } },
      { userRules: [houseMeter] },
    );
    const { asked, measured } = await read();
    expect(asked).toEqual(['history', 'latest']);
    expect(keysAsked).toEqual([[...INTERFACE_KEYS, 'houseMeter']]);
    expect(measured).toEqual({ ...SEVEN_MEASURED, loadPowerWatts: 400 });
  });

  test('hold only for their model', async () => {
    const { read } = createReader(
      { history: { ...SEVEN, houseMeter: 0.4 } },
      { userRules: [{ ...houseMeter, model: 'XX1' }] },
    );
    expect((await read('1', 'XX2')).measured).toEqual(SEVEN_MEASURED);
    expect((await read('1', 'XX1')).measured).toMatchObject({ loadPowerWatts: 400 });
  });

  test('hold for a learnt profile, too', async () => {
    const { read, keysAsked } = createReader(
      { ...HPVINV02, history: { ...HPVINV02_HISTORY, houseMeter: 0.4 } },
      { userRules: [houseMeter] },
    );
    await read();
    expect((await read()).measured).toMatchObject({ loadPowerWatts: 400, pvPowerWatts: 1200 });
    expect(keysAsked.at(-1)).toContain('houseMeter');
  });

  test('may exclude a key of the interface', async () => {
    const { read } = createReader(
      { history: SEVEN, latest: {}, attributes: {}, flow: {} },
      { userRules: [{ ...houseMeter, key: 'feedInPower', reads: 'nothing' }] },
    );
    const { report, measured } = await read();
    expect(report.dialect.missing).toEqual(['gridFeedInPowerWatts']);
    expect(measured).not.toHaveProperty('gridFeedInPowerWatts');
  });
});

describe('the alarms of a latest state', () => {
  const firingAlarms = [{ key: 'lineLoss', level: 2 }];
  const LATEST: DeviceAnswers = { history: {}, latest: HPVINV02_FIELDS, firingAlarms };

  test('are stored with the reading, with the time of the state by our clock', async () => {
    const { read, reader, clock, serviceClock, device } = createReader(LATEST);
    serviceClock.observe(clock.nowMs() + 2 * HOUR_MS);
    await read();
    const alarm = { deviceId: '1', key: 'lineLoss', level: 'warning' };
    const observedAtMs = clock.nowMs() - MINUTE_MS;
    expect(reader.firingAlarms('1')).toEqual([{ ...alarm, observedAtMs }]);
    device.answers = { ...LATEST, firingAlarms: [] };
    expect(reader.firingAlarms('1')).toEqual([{ ...alarm, observedAtMs }]);
    await read();
    expect(reader.firingAlarms('1')).toEqual([]);
  });

  test('of a state without a time are undated', async () => {
    const { read, reader } = createReader({ ...LATEST, isUndated: true });
    const { report } = await read();
    expect(report.newestAtMs).toBeUndefined();
    expect(reader.firingAlarms('1')).toEqual([
      { deviceId: '1', key: 'lineLoss', level: 'warning', observedAtMs: undefined },
    ]);
  });

  test('belong to one device', async () => {
    const { read, reader } = createReader(LATEST);
    await read('1');
    expect(reader.firingAlarms('2')).toBeUndefined();
  });

  test('are forgotten with the device', async () => {
    const { read, reader } = createReader(LATEST);
    await read('1');
    reader.forget('1');
    expect(reader.firingAlarms('1')).toBeUndefined();
  });

  test.each<{ where: string; answers: DeviceAnswers }>([
    { where: 'by the keys of the interface', answers: { history: SEVEN } },
    { where: 'from the time series', answers: { ...HPVINV02, firingAlarms } },
    { where: 'from the energy flow', answers: { ...UWB1, firingAlarms } },
  ])('are unknown of a device that is read $where', async ({ answers }) => {
    const { read, reader } = createReader(answers);
    await read();
    await read();
    expect(reader.firingAlarms('1')).toBeUndefined();
  });

  test.each<{ where: string; answers: DeviceAnswers }>([
    { where: 'by the keys of the interface', answers: { history: SEVEN } },
    { where: 'from the time series', answers: { ...HPVINV02, firingAlarms } },
  ])('are forgotten when the device is read $where', async ({ answers }) => {
    const { read, reader, clock, device } = createReader(LATEST);
    await read();
    expect(reader.firingAlarms('1')).toHaveLength(1);
    device.answers = answers;
    clock.advance(DAY_MS);
    await read();
    expect(reader.firingAlarms('1')).toBeUndefined();
  });
});

describe('learning on request', () => {
  test('returns everything that was seen', async () => {
    const { reader, clock, serviceClock } = createReader(HPVINV02);
    serviceClock.observe(clock.nowMs() + 2 * HOUR_MS);
    const { profile, answers, probes, serviceNowMs } = await reader.learn({ deviceId: '1' });
    expect(serviceNowMs).toBe(clock.nowMs() + 2 * HOUR_MS);
    expect(profile).toMatchObject({ family: 'hpvinv02', source: 'history', missing: [] });
    expect(answers.map(({ source }) => source)).toEqual(['history', 'latest', 'flow']);
    expect(probes.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`)).toEqual([
      'latest-state ok',
      'attributes SERVICE_REQUEST_REJECTED',
      'history ok',
    ]);
  });

  test.each([
    { latest: {}, outcome: 'empty' },
    { latest: undefined, outcome: 'SERVICE_REQUEST_REJECTED' },
    { latest: NO_FLOW_RULE, outcome: 'SERVICE_API_REFUSED' },
  ])('returns the outcome of each request: $outcome', async ({ latest, outcome }) => {
    const { reader } = createReader({ history: SIX, ...(latest !== undefined && { latest }) });
    const { probes } = await reader.learn({ deviceId: '1' });
    expect(probes[0]).toMatchObject({ endpoint: 'latest-state', outcome });
  });

  test('asks the latest state of a device that answers all seven keys, too', async () => {
    const { reader, transport } = createReader({
      history: SEVEN,
      latest: WITHOUT_FEED_IN.latest ?? {},
    });
    const { profile } = await reader.learn({ deviceId: '1' });
    expect(profile).toMatchObject({ family: 'classic', source: 'history', missing: [] });
    expect(transport.requests.map(({ url }) => url.pathname)).toEqual(['/history', '/latest']);
  });
});

test('each request names the device and the source of its values', async () => {
  const { read, transport } = createReader({ history: {}, latest: {}, attributes: {}, flow: {} });
  await read('100000000000000001');
  expect(
    transport.requests.map(({ url, body }) => [url.pathname + url.search, body === undefined]),
  ).toEqual([
    ['/history', false],
    ['/latest?deviceId=100000000000000001&dataSource=1', true],
    ['/attributes?deviceId=100000000000000001&category=1&renderIn=2', true],
    ['/flow?deviceId=100000000000000001&dataSource=1', true],
  ]);
});

describe('the time series of a device', () => {
  test('is read by what is known of the device, without another request', async () => {
    const { reader, read, transport } = createReader(HPVINV02);
    await read();
    const requests = transport.bodies.length;
    const { keys, spoken } = await reader.seriesDialect({ deviceId: '1' });
    expect(transport.bodies).toHaveLength(requests);
    expect(spoken.family).toBe('hpvinv02');
    expect(keys).toEqual(expect.arrayContaining(['pvPower', 'outputActivePower']));
  });

  test('is read by the keys of the interface and their units where the device has all', async () => {
    const { reader } = createReader({
      history: { ...SEVEN, pvInputPower: 1.2 },
      latest: { pvInputPower: [1.2, 'kW'] },
    });
    const { keys, spoken, decode } = await reader.seriesDialect({ deviceId: '1' });
    expect(keys).toEqual(INTERFACE_KEYS);
    expect(spoken.family).toBe('classic');
    const { measurements } = decode([{ key: 'pvInputPower', number: { value: 2.5 } }], 0);
    expect(measurements).toEqual([{ quantity: 'pvPowerWatts', part: '', value: 2500 }]);
  });

  test('waits for a reading that is under way, and learns nothing twice', async () => {
    const { reader, transport } = createReader(HPVINV02);
    const alone = createReader(HPVINV02);
    await alone.reader.read({ deviceId: '1' });
    const [, dialect] = await Promise.all([
      reader.read({ deviceId: '1' }),
      reader.seriesDialect({ deviceId: '1' }),
    ]);
    expect(dialect.spoken.family).toBe('hpvinv02');
    expect(transport.bodies).toHaveLength(alone.transport.bodies.length);
  });

  test('is not known while the device cannot be read', async () => {
    const { reader } = createReader({ history: TIMED_OUT });
    await expect(reader.seriesDialect({ deviceId: '1' })).rejects.toMatchObject({
      code: 'SERVICE_TIMEOUT',
    });
  });
});
