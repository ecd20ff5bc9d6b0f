/**
 * The most that is taken of what the service lists: far above any honest account, so that only a fault
 * reaches it. What is over a limit is left out, counted and logged.
 */
export interface ListLimits {
  readonly stations: number;
  /** Of one station. */
  readonly devices: number;
  /** Of all stations; a device that several stations list counts at each. */
  readonly devicesInAll: number;
  /** Of one station; the alarms of one device are limited by {@link ANSWER_LIMITS}. */
  readonly alarms: number;
  readonly alarmsInAll: number;
  /** Of all devices; the settings of one device are limited by {@link ANSWER_LIMITS}. */
  readonly settingsInAll: number;
}

/** The limits of the exporter. */
export const LIST_LIMITS: ListLimits = {
  // Each takes 0.1 MB while all of them are asked at once.
  stations: 5000,
  devices: 10_000,
  devicesInAll: 20_000,
  alarms: 10_000,
  alarmsInAll: 20_000,
  // A hundred for each of 2,500 devices: more would not find room on a page.
  settingsInAll: 250_000,
};

/**
 * The most that is read of one answer, before any of it is checked: what takes about 0.1 s, so that other
 * requests are answered meanwhile.
 */
export const ANSWER_LIMITS = {
  /** Twenty times as many as we ask for. */
  recordsPerPage: 1000,
  /** Five times as many as we ask for; alarms that have ended are among them. */
  alarmsPerPage: 2500,
  alarmsPerDevice: 100,
  settingsPerDevice: 1000,
  /** Of a setting, and words for the codes of a key; series do not come of them. */
  choicesPerSetting: 100,
  /** Keys with a value, or of the catalogue of a model: a family has some 300. */
  keysPerDevice: 2000,
  /** As many as we ask for of a time series; the newest count. */
  valuesPerKey: 2000,
} as const;

/** The limits that leave something out, as the counter and the log name them. */
export const DROP_REASONS = [
  'stations',
  'devices',
  'alarms',
  'settings',
  'keys',
  'series',
  'page_bytes',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** The limits of a page, whatever accounts it is of; the others are those of the lists of one account. */
export const PAGE_DROP_REASONS: readonly DropReason[] = ['series', 'page_bytes'];

/** Is told how many entries a limit left out. */
export type NoteDropped = (reason: DropReason, count: number) => void;

/** Returns the first entries of a list, as many as the limit allows, and tells how many are left out. */
export function firstOf<T>(
  list: readonly T[],
  most: number,
  reason: DropReason,
  noteDropped: NoteDropped,
): readonly T[] {
  if (list.length <= most) return list;
  noteDropped(reason, list.length - most);
  return list.slice(0, most);
}
