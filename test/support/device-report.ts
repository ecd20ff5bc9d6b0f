import type {
  DeviceReport,
  Measurement,
  Quantity,
  Readings,
  KnownDialect,
} from '../../src/model/readings.ts';

export const CLASSIC: KnownDialect = {
  family: 'classic',
  source: 'history',
  missing: [],
  unknownKeys: [],
};

/** The report that these readings are shown of: everything measured at once. */
export function reportOf(readings: Readings, changes: Partial<DeviceReport> = {}): DeviceReport {
  const { measuredAtMs, dialect, misread, withdrawn, shared, fields, ...values } = readings;
  if ((withdrawn ?? shared ?? fields) !== undefined) throw new Error('these are no readings');
  const { pvStrings, temperaturesCelsius, workingMode, ...plain } = values;
  const measurements: Measurement[] = [];
  const add = (quantity: Quantity, value: number | string | undefined, part = '') => {
    if (value !== undefined) measurements.push({ quantity, part, value, measuredAtMs });
  };
  for (const [quantity, value] of Object.entries(plain)) add(quantity as Quantity, value);
  for (const [part, string] of pvStrings ?? [])
    for (const [quantity, value] of Object.entries(string)) add(quantity as Quantity, value, part);
  for (const [part, value] of temperaturesCelsius ?? []) add('temperatureCelsius', value, part);
  add('workingMode', workingMode);
  return {
    measurements,
    misread,
    newestAtMs: measuredAtMs,
    dialect: dialect ?? CLASSIC,
    serviceAheadMs: 0,
    ...changes,
  };
}
