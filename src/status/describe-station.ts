import { alarmsCollector } from '../collectors/alarms.ts';
import { daysCollector, yearsCollector } from '../collectors/energy.ts';
import { devicesCollector } from '../collectors/inventory/devices.ts';
import { readingsCollector } from '../collectors/readings.ts';
import { settingsCollector } from '../collectors/settings.ts';
import type { StationCollection } from '../collectors/station-collection.ts';
import { summaryCollector } from '../collectors/summary.ts';
import { type Energies, isEmptyMonth, type MonthlyEnergy, solarRatio } from '../model/energy.ts';
import { describeDevices } from './describe-devices.ts';
import { figures, text } from './known-fields.ts';
import type { EnergiesStatus, EnergyStatus, MonthStatus, StationPageStatus } from './status.ts';
import { flowOf, partialFigures, summedFigures } from './summed-figures.ts';

/** The collected values of one station, by collector: the same that its metrics are read from. */
export type StationValues = Pick<StationCollection, 'shown'>;

/** What is said of a station beside its values. */
type StationFacts = Pick<StationPageStatus, 'account' | 'stationId' | 'isUp' | 'collectors'>;

/**
 * Describes what is known of a station and its devices at the time of the call. Others have their turn between
 * devices; what changes meanwhile is not seen.
 */
export function describeStation(
  station: StationFacts,
  values: StationValues,
): Promise<StationPageStatus> {
  return describeKnown(station, readKnown(values));
}

type Known = ReturnType<typeof readKnown>;

/** Takes all values of a station at one instant; those of the devices are computed one by one, when they are described. */
function readKnown(values: StationValues) {
  const [list] = values.shown(devicesCollector).values();
  const [month] = values.shown(summaryCollector).values();
  const [days] = values.shown(daysCollector).values();
  const [years] = values.shown(yearsCollector).values();
  const [firing] = values.shown(alarmsCollector).values();
  const listing = list?.value;
  return {
    listing,
    month: month?.value,
    days: days?.value,
    years: years?.value,
    ofDevices: {
      listed: listing?.devices ?? [],
      firing: firing?.value ?? [],
      readings: values.shown(readingsCollector),
      settings: values.shown(settingsCollector),
    },
  };
}

async function describeKnown(station: StationFacts, known: Known): Promise<StationPageStatus> {
  const { listing, month } = known;
  const devices = await describeDevices(known.ofDevices);
  const sums = await summedFigures(devices);
  return {
    ...station,
    month: month === undefined ? {} : describeMonth(month),
    energy: describeEnergies(known),
    ...text('name', listing?.station.name),
    ...text('timeZone', listing?.station.timeZone),
    flow: flowOf(sums),
    partial: partialFigures(sums, devices),
    ...figures({ pvEnergyTodayKwh: sums.pvEnergyTodayKwh.total }),
    devices,
  };
}

function describeMonth(month: MonthlyEnergy): MonthStatus {
  return {
    ...describeEnergy(month),
    ...figures({
      solarRatio: solarRatio(month),
      startsAtMs: isEmptyMonth(month) ? undefined : month.startsAtMs,
    }),
  };
}

function describeEnergies({ days, years }: Known): EnergiesStatus {
  return {
    today: describeEnergy(days?.today),
    yesterday: describeEnergy(days?.yesterday),
    year: describeEnergy(years?.year),
    lifetime: describeEnergy(years?.lifetime),
  };
}

function describeEnergy(energies: Energies = {}): EnergyStatus {
  return figures({
    pvGeneratedKwh: energies.pvGeneratedKwh,
    gridImportKwh: energies.gridImportKwh,
    gridFeedInKwh: energies.gridFeedInKwh,
    consumptionKwh: energies.consumptionKwh,
    batteryChargedKwh: energies.batteryChargedKwh,
    batteryDischargedKwh: energies.batteryDischargedKwh,
  });
}
