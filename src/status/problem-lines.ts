import type { Collected } from '../metrics/scrape.ts';
import { PROBLEM_METRICS, type KnownProblem } from '../metrics/definitions.ts';
import type { AccountView } from '../metrics/self.ts';
import type { ProblemLines } from '../metrics/station-pages.ts';
import { alarmsCollector } from '../collectors/alarms.ts';
import { devicesCollector } from '../collectors/inventory.ts';
import { type Labels, samplesOf } from '../collectors/metric.ts';
import { readingsCollector } from '../collectors/readings.ts';
import type { Shown, ShownValue } from '../collectors/target.ts';
import type { StationTargets } from '../collectors/station-targets.ts';
import type { Readings } from '../model/readings.ts';
import { describeAlarm, judgedReadings } from './describe-devices.ts';
import { figures } from './known-fields.ts';
import {
  accountProblems,
  type JudgedReadings,
  problemsOfDevice,
  problemsOfStation,
} from './problems.ts';
import type { DeviceStatus } from './status.ts';

interface LinesOptions {
  readonly collection: Pick<Collected, 'status'>;
  readonly account: Pick<AccountView, 'sessionStatus'>;
  readonly stationOf: (stationId: string) => StationTargets | undefined;
}

const NOTHING: Shown = { untilMs: Infinity, samples: () => [] };

/** Makes the lines of a page that say what is wrong, of the same values as the rest of the page. */
export function problemLines({ collection, account, stationOf }: LinesOptions): ProblemLines {
  /** What readings are judged by is read once for as long as the same is shown of a device. */
  const judged = new WeakMap<ShownValue<Readings>, JudgedReadings>();

  function judge(shown: ShownValue<Readings> | undefined): JudgedReadings {
    if (shown === undefined) return {};
    const known = judged.get(shown) ?? judgedReadings(shown.value);
    judged.set(shown, known);
    return known;
  }

  return {
    ofAccount() {
      const statuses = collection.status();
      const ofAccount = statuses.find(({ stationId }) => stationId === undefined);
      const length = ofAccount === undefined ? statuses.length : statuses.length - 1;
      const known = { account: ofAccount?.outcomes ?? [], stations: { length } };
      return lines([...accountProblems({ ...known, session: account.sessionStatus() })], {});
    },

    *ofStation(stationId) {
      const station = stationOf(stationId);
      if (station === undefined) return;
      const [listing] = station.shown(devicesCollector).values();
      const [alarms] = station.shown(alarmsCollector).values();
      const readings = station.shown(readingsCollector);
      const records = new Map(listing?.value.devices.map((one) => [one.deviceId, one]));
      const firing = new Map<string, DeviceStatus['alarms']>();
      for (const alarm of alarms?.value ?? []) {
        const { deviceId } = alarm;
        firing.set(deviceId, [...(firing.get(deviceId) ?? []), describeAlarm(alarm)]);
      }
      let isShown = false;
      for (const deviceId of new Set([...records.keys(), ...firing.keys(), ...readings.keys()])) {
        const ofReadings = judge(readings.get(deviceId));
        isShown ||= ofReadings.isReporting === true;
        const device = {
          ...ofReadings,
          ...figures({ unlistedSinceMs: records.get(deviceId)?.unlistedSinceMs }),
          alarms: firing.get(deviceId) ?? [],
        };
        // One after the other, because others have their turn in between.
        yield lines([...problemsOfDevice(device)], { station_id: stationId, device_id: deviceId });
      }
      const { isUp, outcomes: collectors } = station.status();
      const { zoneProblem } = listing?.value ?? {};
      const ofStation = problemsOfStation({ isUp, collectors, isShown, zoneProblem });
      yield lines([...ofStation], { station_id: stationId });
    },
  };
}

function lines(problems: readonly KnownProblem[], labels: Labels): Shown {
  if (problems.length === 0) return NOTHING;
  return { untilMs: Infinity, samples: () => samplesOf(PROBLEM_METRICS, problems, labels) };
}
