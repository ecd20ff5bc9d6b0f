import { namedTimeZone } from '../base/time-zone.ts';
import type { ServiceApi } from '../client/api.ts';
import { type CommandContext, EXIT_OK, withConnection } from './command.ts';
import { explainDialect } from './explain.ts';
import { listAllDevices, type ListedDevice } from './inventory.ts';
import { renderTable } from './output.ts';

/** Prints every device with the ids that the other commands and the metrics use. */
export async function devices(context: CommandContext, isExplained: boolean): Promise<number> {
  const text = await withConnection(context, async ({ api }) => {
    const listed = await listAllDevices(api, context.config.stationIds);
    return isExplained ? explain(api, listed) : tableOf(listed);
  });
  context.out(text);
  return EXIT_OK;
}

function tableOf(listed: readonly ListedDevice[]): string {
  const rows = listed.map(({ station, device }) => [
    station.stationId,
    device.deviceId,
    device.name ?? '',
    device.serial ?? '',
    device.model ?? '',
    device.isOnline === undefined ? '' : device.isOnline ? 'yes' : 'no',
  ]);
  return renderTable(['station', 'device', 'name', 'serial', 'model', 'online'], rows);
}

async function explain(api: ServiceApi, listed: readonly ListedDevice[]): Promise<string> {
  const explanations = listed.map(async ({ station, device }) => {
    const zone = namedTimeZone({ station: station.timeZone, device: device.stationTimeZone });
    return explainDialect(device, await api.learnDialect(device.deviceId, zone, device.model));
  });
  return (await Promise.all(explanations)).join('\n');
}
