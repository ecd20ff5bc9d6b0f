import { createHash } from 'node:crypto';
import { isTimeZone } from '../../base/time-zone-name.ts';
import { OWNER } from './inventory.ts';
import { CODES, illegalArgument, Refusal, Rejection } from './reply.ts';
import type { Call } from './call.ts';
import type { TokenPair } from './issued-tokens.ts';

/** Logs in (interface endpoint 1, section 5.1). */
export function login(call: Call): unknown {
  const { options, signatures, tokens } = call.world;
  refuseToken(call);
  const { body } = call;
  signatures.verify(call);
  if (call.text('account', body) !== options.account)
    throw new Refusal(CODES.unknownAccount, 'account error');
  const expected = createHash('md5').update(options.password).digest('hex');
  if (call.text('password', body) !== expected)
    throw new Refusal(CODES.wrongPassword, 'password error');
  return tokenSet(tokens.grant(), call);
}

/** Trades a refresh token for a new pair (interface endpoint 2), in the form the options ask for. */
export function refresh(call: Call): unknown {
  refuseToken(call);
  const isPair = call.world.options.refreshForm === 'pair';
  const accessToken = isPair ? call.text('accessToken') : undefined;
  const refreshToken = call.text('refreshToken');
  if (isPair) verifyPairSignature(call);
  const pair = call.world.tokens.rotate(refreshToken, accessToken);
  if (pair === undefined) throw new Rejection(401, 'Unauthorized');
  return tokenSet(pair, call);
}

/**
 * Accepts a data request (interface 5.2), or throws code 20101, or status 401 for its token; the
 * portal has code 9 instead (field notes 4.1).
 */
export function authorize(call: Call): void {
  if (!call.world.tokens.isValid(call.header('IOT-Token') ?? ''))
    throw call.world.options.portal === true
      ? new Refusal(CODES.tokenExpired, 'Token expired')
      : new Rejection(401, 'Unauthorized');
  // It may be missing (field notes 8.2), but what is there has to be a zone.
  const zone = call.request.headers['iot-time-zone'];
  if (zone !== undefined && (typeof zone !== 'string' || !isTimeZone(zone)))
    throw illegalArgument('IOT-Time-Zone');
}

/**
 * Throws code 20101 for a token where the interface has none (5.2). Web clients send the word
 * `null` before they log in; to the portal they send the token of their last session as well.
 */
function refuseToken({ request, world }: Call): void {
  const token = request.headers['iot-token'];
  if (token !== undefined && token !== 'null' && world.options.portal !== true)
    throw illegalArgument('IOT-Token');
}

/** Throws code 20101 for a wrong signature: the portal reports it as an illegal argument. */
function verifyPairSignature(call: Call): void {
  try {
    call.world.signatures.verify(call);
  } catch {
    throw illegalArgument('signature');
  }
}

function tokenSet(pair: TokenPair, { world }: Call): unknown {
  const nowMs = world.clock.nowMs();
  return {
    accessToken: pair.accessToken,
    accessTokenWillExpiredAt: new Date(pair.accessExpiresAtMs).toISOString(),
    accessTokenWillExpiredInMillis: String(pair.accessExpiresAtMs - nowMs),
    refreshToken: pair.refreshToken,
    refreshTokenWillExpiredAt: new Date(pair.refreshExpiresAtMs).toISOString(),
    refreshTokenWillExpiredInMillis: String(pair.refreshExpiresAtMs - nowMs),
    account: world.options.account,
    ...OWNER,
    userType: 1,
    isAdmin: false,
    isStationOwner: true,
    ticket: null,
    themeColor: null,
  };
}
