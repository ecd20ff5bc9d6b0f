import { createHash, createHmac, randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../../src/simulator/simulator.ts';
import { SteppingClock } from './stepping-clock.ts';

export const PATHS = {
  login: '/apis/login/account',
  refresh: '/apis/login/refresh/access/token',
  stations: '/apis/station/list',
  devices: '/apis/device/list',
  readings: '/apis/deviceState/simple/attribute/keys/history/v1',
  summary: '/apis/stationOverView/stateAttributeSummary/category/yearly',
  settingsGet: '/apis/remote/device/configs/cache/get',
  settingsSet: '/apis/remote/device/config/write',
  latestState: '/apis/deviceState/simple/state/latest/v1',
  energyFlow: '/apis/deviceState/simple/energy/flow/v1',
  attributes: '/apis/deviceState/simple/gatherAttributes/v1',
  alarms: '/apis/alarm/query/list',
  settingsRead: '/apis/remote/device/configs/read',
  settingsReadDetails: '/apis/remote/device/configs/read/details',
  settingRead: '/apis/remote/device/config/read',
  settingsClear: '/apis/remote/device/configs/cache/clear',
  logout: '/apis/login/logout',
  stationDetails: '/apis/station/details',
  stationStates: '/apis/station/state/count',
  stationFlow: '/apis/station/energy/flow',
  deviceDetails: '/apis/device/details',
  deviceStates: '/apis/device/state/count',
  datalogger: '/apis/device/dtu/info',
  records: '/apis/deviceState/simple/attribute/record/list/v1',
  remoteLatestState: '/apis/remote/device/state/latest',
  attributeGroups: '/apis/device/query/attribute/group',
  latestAlarm: '/apis/alarm/getLatestAlarm',
  ownerStatistics: '/apis/ownerOverView/select/ownerStatistics',
  dashboard: '/apis/dashboard/summary/commons',
} as const;

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface TokenSet {
  readonly accessToken: string;
  readonly accessTokenWillExpiredAt: string;
  readonly accessTokenWillExpiredInMillis: string;
  readonly refreshToken: string;
  readonly refreshTokenWillExpiredAt: string;
}

/** A listening simulator and the few calls its tests make, written from the interface. */
export interface RunningSimulator {
  readonly simulator: Simulator;
  readonly clock: SteppingClock;
  readonly baseUrl: string;
  readonly stationId: string;
  readonly deviceId: string;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
  readonly logIn: () => Promise<TokenSet>;
  /** Posts with a valid token and time zone. */
  readonly ask: (path: string, body: unknown) => Promise<Answer>;
  /** Gets with a valid token and time zone. */
  readonly look: (path: string, query: Readonly<Record<string, string>>) => Promise<Answer>;
}

export async function startSimulator(
  options: Partial<SimulatorOptions> = {},
  clock = new SteppingClock('2026-06-21T04:00:00Z'),
): Promise<RunningSimulator> {
  const simulator = createSimulator(options, clock);
  const baseUrl = await simulator.start();
  onTestFinished(() => simulator.stop());
  const [stationId = ''] = simulator.stationIds;
  const [deviceId = ''] = simulator.deviceIds(stationId);

  const post: RunningSimulator['post'] = async (path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const logIn = async (): Promise<TokenSet> => {
    const body = loginBody();
    return dataOf<TokenSet>(await post(PATHS.login, body, signedHeaders(body)));
  };
  let token: Promise<TokenSet> | undefined;
  const ask: RunningSimulator['ask'] = async (path, body) => {
    token ??= logIn();
    return post(path, body, dataHeaders((await token).accessToken));
  };
  const look: RunningSimulator['look'] = async (path, query) => {
    token ??= logIn();
    const response = await fetch(`${baseUrl}${path}?${new URLSearchParams(query).toString()}`, {
      headers: dataHeaders((await token).accessToken),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return { simulator, clock, baseUrl, stationId, deviceId, post, logIn, ask, look };
}

export function loginBody(account = 'demo@example.org', password = 'demo-password'): string {
  return JSON.stringify({ account, password: createHash('md5').update(password).digest('hex') });
}

/** Signs as interface 5.1 says, step by step. */
export function signedHeaders(
  body: string,
  changes: { appId?: string; appSecret?: string; nonce?: string } = {},
): Record<string, string> {
  const {
    appId = 'demo-app-id',
    appSecret = 'demo-app-secret',
    nonce = randomBytes(16).toString('hex'),
  } = changes;
  const pairs: Record<string, string> = {
    'IOT-Open-AppID': appId,
    'IOT-Open-Nonce': nonce,
    'IOT-Open-Body-Hash': createHash('sha256').update(body).digest('hex'),
  };
  const joined = Object.keys(pairs)
    .sort()
    .map((key) => `${key}=${pairs[key] ?? ''}`)
    .join('&');
  const mac = createHmac('sha256', appSecret).update(btoa(joined)).digest();
  return { ...pairs, 'IOT-Open-Sign': createHash('md5').update(mac).digest('hex') };
}

export function dataHeaders(accessToken: string, timeZone = 'Asia/Manila'): Record<string, string> {
  return { 'IOT-Token': accessToken, 'IOT-Time-Zone': timeZone, Accept: 'application/json' };
}

export interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export function envelopeOf(answer: Answer): Envelope {
  return JSON.parse(answer.text) as Envelope;
}

/** The data of a successful answer; the tests say what they expect in it. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as JSON.parse, for a caller that names the type
export function dataOf<T>(answer: Answer): T {
  const { code, message, data } = envelopeOf(answer);
  if (answer.status !== 200 || code !== 0) throw new Error(`${answer.status}, ${code}: ${message}`);
  return data as T;
}
