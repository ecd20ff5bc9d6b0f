import { ConfigError } from '../base/errors.ts';
import { quote } from '../base/shown.ts';
import type { ServiceApi } from '../client/client.ts';
import type { Device } from '../model/station.ts';
import { type DeviceSubject, listByStation, type ListContext } from './inventory.ts';
import { didYouMean } from './output.ts';

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
  const wanted = typed.trim();
  const listed: DeviceSubject[] = [];
  for await (const targets of listByStation(api, context)) {
    const byId = targets.find(({ device }) => device.deviceId === wanted);
    if (byId !== undefined) return byId;
    for (const target of targets) listed.push(target);
  }
  const named = listed.filter(({ device }) =>
    namesOf(device).some((name) => name.trim().toLowerCase() === wanted.toLowerCase()),
  );
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const why = named.length > 1 ? ambiguous(named) : unknown(wanted, listed);
  throw new ConfigError([quote(typed) + why]);
}

function ambiguous(named: readonly DeviceSubject[]): string {
  const ids = named.map(({ device }) => describe(device)).join(', ');
  return `: ${named.length} devices have this name; accepted: one of the ids ${ids}`;
}

/** An account may have a thousand devices; a person needs an example. */
const MOST_NAMED = 5;

function unknown(wanted: string, listed: readonly DeviceSubject[]): string {
  if (listed.length === 0) return ': the account shows no device at all';
  const ofStation = listed.filter(({ station }) => station.stationId === wanted);
  const ofLogger = listed.filter(({ device }) =>
    [device.dataloggerId, device.dataloggerNumber].includes(wanted),
  );
  const meant = ofStation.length > 0 ? ofStation : ofLogger;
  if (meant.length > 0) {
    const some = meant.slice(0, MOST_NAMED).map(({ device }) => describe(device));
    const more = meant.length > MOST_NAMED ? ', …' : '';
    return ` is the id of ${meant === ofStation ? 'a station' : 'a datalogger'}; accepted: a device of it, ${some.join(', ')}${more}`;
  }
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
