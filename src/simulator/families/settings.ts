/** One setting as the portal describes it (service.md#settings), at its factory value. */
export interface PortalSetting {
  readonly key: string;
  readonly name: string;
  readonly unit: string;
  /** As it is written: always a string. */
  readonly factoryValue: string;
  /** The choices, whose values are their positions; undefined for a number. */
  readonly choices?: readonly string[];
  readonly range?: { readonly min: number; readonly max: number; readonly step: number };
}

const OUTPUT_PRIORITIES = ['USO', 'SUB', 'SBU'];
const CHARGER_PRIORITIES = ['CSO', 'SNU', 'OSO', 'UTO'];
const SWITCH = ['Disabled', 'Enabled'];

/** The settings of every device, misspelt as the portal misspells them. */
export const PORTAL_SETTINGS: readonly PortalSetting[] = [
  choice('outputSourcePrioritySetting', 'Output source priority', OUTPUT_PRIORITIES, '1'),
  choice('chargerSourcePrioritySetting', 'Charger source priority', CHARGER_PRIORITIES, '2'),
  choice('acInputRangeSetting', 'AC input range', ['Appliance', 'UPS'], '0'),
  choice('batteryPowerLimitingSetting', 'Battery power limiting', SWITCH, '0'),
  amount('maxTotalChargeCurrentSetting', 'Max total charge current', 'A', '60', [10, 80, 10]),
  amount('bulkChargingVoltageSetting', 'Bulk charging voltage', 'V', '56.4', [48, 58.4, 0.1]),
  amount('flotingChargingVoltageSetting', 'Floating charging voltage', 'V', '54', [48, 58.4, 0.1]),
  amount('LowBatteryCutOffVoltageSetting', 'Low battery cut-off', 'V', '44', [40, 48, 0.1]),
];

/** Whether the service takes a value that is written to a setting. */
export function isAcceptable({ choices, range }: PortalSetting, value: string): boolean {
  if (choices !== undefined) return /^\d+$/.test(value) && Number(value) < choices.length;
  if (range === undefined || !/^\d+(\.\d+)?$/.test(value)) return false;
  const steps = (Number(value) - range.min) / range.step;
  // A tenth of a volt is not a binary fraction.
  const isOnStep = Math.abs(steps - Math.round(steps)) < 1e-6;
  return isOnStep && Number(value) >= range.min && Number(value) <= range.max;
}

/** Describes a setting at a value, in the form of the portal's cache. */
export function settingObject(
  { key, name, unit, choices, range }: PortalSetting,
  value: string,
): Readonly<Record<string, unknown>> {
  const isEnum = choices !== undefined;
  return {
    key,
    name,
    nameDisplay: name,
    unit,
    value: isEnum ? value : Number(value),
    valueDisplay: choices?.[Number(value)] ?? value,
    valueType: isEnum ? 6 : 2,
    valueTypeDict: isEnum ? 'Enumeration' : 'Number',
    isConfigAttribute: true,
    isWritableConfigAttribute: true,
    isHidden: false,
    enumValues: enumValues((choices ?? []).map((choice, index) => [String(index), choice])),
    ...range,
  };
}

/** Lists the values of an enum and the texts that are shown for them. */
export function enumValues(texts: readonly (readonly [string, string])[]): readonly unknown[] {
  return texts.map(([value, text], position) => ({
    id: String(position + 1),
    value,
    text,
    localeText: text,
  }));
}

function choice(
  key: string,
  name: string,
  choices: readonly string[],
  factoryValue: string,
): PortalSetting {
  return { key, name, unit: '', factoryValue, choices };
}

function amount(
  key: string,
  name: string,
  unit: string,
  factoryValue: string,
  [min, max, step]: readonly [number, number, number],
): PortalSetting {
  return { key, name, unit, factoryValue, range: { min, max, step } };
}
