import { ConfigError } from '../base/errors.ts';
import { quote } from '../base/shown.ts';
import type { ServiceApi } from '../client/client.ts';
import type { Device } from '../model/station.ts';
import { type DeviceSubject, listByStation, type ListContext } from './inventory.ts';
import { didYouMean } from './output.ts';

/**
 * Finds the device that a person means by its id, its name or its serial number, in any case; and by the number of its
 * logger or the id of its station, which people mix up with these, where it is the only one there.
 *
 * @throws ConfigError when there is no such device, naming the nearest; or several, naming each.
 */
export async function findDevice(
  api: ServiceApi,
  context: ListContext,
  typed: string,
): Promise<DeviceSubject> {
  const wanted = typed.trim();
  const listed: DeviceSubject[] = [];
  for await (const targets of listByStation(api, context)) {
    const byId = targets.find(({ device }) => device.deviceId === wanted);
    if (byId !== undefined) return byId;
    for (const target of targets) listed.push(target);
  }
  const named = listed.filter(({ device, station }) =>
    [...namesOf(device), device.dataloggerId, device.dataloggerNumber, station.stationId].some(
      (name) => name?.trim().toLowerCase() === wanted.toLowerCase(),
    ),
  );
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const why = named.length > 1 ? ambiguous(named) : unknown(wanted, listed);
  throw new ConfigError([quote(typed) + why]);
}

/** An account may have a thousand devices; a person needs an example. */
const MOST_NAMED = 5;

function ambiguous(named: readonly DeviceSubject[]): string {
  const some = named.slice(0, MOST_NAMED).map(({ device }) => describe(device));
  const more = named.length > MOST_NAMED ? ', …' : '';
  return `: ${named.length} devices have this name; accepted: one of the ids ${some.join(', ')}${more}`;
}

function unknown(wanted: string, listed: readonly DeviceSubject[]): string {
  if (listed.length === 0) return ': the account shows no device at all';
  const owners = new Map(
    listed.flatMap(({ device }) =>
      [device.deviceId, ...namesOf(device)].map((name) => [name, describe(device)] as const),
    ),
  );
  // Of a name that is far from any, its beginning may do.
  const begun = [...owners.keys()].find((name) =>
    name.toLowerCase().startsWith(wanted.toLowerCase()),
  );
  const hint = didYouMean(wanted, owners) || didYouMean(begun ?? '', owners);
  return `: unknown device; ${hint}accepted: the id, the name or the serial number of a device; solar-exporter devices lists them`;
}

/** The names beside its id by which a person knows a device. */
function namesOf({ name, serial }: Device): readonly string[] {
  return [name, serial].filter((known) => known !== undefined);
}

function describe(device: Device): string {
  const names = namesOf(device);
  return names.length === 0 ? device.deviceId : `${device.deviceId} (${names.join(', ')})`;
}
