import { readSettingsFromDevice } from '../client/settings/settings-batch-read.ts';
import { ConfigError } from '../base/errors.ts';
import {
  type DeviceSettings,
  holdsValue,
  type SettingValue,
  showValue,
} from '../model/settings.ts';
import { type CommandContext, EXIT_FAILED, EXIT_OK, withConnection } from './command.ts';
import { parseSettingChanges } from './setting-changes.ts';
import { renderTable } from './output.ts';

/**
 * Prints the settings of a device.
 *
 * @param isFromDevice - whether to ask the device itself, and not the service, which may hold older values
 */
export async function settingsGet(
  context: CommandContext,
  deviceId: string,
  isFromDevice: boolean,
): Promise<number> {
  const settings = await withConnection(context, ({ api }) => {
    if (!isFromDevice) return api.fetchSettings(deviceId);
    context.complain('solar-exporter: asking the inverter itself; this takes up to a minute\n');
    return readSettingsFromDevice(api, deviceId, context.runtime.clock);
  });
  if (settings.size === 0 && !isFromDevice)
    context.complain(
      'solar-exporter: the service holds no settings of this device; --from-device asks the device itself\n',
    );
  const rows = [...settings].map(([name, setting]) => [
    name,
    showValue(setting, setting.value),
    setting.unit ?? '',
  ]);
  context.out(renderTable(['setting', 'value', 'unit'], rows));
  return EXIT_OK;
}

/**
 * Changes settings of a device: shows old and new values, asks, writes once, reads back, and prints whether
 * the device has the new values.
 *
 * @throws ConfigError for arguments that cannot be read, and without a terminal to ask at.
 */
export async function settingsSet(
  context: CommandContext,
  deviceId: string,
  arguments_: readonly string[],
  isConfirmed: boolean,
): Promise<number> {
  if (!isConfirmed && context.ask === undefined)
    throw new ConfigError(['settings set: there is no terminal to ask at; accepted: --yes']);
  // A mistake in the arguments is reported before the service is asked anything.
  parseSettingChanges(arguments_, new Map());

  return withConnection(context, async ({ api }) => {
    const before = await api.fetchSettings(deviceId);
    const { changes, warnings } = parseSettingChanges(arguments_, before);
    for (const warning of warnings) context.complain(`solar-exporter: ${warning}\n`);
    const pending = new Map(
      [...changes].filter(([name, value]) => !holdsValue(before.get(name), value)),
    );
    if (pending.size === 0) {
      context.out('Nothing to change: the device has these values already.\n');
      return EXIT_OK;
    }
    context.out(renderTable(['setting', 'old', 'new'], rowsOf(pending, before)));
    if (!isConfirmed && !(await isAgreed(context, deviceId))) {
      context.out('Nothing was changed.\n');
      return EXIT_OK;
    }
    await api.changeSettings(deviceId, pending, before);
    return report(context, pending, await api.fetchSettings(deviceId));
  });
}

async function isAgreed({ ask }: CommandContext, deviceId: string): Promise<boolean> {
  const answer = await ask?.(`Write this to device ${deviceId}? [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

function report(
  { out }: CommandContext,
  changes: ReadonlyMap<string, SettingValue>,
  after: DeviceSettings,
): number {
  const missed = [...changes].filter(([name, value]) => !holdsValue(after.get(name), value));
  if (missed.length === 0) {
    out('Done: the device reports the new values.\n');
    return EXIT_OK;
  }
  out('The service accepted the change, but the device still reports other values:\n');
  out(renderTable(['setting', 'reported', 'wanted'], rowsOf(new Map(missed), after)));
  return EXIT_FAILED;
}

function rowsOf(
  wanted: ReadonlyMap<string, SettingValue>,
  held: DeviceSettings,
): readonly (readonly string[])[] {
  return [...wanted].map(([name, value]) => {
    const setting = held.get(name);
    const holds = setting === undefined ? 'unknown' : showValue(setting, setting.value);
    return [name, holds, showValue(setting, value)];
  });
}
