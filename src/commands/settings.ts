import { ConfigError } from '../errors.ts';
import type { DeviceSettings, SettingValue } from '../model/station.ts';
import { type CommandContext, EXIT_FAILED, EXIT_OK, withConnection } from './command.ts';
import { parseSettingChanges } from './setting-changes.ts';
import { renderTable } from './table.ts';

/** Prints the settings of a device. */
export async function settingsGet(context: CommandContext, deviceId: string): Promise<number> {
  const settings = await withConnection(context, ({ api }) => api.fetchSettings(deviceId));
  const rows = [...settings].map(([setting, value]) => [setting, String(value)]);
  context.out(renderTable(['setting', 'value'], rows));
  return EXIT_OK;
}

/**
 * Changes settings of a device: shows old and new values, asks, writes once, reads back and reports.
 *
 * @throws ConfigError for arguments that cannot be read, and where nobody can be asked.
 */
export async function settingsSet(
  context: CommandContext,
  deviceId: string,
  arguments_: readonly string[],
  isConfirmed: boolean,
): Promise<number> {
  if (!isConfirmed && context.ask === undefined)
    throw new ConfigError(['settings set: there is no terminal to ask at; accepted: --yes']);
  // Read them before asking the service anything: what is wrong with them, is wrong at once.
  parseSettingChanges(arguments_, new Map());

  return withConnection(context, async ({ api }) => {
    const before = await api.fetchSettings(deviceId);
    const { changes, warnings } = parseSettingChanges(arguments_, before);
    for (const warning of warnings) context.complain(`solar-exporter: ${warning}\n`);
    const pending = new Map([...changes].filter(([name, value]) => before.get(name) !== value));
    if (pending.size === 0) {
      context.out('Nothing to change: the device has these values already.\n');
      return EXIT_OK;
    }
    context.out(renderTable(['setting', 'old', 'new'], rowsOf(pending, before)));
    if (!isConfirmed && !(await isAgreed(context, deviceId))) {
      context.out('Nothing was changed.\n');
      return EXIT_OK;
    }
    await api.changeSettings(deviceId, pending);
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
  const missed = [...changes].filter(([name, value]) => after.get(name) !== value);
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
  return [...wanted].map(([name, value]) => [
    name,
    String(held.get(name) ?? 'unknown'),
    String(value),
  ]);
}
