import { turn } from '../base/turns.ts';
import type { SessionStatus } from '../client/session/session.ts';
import type { CollectorOutcome } from '../collectors/run.ts';
import type { StationStatus } from '../collectors/station-collection.ts';
import type { RequestCount } from '../metrics/self.ts';
import { ACCOUNT_LABEL } from '../metrics/definitions.ts';
import type { DayCurve } from '../model/day-curve.ts';
import { describeCurve } from './describe-curve.ts';
import { describeStation, type StationValues } from './describe-station.ts';
import type { CollectorStatus, StationPageStatus, Status } from './status.ts';

/** Everything that a status is made of. */
export interface StatusParts {
  readonly atMs: number;
  readonly version: string;
  readonly telemetryPath: string;
  readonly areCredentialsIgnored: boolean;
  readonly accounts: readonly AccountParts[];
  /** How the account and its stations are doing. */
  readonly statuses: readonly StationStatus[];
  /** The collected values of a station; absent for one that is not collected. */
  readonly valuesOf: (stationId: string, account: string | undefined) => StationValues | undefined;
  /** Today's curve of a station; absent where nothing is known of today. */
  readonly curveOf: (stationId: string, account: string | undefined) => DayCurve | undefined;
}

/** What is known of an account beside its stations. */
interface AccountParts {
  /** Its name, where there are several. */
  readonly account: string | undefined;
  readonly session: SessionStatus;
  readonly isSimulated: boolean;
  readonly requests: readonly RequestCount[];
}

/**
 * Describes everything that is known, station by station; others have their turn between devices. The
 * values of a station are of one instant; those of a later station may be of a later one.
 */
export async function describeStatus({
  statuses,
  valuesOf,
  curveOf,
  accounts,
  areCredentialsIgnored,
  ...rest
}: StatusParts): Promise<Status> {
  const outcomesOf = new Map<string | undefined, readonly CollectorStatus[]>();
  const stations: StationPageStatus[] = [];
  for (const { stationId, labels, isUp, outcomes } of statuses) {
    if (turn.isOver()) await turn.next();
    const collectors = outcomes.map(describeOutcome);
    const account = labels?.[ACCOUNT_LABEL];
    const values = stationId === undefined ? undefined : valuesOf(stationId, account);
    if (stationId === undefined) outcomesOf.set(account, collectors);
    else if (values !== undefined) {
      const station = { ...named(account), stationId, isUp, collectors };
      const curve = curveOf(stationId, account);
      stations.push({
        ...(await describeStation(station, values)),
        ...(curve !== undefined && describeCurve(curve)),
      });
    }
  }
  const described = accounts.map(({ account = '', session, isSimulated }) => ({
    account,
    isSimulated,
    session,
    collectors: outcomesOf.get(account === '' ? undefined : account) ?? [],
  }));
  const isSimulated = accounts.every((account) => account.isSimulated);
  return {
    ...rest,
    isSimulated,
    areCredentialsIgnored,
    session: worstOf(accounts.map(({ session }) => session)),
    account: described.flatMap(({ account, collectors }) =>
      collectors.map((outcome) => ({ ...named(account), ...outcome })),
    ),
    ...(accounts.length > 1 && { accounts: described }),
    stations,
    requests: accounts.flatMap(({ account, requests }) =>
      requests.map((count) => ({ ...named(account), ...count })),
    ),
  };
}

/** Replaces the sessions of a status by those of this moment, in the order of the accounts. */
export function withSessions(status: Status, sessions: readonly SessionStatus[]): Status {
  const { accounts } = status;
  return {
    ...status,
    session: worstOf(sessions),
    ...(accounts !== undefined && {
      accounts: accounts.map((account, index) => ({
        ...account,
        session: sessions[index] ?? account.session,
      })),
    }),
  };
}

const NO_SESSION: SessionStatus = {
  mode: 'none',
  accessExpiresAtMs: undefined,
  isReauthenticationRequired: false,
  blockedUntilMs: undefined,
};

/** Returns the session that needs a person most, for who looks at one alone: else the first. */
function worstOf(sessions: readonly SessionStatus[]): SessionStatus {
  const refused = sessions.find(({ isReauthenticationRequired }) => isReauthenticationRequired);
  const blocked = sessions.find(({ blockedUntilMs }) => blockedUntilMs !== undefined);
  return refused ?? blocked ?? sessions[0] ?? NO_SESSION;
}

function named(account = ''): { readonly account?: string } {
  return account === '' ? {} : { account };
}

function describeOutcome({
  collector,
  code,
  durationSeconds,
  lastSuccessAtMs,
  isServed,
}: CollectorOutcome): CollectorStatus {
  return { collector, code, durationSeconds, lastSuccessAtMs, isServed };
}
