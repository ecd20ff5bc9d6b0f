import type { ServiceApi } from '../client/client.ts';
import { rulesOf } from '../client/dialects/dialect-file.ts';
import { type Arguments, type CommandContext, EXIT_OK } from './command.ts';
import { withConnection } from './connection.ts';
import { explainDialect, explainUnsent } from './explain.ts';
import { type DeviceSubject, listAllDevices } from './inventory.ts';
import { renderJson, renderTable } from './output.ts';

/** Prints every device with the ids that the other commands and the metrics use. */
export async function devices(context: CommandContext, { has }: Arguments): Promise<number> {
  const text = await withConnection(context, async ({ api }) => {
    const listed = await listAllDevices(api, context);
    if (has('explain') || has('share')) return explain(api, listed, context, has('share'));
    return has('json') ? renderJson({ devices: listed.map(describe) }) : tableOf(listed);
  });
  context.out(text);
  return EXIT_OK;
}

function tableOf(listed: readonly DeviceSubject[]): string {
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

/** Describes a device for programs; what the service does not say is left out. */
function describe({ station, device }: DeviceSubject): object {
  const { deviceId, name, serial, model, isOnline, lastDataAtMs } = device;
  return {
    stationId: station.stationId,
    stationName: station.name,
    timeZone: station.timeZone,
    deviceId,
    name,
    serial,
    model,
    isOnline,
    lastDataAt: lastDataAtMs === undefined ? undefined : new Date(lastDataAtMs).toISOString(),
  };
}

async function explain(
  api: ServiceApi,
  listed: readonly DeviceSubject[],
  { config: { dialect, collect } }: CommandContext,
  isShared: boolean,
): Promise<string> {
  const learning = listed.map(async (subject) => {
    const { station, device } = subject;
    const learnt = await api.learnDialect({ ...device, timeZone: station.timeZone });
    return [subject, learnt] as const;
  });
  const learnt = await Promise.all(learning);
  const options = { serviceNowMs: api.serviceNowMs(), isWhole: collect.fields };
  const texts = learnt.map(([subject, how], index) =>
    explainDialect(subject, how, { ...options, sharedAs: isShared ? `${index + 1}` : undefined }),
  );
  return texts.join('\n') + explainUnsent(dialect === undefined ? [] : rulesOf(dialect), learnt);
}
