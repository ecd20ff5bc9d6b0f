import { ConfigError } from '../base/errors.ts';
import { quote } from '../base/shown.ts';
import type { ServiceApi } from '../client/client.ts';
import { nearest } from '../config/nearest.ts';
import type { Device } from '../model/station.ts';
import { type DeviceSubject, listByStation, type ListContext } from './inventory.ts';

const WHO_LISTS = 'solar-exporter devices lists them';

/**
 * Finds the device that a person means by its id, its name or its serial number; names and serial numbers
 * in any case.
 *
 * @throws ConfigError when there is no such device, naming the nearest; or several, naming each.
 */
export async function findDevice(
  api: ServiceApi,
  context: ListContext,
  typed: string,
): Promise<DeviceSubject> {
  const listed: DeviceSubject[] = [];
  for await (const targets of listByStation(api, context)) {
    const byId = targets.find(({ device }) => device.deviceId === typed.trim());
    if (byId !== undefined) return byId;
    for (const target of targets) listed.push(target);
  }
  const named = listed.filter(({ device }) => namesOf(device).some((name) => isSame(name, typed)));
  const [only, ...others] = named;
  if (only === undefined) throw new ConfigError([unknownDevice(typed, listed)]);
  if (others.length === 0) return only;
  const candidates = named.map(({ device }) => describe(device)).join(', ');
  throw new ConfigError([
    `${quote(typed)}: ${named.length} devices have this name; accepted: one of the ids ${candidates}`,
  ]);
}

/** The names beside its id by which a person knows a device. */
function namesOf({ name, serial }: Device): readonly string[] {
  return [name, serial].filter((known) => known !== undefined);
}

function isSame(name: string, typed: string): boolean {
  return name.trim().toLowerCase() === typed.trim().toLowerCase();
}

function describe(device: Device): string {
  const names = namesOf(device);
  return names.length === 0 ? device.deviceId : `${device.deviceId} (${names.join(', ')})`;
}

function unknownDevice(typed: string, listed: readonly DeviceSubject[]): string {
  if (listed.length === 0) return `${quote(typed)}: the account shows no device at all`;
  const ofStation = listed.filter(({ station }) => station.stationId === typed.trim());
  const byDatalogger = listed.filter(({ device }) =>
    [device.dataloggerId, device.dataloggerNumber].includes(typed.trim()),
  );
  const [kind, meant] =
    ofStation.length > 0
      ? (['a station', ofStation] as const)
      : (['a datalogger', byDatalogger] as const);
  if (meant.length > 0)
    return `${quote(typed)} is the id of ${kind}; accepted: a device of it, ${some(meant)}`;
  const owners = new Map(
    listed.flatMap(({ device }) =>
      [device.deviceId, ...namesOf(device)].map((name) => [name, device] as const),
    ),
  );
  const names = [...owners.keys()];
  const begun = names.find((name) => name.toLowerCase().startsWith(typed.trim().toLowerCase()));
  const guess = owners.get(nearest(typed, names) ?? begun ?? '');
  const hint = guess === undefined ? '' : `did you mean ${describe(guess)}? `;
  return `${quote(typed)}: unknown device; ${hint}accepted: the id, the name or the serial number of a device; ${WHO_LISTS}`;
}

/** An account may have a thousand devices; a person needs an example. */
const MOST_NAMED = 5;

function some(targets: readonly DeviceSubject[]): string {
  const named = targets.slice(0, MOST_NAMED).map(({ device }) => describe(device));
  return [...named, ...(targets.length > MOST_NAMED ? ['…'] : [])].join(', ');
}
