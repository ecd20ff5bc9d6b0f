import type { ServiceApi } from '../../client/client.ts';
import type { MaxAge } from '../../model/cadence.ts';
import type { Device } from '../../model/station.ts';
import { collectMonth, type MonthPart, type PastPage } from '../collect-month.ts';
import { PastEnergies } from '../past-energies.ts';
import { type DeviceGaps, GapsByDevice } from './gaps-by-device.ts';
import type { HistoryTarget, Written } from './history-target.ts';
import { type ServicePatience, StoppedError } from './patience.ts';

/** A part that is still to be written, with the devices that it is about. */
export interface PlannedPart {
  readonly part: MonthPart;
  readonly devices: readonly Device[];
}

/** Is told how far a run has come. */
export interface RunObserver {
  readonly partBegan: (planned: PlannedPart) => void;
  readonly pageRead: (planned: PlannedPart, page: PastPage) => void;
  readonly partEnded: (planned: PlannedPart, written: Written) => void;
}

export interface RunOptions {
  readonly api: Pick<ServiceApi, 'fetchPastReadings' | 'fetchPastEnergies'>;
  readonly target: HistoryTarget;
  readonly stepMs: number;
  /** When readings are withdrawn. */
  readonly maxAge: MaxAge;
  /** Whether energy is counted and the service's own energies are asked for. */
  readonly isEnergyWanted: boolean;
  readonly patience: Pick<ServicePatience, 'ask'>;
  /** Ends the run after the part in work, and every wait at once. */
  readonly stop: AbortSignal;
  readonly observer: RunObserver;
}

/** How a run has ended: with what it has done, and what it failed of, if it failed. */
export interface EndedRun {
  readonly outcome: RunOutcome;
  readonly error: Error | undefined;
}

/** What a run has done. */
export interface RunOutcome {
  readonly written: readonly Written[];
  /** What the service does not have. */
  readonly gaps: readonly DeviceGaps[];
  /** Whether it ended before all was written, because the person asked it to. */
  readonly isStopped: boolean;
}

/** Returns what a target still lacks, in the order of the parts. @throws ConfigError when a part does not fit there. */
export function planRun(
  wanted: readonly PlannedPart[],
  target: Pick<HistoryTarget, 'missing'>,
): readonly PlannedPart[] {
  return wanted.flatMap(({ part, devices }) => {
    const missing = target.missing(part, idsOf(devices));
    return missing === undefined ? [] : [{ part: missing, devices }];
  });
}

/**
 * Asks for one part after the other and writes each as soon as it is complete, so that no more than one is held
 * in memory, and nothing is lost when the run ends. A run that fails keeps what it has done: it resolves to the
 * error of the service, of the database or of the system as well.
 */
export async function runHistory(
  plan: readonly PlannedPart[],
  { api, target, patience, stop, observer, ...options }: RunOptions,
): Promise<EndedRun> {
  const { stepMs, maxAge, isEnergyWanted } = options;
  const energies = isEnergyWanted ? new PastEnergies(api, patience.ask) : undefined;
  const gaps = new GapsByDevice();
  const written: Written[] = [];
  const ended = (isStopped: boolean, error?: Error): EndedRun => ({
    outcome: { written, gaps: gaps.all(), isStopped },
    error,
  });
  for (const planned of plan) {
    if (stop.aborted) return ended(true);
    const { part, devices } = planned;
    observer.partBegan(planned);
    try {
      const month = await collectMonth(part, devices, api, {
        stepMs,
        maxAge,
        patiently: patience.ask,
        energies,
        onPage: (page) => observer.pageRead(planned, page),
      });
      const one = await target.write(part, idsOf(devices), month);
      written.push(one);
      gaps.add(month.readings);
      observer.partEnded(planned, one);
    } catch (error) {
      if (error instanceof StoppedError) return ended(true);
      return ended(false, error instanceof Error ? error : new Error(String(error)));
    }
  }
  return ended(false);
}

function idsOf(devices: readonly Device[]): readonly string[] {
  return devices.map(({ deviceId }) => deviceId);
}
