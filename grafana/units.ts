/**
 * The units of the dashboard: one for each quantity, written beside every value as it is. Grafana's own units of these
 * quantities would show 745.0 mWh beside 2.9 MWh.
 */
export const UNITS = {
  watts: 'suffix:W',
  kilowattHours: 'suffix:kWh',
  volts: 'suffix:V',
  amperes: 'suffix:A',
  hertz: 'suffix:Hz',
  celsius: 'suffix:°C',
  seconds: 'suffix:s',
  milliseconds: 'suffix:ms',
  perMinute: 'suffix:/min',
  /** Of a ratio: 0.5 shows as 50 %. */
  percent: 'percentunit',
  count: 'none',
  /** Of milliseconds since the epoch. */
  date: 'dateTimeAsIso',
  /** Of milliseconds since the epoch: in two hours, 5 minutes ago. */
  fromNow: 'dateTimeFromNow',
} as const;

/** A unit of {@link UNITS}. */
export type Unit = (typeof UNITS)[keyof typeof UNITS];
