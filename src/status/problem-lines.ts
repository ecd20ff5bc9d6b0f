import type { Collected } from '../metrics/scrape.ts';
import { PROBLEM_METRICS, type KnownProblem } from '../metrics/definitions.ts';
import type { AccountView } from '../metrics/self.ts';
import type { ProblemLines } from '../metrics/station-pages.ts';
import { devicesCollector } from '../collectors/inventory.ts';
import { type Labels, samplesOf } from '../collectors/metric.ts';
import type { Shown } from '../collectors/target.ts';
import type { StationTargets } from '../collectors/station-targets.ts';
import { describeDevices } from './describe.ts';
import { accountProblems, problemsOfDevice, problemsOfStation } from './problems.ts';
import type { DeviceStatus } from './status.ts';

interface LinesOptions {
  readonly collection: Pick<Collected, 'status'>;
  readonly account: Pick<AccountView, 'sessionStatus'>;
  readonly stationOf: (stationId: string) => StationTargets | undefined;
}

/** Makes the lines of a page that say what is wrong, of the same values as the rest of the page. */
export function problemLines({ collection, account, stationOf }: LinesOptions): ProblemLines {
  return {
    ofAccount() {
      const statuses = collection.status();
      const ofAccount = statuses.find(({ stationId }) => stationId === undefined);
      const length = ofAccount === undefined ? statuses.length : statuses.length - 1;
      const known = { account: ofAccount?.outcomes ?? [], stations: { length } };
      return lines(accountProblems({ ...known, session: account.sessionStatus() }), {});
    },

    *ofStation(stationId) {
      const station = stationOf(stationId);
      if (station === undefined) return;
      const devices: DeviceStatus[] = [];
      for (const device of describeDevices(station)) {
        devices.push(device);
        const labels = { station_id: stationId, device_id: device.deviceId };
        // One after the other, because others have their turn in between.
        yield lines(problemsOfDevice(device), labels);
      }
      const { isUp, outcomes: collectors } = station.status();
      const [listing] = station.shown(devicesCollector).values();
      const { zoneProblem } = listing?.value ?? {};
      const ofStation = problemsOfStation({ isUp, collectors, devices, zoneProblem });
      yield lines(ofStation, { station_id: stationId });
    },
  };
}

function lines(of: Iterable<KnownProblem>, labels: Labels): Shown {
  const problems = [...of];
  return { untilMs: Infinity, samples: () => samplesOf(PROBLEM_METRICS, problems, labels) };
}
