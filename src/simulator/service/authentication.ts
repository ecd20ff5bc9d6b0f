import { createHash } from 'node:crypto';
import { CODES, illegalArgument, Refusal, Rejection, success, type Reply } from './reply.ts';
import { header, jsonBody, stringField, type ServiceRequest } from './service-request.ts';
import { OWNER } from './inventory/account.ts';
import type { TokenPair } from './issued-tokens.ts';
import type { World } from './world.ts';

/** Logs in (interface endpoint 1, section 5.1). */
export function login(request: ServiceRequest, world: World): Reply {
  refuseToken(request, world);
  const body = jsonBody(request);
  world.signatures.verify(request);
  if (stringField(body, 'account') !== world.options.account)
    throw new Refusal(CODES.unknownAccount, 'account error');
  const expected = createHash('md5').update(world.options.password).digest('hex');
  if (stringField(body, 'password') !== expected)
    throw new Refusal(CODES.wrongPassword, 'password error');
  return tokenSet(world.tokens.grant(), world);
}

/** Trades a refresh token for a new pair (interface endpoint 2), in the form the options ask for. */
export function refresh(request: ServiceRequest, world: World): Reply {
  refuseToken(request, world);
  const body = jsonBody(request);
  const isPair = world.options.refreshForm === 'pair';
  const accessToken = isPair ? stringField(body, 'accessToken') : undefined;
  const refreshToken = stringField(body, 'refreshToken');
  if (isPair) verifyPairSignature(request, world);
  const pair = world.tokens.rotate(refreshToken, accessToken);
  if (pair === undefined) throw new Rejection(401, 'Unauthorized');
  return tokenSet(pair, world);
}

/** Ends the session of the token that comes along. */
export function logOut(request: ServiceRequest, world: World): Reply {
  world.tokens.revoke(header(request, 'IOT-Token') ?? '');
  return success(null);
}

/**
 * Accepts a data request (interface 5.2), or throws code 20101, or status 401 for its token; the
 * portal has code 9 instead (field notes 4.1).
 */
export function authorize(request: ServiceRequest, world: World): void {
  if (!world.tokens.isValid(header(request, 'IOT-Token') ?? ''))
    throw world.options.portal === true
      ? new Refusal(CODES.tokenExpired, 'Token expired')
      : new Rejection(401, 'Unauthorized');
  // It may be missing (field notes 8.2), but what is there has to be a zone.
  const zone = request.headers['iot-time-zone'];
  if (zone !== undefined && (typeof zone !== 'string' || !world.zones.isKnown(zone)))
    throw illegalArgument('IOT-Time-Zone');
}

/**
 * Throws code 20101 for a token where the interface has none (5.2). Web clients send the word
 * `null` before they log in; to the portal they send the token of their last session as well.
 */
function refuseToken(request: ServiceRequest, { options }: World): void {
  const token = request.headers['iot-token'];
  if (token !== undefined && token !== 'null' && options.portal !== true)
    throw illegalArgument('IOT-Token');
}

/** Throws code 20101 for a wrong signature: the portal reports it as an illegal argument. */
function verifyPairSignature(request: ServiceRequest, world: World): void {
  try {
    world.signatures.verify(request);
  } catch {
    throw illegalArgument('signature');
  }
}

function tokenSet(pair: TokenPair, world: World): Reply {
  const nowMs = world.clock.nowMs();
  return success({
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
  });
}
