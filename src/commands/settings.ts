import { ConfigError, ServiceError } from '../base/errors.ts';
import { printable } from '../base/shown.ts';
import type { ServiceApi } from '../client/client.ts';
import { type DeviceSettings, showValue } from '../model/settings.ts';
import { type Arguments, type CommandContext, EXIT_FAILED, EXIT_OK } from './command.ts';
import { withConnection } from './connection.ts';
import { findDevice } from './find-device.ts';
import { renderJson, renderTable } from './output.ts';
import {
  acceptedOf,
  changeRows,
  INTERFACE_SETTINGS,
  pendingChanges,
  readChanges,
  splitChanges,
  unjudged,
} from './setting-changes.ts';

/** Prints the settings of a device, as the service holds them or as the device itself has them. */
export async function settingsGet(
  context: CommandContext,
  { device: typed = '', has }: Arguments,
): Promise<number> {
  const { station, device, settings } = await withConnection(context, async ({ api }) => {
    const target = await findDevice(api, context, typed);
    const { deviceId } = target.device;
    const read = has('from-device')
      ? askDevice(context, api, deviceId)
      : api.fetchSettings(deviceId);
    return { ...target, settings: await read };
  });
  if (settings.size === 0 && !has('from-device'))
    context.complain(
      'solar-exporter: the service holds no settings of this device: it remembers them once the device was asked; --from-device asks it\n',
    );
  const document = {
    stationId: station.stationId,
    deviceId: device.deviceId,
    // How the service spells settings is its own business.
    settings: [...settings].map(([key, setting]) => ({ key, ...setting, form: undefined })),
  };
  context.out(has('json') ? renderJson(document) : tableOf(settings));
  return EXIT_OK;
}

/**
 * Changes settings of a device: checks them against those that the device lists, shows old and new values,
 * asks, writes once, reads back, and prints whether the device has the new values.
 *
 * @throws ConfigError for changes that the device would not take, and without a terminal to ask at: there, what cannot
 * be judged takes `--force`, too.
 */
export async function settingsSet(
  context: CommandContext,
  { device: typed = '', changes: words, has }: Arguments,
): Promise<number> {
  const { ask, complain, out } = context;
  // A mistake in the arguments is reported before the service is asked anything.
  const wanted = splitChanges(words);
  if (!has('yes') && ask === undefined)
    throw new ConfigError([
      'settings set asks before it writes, and there is no terminal to ask at; accepted: --yes, which writes without asking',
    ]);
  return withConnection(context, async ({ api }) => {
    const { device } = await findDevice(api, context, typed);
    const { deviceId, name = deviceId } = device;
    const before = await readSettings(
      context,
      { api, deviceId },
      ({ size }) => size > 0,
      (error) => {
        // A service as the specification describes it cannot ask a device.
        if (error.code !== 'SERVICE_REQUEST_REJECTED') throw error;
      },
    );
    const accepted = before.size > 0 ? before : INTERFACE_SETTINGS;
    const pending = pendingChanges(readChanges(wanted, accepted), before);
    if (pending.size === 0) {
      out('Nothing to change: the device has these values already.\n');
      return EXIT_OK;
    }
    out(renderTable(['setting', 'old', 'new'], changeRows(pending, before)));
    const keys = unjudged(pending, accepted).join(', ');
    const doubt = keys && `${keys} cannot be judged: no limits or choices are known. `;
    if (doubt !== '' && ask === undefined && !has('force'))
      throw new ConfigError([`${doubt}Accepted: --force, which writes it all the same`]);
    if (doubt !== '' && has('yes')) complain(`solar-exporter: ${doubt.trim()}\n`);
    const question = `${doubt}Write this to device ${name}? [y/N] `;
    const answer = has('yes') ? 'y' : await ask?.(question);
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) {
      out('Nothing was changed.\n');
      return EXIT_OK;
    }
    await api.changeSettings(deviceId, pending, before);
    const after = await readSettings(
      context,
      { api, deviceId },
      (held) => pendingChanges(pending, held).size === 0 || !isDescribed(held),
      ({ message }) =>
        complain(`solar-exporter: the inverter could not be asked: ${printable(message)}\n`),
    );
    const missed = pendingChanges(pending, after);
    if (missed.size === 0) {
      out('Done: the device reports the new values.\n');
      return EXIT_OK;
    }
    out('The service accepted the change, but the device still reports other values:\n');
    out(renderTable(['setting', 'reported', 'wanted'], changeRows(missed, after)));
    return EXIT_FAILED;
  });
}

function askDevice(
  { complain }: CommandContext,
  api: ServiceApi,
  deviceId: string,
): Promise<DeviceSettings> {
  complain('solar-exporter: asking the inverter itself; this takes up to a minute\n');
  return api.readSettingsFromDevice(deviceId);
}

/**
 * Reads the settings that the service remembers; asks the device for them where those do not do. The service
 * remembers none before the device was asked for the first time (service.md#settings).
 */
async function readSettings(
  context: CommandContext,
  { api, deviceId }: { readonly api: ServiceApi; readonly deviceId: string },
  isEnough: (remembered: DeviceSettings) => boolean,
  onFailed: (error: ServiceError) => void,
): Promise<DeviceSettings> {
  const remembered = await api.fetchSettings(deviceId);
  if (isEnough(remembered)) return remembered;
  try {
    return new Map([...remembered, ...(await askDevice(context, api, deviceId))]);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    onFailed(error);
    return remembered;
  }
}

/** Whether the service says of settings what they accept (service.md#settings). */
function isDescribed(settings: DeviceSettings): boolean {
  return [...settings.values()].some((setting) => setting.isDescribed === true);
}

function tableOf(settings: DeviceSettings): string {
  const rows = [...settings].map(([key, setting]) => {
    const { name = '', value, unit = '' } = setting;
    const accepted = setting.isDescribed === true ? acceptedOf(setting) : '';
    return [key, name, showValue(setting, value), unit, accepted];
  });
  return renderTable(['setting', 'name', 'value', 'unit', 'accepted'], rows, ['name', 'accepted']);
}
