import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { credentialsFor, startService } from '../../doors/house.ts';
import type { Simulator, SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { rewriting, startProxy } from '../../support/proxy.ts';

/** Turns the service's answer to a request with these headers into another. */
export type Rewrite = (body: string, headers: IncomingHttpHeaders) => string;

/** A service that knows credentials of its own making, and all that must never be seen of a client of it. */
export interface PlantedService {
  readonly simulator: Simulator;
  readonly deviceId: string;
  readonly stationId: string;
  /** Where a client finds it. */
  readonly url: string;
  readonly account: string;
  readonly password: string;
  readonly appSecret: string;
  readonly appSecretEncrypted: string;
  /** All that a client needs to log in, by environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Every token that was handed out so far. */
  readonly tokens: ReadonlySet<string>;
  /** How many requests came signed. */
  readonly signedCount: () => number;
  /** What nobody may see: credentials, tokens, and all that requests were signed with. */
  readonly secrets: () => readonly string[];
}

/** Starts a service with new credentials; it goes with the test. */
export async function startPlantedService(
  options: Partial<SimulatorOptions> = {},
  rewrite: Rewrite = (body) => body,
): Promise<PlantedService> {
  const mark = randomBytes(6).toString('hex');
  const account = `planted.account.${mark}@example.org`;
  const password = `planted-password-${mark}`;
  const appSecret = `planted-app-secret-${mark}`;
  const appId = `planted-app-id-${mark}`;
  const service = await startService({ account, password, appSecret, appId, ...options });
  const { simulator, serviceUrl, deviceId, stationId } = service;
  const appSecretEncrypted = encryptedAppSecret(appSecret, appId);
  const tokens = new Set<string>();
  const signed: string[] = [];
  const url = await startProxy(
    serviceUrl,
    rewriting((body, { headers }) => {
      for (const [, token = ''] of body.matchAll(/"(?:access|refresh)Token":"([^"]+)"/g))
        tokens.add(token);
      if (headers['iot-open-sign'] !== undefined) signed.push(...signatureTexts(headers));
      return rewrite(body, headers);
    }),
  );
  return {
    simulator,
    deviceId,
    stationId,
    url,
    account,
    password,
    appSecret,
    appSecretEncrypted,
    env: { SOLAR_BASE_URL: url, ...credentialsFor(simulator) },
    tokens,
    signedCount: () => signed.length / SIGNATURE_TEXTS,
    secrets: () => [
      ...formsOf([account, password, appSecret, appSecretEncrypted, ...tokens]),
      ...signed,
    ],
  };
}

const SIGNATURE_TEXTS = 5;

/** The signature, and everything that it was made of. */
function signatureTexts(headers: IncomingHttpHeaders): readonly string[] {
  const bodyHash = String(headers['iot-open-body-hash']);
  const nonce = String(headers['iot-open-nonce']);
  const appId = String(headers['iot-open-appid']);
  const pairs = `IOT-Open-AppID=${appId}&IOT-Open-Body-Hash=${bodyHash}&IOT-Open-Nonce=${nonce}`;
  return [String(headers['iot-open-sign']), bodyHash, nonce, pairs, base64(pairs)];
}

/** Secrets as they are, and in every form that somebody may take for harmless. */
export function formsOf(secrets: readonly string[]): readonly string[] {
  return secrets.flatMap((secret) => [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      base64(secret),
      Buffer.from(secret).toString('hex'),
      ...['md5', 'sha1', 'sha256'].flatMap((algorithm) => [
        createHash(algorithm).update(secret).digest('hex'),
        createHash(algorithm).update(secret).digest('base64'),
      ]),
    ]),
  ]);
}

/** Says which of the texts show which secrets: `stderr of check: planted-pass…`; nothing when none does. */
export function leaksIn(
  texts: Readonly<Record<string, string>>,
  secrets: readonly string[],
): readonly string[] {
  return Object.entries(texts).flatMap(([where, text]) =>
    [...new Set(secrets)]
      .filter((secret) => secret !== '' && text.includes(secret))
      .map((secret) => `${where}: ${secret}`),
  );
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The form in which a portal's own program carries its application secret: AES-128-CBC, padded with zeros. */
function encryptedAppSecret(secret: string, appId: string): string {
  const digest = createHash('md5').update(appId).digest('hex');
  const cipher = createCipheriv('aes-128-cbc', digest.slice(0, 16), digest.slice(16));
  const padded = Buffer.alloc(Math.ceil(secret.length / 16) * 16);
  padded.write(secret);
  return Buffer.concat([cipher.setAutoPadding(false).update(padded), cipher.final()]).toString(
    'base64',
  );
}
