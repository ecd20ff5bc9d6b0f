import { createHash, createHmac } from 'node:crypto';
import { isTimeZone } from '../../base/time-zone.ts';
import { type Call, illegalArgument, Refusal, rejected } from './call.ts';
import type { TokenPair, World } from './world.ts';

const REFRESH_TOKEN_LIFETIME_MS = 30 * 86_400_000;

/** Issues a new pair. */
function grantTokens(world: World): TokenPair {
  const { clock, options } = world;
  const nowMs = clock.nowMs();
  world.granted += 1;
  // Derived from the seed, the count and the clock, so that a restart repeats none.
  const token = (kind: string, lifetimeMs: number) => ({
    text: hexOf('sha256', `${options.seed}|${kind}|${world.granted}|${nowMs}`).slice(0, 32),
    expiresAtMs: nowMs + lifetimeMs,
  });
  const pair = {
    access: token('access', options.tokenLifetimeMs),
    refresh: token('refresh', REFRESH_TOKEN_LIFETIME_MS),
  };
  const isAlive = ({ access, refresh }: TokenPair): boolean =>
    nowMs < Math.max(access.expiresAtMs, refresh.expiresAtMs);
  world.tokens = [...world.tokens.filter(isAlive), pair];
  return pair;
}

/** Finds the pair of a token that is accepted. */
function findTokens({ tokens, clock }: World, kind: keyof TokenPair, text: string | undefined) {
  const pair = tokens.find((one) => one[kind].text === text);
  return pair && clock.nowMs() < pair[kind].expiresAtMs ? pair : undefined;
}

/** Refuses every token of a kind that was issued so far. */
export function revokeTokens({ tokens }: World, kind: keyof TokenPair): void {
  for (const pair of tokens) pair[kind].expiresAtMs = -Infinity;
}

/** Logs in (service.md#tokens, #signature). */
export function login(call: Call): unknown {
  const { options, nonces } = call.world;
  refuseToken(call);
  const { body } = call;
  verifySignature(call, nonces);
  if (call.text('account', body) !== options.account) throw new Refusal(20_007, 'account error');
  if (call.text('password', body) !== hexOf('md5', options.password))
    throw new Refusal(7, 'password error');
  return tokenSet(grantTokens(call.world), call);
}

/** Trades a refresh token for a new pair (service.md#tokens): the portal takes both, signed like a login. */
export function refresh(call: Call): unknown {
  const { world } = call;
  const { nonces, options } = world;
  refuseToken(call);
  const accessToken = options.portal ? call.text('accessToken') : undefined;
  const pair = findTokens(world, 'refresh', call.text('refreshToken'));
  try {
    if (options.portal) verifySignature(call, nonces);
  } catch {
    // The portal reports it as an illegal argument.
    throw illegalArgument('signature');
  }
  const isItsAccessToken = accessToken === undefined || accessToken === pair?.access.text;
  if (pair === undefined || !isItsAccessToken) throw rejected(401);
  // Both old tokens become invalid at once.
  world.tokens = world.tokens.filter((one) => one !== pair);
  return tokenSet(grantTokens(world), call);
}

/** Accepts a data request (service.md#headers), or throws what its form says of a refused token (service.md#codes). */
export function authorize(call: Call): void {
  if (findTokens(call.world, 'access', call.header('IOT-Token')) === undefined)
    throw call.world.options.portal ? new Refusal(9, 'Token expired') : rejected(401);
  // It may be missing (service.md#headers), but what is there has to be a zone.
  const zone = call.request.headers['iot-time-zone'];
  if (zone !== undefined && (typeof zone !== 'string' || !isTimeZone(zone)))
    throw illegalArgument('IOT-Time-Zone');
}

/**
 * Throws code 20101 for a token where none is specified (service.md#headers). Web clients send the word
 * `null` before they log in; to the portal they send the token of their last session as well.
 */
function refuseToken({ request, world }: Call): void {
  const token = request.headers['iot-token'];
  if (token !== undefined && token !== 'null' && !world.options.portal)
    throw illegalArgument('IOT-Token');
}

function tokenSet({ access, refresh: refreshing }: TokenPair, { world }: Call): unknown {
  const nowMs = world.clock.nowMs();
  const fields = (name: string, { text, expiresAtMs }: TokenPair['access']) => ({
    [name]: text,
    [`${name}WillExpiredAt`]: new Date(expiresAtMs).toISOString(),
    [`${name}WillExpiredInMillis`]: String(expiresAtMs - nowMs),
  });
  return {
    ...fields('accessToken', access),
    ...fields('refreshToken', refreshing),
    account: world.options.account,
    // Made up, and beyond 2^53 like all ids.
    authId: '700000000000000011',
    userId: '700000000000000013',
  };
}

/**
 * Checks the signed headers (service.md#signature). It is written from the specification alone and shares nothing
 * with any client, so that the two check each other. A client may leave the hash of the body out of its
 * headers: then the service takes its own, which the client has signed, or else nothing
 * is signed but the application and the nonce.
 */
function verifySignature(call: Call, seenNonces: Set<string>): void {
  const { appId, appSecret } = call.world.options;
  if (call.header('IOT-Open-AppID') !== appId)
    throw new Refusal(36, 'IOT-Open-AppID is missing or unknown');
  const nonce = call.header('IOT-Open-Nonce') ?? '';
  const sign = (bodyHash: string): string => {
    // The names are in alphabetical order already.
    const pairs = `IOT-Open-AppID=${appId}&${bodyHash}IOT-Open-Nonce=${nonce}`;
    const base64 = Buffer.from(pairs, 'utf8').toString('base64');
    return hexOf('md5', createHmac('sha256', appSecret).update(base64).digest());
  };
  // The specification has hexadecimal ones; web clients take any letters and digits.
  if (!/^[0-9A-Za-z]{32}$/.test(nonce)) throw badSignature('nonce');
  const bodyHash = hexOf('sha256', call.request.bodyBytes);
  const sentHash = call.header('IOT-Open-Body-Hash');
  if (sentHash !== undefined && sentHash !== bodyHash) throw badSignature('body hash');
  const accepted = [sign(`IOT-Open-Body-Hash=${bodyHash}&`)];
  if (sentHash === undefined) accepted.push(sign(''));
  if (!accepted.includes(call.header('IOT-Open-Sign') ?? '')) throw badSignature('signature');
  // The nonce is used up last, so that only a client that knows the secret can do so.
  if (seenNonces.has(nonce)) throw badSignature('nonce was used before');
  seenNonces.add(nonce);
}

function badSignature(what: string): Refusal {
  return new Refusal(44, `signature error: ${what}`);
}

function hexOf(algorithm: 'md5' | 'sha256', content: string | Uint8Array): string {
  return createHash(algorithm).update(content).digest('hex');
}
