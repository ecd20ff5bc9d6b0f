import { createHash } from 'node:crypto';
import type { SimulatorOptions } from '../../src/simulator/simulator.ts';
import type { Rewrite } from '../support/faulty-simulator.ts';
import { credentialsFor, startService } from './house.ts';

export const ACCOUNT = 'planted.account@example.org';
export const PASSWORD = 'planted-password-81f3';
export const APP_SECRET = 'planted-app-secret-81f3';
/** The same secret as the portal's own program carries it, encrypted with the id of the application. */
export const APP_SECRET_ENCRYPTED = 'VQYyp9Rmkfy/HuOVP+M1gR/x2Nm6YgNRDc7RL2JdqKc=';
const PLANTED = [ACCOUNT, PASSWORD, APP_SECRET, APP_SECRET_ENCRYPTED];

/** A service with planted credentials, and everything secret that it is told and tells. */
export async function startPlanted({
  secrets = [],
  rewrite = (body) => body,
  ...options
}: Partial<SimulatorOptions> & {
  /** What else nobody may see. */
  readonly secrets?: readonly string[];
  readonly rewrite?: Rewrite | undefined;
} = {}) {
  const planted = { account: ACCOUNT, password: PASSWORD, appSecret: APP_SECRET };
  const service = await startService({ ...planted, ...options });
  const tokens = new Set<string>();
  const signed: string[] = [];
  service.simulator.rewrite((body, request) => {
    for (const [, token = ''] of body.matchAll(/"(?:access|refresh)Token":"([^"]+)"/g))
      tokens.add(token);
    for (const name of ['iot-open-sign', 'iot-open-body-hash', 'iot-open-nonce'])
      if (request.headers[name] !== undefined) signed.push(String(request.headers[name]));
    return rewrite(body, request);
  });
  return {
    ...service,
    tokens,
    signed,
    env: { ...credentialsFor(service.simulator), SOLAR_BASE_URL: service.serviceUrl },
    secrets: () => [...PLANTED, ...secrets, ...tokens, ...signed],
  };
}

/** A secret as it is, and in every form that somebody may take for harmless. */
export function formsOf(secret: string): readonly string[] {
  const hashes = ['md5', 'sha1', 'sha256'].flatMap((algorithm) =>
    (['hex', 'base64'] as const).map((form) => createHash(algorithm).update(secret).digest(form)),
  );
  const bytes = Buffer.from(secret);
  const escaped = [encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  return [secret, ...escaped, bytes.toString('base64'), bytes.toString('hex'), ...hashes];
}

/** Says which of the texts show which secrets: `stderr of check: planted-pass…`; nothing when none does. */
export function leaksIn(
  texts: Readonly<Record<string, string>>,
  secrets: readonly string[],
): readonly string[] {
  const forms = new Set(secrets.flatMap(formsOf));
  return Object.entries(texts).flatMap(([where, shown]) =>
    [...forms].filter((secret) => shown.includes(secret)).map((secret) => `${where}: ${secret}`),
  );
}
