const KILO = /^(?:kwh|kilowatthour)s?$/;
const MEGA = /^(?:mwh|megawatthour)s?$/;
const PLAIN = /^(?:wh|watthour)s?$/;

/**
 * Converts an energy to kWh by the unit the service tags it with: Wh, kWh or MWh in any case and
 * spelling (`kW·h`, `KWH`), kWh where there is no tag (field notes 2.9). Absent for any other unit.
 */
export function toKilowattHours(energy: number, unit = ''): number | undefined {
  // No month is counted in milliwatt hours, so case tells nothing.
  const spelling = unit.replace(/[\s.·⋅*_-]/g, '').toLowerCase();
  if (spelling === '' || KILO.test(spelling)) return energy;
  if (PLAIN.test(spelling)) return energy / 1000;
  // 1.003 MWh are 1003 kWh and not 1002.9999999999999: the last digit of a double is noise.
  return MEGA.test(spelling) ? Number((energy * 1000).toPrecision(15)) : undefined;
}
