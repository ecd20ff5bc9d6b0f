import { outcomeOf, ServiceError } from '../errors.ts';
import type { Alarm } from '../model/alarm.ts';
import type { AskedDevice, DeviceQuestions } from './device-questions.ts';
import type { FieldSample } from './dialects/field-sample.ts';
import { isFinalRefusal } from './retry.ts';
import { NO_ENERGY_FLOW_CODE } from './service-codes.ts';

/** The places where a device is looked for, after the first look at its time series. */
export type ProbedPlace = 'latest-state' | 'attributes' | 'energy-flow' | 'history';

/** How a look at one of them went: `ok`, or the code of the error. */
export interface ProbedAnswer {
  readonly place: ProbedPlace;
  readonly outcome: string;
  readonly samples: readonly FieldSample[];
  readonly firingAlarms: readonly Alarm[];
  /** When the device said all this, by the service's clock; only latest states are dated so. */
  readonly measuredAtMs?: number | undefined;
  /** Whether the same question may be answered later. */
  readonly isWorthRepeating: boolean;
  /** Whether nobody answered: the next question would fare no better. */
  readonly isOutage: boolean;
  /** Whether the service seems to have no such place at all. */
  readonly isMissing: boolean;
  /** Whether the service will never answer it for this device. */
  readonly isHopeless: boolean;
}

/**
 * Looks at one place; what goes wrong there is an outcome, and no reason to fail the reading.
 *
 * @param keys - what the time series is asked for.
 */
export async function probe(
  place: ProbedPlace,
  device: AskedDevice,
  questions: DeviceQuestions,
  keys: readonly string[],
): Promise<ProbedAnswer> {
  try {
    const answer = await ask(place, device, questions, keys);
    const outcome = answer.samples.length === 0 ? 'empty' : 'ok';
    return {
      place,
      outcome,
      ...answer,
      isWorthRepeating: false,
      isOutage: false,
      isMissing: false,
      isHopeless: false,
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return {
      place,
      outcome: outcomeOf(error),
      samples: [],
      firingAlarms: [],
      isOutage: !isFinalRefusal(error),
      // A broken answer, such as a maintenance page, is nobody's refusal.
      isWorthRepeating: !isFinalRefusal(error) || error.code === 'SERVICE_PAYLOAD_INVALID',
      isMissing: error.code === 'SERVICE_REQUEST_REJECTED',
      isHopeless: error.serviceCode === NO_ENERGY_FLOW_CODE,
    };
  }
}

async function ask(
  place: ProbedPlace,
  device: AskedDevice,
  questions: DeviceQuestions,
  keys: readonly string[],
): Promise<Pick<ProbedAnswer, 'samples' | 'firingAlarms' | 'measuredAtMs'>> {
  const probing = questions.asProbes();
  switch (place) {
    case 'latest-state':
      return probing.latestState(device);
    case 'attributes':
      return { samples: await probing.attributes(device), firingAlarms: [] };
    case 'history':
      return { samples: await questions.history(device, keys), firingAlarms: [] };
    case 'energy-flow':
      return { samples: await probing.energyFlow(device), firingAlarms: [] };
  }
}
