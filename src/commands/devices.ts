import { type CommandContext, EXIT_OK, withConnection } from './command.ts';
import { listAllDevices } from './inventory.ts';
import { renderTable } from './table.ts';

/** Prints every device with the ids that the other commands and the metrics use. */
export async function devices(context: CommandContext): Promise<number> {
  const listed = await withConnection(context, ({ api }) =>
    listAllDevices(api, context.config.stationIds),
  );
  const rows = listed.map(({ station, device }) => [
    station.stationId,
    device.deviceId,
    device.name ?? '',
    device.serial ?? '',
    device.model ?? '',
    device.isOnline === undefined ? '' : device.isOnline ? 'yes' : 'no',
  ]);
  context.out(renderTable(['station', 'device', 'name', 'serial', 'model', 'online'], rows));
  return EXIT_OK;
}
