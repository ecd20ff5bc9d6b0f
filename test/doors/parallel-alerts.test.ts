import { expect, test } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { recordScrapes } from '../support/rules.ts';
import { MINUTE_MS, startBoth } from './house.ts';

const STEP_MINUTES = 4;

test.skipIf(!hasProgram('promtool'))(
  'inverters in parallel alert once each, and of nothing in a night',
  async () => {
    const simulator = { family: 'hpvinv02', devicesPerStation: 2, parallel: true } as const;
    // An hour before sunset at the station. At 3:00 the house draws from the grid what it needs.
    const house = await startBoth({ now: '2026-03-13T09:00:00Z', simulator });
    const { clock, stationId, simulator: service } = house;
    const [first = '', second = ''] = service.deviceIds(stationId);
    /** What the newest states say otherwise than the simulator would, by key. */
    const said = { ofFirst: {}, ofSecond: {} };
    service.setFault('latest-state', {
      kind: 'altered',
      alter: (body, { query }) => {
        const answer = JSON.parse(body) as { data: { fields: Record<string, { value: unknown }> } };
        const { fields } = answer.data;
        const isFirst = query.get('deviceId') === first;
        const words = {
          // Its nights are not so long, and the BMS of the battery answers only the first one.
          batteryCapacity: 21 + Number(fields['batteryCapacity']?.value) / 2,
          bmsCommunicationNormal: Number(isFirst),
          ...(isFirst ? said.ofFirst : said.ofSecond),
        };
        for (const [key, value] of Object.entries(words)) fields[key] = { ...fields[key], value };
        return JSON.stringify(answer);
      },
    });
    const recording = recordScrapes(clock.nowMs(), STEP_MINUTES);
    let minute = 0;
    const told: (readonly [string, string?])[] = [];
    const ask = (expr: string, alerts: typeof told) => {
      const samples = alerts.map(([alertname, device]) => {
        const labels = `alertname="${alertname}"${device ? `,device_id="${device}"` : ''}`;
        return { labels: `{${labels}}`, value: 1 };
      });
      const counted = `count by (alertname, device_id) (${expr})`;
      return [counted, minute - STEP_MINUTES, ...samples] as const;
    };
    const questions: ReturnType<typeof ask>[] = [];
    /** Scrapes for so long, after which these alerts fire; returns how many devices the sums lack then. */
    const goOn = async (minutes: number, ...alerts: typeof told) => {
      for (const endMinute = minute + minutes; minute < endMinute; minute += STEP_MINUTES) {
        recording.store('a', await house.scrape(), minute / STEP_MINUTES);
        clock.advance(STEP_MINUTES * MINUTE_MS);
      }
      questions.push(ask('ALERTS{alertstate="firing"}', alerts));
      told.push(...alerts);
      return (await house.scrape()).value('solar_station_devices_missing');
    };
    expect(await goOn(10 * 60)).toBe(0);
    questions.push(ask('max_over_time(ALERTS{station_id!=""}[1d])', []));
    said.ofFirst = said.ofSecond = { mainsPower: 6 };
    await goOn(32);
    said.ofFirst = {};
    said.ofSecond = { batteryCapacity: 18 };
    await goOn(44, ['SolarBatteryLow', second]);
    said.ofSecond = {};
    await goOn(44);
    service.setOffline(first, clock.nowMs());
    expect(await goOn(60, ['SolarReadingStale', first], ['SolarDeviceNotReporting', first])).toBe(
      1,
    );
    service.setOffline(first, undefined);
    expect(await goOn(32)).toBe(0);
    said.ofFirst = said.ofSecond = { gridVoltage: 0, mainsFrequency: 0, mainsPower: 0 };
    await goOn(32, ['SolarGridOutage']);
    const everFiring = ask('max_over_time(ALERTS{alertstate="firing"}[2d])', told);
    const { status, output } = recording.judge([...questions, everFiring]);
    expect(status, output).toBe(0);
  },
);
