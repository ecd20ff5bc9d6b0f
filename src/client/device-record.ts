import { z } from 'zod';
import type { Device } from '../model/station.ts';
import { kilowattsToWatts } from '../model/units.ts';
import { flag, id, quantity, text, timestamp, timeZone } from './wire-fields.ts';

const energyKwh = quantity.transform((value) =>
  value !== undefined && value >= 0 ? value : undefined,
);

/**
 * Reads a device record (field notes 2.2); absent for one without an id. `nonNullableProducingPower`
 * and its like are left alone: their 0 may stand for null.
 */
export const deviceSchema = z
  .object({
    id,
    deviceId: id,
    name: text,
    deviceName: text,
    serialNumber: text,
    sn: text,
    model: text,
    gatherProtocolNameDisplay: text,
    gatherProtocolNumber: text,
    deviceSortLocaleText: text,
    deviceSortKey: text,
    isOnline: flag,
    dtuId: id,
    dtuDtuid: id,
    stationId: id,
    stationName: text,
    stationTimezone: timeZone,
    ratedPower: quantity,
    dailyProducedQuantity: energyKwh,
    totalProducedQuantity: energyKwh,
    lastDataAt: timestamp,
  })
  .transform((wire): Device | undefined => {
    const deviceId = wire.id ?? wire.deviceId;
    if (deviceId === undefined) return undefined;
    const { ratedPower: ratedKilowatts = 0 } = wire;
    return {
      deviceId,
      name: wire.name ?? wire.deviceName,
      serial: wire.serialNumber ?? wire.sn,
      // Often null; what follows says ever less about the device.
      model:
        wire.model ??
        wire.gatherProtocolNameDisplay ??
        wire.gatherProtocolNumber ??
        wire.deviceSortLocaleText ??
        wire.deviceSortKey,
      isOnline: wire.isOnline,
      dataloggerId: wire.dtuId,
      dataloggerNumber: wire.dtuDtuid,
      stationId: wire.stationId,
      stationName: wire.stationName,
      stationTimeZone: wire.stationTimezone,
      ratedPowerWatts: ratedKilowatts > 0 ? kilowattsToWatts(ratedKilowatts) : undefined,
      pvEnergyTodayKwh: wire.dailyProducedQuantity,
      pvEnergyTotalKwh: wire.totalProducedQuantity,
      lastDataAtMs: wire.lastDataAt,
    };
  });
