import { latestAlarm } from './alarms.ts';
import { listAttributeGroups } from './attributes.ts';
import { logOut } from './authentication.ts';
import type { OtherEndpoint } from './endpoints.ts';
import { readStationFlow } from './energy-flow.ts';
import { type Handler, onBody } from './handler.ts';
import { dataloggerInfo, deviceDetails, stationDetails } from './inventory/lists.ts';
import { countDeviceStates, countStationStates, ownerTotals } from './inventory/totals.ts';
import { readRecords } from './samples/readings.ts';
import type { Reply } from './reply.ts';
import { clearCachedSettings, readSetting } from './settings/settings.ts';
import { daysOfMonth, monthsOfYear, yearsOfLifetime } from './summary/buckets.ts';
import { listGeneratedEnergy, summarizeEnergy } from './summary/categories.ts';
import { summarizePower } from './summary/power-of-day.ts';
import { ofDevice, ofOwner, ofStation } from './summary/scopes.ts';
import { readRemoteLatestState } from './telemetry.ts';
import type { World } from './world.ts';

/** What answers the endpoints that other clients of the portal use. */
export const OTHER_HANDLERS: Readonly<Record<OtherEndpoint, Handler>> = {
  logout: logOut,
  'station-details': stationDetails,
  'station-states': onNothing(countStationStates),
  'station-flow': readStationFlow,
  'device-details': deviceDetails,
  'device-states': onNothing(countDeviceStates),
  datalogger: dataloggerInfo,
  records: onBody(readRecords),
  'remote-latest-state': readRemoteLatestState,
  'attribute-groups': listAttributeGroups,
  'latest-alarm': onBody(latestAlarm),
  'setting-read': readSetting,
  'settings-clear': clearCachedSettings,
  'owner-statistics': onNothing(ownerTotals),
  dashboard: onNothing(ownerTotals),
  'summary-station-daily': summarizePower(ofStation),
  'summary-device-daily': summarizePower(ofDevice),
  'summary-device-monthly': summarizeEnergy(ofDevice, daysOfMonth),
  'summary-device-yearly': summarizeEnergy(ofDevice, monthsOfYear),
  'summary-device-total': summarizeEnergy(ofDevice, yearsOfLifetime),
  'summary-owner-daily': summarizePower(ofOwner),
  'summary-owner-monthly': summarizeEnergy(ofOwner, daysOfMonth),
  'summary-owner-yearly': summarizeEnergy(ofOwner, monthsOfYear),
  'summary-owner-total': summarizeEnergy(ofOwner, yearsOfLifetime),
  'generated-monthly': listGeneratedEnergy(ofStation, daysOfMonth),
  'generated-yearly': listGeneratedEnergy(ofStation, monthsOfYear),
  'generated-total': listGeneratedEnergy(ofStation, yearsOfLifetime),
};

/** Makes a handler of what reads neither query nor body: some clients send no body at all. */
function onNothing(handle: (world: World) => Reply): Handler {
  return (_request, world) => handle(world);
}
